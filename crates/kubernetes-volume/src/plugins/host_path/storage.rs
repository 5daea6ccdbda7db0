//! Makes, deletes and empties hostPath volumes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::{
    HostPathVolumeSource, Node, PersistentVolume, PersistentVolumeSpec, TopologySelectorTerm,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsNil, MetricsProvider};
use kubernetes_mount::remove::remove_at;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fchmod, mkdirat, openat, openat2};
use rustix::io::Errno;

use crate::interfaces::{Deleter, Volume, VolumeProvisioner};
use crate::plugins::shared::names;
use crate::{Error, Result, VolumeOptions};

/// The directory below which volumes may be deleted.
const DELETABLE: &str = "/tmp";
/// The directory below it in which volumes are made.
const MADE: &str = "hostpath_pv";

pub(super) struct HostPathDeleter {
    pub(super) path: PathBuf,
}

impl Volume for HostPathDeleter {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for HostPathDeleter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsNil.metrics()
    }
}

impl Deleter for HostPathDeleter {
    fn delete(&self) -> Result<()> {
        let below = self.path.strip_prefix(DELETABLE).ok();
        let below = below.and_then(|below| Some((below.parent()?, below.file_name()?)));
        let Some((above, name)) = below else {
            return Err(Error::invalid(format!(
                "a hostPath volume is deleted only below {DELETABLE}, and {} is not",
                self.path.display()
            )));
        };
        self.delete_below(above, name)
    }
}

impl HostPathDeleter {
    /// Everybody may write to `/tmp`: a link on the way could lead anywhere.
    fn delete_below(&self, above: &Path, name: &OsStr) -> Result<()> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let base = open_base()?;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let above = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            above
        };
        match openat2(&base, above, flags, Mode::empty(), resolve) {
            Ok(above) => Ok(remove_at(above.as_fd(), name, &self.path)?),
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(Error::io("delete without following links", &self.path)(
                error,
            )),
        }
    }
}

fn open_base() -> Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, DELETABLE, flags, Mode::empty()).map_err(Error::io("open", DELETABLE))
}

/// Makes the directory of a volume, without following links on the way.
fn make(name: &str) -> Result<PathBuf> {
    let path = Path::new(DELETABLE).join(MADE).join(name);
    let mut dir = open_base()?;
    for (part, mode) in [(MADE, 0o755), (name, 0o777)] {
        let mode = Mode::from_raw_mode(mode);
        match mkdirat(&dir, part, mode) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(Error::io("create the directory", &path)(error)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        dir = openat(&dir, part, flags, Mode::empty()).map_err(Error::io("open", &path))?;
    }
    fchmod(&dir, Mode::from_raw_mode(0o777)).map_err(Error::io("set the mode of", &path))?;
    Ok(path)
}

pub(super) struct HostPathProvisioner {
    options: VolumeOptions,
}

impl HostPathProvisioner {
    pub(super) fn new(options: &VolumeOptions) -> Result<Self> {
        names::check("name of the PersistentVolume", &options.pv_name)?;
        Ok(Self {
            options: options.clone(),
        })
    }
}

impl VolumeProvisioner for HostPathProvisioner {
    fn provision(
        &self,
        _selected_node: Option<&Node>,
        _allowed_topologies: &[TopologySelectorTerm],
    ) -> Result<PersistentVolume> {
        let options = &self.options;
        let claim = options.pvc.as_ref().and_then(|claim| claim.spec.as_ref());
        if claim.is_some_and(|claim| claim.volume_mode.as_deref() == Some("Block")) {
            return Err(Error::NotSupported(
                "a hostPath volume as a block device (volumeMode Block)".to_owned(),
            ));
        }
        let capacity = claim
            .and_then(|claim| claim.resources.as_ref()?.requests.as_ref()?.get("storage"))
            .ok_or_else(|| Error::invalid("the claim of a hostPath volume asks for no storage"))?;
        let path = make(&options.pv_name)?;
        let annotation = ("kubernetes.io/createdby", "hostpath-dynamic-provisioner");
        let (key, value) = (annotation.0.to_owned(), annotation.1.to_owned());
        Ok(PersistentVolume {
            metadata: ObjectMeta {
                name: Some(options.pv_name.clone()),
                annotations: Some(BTreeMap::from([(key, value)])),
                ..ObjectMeta::default()
            },
            spec: Some(PersistentVolumeSpec {
                access_modes: claim
                    .and_then(|claim| claim.access_modes.clone())
                    .filter(|modes| !modes.is_empty())
                    .or_else(|| Some(vec!["ReadWriteOnce".to_owned()])),
                capacity: Some(BTreeMap::from([("storage".to_owned(), capacity.clone())])),
                host_path: Some(HostPathVolumeSource {
                    path: path.display().to_string(),
                    ..HostPathVolumeSource::default()
                }),
                persistent_volume_reclaim_policy: Some(
                    options.persistent_volume_reclaim_policy.clone(),
                )
                .filter(|policy| !policy.is_empty()),
                ..PersistentVolumeSpec::default()
            }),
            ..PersistentVolume::default()
        })
    }
}
