//! Problems of what is mounted.

use std::io;
use std::path::Path;

use super::last_mount;
use crate::Result;
use crate::model::{VolumeProblem, VolumeProblemKind};

/// Returns the problems of the file system that is mounted at a path, for
/// [`NodeVolumeHealth`](crate::node::NodeVolumeHealth): `NotMounted`, `NotReachable` if its root
/// can't be read, and `ReadOnlyAfterErrors` if it was mounted to be written and the kernel lets
/// nobody write any more.
///
/// # Errors
///
/// `INTERNAL` if the mounts of the node can't be read.
pub fn problems(target: &Path) -> Result<Vec<VolumeProblem>> {
    let Some(mount) = last_mount(target)? else {
        return Ok(vec![VolumeProblem::new(
            VolumeProblemKind::Inaccessible,
            "NotMounted",
            format!("nothing is mounted at {}", target.display()),
        )]);
    };
    if let Err(error) = read(target) {
        return Ok(vec![VolumeProblem::new(
            VolumeProblemKind::Inaccessible,
            "NotReachable",
            format!("{} can't be read: {error}", target.display()),
        )]);
    }
    let has = |options: &[String], wanted: &str| options.iter().any(|option| option == wanted);
    let of_all = &mount.super_options;
    // Since Linux 6.15, ext4 says the second.
    let is_stopped = ["ro", "emergency_ro", "shutdown"].map(|option| has(of_all, option));
    let is_stopped = is_stopped.contains(&true) && !has(&mount.mount_options, "ro");
    Ok(match is_stopped {
        true => vec![VolumeProblem::new(
            VolumeProblemKind::Degraded,
            "ReadOnlyAfterErrors",
            "the kernel has made the file system read-only, usually after errors",
        )],
        false => Vec::new(),
    })
}

fn read(target: &Path) -> io::Result<()> {
    rustix::fs::statfs(target)?;
    if target.is_dir() {
        target.read_dir()?.next().transpose()?;
    }
    Ok(())
}
