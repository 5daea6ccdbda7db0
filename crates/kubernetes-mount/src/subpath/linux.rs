//! Mounting a part of a volume.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, unlinkat};
use rustix::io::Errno;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};

use super::clean::{self, SUBPATHS, unmount_in};
use super::make::{make_dir, safe_make_dir};
use super::open::{below, open_base, refused, resolve_inside};
use super::{Subpath, SubpathRequest};
use crate::mount::is_corruption;
use crate::{Error, Result};

/// The permissions of directories of a Pod.
const DIRECTORY_MODE: u32 = 0o750;

/// Prepares parts of volumes by system calls of Linux.
///
/// ```no_run
/// use kubernetes_mount::subpath::{LinuxSubpath, Subpath, SubpathRequest};
///
/// # fn main() -> kubernetes_mount::Result<()> {
/// let pod_dir = "/var/lib/kubelet/pods/6d6f7573".into();
/// let volume_path = "/var/lib/kubelet/pods/6d6f7573/volumes/kubernetes.io~empty-dir/data";
/// let path = LinuxSubpath.prepare_safe_subpath(&SubpathRequest {
///     volume_mount_index: 0,
///     path: format!("{volume_path}/mysql").into(),
///     volume_name: "data".to_owned(),
///     volume_path: volume_path.into(),
///     pod_dir,
///     container_name: "db".to_owned(),
/// })?;
/// println!("mount {} in the container", path.display());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LinuxSubpath;

impl LinuxSubpath {
    /// Returns the implementation for Linux.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Subpath for LinuxSubpath {
    fn prepare_safe_subpath(&self, request: &SubpathRequest) -> Result<PathBuf> {
        let source = source(request)?;
        let stat = fstat(&source).map_err(Error::io("look at", &request.path))?;
        let index = request.volume_mount_index.to_string();
        let names = [
            SUBPATHS,
            &request.volume_name,
            &request.container_name,
            &index,
        ];
        names.iter().try_for_each(|name| check_name(name))?;
        let mut path = request.pod_dir.clone();
        let mut dir = open_base(&request.pod_dir)?;
        for name in &names[..3] {
            path.push(name);
            dir = make_dir(&dir, OsStr::new(name), DIRECTORY_MODE)
                .map_err(Error::io("make the directory", &path))?;
        }
        path.push(&index);
        if is_mounted_there(dir.as_fd(), &index, &stat, &path)? {
            return Ok(path);
        }
        let target = placeholder(&dir, &index, &stat).map_err(Error::io("make", &path))?;
        bind(&source, &target).map_err(Error::io("mount a part of a volume at", &path))?;
        Ok(path)
    }

    fn clean_subpaths(&self, pod_dir: &Path, volume_name: &str) -> Result<()> {
        check_name(volume_name)?;
        clean::clean(pod_dir, volume_name)
    }

    fn safe_make_dir(&self, subdir: &Path, base: &Path, mode: u32) -> Result<()> {
        safe_make_dir(subdir, base, mode)
    }
}

/// Opens the part of the volume.
fn source(request: &SubpathRequest) -> Result<OwnedFd> {
    let Ok(part) = request.path.strip_prefix(&request.volume_path) else {
        return Err(Error::invalid(format!(
            "{} is not in the volume at {}",
            request.path.display(),
            request.volume_path.display()
        )));
    };
    let part = below(part)?;
    let volume = open_base(&request.volume_path)?;
    let open = |flags| resolve_inside(&volume, &request.volume_path, &part, flags);
    // A directory, opened as one, is mounted if it is to be mounted when it is used (autofs).
    let opened = match open(OFlags::PATH | OFlags::DIRECTORY) {
        Err(Errno::NOTDIR) => open(OFlags::PATH),
        opened => opened,
    };
    opened.map_err(|error| refused(error, &request.path))
}

/// Checks a name that becomes a part of a path.
fn check_name(name: &str) -> Result<()> {
    if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
        return Err(Error::invalid(format!(
            "{name:?} can't be the name of a directory"
        )));
    }
    Ok(())
}

/// Returns true if the file is mounted at the target. Unmounts another one.
fn is_mounted_there(dir: BorrowedFd<'_>, name: &str, source: &Stat, path: &Path) -> Result<bool> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    loop {
        let there = match openat(dir, name, flags, Mode::empty()) {
            Ok(there) => fstat(&there),
            Err(Errno::NOENT) => return Ok(false),
            Err(error) => Err(error),
        };
        match there {
            Ok(there) if (there.st_dev, there.st_ino) == (source.st_dev, source.st_ino) => {
                return Ok(true);
            }
            Ok(_) => {}
            // Its server is gone.
            Err(error) if is_corruption(error) => {}
            Err(error) => return Err(Error::io("look at", path)(error)),
        }
        if !unmount_in(dir, name).map_err(Error::io("unmount", path))? {
            return Ok(false);
        }
    }
}

/// Makes the mount point of the part: a directory for a directory, otherwise a file.
fn placeholder(dir: &OwnedFd, name: &str, source: &Stat) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if FileType::from_raw_mode(source.st_mode) == FileType::Directory {
        // An empty file may be left of another part.
        let _ = unlinkat(dir, name, AtFlags::empty());
        return make_dir(dir, OsStr::new(name), DIRECTORY_MODE);
    }
    let _ = unlinkat(dir, name, AtFlags::REMOVEDIR);
    let new = OFlags::CREATE | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, new, Mode::from_raw_mode(0o640))?;
    openat(dir, name, flags, Mode::empty())
}

/// Mounts an open file upon another one.
fn bind(source: &OwnedFd, target: &OwnedFd) -> Result<(), Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH;
    let tree = open_tree(source, c"", flags)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(&tree, c"", target, c"", flags)
}
