//! Resolving a path without leaving a directory.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

use crate::{Error, Result};

/// The most attempts to resolve a path while files are renamed.
const ATTEMPTS: usize = 128;

/// Opens what is at a path below a base. Any symbolic link below the base is an error, and nothing
/// can put one there meanwhile. The result can be mounted, looked at and opened anew by its
/// descriptor; it can't be read (`O_PATH`).
///
/// # Errors
///
/// When the path leaves the base, has a link, or leads to nothing.
pub fn safe_open(base: &Path, path: &Path) -> Result<OwnedFd> {
    let below = below(path)?;
    let base_fd = open_base(base)?;
    resolve(&base_fd, &below, OFlags::PATH, ResolveFlags::NO_SYMLINKS)
        .map_err(|error| refused(error, &base.join(&below)))
}

/// Opens the directory below which all is done. Its own path belongs to the caller, so its links
/// are followed.
pub(super) fn open_base(base: &Path) -> Result<OwnedFd> {
    if !base.is_absolute() {
        return Err(Error::invalid(format!(
            "the path {} is not absolute",
            base.display()
        )));
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, base, flags, Mode::empty()).map_err(Error::io("open", base))
}

/// Opens a path below a directory. Links are followed unless a flag says otherwise, but not out of
/// the directory.
pub(super) fn resolve(
    base: impl AsFd,
    path: &Path,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let resolve = resolve | ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let flags = flags | OFlags::CLOEXEC;
    for _ in 1..ATTEMPTS {
        match openat2(&base, path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN) => {}
            opened => return opened,
        }
    }
    openat2(&base, path, flags, Mode::empty(), resolve)
}

/// Opens a path below a directory as [`resolve`] does. A link may also leave the directory, if it
/// ends in it: one with an absolute path, or one that goes up and comes back. Its path is found
/// out first and then opened without following links: who changes it meanwhile gets an error.
pub(super) fn resolve_inside(
    base: impl AsFd,
    base_path: &Path,
    path: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    match resolve(&base, path, flags, ResolveFlags::empty()) {
        Err(Errno::XDEV) => {}
        opened => return opened,
    }
    let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::XDEV);
    let real_base = fs::canonicalize(base_path).map_err(errno)?;
    let real = fs::canonicalize(base_path.join(path)).map_err(errno)?;
    let inside = real.strip_prefix(&real_base).map_err(|_| Errno::XDEV)?;
    resolve(base, inside, flags, ResolveFlags::NO_SYMLINKS)
}

/// Returns the error of a path that was not resolved.
pub(super) fn refused(error: Errno, path: &Path) -> Error {
    let path = path.display();
    match error {
        Errno::XDEV => Error::invalid(format!("{path} leads out of the volume")),
        Errno::LOOP => Error::invalid(format!("{path} has a symbolic link that isn't followed")),
        Errno::NOSYS => Error::NotSupported("openat2, which needs Linux 5.6,".to_owned()),
        error => Error::io("open", path.to_string())(error),
    }
}

/// Returns a path as one below a directory, without what cancels itself out.
///
/// # Errors
///
/// When it leads out of the directory.
pub(super) fn below(path: &Path) -> Result<PathBuf> {
    let mut below = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => below.push(name),
            Component::ParentDir if below.pop() => {}
            Component::ParentDir => {
                return Err(Error::invalid(format!(
                    "{} leads out of the volume",
                    path.display()
                )));
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Ok(below)
}
