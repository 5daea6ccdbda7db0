//! Volumes that are block devices: files, which take up only the blocks that were written, and loop
//! devices while the node uses them.
//!
//! No record says which devices there are: they follow from the paths in the record of a volume,
//! and from the files that the system's devices have. So nothing has to be put right after a crash,
//! and the next step that settles a volume detaches what it doesn't need.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kubernetes_csi_driver::model::{AccessType, CapacityRange, Mount, VolumeCapability};
use kubernetes_csi_driver::mounts;
use kubernetes_csi_driver::{Error, Result};
use kubernetes_mount::exec::{Exec, Local};
use kubernetes_mount::filesystem::LoopDevice;

use crate::records::{Backing, VolumeRecord};
use crate::state::State;

/// The sizes of images are multiples of it, as `mkfs` makes blocks of it.
const UNIT: u64 = 4096;

/// The size of the smallest image, which ext4 needs.
const LEAST: u64 = 1 << 20;

/// The size of the smallest image with XFS: `mkfs.xfs` refuses smaller ones.
const LEAST_XFS: u64 = 300 << 20;

/// The time after which a file system that doesn't stand still is an error.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the size of an image.
pub(crate) fn size(
    wanted: CapacityRange,
    default: u64,
    capabilities: &[VolumeCapability],
) -> Result<u64> {
    let (mut least, mut what) = (LEAST, "an image");
    for capability in capabilities {
        if let AccessType::Mount(mount) = &capability.access_type {
            let (of_type, name) = least_of(mount).map_err(Error::invalid)?;
            if of_type > least {
                (least, what) = (of_type, name);
            }
        }
    }
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

/// Returns the least size of an image with a file system, and what has that size; or why there is
/// no such image.
fn least_of(mount: &Mount) -> Result<(u64, &'static str), String> {
    match mount.fs_type.as_deref() {
        None | Some("ext2" | "ext3" | "ext4") => Ok((LEAST, "an image")),
        Some("xfs") => Ok((LEAST_XFS, "XFS")),
        Some(other) => Err(format!(
            "fs_type: {other:?} isn't one of ext2, ext3, ext4 and xfs"
        )),
    }
}

/// Returns why a volume can't be used in a way, if it can't.
fn refusal(volume: &VolumeRecord, capability: &VolumeCapability) -> Option<String> {
    match (&capability.access_type, volume.backing) {
        (AccessType::Block, Backing::Folder) => {
            Some("the volume is a folder, and no device".to_owned())
        }
        (AccessType::Mount(mount), Backing::Image) => match least_of(mount) {
            Err(reason) => Some(reason),
            Ok((least, what)) => (volume.size < least).then(|| {
                let size = volume.size;
                format!("{what} has at least {least} bytes, and the volume has {size}")
            }),
        },
        _ => None,
    }
}

/// Returns why a volume can't be used in one of some ways, if it can't.
pub(crate) fn refusal_of_any(
    volume: &VolumeRecord,
    capabilities: &[VolumeCapability],
) -> Option<String> {
    let mut capabilities = capabilities.iter();
    capabilities.find_map(|capability| refusal(volume, capability))
}

/// Returns an error if a volume can't be used in a way.
pub(crate) fn check_capability(
    volume: &VolumeRecord,
    capability: &VolumeCapability,
    error: fn(String) -> Error,
) -> Result<()> {
    match refusal(volume, capability) {
        Some(refusal) => Err(error(format!("volume_capability: {refusal}"))),
        None => Ok(()),
    }
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
    Ok(state.devices().attach(&state.data(id), read_only)?)
}

/// Detaches the devices of a volume that no path in its record needs. A folder has none.
pub(crate) fn settle(state: &State, id: &str) -> Result<()> {
    let devices = state.devices();
    let (reads, writes) = match state.lock().get::<VolumeRecord>(id) {
        Some(volume) if volume.backing == Backing::Image => {
            (volume.has_readers(), volume.has_writers())
        }
        _ => return Ok(()),
    };
    let file = state.data(id);
    if !file.exists() {
        return Ok(());
    }
    for LoopDevice {
        path, read_only, ..
    } in devices.of(&file)?
    {
        let is_needed = if read_only { reads } else { writes };
        if !is_needed {
            devices.detach(&path)?;
        }
    }
    Ok(())
}

/// Mounts the file system of a volume, which is made if the volume is empty.
pub(crate) fn mount(state: &State, id: &str, target: &Path, mount: &Mount) -> Result<()> {
    mounts::mount_device(&attach(state, id, false)?, target, mount)
}

/// Gives the devices of a volume the size of its file, and its file system, if one is mounted at
/// the path, that of its device.
pub(crate) fn grow(state: &State, id: &str, path: &Path) -> Result<()> {
    {
        let devices = state.devices();
        for device in devices.of(&state.data(id))? {
            devices.resize(&device.path)?;
        }
    }
    match is_file_system(path)? {
        true => mounts::grow_file_system(&attach(state, id, false)?, path),
        false => Ok(()),
    }
}

/// Does something while nothing in the file of a volume changes: what is in caches is written
/// before, and a file system that is mounted stands still. A device that a Pod writes to doesn't.
pub(crate) fn while_still<T>(
    state: &State,
    id: &str,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let devices = state.devices().of(&state.data(id))?;
    for device in devices {
        File::open(&device.path)?.sync_all()?;
    }
    let staged = match state.lock().get::<VolumeRecord>(id) {
        Some(volume) => volume.staged.clone(),
        None => return run(),
    };
    for path in staged {
        if is_file_system(Path::new(&path))? {
            let _still = Still::new(state, id, path.into())?;
            return run();
        }
    }
    run()
}

fn is_file_system(path: &Path) -> Result<bool> {
    Ok(path.is_dir() && mounts::is_mounted(path)?)
}

/// A file system that stands still, until the last of these is dropped.
struct Still<'s> {
    state: &'s State,
    id: &'s str,
    path: PathBuf,
}

impl<'s> Still<'s> {
    fn new(state: &'s State, id: &'s str, path: PathBuf) -> Result<Self> {
        let mut copies = state.copies();
        let count = copies.entry(id.to_owned()).or_default();
        if *count == 0 {
            // The record first: if the process is killed, the next one ends it.
            state.mark_frozen(id, true)?;
            fsfreeze("--freeze", &path)?;
        }
        *count += 1;
        Ok(Self { state, id, path })
    }

    fn end(&self) -> Result<()> {
        fsfreeze("--unfreeze", &self.path)?;
        Ok(self.state.mark_frozen(self.id, false)?)
    }
}

impl Drop for Still<'_> {
    fn drop(&mut self) {
        let mut copies = self.state.copies();
        match copies.get_mut(self.id) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                copies.remove(self.id);
                if let Err(error) = self.end() {
                    tracing::error!(volume = self.id, "the file system stands still: {error}");
                }
            }
        }
    }
}

fn fsfreeze(what: &str, path: &Path) -> Result<()> {
    let (program, args) = (Path::new("fsfreeze"), [what.as_ref(), path.as_os_str()]);
    let output = Local.run(program, &args, LIMIT);
    let done = output.and_then(|output| output.success(program, &args));
    done.map_err(kubernetes_mount::Error::from)?;
    Ok(())
}

/// Puts right what an earlier process has left: file systems that stand still, and devices that
/// nobody needs.
pub(crate) fn recover(state: &State) -> Result<()> {
    let images: Vec<VolumeRecord> = {
        let records = state.lock();
        let images = records.all::<VolumeRecord>();
        let images = images.filter(|volume| volume.backing == Backing::Image);
        images.cloned().collect()
    };
    // One list of all, rather than one for each volume.
    let attached = match images.is_empty() {
        true => BTreeSet::new(),
        false => state.devices().files()?,
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
        let found = fs::metadata(state.data(&volume.id));
        if found.is_ok_and(|found| attached.contains(&(found.dev(), found.ino()))) {
            settle(state, &volume.id)?;
        }
    }
    Ok(())
}
