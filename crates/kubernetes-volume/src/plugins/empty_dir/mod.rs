//! emptyDir: a directory that lives as long as its Pod.

mod medium;
mod mounter;
mod unmounter;

use std::path::Path;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, Pod, Volume};

use super::EMPTY_DIR;
use super::shared::names;
use super::shared::slot::Slot;
use crate::interfaces::{Mounter, Unmounter, VolumeHost, VolumePlugin};
use crate::{Error, ReconstructedVolume, Result, Spec, VolumeOptions};

/// Mounts emptyDir volumes.
///
/// | `medium` | is |
/// |---|---|
/// | – | a directory of mode 0777 on the node's disk |
/// | `Memory` | a tmpfs of mode 1777, which is never written to swap space if the kernel can (Linux 6.4 and later). Its size is the least of `sizeLimit`, the Pod's memory limits if all its containers have one, and the node's allocatable memory; half of the memory if none is known |
/// | `HugePages` | a hugetlbfs with the one page size that the Pod requests |
/// | `HugePages-2Mi`, … | a hugetlbfs with that page size, which the Pod must request |
///
/// On disk, `sizeLimit` isn't a limit of the file system: as in Kubernetes, the reader of the
/// metrics evicts the Pod.
#[derive(Default)]
pub struct EmptyDirPlugin {
    host: Slot,
}

impl EmptyDirPlugin {
    /// Returns the plugin.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// The source in the specification.
fn source(spec: &Spec) -> Option<&EmptyDirVolumeSource> {
    spec.volume.as_ref()?.empty_dir.as_ref()
}

impl VolumePlugin for EmptyDirPlugin {
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()> {
        self.host.set(host);
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        EMPTY_DIR
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        match source(spec) {
            // A directory of the Pod has no name elsewhere.
            Some(_) => Ok(spec.name().to_owned()),
            None => Err(not_empty_dir(spec)),
        }
    }

    fn can_support(&self, spec: &Spec) -> bool {
        source(spec).is_some()
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        pod: &Pod,
        _options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        let host = self.host.get(EMPTY_DIR)?;
        let source = source(spec).ok_or_else(|| not_empty_dir(spec))?;
        names::one_source(spec)?;
        names::check("name of a volume", spec.name())?;
        let uid = names::pod_uid(pod)?;
        Ok(Box::new(mounter::EmptyDirMounter::new(
            host,
            spec.name(),
            uid,
            source,
            pod,
        )?))
    }

    fn new_unmounter(&self, volume_name: &str, pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        let host = self.host.get(EMPTY_DIR)?;
        names::check("name of a volume", volume_name)?;
        names::check("UID of the Pod", pod_uid)?;
        Ok(Box::new(unmounter::EmptyDirUnmounter::new(
            host,
            volume_name,
            pod_uid,
        )))
    }

    fn construct_volume_spec(
        &self,
        volume_name: &str,
        _volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        names::check("name of a volume", volume_name)?;
        Ok(Spec::from(Volume {
            name: volume_name.to_owned(),
            empty_dir: Some(EmptyDirVolumeSource::default()),
            ..Volume::default()
        })
        .into())
    }
}

fn not_empty_dir(spec: &Spec) -> Error {
    Error::invalid(format!("the volume {:?} is not an emptyDir", spec.name()))
}
