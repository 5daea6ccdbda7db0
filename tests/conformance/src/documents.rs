//! Objects made from the documents in `spec/`: as large a kind as PersistentVolume is not written
//! down by hand.

use std::sync::LazyLock;

use proptest::collection::btree_map;
use proptest::option::weighted;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::arbitrary::{
    int32, int64, label_selector, list, list_meta, object_meta, quantity, text, time,
};
use crate::kind;

/// The document of the core group.
static CORE: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../spec/v1.37/api__v1_openapi.json");
    serde_json::from_str(text).unwrap_or_default()
});

/// The definitions of custom resources.
static CUSTOM: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let texts = [
        include_str!("../../../spec/v1.37/groupsnapshot.storage.k8s.io.yaml"),
        include_str!("../../../spec/v1.37/snapshot.storage.k8s.io.yaml"),
    ];
    let read = |text| serde_saphyr::from_multiple::<Value>(text).unwrap_or_default();
    texts.into_iter().flat_map(read).collect()
});

const SCHEMAS: &str = "#/components/schemas/";
const CORE_V1: &str = "io.k8s.api.core.v1.";

/// The probability of an optional field: parts with fields of their own are rarer, since a
/// PersistentVolume has so many of them.
const PART: f64 = 0.25;
const FIELD: f64 = 0.5;

/// The schema of a kind, which is in one of the documents.
fn schema(kind: &str) -> &'static Value {
    let custom = CUSTOM
        .iter()
        .find(|crd| crd["spec"]["names"]["kind"] == kind);
    match custom {
        Some(crd) => &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"],
        None => &CORE["components"]["schemas"][format!("{CORE_V1}{kind}")],
    }
}

/// Returns true if a schema is of quantities, as definitions describe them.
fn is_quantity(schema: &Value) -> bool {
    schema["x-kubernetes-int-or-string"] == true
}

/// The name of the schema that a schema refers to, if it is one.
fn reference(schema: &Value) -> Option<&str> {
    let reference = schema
        .get("$ref")
        .or_else(|| schema.pointer("/allOf/0/$ref"))?;
    reference.as_str()?.strip_prefix(SCHEMAS)
}

/// Reads an object that the document describes.
///
/// # Panics
///
/// If the type doesn't have the fields of the document.
#[allow(clippy::panic)] // It is how a test fails.
fn read<K: DeserializeOwned>(object: Value) -> K {
    serde_json::from_value(object).unwrap_or_else(|error| panic!("{error}"))
}

/// An object of the kind in which every field is set.
fn sample<K: kind::Kind>() -> K {
    let mut object = full("", schema(K::KIND));
    object["metadata"] = json!({"name": "sample", "labels": {"app": "storage"}});
    object["apiVersion"] = K::API_VERSION.into();
    object["kind"] = K::KIND.into();
    read(object)
}

/// A value in which every field is set; `name` is that of the field.
fn full(name: &str, schema: &'static Value) -> Value {
    match reference(schema).map(|reference| (reference, reference.rsplit('.').next())) {
        Some((_, Some("Quantity"))) => "1Gi".into(),
        Some((_, Some("Time"))) => "2024-01-02T03:04:05Z".into(),
        Some((_, Some("ObjectMeta"))) => json!({"name": "sample"}),
        Some((_, Some("LabelSelector"))) => json!({
            "matchExpressions": [{"key": "rack", "operator": "In", "values": ["a"]}],
            "matchLabels": {"tier": "front"},
        }),
        Some((target, _)) => full(name, &CORE["components"]["schemas"][target]),
        None if is_quantity(schema) => "1Gi".into(),
        None => match schema["type"].as_str() {
            Some("string") if schema["format"] == "date-time" => "2024-01-02T03:04:05Z".into(),
            Some("boolean") => true.into(),
            Some("integer") => 7.into(),
            Some("array") => json!([full(name, &schema["items"])]),
            Some("object") => match schema["properties"].as_object() {
                Some(properties) => {
                    let fields = properties.iter();
                    fields
                        .map(|(name, field)| (name.clone(), full(name, field)))
                        .collect()
                }
                None => json!({"key": full(name, &schema["additionalProperties"])}),
            },
            _ => name.into(),
        },
    }
}

/// Random objects of the kind.
fn objects<K: kind::Kind>() -> BoxedStrategy<K> {
    let api_version = K::API_VERSION;
    let metadata = object_meta();
    (value(schema(K::KIND)), metadata)
        .prop_map(move |(mut object, metadata)| {
            object["metadata"] = serde_json::to_value(metadata).unwrap_or_default();
            object["apiVersion"] = api_version.into();
            object["kind"] = K::KIND.into();
            read(object)
        })
        .boxed()
}

fn json_of<T: serde::Serialize + std::fmt::Debug + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Value> {
    strategy
        .prop_map(|value| serde_json::to_value(value).unwrap_or_default())
        .boxed()
}

fn value(schema: &'static Value) -> BoxedStrategy<Value> {
    match reference(schema).map(|reference| (reference, reference.rsplit('.').next())) {
        Some((_, Some("Quantity"))) => json_of(quantity()),
        Some((_, Some("Time"))) => json_of(time()),
        Some((_, Some("ObjectMeta"))) => Just(json!({})).boxed(),
        Some((_, Some("ListMeta"))) => json_of(list_meta()),
        Some((_, Some("LabelSelector"))) => json_of(label_selector()),
        Some((target, _)) => value(&CORE["components"]["schemas"][target]),
        None if is_quantity(schema) => json_of(quantity()),
        None => match schema["type"].as_str() {
            Some("string") if schema["format"] == "date-time" => json_of(time()),
            Some("boolean") => json_of(any::<bool>()),
            Some("integer") if schema["format"] == "int32" => json_of(int32()),
            Some("integer") => json_of(int64()),
            Some("array") => json_of(list(value(&schema["items"]))),
            Some("object") => match schema["properties"].as_object() {
                Some(properties) => fields(schema, properties),
                None => {
                    let values = value(&schema["additionalProperties"]);
                    json_of(btree_map(text(), values, 0..4))
                }
            },
            _ => json_of(text()),
        },
    }
}

fn fields(schema: &'static Value, properties: &'static Map<String, Value>) -> BoxedStrategy<Value> {
    let type_meta = ["apiVersion", "kind"];
    let is_kind = schema.get("x-kubernetes-group-version-kind").is_some();
    let kept = properties
        .iter()
        .filter(|(name, _)| !is_kind || !type_meta.contains(&name.as_str()));
    let fields = kept.map(|(name, field)| {
        let required = schema["required"].as_array();
        let required = required.is_some_and(|all| all.iter().any(|one| one == name));
        let often = match reference(field) {
            Some(_) if name.as_str() != "spec" && name.as_str() != "status" => PART,
            _ => FIELD,
        };
        let value = match required {
            true => value(field).prop_map(Some).boxed(),
            false => weighted(often, value(field)).boxed(),
        };
        value.prop_map(move |value| (name, value)).boxed()
    });
    let fields: Vec<_> = fields.collect();
    fields
        .prop_map(|fields| {
            let set = fields
                .into_iter()
                .filter_map(|(n, v)| Some((n.clone(), v?)));
            Value::Object(set.collect())
        })
        .boxed()
}

crate::kind::objects! {
    core_v1::PersistentVolume: objects, sample;
    core_v1::PersistentVolumeClaim: objects, sample;
    groupsnapshot_v1::VolumeGroupSnapshot: objects, sample;
    groupsnapshot_v1::VolumeGroupSnapshotClass: objects, sample;
    groupsnapshot_v1::VolumeGroupSnapshotContent: objects, sample;
    snapshot_v1::VolumeSnapshot: objects, sample;
    snapshot_v1::VolumeSnapshotClass: objects, sample;
    snapshot_v1::VolumeSnapshotContent: objects, sample;
}
