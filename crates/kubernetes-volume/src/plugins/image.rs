//! image: what an image contains, mounted by the container runtime.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ImageVolumeSource, Pod, Volume as PodVolume};
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsNil, MetricsProvider};

use super::IMAGE;
use super::shared::names;
use crate::interfaces::{Mounter, Unmounter, Volume, VolumeHost, VolumePlugin};
use crate::{Attributes, Error, MounterArgs, ReconstructedVolume, Result, Spec, VolumeOptions};

/// Stands for volumes that are images, for which it does nothing.
///
/// The container runtime pulls the image and mounts it read-only:
/// [`ContainerMount::image`](crate::containers::ContainerMount::image) names it. Such a volume has
/// no path on the node.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImagePlugin;

impl VolumePlugin for ImagePlugin {
    fn init(&mut self, _host: Arc<dyn VolumeHost>) -> Result<()> {
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        IMAGE
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        let source = spec
            .volume
            .as_ref()
            .and_then(|volume| volume.image.as_ref());
        let source = source
            .ok_or_else(|| Error::invalid(format!("the volume {:?} has no image", spec.name())))?;
        Ok(source.reference.clone().unwrap_or_default())
    }

    fn can_support(&self, spec: &Spec) -> bool {
        (spec.volume.as_ref()).is_some_and(|volume| volume.image.is_some())
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        _pod: &Pod,
        _options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        names::one_source(spec)?;
        Ok(Box::new(Image))
    }

    fn new_unmounter(&self, _volume_name: &str, _pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        Ok(Box::new(Image))
    }

    fn construct_volume_spec(
        &self,
        volume_name: &str,
        _volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        Ok(Spec::from(PodVolume {
            name: volume_name.to_owned(),
            image: Some(ImageVolumeSource::default()),
            ..PodVolume::default()
        })
        .into())
    }
}

struct Image;

impl Volume for Image {
    fn path(&self) -> PathBuf {
        PathBuf::new()
    }
}

impl MetricsProvider for Image {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsNil.metrics()
    }
}

impl Mounter for Image {
    fn set_up_at(&self, _dir: &Path, _args: &MounterArgs) -> Result<()> {
        Ok(())
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: true,
            managed: false,
            selinux_relabel: false,
        }
    }
}

impl Unmounter for Image {
    fn tear_down_at(&self, _dir: &Path) -> Result<()> {
        Ok(())
    }
}
