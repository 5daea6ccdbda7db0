//! The source of a local volume.

use std::path::PathBuf;

use k8s_openapi::api::core::v1::{LocalVolumeSource, PersistentVolumeSpec};
use kubernetes_mount::mount::FileType;

use crate::interfaces::VolumeHost;
use crate::plugins::LOCAL;
use crate::plugins::shared::dirs::device_mounts;
use crate::plugins::shared::names;
use crate::plugins::shared::slot::host_utils;
use crate::{Error, Result, Spec};

pub(super) fn persistent(spec: &Spec) -> Option<(&PersistentVolumeSpec, &LocalVolumeSource)> {
    let volume = spec.persistent_volume.as_ref()?.spec.as_ref()?;
    volume.local.as_ref().map(|local| (volume, local))
}

/// A local volume whose names and path are checked.
pub(super) struct Local<'a> {
    pub(super) name: &'a str,
    pub(super) path: PathBuf,
    pub(super) source: &'a LocalVolumeSource,
    pub(super) mount_options: Vec<String>,
    /// Pods have the volume as a device.
    pub(super) is_block: bool,
}

impl<'a> Local<'a> {
    pub(super) fn of(spec: &'a Spec) -> Result<Self> {
        let (volume, source) = persistent(spec).ok_or_else(|| {
            let name = spec.name();
            Error::invalid(format!(
                "{name:?} is not a PersistentVolume with a local path"
            ))
        })?;
        names::one_source(spec)?;
        let name = spec.name();
        names::check("name of a PersistentVolume", name)?;
        let path = names::absolute(&format!("the PersistentVolume {name:?}"), &source.path)?;
        let mount_options = names::mount_options(spec, volume);
        Ok(Self {
            name,
            path,
            source,
            mount_options,
            is_block: volume.volume_mode.as_deref() == Some("Block"),
        })
    }
}

/// Returns the directory at which the block device of a volume is mounted once for the node.
pub(super) fn device_mount_path(host: &dyn VolumeHost, name: &str) -> PathBuf {
    device_mounts(host, LOCAL).join(name)
}

/// Returns the directory of which Pods get bind mounts.
pub(super) fn mounted_from(host: &dyn VolumeHost, local: &Local<'_>) -> Result<PathBuf> {
    match host_utils(host).file_type(&local.path)? {
        FileType::Directory => Ok(local.path.clone()),
        FileType::BlockDevice => Ok(device_mount_path(host, local.name)),
        FileType::File | FileType::Socket | FileType::CharDevice | FileType::Fifo => {
            Err(Error::invalid(format!(
                "{} of the PersistentVolume {:?} is neither a directory nor a block device",
                local.path.display(),
                local.name
            )))
        }
    }
}
