//! Volumes that are block devices: files, which take up only the blocks that were written, and loop
//! devices while the node uses them.
//!
//! No record says which devices there are: they follow from the paths in the record of a volume, and
//! from the files that the system's devices have. So nothing has to be put right after a crash, and
//! the next step that settles a volume detaches what it doesn't need.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use kubernetes_csi_driver::model::{CapacityRange, Mount};
use kubernetes_csi_driver::mounts;
use kubernetes_csi_driver::{Error, Result};
use kubernetes_mount::exec::Local;
use kubernetes_mount::filesystem::{LoopDevice, ResizeFs, SafeFormatAndMount};
use kubernetes_mount::mount::LinuxMounter;

use crate::records::VolumeRecord;
use crate::state::State;

/// The sizes of images are multiples of it, as `mkfs` makes blocks of it.
const UNIT: u64 = 4096;

/// The size of the smallest image, which ext4 needs.
const LEAST: u64 = 1 << 20;

/// The size of the smallest image with XFS: `mkfs.xfs` refuses smaller ones.
const LEAST_XFS: u64 = 300 << 20;

/// Returns the size of an image.
pub(crate) fn size(wanted: CapacityRange, default: u64, fs_types: &[&str]) -> Result<u64> {
    let (least, what) = match fs_types.contains(&"xfs") {
        true => (LEAST_XFS, "XFS"),
        false => (LEAST, "an image"),
    };
    if let Some(limit) = wanted.limit.filter(|limit| *limit < least) {
        let message = format!("capacity_range: {what} has at least {least} bytes, not {limit}");
        return Err(Error::out_of_range(message));
    }
    let required = match wanted.required {
        0 => 0,
        required => required.max(least),
    };
    CapacityRange { required, ..wanted }.choose(default, UNIT)
}

/// Makes a file of a size, or lets one grow to it. It never shrinks.
pub(crate) fn grow_file(path: &Path, size: u64) -> io::Result<()> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    if file.metadata()?.len() < size {
        file.set_len(size)?;
        file.sync_all()?;
    }
    Ok(())
}

/// Returns the device of a volume, which is attached if it isn't.
///
/// The record of the volume has to have the path that it is for.
pub(crate) fn attach(state: &State, id: &str, read_only: bool) -> Result<PathBuf> {
    let devices = state.devices();
    let device = devices.attach(&state.data(id), read_only);
    device.map_err(mounts::failed)
}

/// Detaches the devices of a volume that no path in its record needs.
pub(crate) fn settle(state: &State, id: &str) -> Result<()> {
    let devices = state.devices();
    let (reads, writes) = match state.lock().get::<VolumeRecord>(id) {
        Some(volume) => (volume.has_readers(), volume.has_writers()),
        None => (false, false),
    };
    let file = state.data(id);
    if !file.exists() {
        return Ok(());
    }
    for LoopDevice {
        path, read_only, ..
    } in devices.of(&file).map_err(mounts::failed)?
    {
        let is_needed = if read_only { reads } else { writes };
        if !is_needed {
            devices.detach(&path).map_err(mounts::failed)?;
        }
    }
    Ok(())
}

/// Mounts the file system of a volume, which is made if the volume is empty, and grows with it.
pub(crate) fn mount(state: &State, id: &str, target: &Path, mount: &Mount) -> Result<()> {
    let device = attach(state, id, false)?;
    let exec = Arc::new(Local);
    if !mounts::is_mounted(target)? {
        let mounter = SafeFormatAndMount::new(Arc::new(LinuxMounter::new()), exec.clone());
        let fs_type = mount.fs_type.as_deref().unwrap_or_default();
        let flags: Vec<&str> = mount.flags.0.iter().map(String::as_str).collect();
        let mounted =
            mounter.format_and_mount_sensitive(&device, target, fs_type, &[], &flags, &[]);
        mounted.map_err(mounts::failed)?;
    }
    // A copy of a smaller volume, or one that has grown while nobody used it.
    grow_file_system(&device, target)
}

/// Gives the devices of a volume, and its file system, the size of its file.
pub(crate) fn grow(state: &State, id: &str, mounted_at: Option<&Path>) -> Result<()> {
    {
        let devices = state.devices();
        for device in devices.of(&state.data(id)).map_err(mounts::failed)? {
            devices.resize(&device.path).map_err(mounts::failed)?;
        }
    }
    match mounted_at {
        Some(target) => grow_file_system(&attach(state, id, false)?, target),
        None => Ok(()),
    }
}

fn grow_file_system(device: &Path, target: &Path) -> Result<()> {
    let resizer = ResizeFs::new(Arc::new(Local));
    let is_smaller = resizer.need_resize(device, target);
    if is_smaller.map_err(mounts::failed)? {
        resizer.resize(device, target).map_err(mounts::failed)?;
    }
    Ok(())
}

/// Does something while nothing in the file of a volume changes: what is in caches is written
/// before, and a mounted file system stands still. A device that a Pod writes to doesn't.
pub(crate) fn while_still<T>(
    state: &State,
    id: &str,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    for device in state
        .devices()
        .of(&state.data(id))
        .map_err(mounts::failed)?
    {
        File::open(&device.path)?.sync_all()?;
    }
    let staged = match state.lock().get::<VolumeRecord>(id) {
        Some(volume) => volume.staged.clone(),
        None => return run(),
    };
    for path in staged {
        if is_file_system(Path::new(&path))? {
            let frozen = Frozen::freeze(state, id, PathBuf::from(path))?;
            let done = run();
            return frozen.thaw().and(done);
        }
    }
    run()
}

fn is_file_system(path: &Path) -> Result<bool> {
    Ok(path.is_dir() && mounts::is_mounted(path)?)
}

/// A file system that stands still. The record of the volume says so, so that a process that is
/// killed meanwhile is not the end of it.
struct Frozen<'s> {
    state: &'s State,
    id: &'s str,
    path: PathBuf,
}

impl<'s> Frozen<'s> {
    fn freeze(state: &'s State, id: &'s str, path: PathBuf) -> Result<Self> {
        state.mark_frozen(id, true)?;
        let frozen = Self { state, id, path };
        fsfreeze("--freeze", &frozen.path)?;
        Ok(frozen)
    }

    fn thaw(self) -> Result<()> {
        fsfreeze("--unfreeze", &self.path)?;
        Ok(self.state.mark_frozen(self.id, false)?)
    }
}

impl Drop for Frozen<'_> {
    /// Lets writers go on, whatever has happened.
    fn drop(&mut self) {
        let _ = fsfreeze("--unfreeze", &self.path);
    }
}

fn fsfreeze(what: &str, path: &Path) -> Result<()> {
    let output = Command::new("fsfreeze")
        .arg(what)
        .arg(path)
        .stdin(Stdio::null())
        .output()?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let printed = String::from_utf8_lossy(&output.stderr);
            let message = format!("fsfreeze {what}: {}", printed.trim());
            Err(Error::internal(message))
        }
    }
}

/// Puts right what an earlier process has left: file systems that stand still, and devices that
/// nobody needs.
pub(crate) fn recover(state: &State) -> Result<()> {
    let images: Vec<VolumeRecord> = {
        let records = state.lock();
        let images = records.all::<VolumeRecord>();
        images.filter(|volume| volume.is_image()).cloned().collect()
    };
    for volume in images {
        if volume.is_frozen {
            for path in volume.staged.iter().map(Path::new) {
                if is_file_system(path)? {
                    // It fails if it doesn't stand still.
                    let _ = fsfreeze("--unfreeze", path);
                }
            }
            state.mark_frozen(&volume.id, false)?;
        }
        settle(state, &volume.id)?;
    }
    Ok(())
}

/// Returns true if the file of an image can be read.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    fs::File::open(path).map(drop)
}
