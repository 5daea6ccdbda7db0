//! The mounts of a Pod's containers: which part of which volume appears where.
//!
//! A kubelet mounts the volumes of a Pod first, and passes these to the container runtime
//! afterwards, for one container after the other.
//!
//! ```no_run
//! use std::collections::BTreeMap;
//! use kubernetes_volume::containers::{self, MountedVolume};
//! # use k8s_openapi::api::core::v1::Pod;
//! # use kubernetes_volume::interfaces::{Mounter, VolumeHost};
//!
//! # fn example(host: &dyn VolumeHost, pod: &Pod, mounter: &dyn Mounter)
//! # -> kubernetes_volume::Result<()> {
//! let volumes = BTreeMap::from([("data".to_owned(), MountedVolume::new("data", mounter))]);
//! for mount in containers::mounts(host, pod, "main", &volumes)? {
//!     println!("{} -> {}", mount.container_path.display(), mount.host_path.display());
//! }
//! # Ok(())
//! # }
//! ```

mod env;
mod expand;
mod pod;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use env::Variables;
use k8s_openapi::api::core::v1::{Pod, VolumeMount};
use kubernetes_mount::mount::clean_path;
use kubernetes_mount::subpath::SubpathRequest;
use pod::parts;
pub use pod::{container_names, fs_user, used_volumes};

use crate::interfaces::{Mounter, VolumeHost};
use crate::plugins::{dirs, names};
use crate::{Attributes, Error, Result};

/// A volume that is mounted for the Pod.
#[derive(Clone, Debug, PartialEq)]
pub struct MountedVolume {
    /// The name of its [`Spec`](crate::Spec): that of the Pod's volume, or of the PersistentVolume.
    pub name: String,
    /// The directory or file at which it is on the node.
    pub path: PathBuf,
    /// Its attributes.
    pub attributes: Attributes,
    /// Set if it was mounted with an SELinux label, so that no runtime has to label its files.
    pub selinux_labeled: bool,
}

impl MountedVolume {
    /// Returns the volume that the mounter has mounted.
    #[must_use]
    pub fn new(name: &str, mounter: &dyn Mounter) -> Self {
        Self {
            name: name.to_owned(),
            path: mounter.path(),
            attributes: mounter.attributes(),
            selinux_labeled: false,
        }
    }

    fn needs_label(&self) -> bool {
        self.attributes.managed && self.attributes.selinux_relabel && !self.selinux_labeled
    }
}

/// A mount in a container, as a container runtime needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerMount {
    /// The name of the volume in the Pod.
    pub volume_name: String,
    /// Where it is mounted in the container, an absolute path.
    pub container_path: PathBuf,
    /// The mounted path on the node, which is empty for an image.
    pub host_path: PathBuf,
    /// The image that the runtime mounts, if the volume is one.
    pub image: Option<ImageMount>,
    /// The mount is read-only.
    pub read_only: bool,
    /// The mounts below it are read-only too.
    pub recursive_read_only: bool,
    /// The runtime gives the files the SELinux label of the container, if the node has SELinux:
    /// asked for once for each volume of a container.
    pub selinux_relabel: bool,
    /// How mounts and unmounts below it appear on the other side.
    pub propagation: Propagation,
}

/// An image as a volume: the container runtime finds and mounts it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageMount {
    /// The image, as the Pod names it.
    pub reference: String,
    /// The part of it that is mounted, or an empty text for all. The runtime looks for it.
    pub sub_path: String,
}

/// The propagation of mounts between the node and a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// None (`None`).
    #[default]
    Private,
    /// Mounts made on the node appear in the container (`HostToContainer`).
    HostToContainer,
    /// The same, and mounts made in the container appear on the node (`Bidirectional`).
    Bidirectional,
}

impl Propagation {
    /// Returns the name in Kubernetes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "None",
            Self::HostToContainer => "HostToContainer",
            Self::Bidirectional => "Bidirectional",
        }
    }

    fn parse(name: Option<&str>) -> Result<Self> {
        match name {
            None | Some("None") => Ok(Self::Private),
            Some("HostToContainer") => Ok(Self::HostToContainer),
            Some("Bidirectional") => Ok(Self::Bidirectional),
            Some(other) => Err(Error::invalid(format!(
                "mountPropagation {other:?} must be None, HostToContainer or Bidirectional"
            ))),
        }
    }
}

/// Returns the mounts of one container, of any kind, in the order of its `volumeMounts`.
///
/// A part of a volume (`subPath`, `subPathExpr`) is made if it doesn't exist, as a directory with
/// the mode of the volume's, and mounted below the Pod's directory, see
/// [`Subpath`](crate::subpath::Subpath). Can be repeated.
/// [`clean_subpaths`](crate::subpath::Subpath::clean_subpaths) unmounts the parts, before the
/// volume is unmounted.
///
/// `subPathExpr` is expanded with `env` and `envFrom` of the container. Variables of Services are
/// unknown here.
///
/// Recursive read-only mounts are asked for wherever the container wants them: the runtime and the
/// kernel (5.12) must have them.
///
/// # Errors
///
/// When the container isn't in the Pod, a volume isn't mounted, a variable has no value, or a part
/// is not inside of its volume.
pub fn mounts(
    host: &dyn VolumeHost,
    pod: &Pod,
    container: &str,
    volumes: &BTreeMap<String, MountedVolume>,
) -> Result<Vec<ContainerMount>> {
    let part = parts(pod)
        .find(|part| part.name == container)
        .ok_or_else(|| Error::invalid(format!("the Pod has no container {container:?}")))?;
    let uid = pod.metadata.uid.as_deref().unwrap_or_default();
    names::check("UID of the Pod", uid)?;
    let pod_dir = host.pods_dir().join(uid);
    // No volume may have made it.
    dirs::make_pod_dir(&pod_dir)?;
    // Read for the first mount that needs them.
    let mut variables = None;
    let mut labeled = BTreeSet::new();
    let mounts = part.volume_mounts.iter().enumerate();
    mounts
        .map(|(index, mount)| {
            let volume = volumes.get(&mount.name).ok_or_else(|| {
                Error::invalid(format!(
                    "the volume {:?} of the container {container:?} is not mounted",
                    mount.name
                ))
            })?;
            let sub_path = sub_path(mount, &mut variables, || env::variables(host, pod, &part))?;
            let image = image(pod, &mount.name);
            let host_path = if image.is_some() {
                PathBuf::new()
            } else if sub_path.is_empty() {
                volume.path.clone()
            } else {
                let request = SubpathRequest {
                    volume_mount_index: index,
                    path: volume.path.join(&sub_path),
                    volume_name: volume.name.clone(),
                    volume_path: volume.path.clone(),
                    pod_dir: pod_dir.clone(),
                    container_name: container.to_owned(),
                };
                prepare(host, &sub_path, &request)?
            };
            Ok(ContainerMount {
                volume_name: mount.name.clone(),
                container_path: container_path(&mount.mount_path),
                host_path,
                image: image.map(|reference| ImageMount {
                    reference,
                    sub_path,
                }),
                read_only: mount.read_only == Some(true) || volume.attributes.read_only,
                recursive_read_only: recursive_read_only(mount)?,
                selinux_relabel: volume.needs_label() && labeled.insert(&mount.name),
                propagation: Propagation::parse(mount.mount_propagation.as_deref())?,
            })
        })
        .collect()
}

/// Returns the image that a volume of the Pod is.
fn image(pod: &Pod, volume: &str) -> Option<String> {
    let volumes = pod.spec.as_ref()?.volumes.iter().flatten();
    let source = volumes
        .filter(|found| found.name == volume)
        .find_map(|found| found.image.as_ref())?;
    Some(source.reference.clone().unwrap_or_default())
}

/// Returns an absolute path: a relative one is below the root, and becomes simple by that, as `/a`
/// of `./b/../a`.
fn container_path(path: &str) -> PathBuf {
    let from_root = Path::new("/").join(path);
    if Path::new(path).is_absolute() {
        return from_root;
    }
    clean_path(&from_root).unwrap_or(from_root)
}

/// Returns the part of the volume that the container wants, as a path in it; an empty one is all of
/// it.
fn sub_path(
    mount: &VolumeMount,
    variables: &mut Option<Variables>,
    read: impl FnOnce() -> Result<Variables>,
) -> Result<String> {
    let mut wanted = mount.sub_path.clone().unwrap_or_default();
    if let Some(expression) = mount.sub_path_expr.as_deref().filter(|e| !e.is_empty()) {
        let variables = match variables {
            Some(variables) => variables,
            None => variables.insert(read()?),
        };
        let mut missing = Vec::new();
        wanted = expand::expand(expression, |name| {
            let value = variables.get(name).filter(|value| !value.is_empty());
            if value.is_none() {
                missing.push(name.to_owned());
            }
            value.cloned().unwrap_or_default()
        });
        if !missing.is_empty() {
            missing.sort();
            missing.dedup();
            return Err(Error::invalid(format!(
                "subPathExpr {expression:?} needs values for {}",
                missing.join(", ")
            )));
        }
    }
    let path = Path::new(&wanted);
    if path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return Err(Error::invalid(format!(
            "subPath {wanted:?} must be a relative path without `..`"
        )));
    }
    Ok(wanted)
}

/// Makes a part of a volume if it doesn't exist, and mounts it.
fn prepare(host: &dyn VolumeHost, sub_path: &str, request: &SubpathRequest) -> Result<PathBuf> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::invalid(format!(
            "subPath {sub_path:?} of the volume {:?}: {error}",
            request.volume_name
        ))
    };
    // As a link that leads nowhere doesn't exist, the next step refuses it.
    if !request.path.exists() {
        let volume = &request.volume_path;
        let mode = std::fs::metadata(volume).map_err(Error::io("look at", volume))?;
        let made =
            host.subpather()
                .safe_make_dir(Path::new(sub_path), volume, mode.mode() & 0o7777);
        made.map_err(|error| failed(&error))?;
    }
    let prepared = host.subpather().prepare_safe_subpath(request);
    prepared.map_err(|error| failed(&error))
}

fn recursive_read_only(mount: &VolumeMount) -> Result<bool> {
    let mode = mount.recursive_read_only.as_deref();
    match mode {
        None | Some("Disabled") => return Ok(false),
        Some("IfPossible" | "Enabled") => {}
        Some(other) => {
            return Err(Error::invalid(format!(
                "recursiveReadOnly {other:?} must be Disabled, IfPossible or Enabled"
            )));
        }
    }
    if mount.read_only != Some(true) {
        return Err(Error::invalid(format!(
            "recursiveReadOnly of the volume {:?} needs readOnly",
            mount.name
        )));
    }
    match mount.mount_propagation.as_deref() {
        None | Some("None") => Ok(true),
        Some(other) => Err(Error::invalid(format!(
            "recursiveReadOnly of the volume {:?} can't have mountPropagation {other:?}",
            mount.name
        ))),
    }
}
