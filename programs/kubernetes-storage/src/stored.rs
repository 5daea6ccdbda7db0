//! The form in which a server stores objects, where that isn't ours.

use kubernetes_kinds::quantity;
use kubernetes_manifests::scheme::{AnyObject, Scheme};
use serde_json::Value;

/// The paths of quantities, or of maps of them, outside of statuses.
const QUANTITIES: [&str; 6] = [
    "/capacity",
    "/maximumVolumeSize",
    "/spec/capacity",
    "/spec/resources/limits",
    "/spec/resources/requests",
    "/spec/source/inlineVolumeSpec/capacity",
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

/// Returns an object of a built-in kind as a server stores it: with quantities in their canonical
/// form, and without the zero values that Go leaves out.
pub(crate) fn form(scheme: &Scheme, object: AnyObject) -> AnyObject {
    let is_custom = |kind| {
        scheme
            .kind(kind)
            .is_none_or(|kind| kind.lifecycle.is_none())
    };
    let kind = object.kind();
    if is_custom(&kind) {
        return object;
    }
    let Ok(mut value) = object.to_value() else {
        return object;
    };
    for path in QUANTITIES {
        match value.pointer_mut(path) {
            Some(Value::Object(all)) => all.values_mut().for_each(canonical),
            Some(one) => canonical(one),
            None => (),
        }
    }
    let has_volume = ["PersistentVolume", "VolumeAttachment"].contains(&&*kind.kind);
    for path in VOLUMES.into_iter().filter(|_| has_volume) {
        if let Some(volume) = value.pointer_mut(path) {
            drop_zero(volume);
        }
    }
    if kind.kind == "PersistentVolumeClaim"
        && let Some(Value::Object(spec)) = value.pointer_mut("/spec")
        && spec.get("volumeName").is_some_and(|name| name == "")
    {
        spec.remove("volumeName");
    }
    let read = scheme.decode_json_all(value.to_string());
    read.ok().and_then(|mut read| read.pop()).unwrap_or(object)
}

fn canonical(quantity: &mut Value) {
    if let Value::String(text) = quantity
        && let Ok(canonical) = quantity::canonical(text)
    {
        *text = canonical.into_owned();
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
