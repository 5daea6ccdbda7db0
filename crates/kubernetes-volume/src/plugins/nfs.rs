//! nfs: a directory of an NFS server.

use std::net::Ipv6Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{NFSVolumeSource, Pod, Volume as PodVolume};
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider, MetricsStatFs};
use kubernetes_mount::mount::{Mount, clean_up_mount_point, clean_up_mount_point_with_force};

use super::NFS;
use super::shared::recycle::Recycler;
use super::shared::slot::Slot;
use super::shared::{after_failure, dirs, is_mounted, names};
use crate::interfaces::{
    EventRecorder, Mounter, PersistentVolumePlugin, RecyclableVolumePlugin, Unmounter, Volume,
    VolumeHost, VolumePlugin,
};
use crate::{
    Attributes, Error, MounterArgs, ReconstructedVolume, Result, Spec, VolumeConfig, VolumeOptions,
};

/// The mode of the directory beneath a mount.
const BENEATH: u32 = 0o750;

/// The time that unmounting may take before it is done by force: the server may be gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Mounts directories of NFS servers, for each Pod anew.
///
/// `mount.nfs` of the node mounts them, with `ro` if the volume is not written to and the mount
/// options of a PersistentVolume. Files keep their owners: the server decides.
pub struct NfsPlugin {
    host: Slot,
    recycler: Recycler,
}

impl NfsPlugin {
    /// Returns the plugin with the configuration of the Pod that empties volumes.
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

/// The source in the specification, and whether it is not written to. For a PersistentVolume, only
/// the claim says that.
fn source(spec: &Spec) -> Option<(&NFSVolumeSource, bool)> {
    if let Some(volume) = &spec.volume
        && let Some(source) = &volume.nfs
    {
        return Some((source, source.read_only == Some(true)));
    }
    let volume = spec.persistent_volume.as_ref()?.spec.as_ref()?;
    volume.nfs.as_ref().map(|source| (source, spec.read_only))
}

fn checked(spec: &Spec) -> Result<(&NFSVolumeSource, bool)> {
    let (source, read_only) = source(spec)
        .ok_or_else(|| Error::invalid(format!("the volume {:?} has no nfs", spec.name())))?;
    names::one_source(spec)?;
    names::check("name of a volume", spec.name())?;
    if source.server.is_empty() || !source.path.starts_with('/') {
        return Err(Error::invalid(format!(
            "the volume {:?} needs a server and an absolute path, and has {:?} and {:?}",
            spec.name(),
            source.server,
            source.path
        )));
    }
    Ok((source, read_only))
}

impl VolumePlugin for NfsPlugin {
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()> {
        self.host.set(host);
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        NFS
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        let (source, _) = checked(spec)?;
        Ok(format!("{}/{}", source.server, source.path))
    }

    fn can_support(&self, spec: &Spec) -> bool {
        source(spec).is_some()
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        pod: &Pod,
        options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        let host = self.host.get(NFS)?;
        let (source, read_only) = checked(spec)?;
        let volume = NfsVolume::new(&*host, spec.name(), names::pod_uid(pod)?);
        let persistent = spec.persistent_volume.as_ref();
        let persistent = persistent.and_then(|volume| volume.spec.as_ref());
        let mut mount_options = match persistent.filter(|_| spec.volume.is_none()) {
            Some(volume) => names::mount_options(spec, volume),
            None => Vec::new(),
        };
        mount_options.extend(options.mount_options.iter().cloned());
        mount_options.extend(read_only.then(|| "ro".to_owned()));
        // Each once, in the order that a kubelet gives them.
        mount_options.sort();
        mount_options.dedup();
        let server = match source.server.parse::<Ipv6Addr>() {
            Ok(_) => format!("[{}]", source.server),
            Err(_) => source.server.clone(),
        };
        Ok(Box::new(NfsMounter {
            volume,
            from: format!("{server}:{}", source.path),
            options: mount_options,
            read_only,
        }))
    }

    fn new_unmounter(&self, volume_name: &str, pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        let host = self.host.get(NFS)?;
        names::check("name of a volume", volume_name)?;
        names::check("UID of the Pod", pod_uid)?;
        Ok(Box::new(NfsVolume::new(&*host, volume_name, pod_uid)))
    }

    fn construct_volume_spec(
        &self,
        volume_name: &str,
        _volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        names::check("name of a volume", volume_name)?;
        let source = NFSVolumeSource {
            path: volume_name.to_owned(),
            ..NFSVolumeSource::default()
        };
        Ok(Spec::from(PodVolume {
            name: volume_name.to_owned(),
            nfs: Some(source),
            ..PodVolume::default()
        })
        .into())
    }

    fn supports_mount_option(&self) -> bool {
        true
    }

    fn as_persistent(self: Arc<Self>) -> Option<Arc<dyn PersistentVolumePlugin>> {
        Some(self)
    }

    fn as_recyclable(self: Arc<Self>) -> Option<Arc<dyn RecyclableVolumePlugin>> {
        Some(self)
    }
}

impl PersistentVolumePlugin for NfsPlugin {
    fn access_modes(&self) -> Vec<String> {
        ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]
            .map(str::to_owned)
            .to_vec()
    }
}

impl RecyclableVolumePlugin for NfsPlugin {
    fn recycle(&self, pv_name: &str, spec: &Spec, recorder: &dyn EventRecorder) -> Result<()> {
        let (source, _) = checked(spec)?;
        let source = NFSVolumeSource {
            server: source.server.clone(),
            path: source.path.clone(),
            read_only: None,
        };
        let volume = PodVolume {
            nfs: Some(source),
            ..PodVolume::default()
        };
        self.recycler.recycle(pv_name, spec, volume, recorder)
    }
}

/// The volume of a Pod.
struct NfsVolume {
    mounter: Arc<dyn Mount>,
    path: PathBuf,
}

impl NfsVolume {
    fn new(host: &dyn VolumeHost, name: &str, pod_uid: &str) -> Self {
        Self {
            mounter: host.mounter(NFS),
            path: host.pod_volume_dir(pod_uid, NFS, name),
        }
    }
}

impl Volume for NfsVolume {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for NfsVolume {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsStatFs::new(&self.path).metrics()
    }
}

impl Unmounter for NfsVolume {
    fn tear_down_at(&self, dir: &Path) -> Result<()> {
        let done = match self.mounter.as_force_unmount() {
            Some(mounter) => clean_up_mount_point_with_force(mounter, dir, true, PATIENCE),
            None => clean_up_mount_point(&*self.mounter, dir, true),
        };
        Ok(done?)
    }
}

struct NfsMounter {
    volume: NfsVolume,
    from: String,
    options: Vec<String>,
    read_only: bool,
}

impl Volume for NfsMounter {
    fn path(&self) -> PathBuf {
        self.volume.path()
    }
}

impl MetricsProvider for NfsMounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        self.volume.metrics()
    }
}

impl Mounter for NfsMounter {
    fn set_up_at(&self, dir: &Path, _args: &MounterArgs) -> Result<()> {
        let mounter = &*self.volume.mounter;
        if is_mounted(mounter, dir)? {
            return Ok(());
        }
        let is_new = dirs::make(dir, BENEATH)?;
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        let mounted = mounter.mount(Path::new(&self.from), dir, "nfs", &options);
        mounted.inspect_err(|_| after_failure(mounter, dir, is_new))?;
        Ok(())
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: self.read_only,
            managed: false,
            selinux_relabel: false,
        }
    }
}
