//! The names and directories of CSI volumes, which are those of a kubelet.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::Result;
use crate::interfaces::VolumeHost;
use crate::plugins::CSI;
use crate::plugins::shared::dirs;

/// The directory of a volume at which it is staged.
const GLOBAL_MOUNT: &str = "globalmount";

/// Stands between the driver and the handle in the name of a volume.
pub(super) const SEPARATOR: char = '^';

/// Returns the name of the VolumeAttachment of a volume and a node.
#[must_use]
pub fn attachment_name(volume_handle: &str, driver: &str, node_name: &str) -> String {
    format!("csi-{}", sha256(&[volume_handle, driver, node_name]))
}

/// Returns the handle of a Pod's volume, which has none of its own.
pub(super) fn inline_handle(pod_uid: &str, volume_name: &str) -> String {
    format!("csi-{}", sha256(&[pod_uid, volume_name]))
}

/// Returns where a volume is staged.
pub(super) fn staging(host: &dyn VolumeHost, driver: &str, volume_handle: &str) -> PathBuf {
    let volume = sha256(&[volume_handle]);
    host.plugin_dir(CSI)
        .join(driver)
        .join(volume)
        .join(GLOBAL_MOUNT)
}

/// Returns where volumes are staged, or were, for a program that was restarted: pass these paths
/// to [`unmount_device`](crate::interfaces::DeviceUnmounter::unmount_device) once no Pod has the
/// volume.
///
/// # Errors
///
/// When the directories can't be read.
pub fn staged_on_disk(host: &dyn VolumeHost) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let devices = host.volume_device_plugin_dir(CSI);
    for driver in dirs::entries(&host.plugin_dir(CSI))? {
        // A driver may have its socket here.
        if driver == devices || !driver.is_dir() {
            continue;
        }
        for volume in dirs::entries(&driver)? {
            let path = volume.join(GLOBAL_MOUNT);
            // Of a mount that is broken, all is known but that it exists.
            if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// The directories beside those of volumes that Pods use as devices.
pub(super) const RESERVED: [&str; 2] = ["publish", "staging"];

/// The directories of a volume that Pods use as a device.
pub(super) struct BlockPaths {
    /// With the directories below.
    pub(super) dir: PathBuf,
    /// With the file that says which volume this is.
    pub(super) data: PathBuf,
    /// With one bind mount of the device for each Pod, which the caller makes.
    pub(super) global_map: PathBuf,
    /// At which the driver stages the volume.
    pub(super) staging: PathBuf,
    /// In which the driver publishes the volume, for each Pod.
    pub(super) publish: PathBuf,
}

impl BlockPaths {
    pub(super) fn new(host: &dyn VolumeHost, volume_name: &str) -> Self {
        let devices = host.volume_device_plugin_dir(CSI);
        let dir = devices.join(volume_name);
        Self {
            data: dir.join("data"),
            global_map: dir.join("dev"),
            staging: devices.join("staging").join(volume_name),
            publish: devices.join("publish").join(volume_name),
            dir,
        }
    }
}

fn sha256(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.concat());
    digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
