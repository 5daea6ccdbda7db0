//! Steps of a node part, each of which can be repeated, and repeated after a crash.
//!
//! They block: call them through [`blocking`].

mod devices;
mod group;
mod health;

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use kubernetes_mount::metrics::{MetricsBlock, MetricsProvider, MetricsStatFs};
use kubernetes_mount::mount::{
    LinuxMounter, Mount, MountInfo, are_read_only, binds_at_once, clean_up_mount_point,
    read_mount_info,
};

use crate::model::Mount as MountOf;
use crate::node::{Usage, UsageUnit};
use crate::{Error, Result};

pub use devices::{grow_file_system, mount_device};
pub use group::give_group;
pub use health::problems;

/// Runs a step that blocks in a thread of its own.
///
/// # Errors
///
/// Those of the step, and `INTERNAL` if it panics.
pub async fn blocking<T: Send + 'static>(
    step: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(step).await;
    done.unwrap_or_else(|error| {
        Err(Error::internal("a step of the driver panicked").with_source(error))
    })
}

/// Makes a directory available at a path, which is made if it isn't there: a bind mount with the
/// options of the capability. Succeeds if it is there already.
///
/// # Errors
///
/// - `NOT_FOUND`: The source doesn't exist.
/// - `ALREADY_EXISTS`: Something else is mounted there, or the same, but read-only where neither
///   the caller, nor the options, nor the source are so, or the other way round. In kernels before
///   5.12, what is writable becomes read-only: perhaps a process was killed between the two steps
///   that such mounts take there.
/// - `INTERNAL`: It can't be mounted.
pub fn bind_directory(
    source: &Path,
    target: &Path,
    mount: &MountOf,
    read_only: bool,
) -> Result<()> {
    match fs::DirBuilder::new().mode(0o750).create(target) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    bind(source, target, &flags(mount), read_only)
}

/// Makes a device or a file available at a path, as [`bind_directory`] does a directory.
///
/// Linux lets programs write to a device through a mount that is read-only. To keep them from it,
/// bind a device that is itself so, such as one of
/// [`LoopDevices::attach`](kubernetes_mount::filesystem::LoopDevices::attach) or of
/// `blockdev --setro`.
///
/// # Errors
///
/// As [`bind_directory`].
pub fn bind_file(source: &Path, target: &Path, read_only: bool) -> Result<()> {
    let made = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o640)
        .open(target);
    match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    bind(source, target, &[], read_only)
}

fn flags(mount: &MountOf) -> Vec<&str> {
    mount.flags.0.iter().map(String::as_str).collect()
}

fn bind(source: &Path, target: &Path, flags: &[&str], read_only: bool) -> Result<()> {
    let wanted = match fs::metadata(source) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("{} doesn't exist", source.display());
            return Err(Error::not_found(message));
        }
        Err(error) => return Err(error.into()),
    };
    // Flags can be confidential, so that they aren't shown. The last option wins.
    let mut sensitive = flags.to_vec();
    sensitive.extend(read_only.then_some("ro"));
    let mounter = LinuxMounter::new();
    let is_mounted = mounter.is_mount_point(target)?;
    if !is_mounted {
        return Ok(mounter.mount_sensitive(source, target, "", &["bind"], &sensitive)?);
    }
    let found = fs::metadata(target)?;
    if (found.dev(), found.ino()) != (wanted.dev(), wanted.ino()) {
        return Err(something_else(target));
    }
    let wants_read_only = read_only || are_read_only(flags);
    let is_read_only = is_read_only(target)?;
    // What is bound from a mount that is read-only is so, too.
    if wants_read_only == is_read_only || (is_read_only && is_in_read_only(source)?) {
        return Ok(());
    }
    if wants_read_only && !binds_at_once() {
        let options = ["bind", "remount"];
        return Ok(mounter.mount_sensitive(source, target, "", &options, &sensitive)?);
    }
    Err(mounted_so(target, is_read_only))
}

fn mounted_so(target: &Path, is_read_only: bool) -> Error {
    let how = match is_read_only {
        true => "read-only",
        false => "writable",
    };
    Error::already_exists(format!(
        "it is mounted at {} already, {how}",
        target.display()
    ))
}

/// Returns true if the last mount at a path can't be written.
fn is_read_only(target: &Path) -> Result<bool> {
    Ok(last_mount(target)?.is_some_and(|mount| cannot_be_written(&mount)))
}

/// Returns true if the mount that a path is in can't be written.
fn is_in_read_only(path: &Path) -> Result<bool> {
    let path = fs::canonicalize(path)?;
    let mounts = read_mount_info()?;
    let at = |point: &Path| mounts.iter().rfind(|mount| mount.mount_point == point);
    Ok(path.ancestors().find_map(at).is_some_and(cannot_be_written))
}

fn cannot_be_written(mount: &MountInfo) -> bool {
    mount.mount_options.iter().any(|option| option == "ro")
}

/// Returns the last mount at a path, which hides those before.
fn last_mount(target: &Path) -> Result<Option<MountInfo>> {
    let mounts = read_mount_info()?.into_iter();
    Ok(mounts.rev().find(|mount| mount.mount_point == target))
}

fn something_else(target: &Path) -> Error {
    Error::already_exists(format!("something else is mounted at {}", target.display()))
}

/// Unmounts all that is mounted at a path, which stays. Succeeds if nothing is there.
///
/// # Errors
///
/// `INTERNAL` if it can't be unmounted, such as because a program uses it.
pub fn unmount(target: &Path) -> Result<()> {
    let mounter = LinuxMounter::new();
    while is_mounted(target)? {
        mounter.unmount(target)?;
    }
    Ok(())
}

/// Unmounts all that is mounted at a path, and removes the empty directory or file that is left.
/// Succeeds if nothing is there.
///
/// # Errors
///
/// `INTERNAL` if it can't be unmounted, such as because a program uses it, or what is left isn't
/// empty: nobody has published a volume there.
pub fn unbind(target: &Path) -> Result<()> {
    unmount(target)?;
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
        Ok(found) if found.is_dir() => {
            Ok(clean_up_mount_point(&LinuxMounter::new(), target, true)?)
        }
        Ok(found) if found.is_file() && found.len() == 0 => Ok(fs::remove_file(target)?),
        Ok(_) => {
            let message = format!(
                "{} isn't a file that was made for a volume",
                target.display()
            );
            Err(Error::internal(message))
        }
    }
}

/// Returns true if something is mounted at a path; false if the path doesn't exist.
///
/// # Errors
///
/// When it can't be looked at.
pub fn is_mounted(path: &Path) -> Result<bool> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(LinuxMounter::new().is_mount_point(path)?),
    }
}

/// Measures the device at a path, or the file system that the path is in: for a path at which
/// nothing [is mounted](is_mounted), that of the node.
///
/// # Errors
///
/// - `NOT_FOUND`: Nothing is at the path.
/// - `INTERNAL`: It can't be measured.
pub fn usage(path: &Path) -> Result<Vec<Usage>> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::not_found(format!(
                "nothing is at {}",
                path.display()
            )));
        }
        Err(error) => return Err(error.into()),
    };
    let is_device = !found.is_dir();
    let metrics = match is_device {
        true => MetricsBlock::new(path).metrics(),
        false => MetricsStatFs::new(path).metrics(),
    };
    let metrics = metrics.map_err(|error| Error::internal(error.to_string()).with_source(error))?;
    let bytes = Usage {
        unit: UsageUnit::Bytes,
        total: metrics.capacity.unwrap_or_default(),
        used: metrics.used,
        available: metrics.available,
    };
    let inodes = metrics.inodes.map(|total| Usage {
        unit: UsageUnit::Inodes,
        total,
        used: metrics.inodes_used,
        available: metrics.inodes_free,
    });
    Ok([bytes].into_iter().chain(inodes).collect())
}
