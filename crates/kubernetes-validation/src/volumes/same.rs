//! Semantic equality of volumes.

use k8s_openapi::serde_json::Value;

/// The fields of a volume that are pointers in Go, so that unset differs from zero.
const POINTERS: [&str; 9] = [
    "volumeMode",
    "volumeAttributesClassName",
    "secretNamespace",
    "endpointsNamespace",
    "initiatorName",
    "cachingMode",
    "kind",
    "type",
    "lun",
];

/// The source whose `fsType` is a pointer.
const LOCAL: &str = "local";

/// The fields of a volume that are maps.
const MAPS: [&str; 3] = ["capacity", "volumeAttributes", "options"];

/// Whether a server takes two volumes, in JSON, for the same. It compares them as Go writes them,
/// without zero and empty values.
#[must_use]
#[inline]
pub fn is_same(mut volume: Value, mut other: Value) -> bool {
    drop_zeros(&mut volume, "");
    drop_zeros(&mut other, "");
    volume == other
}

/// Removes zero values of a field. An empty object stays, because it is a source; an empty map goes.
#[inline]
fn drop_zeros(value: &mut Value, of: &str) {
    let Value::Object(object) = value else { return };
    // Of a map, each entry counts.
    if MAPS.contains(&of) {
        return;
    }
    object.retain(|key, value| {
        drop_zeros(value, key);
        let is_pointer = POINTERS.contains(&key.as_str()) || (of == LOCAL && key == "fsType");
        match value {
            Value::Null => false,
            Value::Bool(value) => is_pointer || *value,
            Value::Number(number) => is_pointer || number.as_f64() != Some(0.0),
            Value::String(text) => is_pointer || !text.is_empty(),
            Value::Array(list) => !list.is_empty(),
            Value::Object(map) => !map.is_empty() || !MAPS.contains(&key.as_str()),
        }
    });
}
