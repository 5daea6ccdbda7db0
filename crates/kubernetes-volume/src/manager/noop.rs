//! A plugin for FlexVolumes that no controller can grow.

use std::path::Path;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use crate::interfaces::{ExpandableVolumePlugin, Mounter, Unmounter, VolumeHost, VolumePlugin};
use crate::{Error, ReconstructedVolume, Result, Spec, VolumeOptions};

/// Says of FlexVolumes that they have the new size, so that the node grows the file system: their
/// driver is on the node, and the controller can't ask it.
#[derive(Debug)]
pub(super) struct NoopExpandable {
    pub(super) name: String,
}

impl NoopExpandable {
    fn refused<T>(&self) -> Result<T> {
        Err(Error::NotSupported(format!(
            "{} here, where it isn't installed,",
            self.name
        )))
    }
}

impl VolumePlugin for NoopExpandable {
    fn init(&mut self, _host: Arc<dyn VolumeHost>) -> Result<()> {
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        &self.name
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        Ok(spec.name().to_owned())
    }

    fn can_support(&self, spec: &Spec) -> bool {
        spec.is_kubelet_expandable()
    }

    fn new_mounter(&self, _: &Spec, _: &Pod, _: &VolumeOptions) -> Result<Box<dyn Mounter>> {
        self.refused()
    }

    fn new_unmounter(&self, _: &str, _: &str) -> Result<Box<dyn Unmounter>> {
        self.refused()
    }

    fn construct_volume_spec(&self, _: &str, _: &Path) -> Result<ReconstructedVolume> {
        self.refused()
    }

    fn as_expandable(self: Arc<Self>) -> Option<Arc<dyn ExpandableVolumePlugin>> {
        Some(self)
    }
}

impl ExpandableVolumePlugin for NoopExpandable {
    fn expand_volume_device(&self, _: &Spec, new_size: u64, _: u64) -> Result<u64> {
        Ok(new_size)
    }

    fn requires_fs_resize(&self) -> bool {
        true
    }
}
