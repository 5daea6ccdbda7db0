//! The mounts of block devices, once for the node.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubernetes_mount::filesystem::SafeFormatAndMount;
use kubernetes_mount::mount::{FileType, clean_up_mount_point};

use super::source::{Local, device_mount_path, mounted_from};
use crate::interfaces::{DeviceMounter, DeviceUnmounter, VolumeHost};
use crate::plugins::LOCAL;
use crate::plugins::shared::slot::host_utils;
use crate::plugins::shared::{dirs, is_mounted, real_path};
use crate::{DeviceMounterArgs, Result, Spec};

/// The default file system of a device.
const FS_TYPE: &str = "ext4";

/// The mode of the directory beneath a mount.
const BENEATH: u32 = 0o750;

pub(super) struct LocalDevices {
    pub(super) host: Arc<dyn VolumeHost>,
}

impl DeviceMounter for LocalDevices {
    fn device_mount_path(&self, spec: &Spec) -> Result<PathBuf> {
        mounted_from(&*self.host, &Local::of(spec)?)
    }

    fn mount_device(
        &self,
        spec: &Spec,
        _device_path: &Path,
        device_mount_path: &Path,
        _args: &DeviceMounterArgs,
    ) -> Result<()> {
        let local = Local::of(spec)?;
        match host_utils(&*self.host).file_type(&local.path)? {
            // Pods get bind mounts of the directory itself.
            FileType::Directory => Ok(()),
            FileType::BlockDevice => self.format_and_mount(&local, spec, device_mount_path),
            FileType::File | FileType::Socket | FileType::CharDevice | FileType::Fifo => {
                mounted_from(&*self.host, &local).map(drop)
            }
        }
    }
}

impl LocalDevices {
    fn format_and_mount(&self, local: &Local<'_>, spec: &Spec, at: &Path) -> Result<()> {
        let mounter = self.host.mounter(LOCAL);
        if is_mounted(&*mounter, at)? {
            return Ok(());
        }
        let is_new = dirs::make(at, BENEATH)?;
        let fs_type = local
            .source
            .fs_type
            .as_deref()
            .filter(|fs_type| !fs_type.is_empty());
        let mut options: Vec<&str> = local.mount_options.iter().map(String::as_str).collect();
        if spec.read_only {
            options.push("ro");
        }
        let formatter = SafeFormatAndMount::new(mounter, self.host.exec(LOCAL));
        let mounted =
            formatter.format_and_mount(&local.path, at, fs_type.unwrap_or(FS_TYPE), &options);
        if mounted.is_err() && is_new {
            // The first error says more than one of tidying up.
            let _ = dirs::remove_empty(at);
        }
        Ok(mounted?)
    }
}

impl DeviceUnmounter for LocalDevices {
    fn unmount_device(&self, device_mount_path: &Path) -> Result<()> {
        if !device_mount_path.starts_with(dirs::device_mounts(&*self.host, LOCAL)) {
            // The directory of a volume, which nothing was mounted at.
            return Ok(());
        }
        if !dirs::exists(device_mount_path)? {
            return Ok(());
        }
        Ok(clean_up_mount_point(
            &*self.host.mounter(LOCAL),
            device_mount_path,
            false,
        )?)
    }
}

/// Returns the block device of the volume that is mounted at a path, if it is one.
pub(super) fn mounted_at(
    host: &dyn VolumeHost,
    name: &str,
    volume_path: &Path,
) -> Result<Option<String>> {
    let mounter = host.mounter(LOCAL);
    let at = device_mount_path(host, name);
    if !is_mounted(&*mounter, &at)? || !dirs::exists(volume_path)? {
        return Ok(None);
    }
    let at = real_path(&at)?;
    let mounts = mounter.list()?;
    Ok(mounts
        .into_iter()
        .rev()
        .find(|mount| mount.path == at)
        .map(|mount| mount.device))
}
