//! Checks of names and specifications, before they become paths.

use std::path::{Component, Path, PathBuf};

use k8s_openapi::api::core::v1::{PersistentVolumeSpec, Pod, Volume};
use kubernetes_kinds::names::NameFormat;
use serde::Serialize;

use crate::{Error, Result, Spec};

/// The ending that a volume's directory gets while it is removed. A directory with it isn't a
/// volume: names of Kubernetes have no `~`.
pub const DELETING: &str = ".deleting~";

/// The longest name of a directory.
const MAX_NAME: usize = 255;

/// Fails unless the name can be that of one directory.
pub(crate) fn check(what: &str, name: &str) -> Result<()> {
    let problem = match name {
        "" => "is empty",
        "." | ".." => "is a path to another directory",
        _ if name.contains('/') => "has a slash",
        _ if name.contains('\0') => "has a null byte",
        _ if name.len() > MAX_NAME - DELETING.len() => "is too long",
        _ if name.ends_with(DELETING) => "has the ending of directories that are being removed",
        _ => return Ok(()),
    };
    Err(Error::invalid(format!(
        "the {what} {name:?} {problem}; a name such as \"data\" is allowed"
    )))
}

/// Fails unless the name is one that a plugin can have.
pub(crate) fn check_plugin(name: &str) -> Result<()> {
    if NameFormat::QualifiedName.matches(name) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the name of a plugin {name:?} is not a qualified name such as \"example.com/volume\""
    )))
}

/// Returns the UID of the Pod, checked.
pub(crate) fn pod_uid(pod: &Pod) -> Result<&str> {
    let uid = pod.metadata.uid.as_deref().unwrap_or_default();
    check("UID of the Pod", uid)?;
    Ok(uid)
}

/// The annotation that came before the field `mountOptions`, which it replaces.
const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";

/// Returns the mount options of a PersistentVolume: those of the annotation if it is there, between
/// commas, otherwise those of the field.
pub(crate) fn mount_options(spec: &Spec, volume: &PersistentVolumeSpec) -> Vec<String> {
    let annotations = spec
        .persistent_volume
        .as_ref()
        .and_then(|volume| volume.metadata.annotations.as_ref());
    let mut options = match annotations.and_then(|annotations| annotations.get(MOUNT_OPTIONS)) {
        Some(text) => text.split(',').map(str::to_owned).collect(),
        None => volume.mount_options.clone().unwrap_or_default(),
    };
    options.retain(|option| !option.is_empty());
    options
}

/// Returns the namespace of the Pod: an API server fills it in, manifests may lack it.
pub(crate) fn pod_namespace(pod: &Pod) -> &str {
    match pod.metadata.namespace.as_deref() {
        None | Some("") => "default",
        Some(namespace) => namespace,
    }
}

/// Returns the name of the Pod's service account: an API server fills it in too.
pub(crate) fn service_account(pod: &Pod) -> &str {
    let spec = pod.spec.as_ref();
    match spec.and_then(|spec| spec.service_account_name.as_deref()) {
        None | Some("") => "default",
        Some(account) => account,
    }
}

/// Returns the name of the plugin as a directory.
pub(crate) fn escaped(plugin_name: &str) -> String {
    plugin_name.replace('/', "~")
}

/// Returns the path if it is absolute and nowhere goes back.
pub(crate) fn absolute(what: &str, path: &str) -> Result<PathBuf> {
    let text = path;
    let path = Path::new(path);
    let problem = if text.is_empty() {
        "is empty"
    } else if text.contains('\0') {
        "has a null byte"
    } else if !path.is_absolute() {
        "is relative"
    } else if path.components().any(|part| part == Component::ParentDir) {
        "has `..`"
    } else {
        return Ok(path.to_owned());
    };
    Err(Error::invalid(format!(
        "the path {text:?} of {what} {problem}; it must be absolute, without `..`"
    )))
}

/// Fails unless the volume of the Pod has exactly one source.
pub(crate) fn one_source(spec: &Spec) -> Result<()> {
    match (&spec.volume, &spec.persistent_volume) {
        (Some(volume), _) => one("volume", &volume.name, &volume_sources(volume)),
        (None, Some(volume)) => {
            let sources = volume
                .spec
                .as_ref()
                .map(persistent_sources)
                .unwrap_or_default();
            one("PersistentVolume", spec.name(), &sources)
        }
        (None, None) => Err(Error::invalid(
            "there is neither a volume nor a PersistentVolume",
        )),
    }
}

fn one(kind: &str, name: &str, sources: &[String]) -> Result<()> {
    match sources {
        [_] => Ok(()),
        [] => Err(Error::invalid(format!(
            "the {kind} {name:?} has no source, such as `emptyDir`"
        ))),
        several => Err(Error::invalid(format!(
            "the {kind} {name:?} has several sources: {}; exactly one is allowed",
            several.join(", ")
        ))),
    }
}

/// The names of the fields that are set, whatever release k8s-openapi's types are of.
pub(crate) fn fields(object: &impl Serialize) -> Vec<String> {
    match serde_json::to_value(object) {
        Ok(serde_json::Value::Object(fields)) => fields.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}

fn volume_sources(volume: &Volume) -> Vec<String> {
    let mut sources = fields(volume);
    sources.retain(|field| field != "name");
    sources
}

fn persistent_sources(spec: &PersistentVolumeSpec) -> Vec<String> {
    const OTHERS: [&str; 9] = [
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "nodeAffinity",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeAttributesClassName",
        "volumeMode",
    ];
    let mut sources = fields(spec);
    sources.retain(|field| !OTHERS.contains(&field.as_str()));
    sources
}
