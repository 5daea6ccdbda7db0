//! Making directories.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fchmod, fstat, mkdirat, openat};
use rustix::io::Errno;

use super::open::{below, open_base, refused, resolve_inside};
use crate::{Error, Result};

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The bit that a new directory gets from the one above it.
const SETGID: u32 = 0o2000;

pub(super) fn safe_make_dir(subdir: &Path, base: &Path, mode: u32) -> Result<()> {
    let path = below(subdir)?;
    let base_fd = open_base(base)?;
    let (mut dir, missing) = existing_prefix(base_fd, &path, base)?;
    let mut made = base.join(&path);
    for _ in &missing {
        made.pop();
    }
    for name in missing {
        made.push(&name);
        dir = make_dir(&dir, &name, mode).map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP => {
                Error::invalid(format!("{} is not a directory", made.display()))
            }
            error => Error::io("make the directory", &made)(error),
        })?;
    }
    Ok(())
}

/// Returns the deepest directory of a path that exists, and the names that don't.
fn existing_prefix(
    base_fd: OwnedFd,
    path: &Path,
    base: &Path,
) -> Result<(OwnedFd, Vec<std::ffi::OsString>)> {
    let mut missing = Vec::new();
    let mut prefix = PathBuf::from(path);
    loop {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        match resolve_inside(&base_fd, base, &prefix, flags) {
            Ok(dir) => {
                missing.reverse();
                return Ok((dir, missing));
            }
            Err(Errno::NOENT) if prefix.file_name().is_some() => {
                missing.extend(prefix.file_name().map(OsStr::to_owned));
                prefix.pop();
            }
            Err(Errno::NOTDIR) => {
                let at = base.join(&prefix);
                return Err(Error::invalid(format!(
                    "{} is not a directory",
                    at.display()
                )));
            }
            Err(error) => return Err(refused(error, &base.join(&prefix))),
        }
    }
}

/// Makes a directory in another one, or opens the directory that somebody has made meanwhile.
pub(super) fn make_dir(dir: &OwnedFd, name: &OsStr, mode: u32) -> Result<OwnedFd, Errno> {
    match mkdirat(dir, name, Mode::from_raw_mode(mode & 0o777)) {
        Err(Errno::EXIST) => return openat(dir, name, DIRECTORY, Mode::empty()),
        made => made?,
    }
    let made = openat(dir, name, DIRECTORY, Mode::empty())?;
    let inherited = fstat(&made)?.st_mode & SETGID;
    fchmod(&made, Mode::from_raw_mode(mode & 0o7777 | inherited))?;
    Ok(made)
}
