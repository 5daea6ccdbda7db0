//! Volumes whose files are written by the node: ConfigMap, Secret, downward API, projected.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, Pod, Volume as PodVolume};
use kubernetes_mount::atomic_writer::AtomicWriter;
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider};

use super::PROJECTED;
use super::kind::{Inputs, Kind};
use super::shared::measure::Measure;
use super::shared::own::Owner;
use super::shared::payload::Payload;
use super::shared::slot::Slot;
use super::shared::{dirs, names, nested};
use super::{downward_api, keyed, projected};
use crate::interfaces::{Mounter, Unmounter, Volume, VolumeHost, VolumePlugin};
use crate::{Attributes, Error, MounterArgs, ReconstructedVolume, Result, Spec, VolumeOptions};

/// Writes the files of a ConfigMap, of a Secret, of the Pod's fields, or of several of these.
///
/// All files change at once, by an [`AtomicWriter`]. The volume is set up again and again
/// ([`requires_remount`](VolumePlugin::requires_remount)), and then has the content of that time.
/// A set-up that fails leaves the files as they were, and a new volume is torn down.
pub struct FilesPlugin {
    kind: &'static Kind,
    host: Slot,
}

impl FilesPlugin {
    /// Returns the plugin of ConfigMaps, whose files are on disk.
    #[must_use]
    pub fn config_map() -> Self {
        Self {
            kind: &keyed::CONFIG_MAP_KIND,
            host: Slot::default(),
        }
    }

    /// Returns the plugin of Secrets, whose files are in memory.
    #[must_use]
    pub fn secret() -> Self {
        Self {
            kind: &keyed::SECRET_KIND,
            host: Slot::default(),
        }
    }

    /// Returns the plugin of the downward API: labels, annotations and resources of the Pod.
    #[must_use]
    pub fn downward_api() -> Self {
        Self {
            kind: &downward_api::KIND,
            host: Slot::default(),
        }
    }

    /// Returns the plugin of projected volumes, which join the others, tokens of service accounts,
    /// trust bundles and certificates of Pods.
    #[must_use]
    pub fn projected() -> Self {
        Self {
            kind: &projected::KIND,
            host: Slot::default(),
        }
    }

    fn checked<'a>(&self, spec: &'a Spec) -> Result<&'a PodVolume> {
        let volume = spec
            .volume
            .as_deref()
            .filter(|volume| (self.kind.supports)(volume));
        let volume = volume.ok_or_else(|| {
            Error::invalid(format!(
                "the volume {:?} has no {}",
                spec.name(),
                self.kind.field
            ))
        })?;
        names::one_source(spec)?;
        names::check("name of a volume", &volume.name)?;
        Ok(volume)
    }
}

impl VolumePlugin for FilesPlugin {
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()> {
        self.host.set(host);
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        self.kind.name
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        Ok((self.kind.volume_name)(self.checked(spec)?))
    }

    fn can_support(&self, spec: &Spec) -> bool {
        spec.volume.as_deref().is_some_and(self.kind.supports)
    }

    fn requires_remount(&self, _spec: &Spec) -> bool {
        true
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        pod: &Pod,
        options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        let host = self.host.get(self.kind.name)?;
        let volume = self.checked(spec)?.clone();
        let uid = names::pod_uid(pod)?;
        let files = Files::new(self.kind, host, &volume.name, uid);
        Ok(Box::new(FilesMounter {
            files,
            volume,
            pod: pod.clone(),
            options: options.clone(),
        }))
    }

    fn new_unmounter(&self, volume_name: &str, pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        let host = self.host.get(self.kind.name)?;
        names::check("name of a volume", volume_name)?;
        names::check("UID of the Pod", pod_uid)?;
        Ok(Box::new(Files::new(self.kind, host, volume_name, pod_uid)))
    }

    fn construct_volume_spec(
        &self,
        volume_name: &str,
        _volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        names::check("name of a volume", volume_name)?;
        let mut volume = PodVolume {
            name: volume_name.to_owned(),
            ..PodVolume::default()
        };
        (self.kind.reconstruct)(&mut volume);
        Ok(Spec::from(volume).into())
    }
}

/// The volume of a Pod.
struct Files {
    kind: &'static Kind,
    host: Arc<dyn VolumeHost>,
    name: String,
    pod_uid: String,
    path: PathBuf,
    measure: Measure,
}

impl Files {
    fn new(kind: &'static Kind, host: Arc<dyn VolumeHost>, name: &str, uid: &str) -> Self {
        let path = host.pod_volume_dir(uid, kind.name, name);
        Self {
            kind,
            host,
            name: name.to_owned(),
            pod_uid: uid.to_owned(),
            measure: Measure::cached(&path),
            path,
        }
    }

    /// The volume that the files are written to.
    fn wrapped(&self) -> (String, Spec) {
        let name = format!("wrapped_{}", self.name);
        let medium = self.kind.in_memory.then(|| "Memory".to_owned());
        let spec = Spec::from(PodVolume {
            name: name.clone(),
            empty_dir: Some(EmptyDirVolumeSource {
                medium,
                ..EmptyDirVolumeSource::default()
            }),
            ..PodVolume::default()
        });
        (name, spec)
    }
}

impl Volume for Files {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for Files {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        self.measure.metrics()
    }
}

impl Unmounter for Files {
    fn tear_down_at(&self, dir: &Path) -> Result<()> {
        let (name, spec) = self.wrapped();
        self.host
            .new_wrapper_unmounter(&name, &spec, &self.pod_uid)?
            .tear_down_at(dir)?;
        if self.kind.name == PROJECTED {
            self.host.delete_service_account_token(&self.pod_uid);
        }
        Ok(())
    }
}

struct FilesMounter {
    files: Files,
    volume: PodVolume,
    pod: Pod,
    options: VolumeOptions,
}

impl FilesMounter {
    fn write(&self, dir: &Path, payload: Payload, args: &MounterArgs) -> Result<()> {
        nested::make_mount_points(&*self.files.host, &self.pod, &self.files.name, dir)?;
        let writer = AtomicWriter::new(dir)?;
        let owner = Owner::new(&*self.files.host, &self.pod, &self.files.name);
        // Not only the new files: the directory must let the group in too.
        writer.write(&payload.into_files(), |_new| {
            owner.give(dir, args.fs_group, None, true)
        })?;
        Ok(())
    }
}

impl Volume for FilesMounter {
    fn path(&self) -> PathBuf {
        self.files.path()
    }
}

impl MetricsProvider for FilesMounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        self.files.metrics()
    }
}

impl Mounter for FilesMounter {
    fn set_up_at(&self, dir: &Path, args: &MounterArgs) -> Result<()> {
        let host = &*self.files.host;
        let inputs = Inputs {
            host,
            volume: &self.volume,
            pod: &self.pod,
            args,
        };
        let payload = (self.files.kind.payload)(&inputs)?;
        // Files that a container may be reading stay if only their update fails.
        let had_files = dirs::exists(&dir.join("..data"))?;
        let (name, spec) = self.files.wrapped();
        let wrapped = host.new_wrapper_mounter(&name, &spec, &self.pod, &self.options)?;
        wrapped.set_up_at(dir, args)?;
        let written = self.write(dir, payload, args);
        if written.is_err() && !had_files {
            // The first error says more than one of tidying up.
            let _ = self.files.tear_down_at(dir);
        }
        written
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: true,
            managed: true,
            selinux_relabel: true,
        }
    }
}
