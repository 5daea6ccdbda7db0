//! The objects of manifests.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::certificates::{v1, v1beta1};
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::{ByteString, ClusterResourceScope, Metadata, Resource};
use kubernetes_manifests::scheme::{Part, Scheme, Syntax};
use kubernetes_volume::host::TrustBundle;
use tracing::warn;

use crate::errors::{Errors, one};

/// The namespace and the name of an object. The namespace of a PersistentVolume and of a
/// ClusterTrustBundle is empty.
pub(crate) type Key = (String, String);

/// A Pod and the file that it is from.
#[derive(Clone)]
pub(crate) struct PodFrom {
    pub(crate) pod: Pod,
    pub(crate) file: PathBuf,
}

/// All objects that were read.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    pub(crate) pods: BTreeMap<Key, PodFrom>,
    pub(crate) config_maps: BTreeMap<Key, Arc<ConfigMap>>,
    pub(crate) secrets: BTreeMap<Key, Arc<Secret>>,
    pub(crate) volumes: BTreeMap<Key, Arc<PersistentVolume>>,
    pub(crate) claims: BTreeMap<Key, Arc<PersistentVolumeClaim>>,
    pub(crate) trust_bundles: BTreeMap<Key, Arc<TrustBundle>>,
}

impl Objects {
    /// Reads files and the files of folders. Objects of other kinds are left out.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Errors> {
        let mut objects = Self::default();
        let mut errors = Errors::new();
        for path in paths {
            match files(path) {
                Ok(files) => {
                    for file in files {
                        objects.read_file(&file, &mut errors);
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(objects)
        } else {
            Err(errors)
        }
    }

    fn read_file(&mut self, file: &Path, errors: &mut Errors) {
        let shown = file.display();
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => return errors.push(format!("{shown}: {error}")),
        };
        // The scheme knows no kinds: each document is read as its kind below.
        for part in Scheme::new().decode_each(&text, Syntax::JsonOrYaml) {
            let added = match &part.object {
                Ok(Some(_)) => self.add(file, &part),
                // A list; its items follow.
                Ok(None) => Ok(()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = added {
                errors.push(format!("{shown}: {error}"));
            }
        }
    }

    fn add(&mut self, file: &Path, part: &Part<'_>) -> Result<(), String> {
        let kind = part.kind.as_deref().unwrap_or_default();
        match (part.api_version.as_deref().unwrap_or_default(), kind) {
            ("v1", _) => {}
            ("certificates.k8s.io/v1", "ClusterTrustBundle") => {
                let made = |bundle: v1::ClusterTrustBundle| Arc::new(bundle.into());
                return put(&mut self.trust_bundles, file, part, made);
            }
            ("certificates.k8s.io/v1beta1", "ClusterTrustBundle") => {
                let made = |bundle: v1beta1::ClusterTrustBundle| Arc::new(bundle.into());
                return put(&mut self.trust_bundles, file, part, made);
            }
            _ => return Ok(()),
        }
        match kind {
            "Pod" => put(&mut self.pods, file, part, |pod| PodFrom {
                pod: complete(pod),
                file: file.to_owned(),
            }),
            "ConfigMap" => put(&mut self.config_maps, file, part, Arc::new),
            "Secret" => put(&mut self.secrets, file, part, |secret| {
                Arc::new(stored(secret))
            }),
            "PersistentVolume" => put(&mut self.volumes, file, part, Arc::new),
            "PersistentVolumeClaim" => put(&mut self.claims, file, part, Arc::new),
            _ => Ok(()),
        }
    }
}

/// Reads an object, and adds what is made of it to those of its kind.
fn put<K, T>(
    objects: &mut BTreeMap<Key, T>,
    file: &Path,
    part: &Part<'_>,
    make: impl FnOnce(K) -> T,
) -> Result<(), String>
where
    K: Resource<Scope: 'static> + Metadata<Ty = ObjectMeta> + DeserializeOwned,
{
    let object: K = read(file, part)?;
    let at = &part.location;
    let (mut namespace, name) = key(object.metadata()).map_err(|error| format!("{at}: {error}"))?;
    if TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>() {
        namespace.clear();
    }
    match objects.insert((namespace.clone(), name), make(object)) {
        None => Ok(()),
        Some(_) => Err(format!(
            "{at}: duplicate object in the namespace {namespace:?}"
        )),
    }
}

/// Reads an object as one of a kind. Fields that the kind hasn't got, or that occur twice, are
/// warned of.
fn read<T: DeserializeOwned>(file: &Path, part: &Part<'_>) -> Result<T, String> {
    let read = part.read::<T>().map_err(|error| error.to_string())?;
    for error in read.errors {
        let line = error.location.line.unwrap_or(1);
        warn!("{}: {error} (line {line})", file.display());
    }
    Ok(read.object)
}

/// Returns the files of a path, sorted.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if !fs::metadata(path).map_err(failed)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if is_manifest(&file) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn is_manifest(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let hidden = file
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && matches!(extension, Some("yaml" | "yml" | "json"))
}

fn key(metadata: &ObjectMeta) -> Result<Key, &'static str> {
    let namespace = metadata
        .namespace
        .clone()
        .filter(|namespace| !namespace.is_empty());
    let name = metadata.name.clone().unwrap_or_default();
    let namespace = namespace.unwrap_or_else(|| "default".to_owned());
    if [&name, &namespace]
        .iter()
        .any(|part| part.is_empty() || part.contains('/'))
    {
        return Err("metadata.name and metadata.namespace must not be empty or contain a slash");
    }
    Ok((namespace, name))
}

/// Fills in what an API server does.
fn complete(mut pod: Pod) -> Pod {
    let metadata = &mut pod.metadata;
    let namespace = metadata.namespace.get_or_insert_default();
    if namespace.is_empty() {
        *namespace = "default".to_owned();
    }
    if metadata.uid.as_deref().unwrap_or_default().is_empty() {
        // No dot is in the name of a namespace, so that no two Pods get the same one.
        let name = metadata.name.as_deref().unwrap_or_default();
        metadata.uid = Some(format!("{namespace}.{name}"));
    }
    pod
}

/// Moves `stringData` into `data`, as an API server does.
fn stored(mut secret: Secret) -> Secret {
    if let Some(texts) = secret.string_data.take() {
        let data = secret.data.get_or_insert_default();
        data.extend(
            texts
                .into_iter()
                .map(|(key, text)| (key, ByteString(text.into_bytes()))),
        );
    }
    secret
}

/// Returns the file and the name of a Pod, for messages.
pub(crate) fn shown(from: &PodFrom) -> String {
    let metadata = &from.pod.metadata;
    let name = metadata.name.as_deref().unwrap_or_default();
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    format!("{}: pod \"{namespace}/{name}\"", from.file.display())
}

/// Returns an error of one Pod.
pub(crate) fn of_pod(from: &PodFrom, error: impl ToString) -> Errors {
    one(format!("{}: {}", shown(from), error.to_string()))
}
