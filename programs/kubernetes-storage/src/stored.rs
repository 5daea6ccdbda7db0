//! The form in which a server stores objects, where that isn't ours.

use kubernetes_kinds::quantity;
use serde_json::Value;

/// The paths of quantities, or of maps of them.
const QUANTITIES: [&str; 8] = [
    "/capacity",
    "/maximumVolumeSize",
    "/spec/capacity",
    "/spec/resources/limits",
    "/spec/resources/requests",
    "/spec/source/inlineVolumeSpec/capacity",
    "/status/allocatedResources",
    "/status/capacity",
];

/// The specifications of volumes, most of whose optional fields have values in Go, not pointers.
const VOLUMES: [&str; 2] = ["/spec", "/spec/source/inlineVolumeSpec"];

/// The fields of a volume that a server stores even if they are `false`, 0 or empty: those that are
/// required, or pointers in Go; and its maps.
const KEPT: [&str; 12] = [
    "accessModes",
    "azureDisk",
    "capacity",
    "endpointsNamespace",
    "initiatorName",
    "lun",
    "nodeAffinity",
    "options",
    "secretNamespace",
    "type",
    "volumeAttributes",
    "volumeAttributesClassName",
];

/// The maps, which Go leaves out if they are empty. Other empty objects are structs, which it
/// writes.
const MAPS: [&str; 12] = [
    "allocatedResourceStatuses",
    "allocatedResources",
    "annotations",
    "attachmentMetadata",
    "capacity",
    "labels",
    "limits",
    "matchLabels",
    "options",
    "parameters",
    "requests",
    "volumeAttributes",
];

const GENERATE_NAME: &str = "/metadata/generateName";

/// The texts in a status that Go leaves out if they are empty.
const TEXTS: [&str; 3] = ["message", "reason", "targetVolumeAttributesClassName"];

/// The lists that are required. A server writes `null` for them if they are empty.
const REQUIRED: [&str; 2] = ["drivers", "topologyKeys"];

/// Changes an object of a built-in kind into what a server stores: quantities in their canonical
/// form, and without the empty lists and maps and the zero values that Go leaves out.
///
/// The object is one that a server accepts, with its defaults.
///
/// ```
/// use kubernetes_storage::stored;
/// use serde_json::json;
///
/// let mut class = json!({
///     "apiVersion": "storage.k8s.io/v1",
///     "kind": "StorageClass",
///     "metadata": {"name": "fast", "labels": {}},
///     "provisioner": "csi.example.com",
///     "mountOptions": [],
///     "allowVolumeExpansion": false,
/// });
/// stored::form(&mut class);
/// assert_eq!(class["metadata"], json!({"name": "fast"}));
/// assert!(class.get("mountOptions").is_none());
/// assert_eq!(class["allowVolumeExpansion"], false);
/// ```
pub fn form(object: &mut Value) {
    for path in QUANTITIES {
        match object.pointer_mut(path) {
            Some(Value::Object(all)) => all.values_mut().for_each(canonical),
            Some(one) => canonical(one),
            None => (),
        }
    }
    let kind = object.get("kind").and_then(Value::as_str);
    if let Some("PersistentVolume" | "VolumeAttachment") = kind {
        for path in VOLUMES {
            object.pointer_mut(path).map(drop_zero);
        }
    }
    for path in [GENERATE_NAME, "/spec/volumeName"] {
        drop_text(object, path);
    }
    if let Some(status) = object.get_mut("status") {
        drop_texts(status);
    }
    drop_empty(object);
}

/// Changes the metadata of an object into what a server stores. That is all it changes of a custom
/// resource.
pub fn metadata(object: &mut Value) {
    drop_text(object, GENERATE_NAME);
    if let Some(metadata) = object.get_mut("metadata") {
        drop_empty(metadata);
    }
}

fn canonical(quantity: &mut Value) {
    if let Value::String(text) = quantity
        && let Ok(canonical) = quantity::canonical(text)
    {
        *text = canonical.into_owned();
    }
}

/// Drops a text if it is empty.
fn drop_text(object: &mut Value, path: &str) {
    let (parent, name) = path.rsplit_once('/').unwrap_or_default();
    if let Some(Value::Object(fields)) = object.pointer_mut(parent)
        && fields.get(name).is_some_and(|text| text == "")
    {
        fields.remove(name);
    }
}

/// Drops the texts of a status that are empty, at every depth.
fn drop_texts(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| *value != "" || !TEXTS.contains(&name.as_str()));
            fields.values_mut().for_each(drop_texts);
        }
        Value::Array(list) => list.iter_mut().for_each(drop_texts),
        _ => (),
    }
}

/// Drops the lists and maps that are empty, at every depth.
fn drop_empty(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let name = name.as_str();
            match value {
                Value::Array(list) if list.is_empty() => {
                    *value = Value::Null;
                    REQUIRED.contains(&name)
                }
                Value::Object(map) if MAPS.contains(&name) => !map.is_empty(),
                _ => {
                    drop_empty(value);
                    true
                }
            }
        }),
        Value::Array(list) => list.iter_mut().for_each(drop_empty),
        _ => (),
    }
}

/// Drops the zero values of a volume and of the objects in it.
fn drop_zero(object: &mut Value) {
    let Value::Object(fields) = object else {
        return;
    };
    fields.retain(|name, value| {
        let is_kept = KEPT.contains(&name.as_str());
        // The only optional field of `local` is a pointer.
        if !is_kept && name != "local" {
            drop_zero(value);
        }
        is_kept || !(*value == Value::Bool(false) || *value == 0 || *value == "")
    });
}
