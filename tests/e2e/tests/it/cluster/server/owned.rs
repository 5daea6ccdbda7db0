//! The owners of fields, as in `managedFields` and as they follow from what was set.

use conformance::kind::Kind;
use conformance::related::{inside, is_granular, keys_of};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The fields that a manager has applied; none where it has no entry.
pub(crate) fn owned<K: Kind>(object: &K, manager: &str, subresource: Option<&str>) -> Value {
    let entries = object.metadata().managed_fields.iter().flatten();
    let mut found = entries.filter(|entry| {
        entry.manager.as_deref() == Some(manager) && entry.subresource.as_deref() == subresource
    });
    let Some(entry) = found.next() else {
        return json!({});
    };
    assert_eq!(found.next(), None);
    assert_eq!(entry.operation.as_deref(), Some("Apply"));
    assert_eq!(entry.api_version.as_deref(), Some(K::API_VERSION));
    assert_eq!(entry.fields_type.as_deref(), Some("FieldsV1"));
    entry.fields_v1.as_ref().unwrap().0.clone()
}

/// The parts of a volume that can have different owners: it is a type of another crate.
const VOLUME: [&str; 4] = [
    "spec.source.inlineVolumeSpec",
    "spec.source.inlineVolumeSpec.capacity",
    "spec.source.inlineVolumeSpec.csi",
    "spec.source.inlineVolumeSpec.csi.volumeAttributes",
];

/// Fields that name an object and have no owner.
const NAMES: [&str; 4] = ["apiVersion", "kind", "metadata.name", "metadata.namespace"];

/// Returns the fields that a manager owns that has applied this.
pub(crate) fn fields<K: Kind + kubernetes_kinds::Kind>(object: &impl Serialize) -> Value {
    let object = serde_json::to_value(object).unwrap();
    let mut fields = below::<K>("", &object);
    if fields["f:metadata"] == json!({}) {
        fields.as_object_mut().unwrap().remove("f:metadata");
    }
    fields
}

fn below<K: Kind + kubernetes_kinds::Kind>(path: &str, value: &Value) -> Value {
    let is_granular = is_granular::<K>(path) || VOLUME.contains(&path);
    let mut fields = Map::new();
    match value {
        Value::Object(object) if is_granular => {
            for (name, value) in object {
                let path = inside(path, name);
                if !NAMES.contains(&path.as_str()) {
                    fields.insert(format!("f:{name}"), below::<K>(&path, value));
                }
            }
        }
        Value::Array(elements) if is_granular => {
            for element in elements {
                let (name, fields_of) = element_of::<K>(path, element);
                fields.insert(name, fields_of);
            }
        }
        _ => {}
    }
    fields.into()
}

/// The name of an element, and the owned parts of it, itself included.
fn element_of<K: Kind + kubernetes_kinds::Kind>(path: &str, element: &Value) -> (String, Value) {
    let Some(keys) = keys_of::<K>(path) else {
        return (format!("v:{element}"), json!({}));
    };
    let name: Map<_, _> = keys
        .iter()
        .map(|key| ((*key).to_owned(), element[*key].clone()))
        .collect();
    let mut fields = below::<K>(&format!("{path}[]"), element);
    if fields != json!({}) {
        fields["."] = json!({});
    }
    (format!("k:{}", Value::from(name)), fields)
}
