//! Volumes that are mounted once for the node.

use std::path::{Path, PathBuf};

use super::data::{self, VolumeData};
use super::mounter::{DIRECTORY, file_system, selinux_label};
use super::node::Node;
use super::paths::staging;
use super::source::{Persistent, Source};
use super::{NodeCapability, NodeStageVolumeRequest, NodeUnstageVolumeRequest};
use crate::interfaces::{DeviceMounter, DeviceUnmounter};
use crate::plugins::shared::dirs;
use crate::{DeviceMounterArgs, Error, Result, Spec};

impl DeviceMounter for Node {
    fn device_mount_path(&self, spec: &Spec) -> Result<PathBuf> {
        let source = Persistent::of(spec)?;
        Ok(staging(
            &*self.host,
            &source.csi.driver,
            &source.csi.volume_handle,
        ))
    }

    /// Stages the volume, if the driver stages volumes. The driver finds the device itself.
    fn mount_device(
        &self,
        spec: &Spec,
        _device_path: &Path,
        device_mount_path: &Path,
        args: &DeviceMounterArgs,
    ) -> Result<()> {
        let source = Persistent::of(spec)?;
        let (name, handle) = (&source.csi.driver, &source.csi.volume_handle);
        let above = data::above(device_mount_path)?;
        let driver = self.driver(name)?;
        let capabilities = driver.capabilities()?;
        let publish_context = self.publish_context(name, handle)?;
        if !capabilities.contains(&NodeCapability::StageUnstageVolume) {
            // The directory is there nevertheless, as a kubelet's.
            dirs::make(device_mount_path, DIRECTORY)?;
            return Ok(());
        }
        let secrets = self.secrets(source.csi.node_stage_secret_ref.as_ref())?;
        let csi_driver = self.csi_driver(name).map_err(Error::transient)?;
        let label = selinux_label(csi_driver.as_ref(), args.selinux_label.as_deref());
        let both = Source::Persistent(source);
        let request = NodeStageVolumeRequest {
            volume_id: handle.clone(),
            publish_context,
            staging_target_path: device_mount_path.to_owned(),
            volume_capability: both.capability(
                file_system(both, args.fs_group, label, &capabilities),
                &capabilities,
            ),
            secrets,
            volume_context: both.attributes(),
        };
        dirs::make(device_mount_path, DIRECTORY)?;
        let data = VolumeData {
            driver_name: name.clone(),
            volume_handle: handle.clone(),
            selinux_mount_context: label.unwrap_or_default().to_owned(),
            ..VolumeData::default()
        };
        let mounter = self.mounter();
        // Before the call: whatever becomes of it, the volume can be unstaged.
        data.save(&above).inspect_err(|_| {
            let _ = data::remove(&*mounter, device_mount_path);
        })?;
        let answer = driver.client.node_stage_volume(&request);
        driver.done("NodeStageVolume", answer).inspect_err(|error| {
            if error.is_final() {
                data::after_failure(&*mounter, device_mount_path);
            }
        })
    }
}

impl DeviceUnmounter for Node {
    fn unmount_device(&self, device_mount_path: &Path) -> Result<()> {
        let above = data::above(device_mount_path)?;
        let mounter = self.mounter();
        let Some(data) = VolumeData::load(&above)? else {
            return data::remove_unknown(&*mounter, device_mount_path);
        };
        let driver = self.driver(&data.driver_name)?;
        if driver
            .capabilities()?
            .contains(&NodeCapability::StageUnstageVolume)
        {
            let request = NodeUnstageVolumeRequest {
                volume_id: data.volume_handle,
                staging_target_path: device_mount_path.to_owned(),
            };
            let answer = driver.client.node_unstage_volume(&request);
            driver.undone("NodeUnstageVolume", answer)?;
        }
        data::remove(&*mounter, device_mount_path)
    }
}
