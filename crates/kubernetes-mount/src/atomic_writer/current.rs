//! The files that a volume has.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Dir, FileType, Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::Errno;

use super::Payload;
use crate::{Error, Result};

/// The link to the directory with the files.
pub(super) const DATA: &CStr = c"..data";

/// Returns the name of the directory that `..data` leads to, if it is one of this writer.
pub(super) fn name(dir: BorrowedFd<'_>, path: &Path) -> Result<Option<CString>> {
    let target = match readlinkat(dir, DATA, Vec::new()) {
        Ok(target) => target,
        // No link: `rename` replaces a file, and refuses a directory.
        Err(Errno::NOENT | Errno::INVAL) => return Ok(None),
        Err(error) => {
            return Err(Error::io("read the link", path.join("..data"))(error));
        }
    };
    let is_directory = is_ours(&target) && open_directory(dir, &target).is_ok();
    Ok(is_directory.then_some(target))
}

/// Returns true if a name is that of a directory with files: two dots and a time.
pub(super) fn is_ours(name: &CStr) -> bool {
    let Some(time) = name.to_bytes().strip_prefix(b"..") else {
        return false;
    };
    // Kubernetes' own have underscores and a dot in the time.
    let allowed = |byte: &u8| byte.is_ascii_digit() || b"._".contains(byte);
    time.first().is_some_and(u8::is_ascii_digit) && time.iter().all(allowed)
}

pub(super) fn open_directory(dir: impl AsFd, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}

/// Returns true if a directory has exactly these files, with their content.
pub(super) fn has(
    dir: BorrowedFd<'_>,
    name: &CStr,
    payload: &Payload,
    path: &Path,
) -> Result<bool> {
    let read = |error: Errno| Error::io("read", path)(error);
    let top = open_directory(dir, name).map_err(read)?;
    let mut missing: BTreeSet<&str> = payload.keys().map(String::as_str).collect();
    let mut open = vec![(String::new(), top)];
    while let Some((above, dir)) = open.pop() {
        for entry in Dir::read_from(&dir).map_err(read)? {
            let entry = entry.map_err(read)?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let Ok(text) = name.to_str() else {
                return Ok(false);
            };
            let at = format!("{above}{text}");
            // Opened like this, a link or a device is an error, which means another content.
            if let Some(wanted) = payload.get(&at) {
                if !has_content(&dir, name, &wanted.data) {
                    return Ok(false);
                }
                missing.remove(at.as_str());
            } else if let Ok(below) = open_directory(&dir, name) {
                open.push((format!("{at}/"), below));
            } else {
                return Ok(false);
            }
        }
    }
    Ok(missing.is_empty())
}

fn has_content(dir: &OwnedFd, name: &CStr, wanted: &[u8]) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = openat(dir, name, flags, Mode::empty()) else {
        return false;
    };
    let Ok(stat) = fstat(&file) else { return false };
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    let size = u64::try_from(stat.st_size).ok();
    if !is_file || size != u64::try_from(wanted.len()).ok() {
        return false;
    }
    let mut data = Vec::with_capacity(wanted.len());
    File::from(file).read_to_end(&mut data).is_ok() && data == wanted
}

/// Returns the path of what has a name in a directory, for messages.
pub(super) fn shown(path: &Path, name: &CStr) -> std::path::PathBuf {
    path.join(OsStr::from_bytes(name.to_bytes()))
}
