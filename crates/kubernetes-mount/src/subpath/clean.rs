//! Removing what was prepared.

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat, unlinkat};
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount};

use super::open::open_base;
use crate::{Error, Result};

/// The directory in that of a Pod with its parts of volumes.
pub const SUBPATHS: &str = "volume-subpaths";

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

pub(super) fn clean(pod_dir: &Path, volume_name: &str) -> Result<()> {
    let pod = match open_base(pod_dir) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(());
        }
        opened => opened?,
    };
    let all_path = pod_dir.join(SUBPATHS);
    let Some(all) = open(&pod, SUBPATHS, &all_path)? else {
        return Ok(());
    };
    let volume_path = all_path.join(volume_name);
    if let Some(volume) = open(&all, volume_name, &volume_path)? {
        for container in names(&volume, &volume_path)? {
            let path = volume_path.join(&container);
            let Some(dir) = open(&volume, &container, &path)? else {
                continue;
            };
            for index in names(&dir, &path)? {
                remove_part(dir.as_fd(), &index, &path.join(&index))?;
            }
            remove_dir(volume.as_fd(), &container, &path)?;
        }
        remove_dir(all.as_fd(), volume_name, &volume_path)?;
    }
    // Other volumes may have parts.
    match unlinkat(&pod, SUBPATHS, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
        Err(error) => Err(Error::io("remove", &all_path)(error)),
    }
}

/// Unmounts what is mounted at a name in a directory. Returns whether something was.
pub(super) fn unmount_in(dir: BorrowedFd<'_>, name: &str) -> Result<bool, Errno> {
    // By the open directory: whatever takes its path is not unmounted.
    let path = format!("/proc/self/fd/{}/{name}", dir.as_raw_fd());
    match unmount(path, UnmountFlags::NOFOLLOW) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOENT) => Ok(false),
        // Somebody works in it; it is gone from here, and from there when they are done.
        Err(Errno::BUSY) => {
            let path = format!("/proc/self/fd/{}/{name}", dir.as_raw_fd());
            unmount(path, UnmountFlags::NOFOLLOW | UnmountFlags::DETACH).map(|()| true)
        }
        Err(error) => Err(error),
    }
}

/// Unmounts a part, and removes what it was mounted upon, which is empty.
fn remove_part(dir: BorrowedFd<'_>, name: &str, path: &Path) -> Result<()> {
    while unmount_in(dir, name).map_err(Error::io("unmount", path))? {}
    let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(()),
        stat => stat.map_err(Error::io("look at", path))?,
    };
    let removed = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => return remove_dir(dir, name, path),
        FileType::RegularFile if stat.st_size == 0 => unlinkat(dir, name, AtFlags::empty()),
        _ => {
            return Err(Error::invalid(format!(
                "{} is not a part of a volume; check it and remove it",
                path.display()
            )));
        }
    };
    gone(removed, path)
}

fn remove_dir(above: BorrowedFd<'_>, name: &str, path: &Path) -> Result<()> {
    gone(unlinkat(above, name, AtFlags::REMOVEDIR), path)
}

fn gone(removed: Result<(), Errno>, path: &Path) -> Result<()> {
    match removed {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(Error::io("remove", path)(error)),
    }
}

fn open(above: &OwnedFd, name: &str, path: &Path) -> Result<Option<OwnedFd>> {
    match openat(above, name, DIRECTORY, Mode::empty()) {
        Ok(dir) => Ok(Some(dir)),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::NOTDIR | Errno::LOOP) => Err(Error::invalid(format!(
            "{} is not a directory",
            path.display()
        ))),
        Err(error) => Err(Error::io("open", path)(error)),
    }
}

/// Returns the names in a directory. All names that are made here are UTF-8.
fn names(dir: &OwnedFd, path: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir).map_err(Error::io("read", path))? {
        let entry = entry.map_err(Error::io("read", path))?;
        let name: &CStr = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let Ok(name) = name.to_str() else {
            return Err(Error::invalid(format!(
                "{} has files of others",
                path.display()
            )));
        };
        names.push(name.to_owned());
    }
    // The same is done, and the same is left by an error, on every file system.
    names.sort();
    Ok(names)
}
