//! hostPath: a path of the node.

mod check;
mod storage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{HostPathVolumeSource, Pod, Volume as PodVolume};
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsNil, MetricsProvider};
use kubernetes_mount::mount::HostUtils;

use super::HOST_PATH;
use super::shared::names;
use super::shared::recycle::Recycler;
use super::shared::slot::{Slot, host_utils};
use crate::interfaces::{
    DeletableVolumePlugin, Deleter, EventRecorder, Mounter, PersistentVolumePlugin,
    ProvisionableVolumePlugin, RecyclableVolumePlugin, Unmounter, Volume, VolumeHost, VolumePlugin,
    VolumeProvisioner,
};
use crate::{
    Attributes, Error, MounterArgs, ReconstructedVolume, Result, Spec, VolumeConfig, VolumeOptions,
};

/// Shows Pods a path of the node.
///
/// Nothing is mounted by the plugin: the volume's path is the node's, checked and, for
/// `DirectoryOrCreate` (0755) and `FileOrCreate` (0644), made. Tearing down does nothing.
///
/// Volumes are deleted only below `/tmp`, and made only if `provisioning_enabled` of the
/// configuration is set. Both are for tests of one node, as in Kubernetes.
pub struct HostPathPlugin {
    host: Slot,
    recycler: Recycler,
}

impl HostPathPlugin {
    /// Returns the plugin with its configuration.
    #[must_use]
    pub fn new(config: VolumeConfig) -> Self {
        Self {
            host: Slot::default(),
            recycler: Recycler::new(config),
        }
    }

    /// Sets the function that runs the Pod that empties a volume, in a cluster, and waits for its
    /// end. Without it, volumes can't be recycled.
    #[must_use]
    pub fn with_recycler(
        mut self,
        run: impl Fn(&Pod, &dyn EventRecorder) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.recycler.run = Some(Arc::new(run));
        self
    }
}

/// The source in the specification, and whether it is not written to.
fn source(spec: &Spec) -> Option<(&HostPathVolumeSource, bool)> {
    if let Some(volume) = &spec.volume
        && let Some(source) = &volume.host_path
    {
        return Some((source, false));
    }
    let volume = spec.persistent_volume.as_ref()?.spec.as_ref()?;
    volume
        .host_path
        .as_ref()
        .map(|source| (source, spec.read_only))
}

/// The source and its path, checked.
fn checked(spec: &Spec) -> Result<(&HostPathVolumeSource, PathBuf, bool)> {
    let (source, read_only) = source(spec)
        .ok_or_else(|| Error::invalid(format!("the volume {:?} has no hostPath", spec.name())))?;
    names::one_source(spec)?;
    let path = match source.path.as_str() {
        // As on a kubelet, it begins at the root.
        relative if !relative.is_empty() && !relative.starts_with('/') => format!("/{relative}"),
        path => path.to_owned(),
    };
    let path = names::absolute(&format!("the volume {:?}", spec.name()), &path)?;
    Ok((source, path, read_only))
}

impl VolumePlugin for HostPathPlugin {
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()> {
        self.host.set(host);
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        HOST_PATH
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        checked(spec).map(|(source, ..)| source.path.clone())
    }

    fn can_support(&self, spec: &Spec) -> bool {
        source(spec).is_some()
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        _pod: &Pod,
        _options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        let host = self.host.get(HOST_PATH)?;
        let (source, path, read_only) = checked(spec)?;
        let kind = check::Kind::parse(source.type_.as_deref().unwrap_or_default())?;
        Ok(Box::new(HostPath {
            path,
            read_only,
            kind,
            utils: host_utils(&*host),
        }))
    }

    fn new_unmounter(&self, volume_name: &str, _pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        let host = self.host.get(HOST_PATH)?;
        names::check("name of a volume", volume_name)?;
        // The path is unknown, and needs no cleaning up.
        Ok(Box::new(HostPath {
            path: PathBuf::new(),
            read_only: false,
            kind: check::Kind::Any,
            utils: host_utils(&*host),
        }))
    }

    fn construct_volume_spec(
        &self,
        volume_name: &str,
        _volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        names::check("name of a volume", volume_name)?;
        let source = HostPathVolumeSource {
            path: volume_name.to_owned(),
            ..HostPathVolumeSource::default()
        };
        Ok(Spec::from(PodVolume {
            name: volume_name.to_owned(),
            host_path: Some(source),
            ..PodVolume::default()
        })
        .into())
    }

    fn as_persistent(self: Arc<Self>) -> Option<Arc<dyn PersistentVolumePlugin>> {
        Some(self)
    }

    fn as_recyclable(self: Arc<Self>) -> Option<Arc<dyn RecyclableVolumePlugin>> {
        Some(self)
    }

    fn as_deletable(self: Arc<Self>) -> Option<Arc<dyn DeletableVolumePlugin>> {
        Some(self)
    }

    fn as_provisionable(self: Arc<Self>) -> Option<Arc<dyn ProvisionableVolumePlugin>> {
        Some(self)
    }
}

impl PersistentVolumePlugin for HostPathPlugin {
    fn access_modes(&self) -> Vec<String> {
        vec!["ReadWriteOnce".to_owned()]
    }
}

impl RecyclableVolumePlugin for HostPathPlugin {
    fn recycle(&self, pv_name: &str, spec: &Spec, recorder: &dyn EventRecorder) -> Result<()> {
        let (source, ..) = checked(spec)?;
        let volume = PodVolume {
            host_path: Some(source.clone()),
            ..PodVolume::default()
        };
        self.recycler.recycle(pv_name, spec, volume, recorder)
    }
}

impl DeletableVolumePlugin for HostPathPlugin {
    fn new_deleter(&self, spec: &Spec) -> Result<Box<dyn Deleter>> {
        let (source, ..) = checked(spec)?;
        // Nothing is deleted whose path has to be guessed.
        let path = names::absolute(&format!("the volume {:?}", spec.name()), &source.path)?;
        Ok(Box::new(storage::HostPathDeleter { path }))
    }
}

impl ProvisionableVolumePlugin for HostPathPlugin {
    fn new_provisioner(&self, options: &VolumeOptions) -> Result<Box<dyn VolumeProvisioner>> {
        if !self.recycler.config.provisioning_enabled {
            return Err(Error::NotSupported(format!(
                "making volumes by {HOST_PATH} without `provisioning_enabled`"
            )));
        }
        Ok(Box::new(storage::HostPathProvisioner::new(options)?))
    }
}

/// The volume of a Pod.
struct HostPath {
    path: PathBuf,
    read_only: bool,
    kind: check::Kind,
    utils: Arc<dyn HostUtils>,
}

impl Volume for HostPath {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for HostPath {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsNil.metrics()
    }
}

impl Mounter for HostPath {
    fn set_up(&self, _args: &MounterArgs) -> Result<()> {
        self.kind.check(&*self.utils, &self.path)
    }

    fn set_up_at(&self, _dir: &Path, _args: &MounterArgs) -> Result<()> {
        Err(Error::NotSupported(
            "mounting a hostPath at another path".to_owned(),
        ))
    }

    fn attributes(&self) -> Attributes {
        // The files are the node's: nobody else changes their group or label.
        Attributes {
            read_only: self.read_only,
            managed: false,
            selinux_relabel: false,
        }
    }
}

impl Unmounter for HostPath {
    fn tear_down(&self) -> Result<()> {
        Ok(())
    }

    fn tear_down_at(&self, _dir: &Path) -> Result<()> {
        Err(Error::NotSupported(
            "unmounting a hostPath from another path".to_owned(),
        ))
    }
}
