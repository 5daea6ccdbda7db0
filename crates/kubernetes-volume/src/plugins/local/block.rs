//! Local volumes that Pods use as devices.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubernetes_mount::mount::FileType;

use super::source::Local;
use crate::interfaces::{
    BlockVolume, BlockVolumeMapper, BlockVolumeUnmapper, CustomBlockVolumeMapper, PodDeviceMapPath,
    VolumeHost,
};
use crate::plugins::LOCAL;
use crate::plugins::shared::names;
use crate::plugins::shared::slot::host_utils;
use crate::{Error, Result, Spec};

pub(super) struct LocalBlock {
    host: Arc<dyn VolumeHost>,
    name: String,
    pod_uid: String,
    device: PathBuf,
}

impl LocalBlock {
    pub(super) fn new(
        host: Arc<dyn VolumeHost>,
        name: &str,
        pod_uid: &str,
        device: PathBuf,
    ) -> Self {
        Self {
            host,
            name: name.to_owned(),
            pod_uid: pod_uid.to_owned(),
            device,
        }
    }
}

impl BlockVolume for LocalBlock {
    fn global_map_path(&self, spec: &Spec) -> Result<PathBuf> {
        let name = Local::of(spec)?.name;
        names::check("name of a PersistentVolume", name)?;
        Ok(self.host.volume_device_plugin_dir(LOCAL).join(name))
    }

    fn pod_device_map_path(&self) -> PodDeviceMapPath {
        PodDeviceMapPath {
            dir: self.host.pod_volume_device_dir(&self.pod_uid, LOCAL),
            volume_name: self.name.clone(),
        }
    }
}

impl BlockVolumeMapper for LocalBlock {
    fn as_custom(&self) -> Option<&dyn CustomBlockVolumeMapper> {
        Some(self)
    }
}

impl BlockVolumeUnmapper for LocalBlock {}

impl CustomBlockVolumeMapper for LocalBlock {
    fn set_up_device(&self) -> Result<PathBuf> {
        // Nothing is staged.
        Ok(PathBuf::new())
    }

    fn map_pod_device(&self) -> Result<Option<PathBuf>> {
        let utils = host_utils(&*self.host);
        // A link such as one of /dev/disk/by-id may lead elsewhere after a restart.
        let device = utils.eval_host_symlinks(&self.device)?;
        if utils.file_type(&device)? != FileType::BlockDevice {
            return Err(Error::invalid(format!(
                "{} of the PersistentVolume {:?} is not a block device",
                Path::new(&self.device).display(),
                self.name
            )));
        }
        Ok(Some(device))
    }

    fn staging_path(&self) -> PathBuf {
        PathBuf::new()
    }
}
