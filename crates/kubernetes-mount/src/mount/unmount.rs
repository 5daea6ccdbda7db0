//! Unmounting what doesn't answer.

use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::mount::UnmountFlags;

use super::linux::{LinuxMounter, unmount};
use super::{ForceUnmount, MountError};
use crate::{Error, Result};

impl ForceUnmount for LinuxMounter {
    fn unmount_with_force(&self, target: &Path, limit: Duration) -> Result<()> {
        unmount_with_force(target, limit)
    }
}

/// Unmounts what was mounted last at the path; if that takes longer than the limit, by force
/// (`MNT_FORCE`), which has the same limit. NFS and FUSE give up open requests then, and data
/// that was not written is lost. Other file systems ignore the force.
///
/// An unmount that is refused is not tried by force.
///
/// # Errors
///
/// [`MountError::UnmountTimedOut`] if both took too long: a thread waits for each, and the
/// kernel may still finish them. Otherwise as [`Mount::unmount`](super::Mount::unmount).
pub fn unmount_with_force(target: &Path, limit: Duration) -> Result<()> {
    for flags in [UnmountFlags::empty(), UnmountFlags::FORCE] {
        if let Some(result) = limited(target, flags, limit)? {
            return result;
        }
        tracing::warn!(target = %target.display(), ?limit, ?flags, "unmount takes too long");
    }
    Err(MountError::UnmountTimedOut {
        path: target.to_owned(),
        limit,
    }
    .into())
}

/// Removes what was mounted last at the path from the tree of files at once (`MNT_DETACH`). It
/// ends when no program uses it any more. Until then a device stays in use: it must not be
/// detached from the node.
///
/// # Errors
///
/// As [`Mount::unmount`](super::Mount::unmount).
pub fn unmount_lazily(target: &Path) -> Result<()> {
    unmount(target, UnmountFlags::DETACH)
}

/// Returns nothing if it took too long. No signal ends the system call, so that a thread must do
/// it; it is in the same mount namespace.
fn limited(target: &Path, flags: UnmountFlags, limit: Duration) -> Result<Option<Result<()>>> {
    let (sender, receiver) = mpsc::channel();
    let path = target.to_owned();
    thread::Builder::new()
        .name("unmount".to_owned())
        .spawn(move || {
            let _ = sender.send(unmount(&path, flags));
        })
        .map_err(Error::io("start a thread to unmount", target))?;
    Ok(receiver.recv_timeout(limit).ok())
}
