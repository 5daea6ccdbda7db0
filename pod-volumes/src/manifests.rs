//! The objects of manifests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{
    ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod, Secret,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use crate::cli::{Errors, one};

/// The namespace and the name of an object. The namespace of a PersistentVolume is empty.
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
        // kubectl reads YAML 1.1, in which the mode 0440 is octal.
        let options = serde_saphyr::options! { legacy_octal_numbers: true };
        match serde_saphyr::from_multiple_with_options::<Value>(&text, options) {
            Ok(documents) => {
                for document in documents {
                    self.add(document, file, errors);
                }
            }
            Err(error) => errors.push(format!("{shown}: {error}")),
        }
    }

    fn add(&mut self, object: Value, file: &Path, errors: &mut Errors) {
        let text = |pointer: &str| {
            object
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let (version, kind, name) =
            (text("/apiVersion"), text("/kind"), text("/metadata/name"));
        let added = match (version.as_str(), kind.as_str()) {
            ("v1", "List") => {
                if let Some(Value::Array(items)) = object.get("items") {
                    for item in items.clone() {
                        self.add(item, file, errors);
                    }
                }
                return;
            }
            ("v1", "Pod") => read(object).and_then(|pod: Pod| {
                let key = key(&pod.metadata)?;
                put(
                    &mut self.pods,
                    key,
                    PodFrom {
                        pod: complete(pod),
                        file: file.to_owned(),
                    },
                )
            }),
            ("v1", "ConfigMap") => read(object).and_then(|map: ConfigMap| {
                put(&mut self.config_maps, key(&map.metadata)?, Arc::new(map))
            }),
            ("v1", "Secret") => read(object).and_then(|secret: Secret| {
                put(&mut self.secrets, key(&secret.metadata)?, Arc::new(stored(secret)))
            }),
            ("v1", "PersistentVolume") => {
                read(object).and_then(|volume: PersistentVolume| {
                    let (_, name) = key(&volume.metadata)?;
                    put(&mut self.volumes, (String::new(), name), Arc::new(volume))
                })
            }
            ("v1", "PersistentVolumeClaim") => {
                read(object).and_then(|claim: PersistentVolumeClaim| {
                    put(&mut self.claims, key(&claim.metadata)?, Arc::new(claim))
                })
            }
            ("", _) | (_, "") => {
                Err("no object has no `apiVersion` or `kind`".to_owned())
            }
            _ => return,
        };
        if let Err(error) = added {
            errors.push(format!("{}: {kind} {name:?}: {error}", file.display()));
        }
    }
}

/// The files of a path, sorted.
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
    let hidden =
        file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && matches!(extension, Some("yaml" | "yml" | "json"))
}

fn read<T>(object: Value) -> Result<T, String>
where
    T: for<'de> k8s_openapi::serde::Deserialize<'de>,
{
    serde_json::from_value(object).map_err(|error| error.to_string())
}

fn key(metadata: &ObjectMeta) -> Result<Key, String> {
    let namespace = metadata.namespace.clone().filter(|namespace| !namespace.is_empty());
    let name = metadata.name.clone().unwrap_or_default();
    let namespace = namespace.unwrap_or_else(|| "default".to_owned());
    if [&name, &namespace].iter().any(|part| part.is_empty() || part.contains('/')) {
        return Err(
            "`metadata.name` or `metadata.namespace` is empty or has a slash".to_owned()
        );
    }
    Ok((namespace, name))
}

fn put<T>(objects: &mut BTreeMap<Key, T>, key: Key, object: T) -> Result<(), String> {
    let namespace = key.0.clone();
    match objects.insert(key, object) {
        None => Ok(()),
        Some(_) => {
            Err(format!("there are two of that name in the namespace {namespace:?}"))
        }
    }
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
            texts.into_iter().map(|(key, text)| (key, ByteString(text.into_bytes()))),
        );
    }
    secret
}

/// The Pod's name for messages.
pub(crate) fn shown(from: &PodFrom) -> String {
    let metadata = &from.pod.metadata;
    let name = metadata.name.as_deref().unwrap_or_default();
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    format!("{}: Pod {namespace}/{name}", from.file.display())
}

/// An error of one Pod.
pub(crate) fn of_pod(from: &PodFrom, error: impl ToString) -> Errors {
    one(format!("{}: {}", shown(from), error.to_string()))
}
