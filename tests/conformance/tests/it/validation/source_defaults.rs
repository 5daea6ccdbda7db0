//! The defaults of volume sources, which are in the documents and, for the volume inside a
//! VolumeAttachment, in a hand-written rule: the type of that volume is k8s-openapi's.

use std::fs;
use std::path::Path;

use kubernetes_validation::{Target, Validate};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

const PREFIX: &str = "#/components/schemas/";

/// The schemas of a document in `spec/`.
fn schemas(document: &str) -> Value {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let text = fs::read_to_string(spec.join(document)).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["components"]["schemas"].take()
}

/// The schema to which a property refers, if it refers to one.
fn referred<'s>(schemas: &'s Value, property: &Value) -> Option<&'s Value> {
    let direct = property.get("$ref");
    let reference = direct.or_else(|| property.pointer("/allOf/0/$ref"))?;
    Some(&schemas[reference.as_str()?.strip_prefix(PREFIX)?])
}

/// The sources of a PersistentVolume, each with its properties.
fn sources(schemas: &Value) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    let spec = &schemas["io.k8s.api.core.v1.PersistentVolumeSpec"]["properties"];
    let fields = spec.as_object().unwrap().iter();
    let not_sources = ["claimRef", "nodeAffinity"];
    fields
        .filter(move |(field, _)| !not_sources.contains(&field.as_str()))
        .filter_map(|(field, property)| {
            let properties = referred(schemas, property)?.get("properties")?;
            Some((field, properties.as_object()?))
        })
}

/// Go's zero values, which a document may publish as defaults and objects may leave out.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        value => [json!(null), json!(""), json!(0), json!(false)].contains(value),
    }
}

/// Compares the defaults of a document with those that are set in a kind, whose volume is at
/// `spec`, and returns how many there are.
#[track_caller]
fn check<K>(document: &str, spec: &str) -> usize
where
    K: Validate + Serialize + DeserializeOwned,
{
    let schemas = schemas(document);
    let mut count = 0;
    for (source, properties) in sources(&schemas) {
        let given = match spec {
            "/spec" => json!({"spec": {source: {}}}),
            _ => json!({"spec": {"source": {"inlineVolumeSpec": {source: {}}}}}),
        };
        let mut object: K = serde_json::from_value(given).unwrap();
        let _ = object.default_and_validate(&Target::new(storage_v1::KUBERNETES));
        let object = serde_json::to_value(&object).unwrap();
        let fields = &object.pointer(spec).unwrap()[source];
        for (name, property) in properties {
            let declared = property.get("default").unwrap_or(&Value::Null);
            let set = fields.get(name).unwrap_or(&Value::Null);
            if !is_zero(declared) || !is_zero(set) {
                assert_eq!(set, declared, "{document}: {source}.{name}");
                count += 1;
            }
        }
    }
    count
}

#[test]
fn defaults_of_sources_are_those_of_the_documents() {
    let newest = storage_v1::KUBERNETES;
    let volumes =
        check::<core_v1::PersistentVolume>(&format!("v{newest}/api__v1_openapi.json"), "/spec");
    let inline = "/spec/source/inlineVolumeSpec";
    let v1 = &format!("v{newest}/apis__storage.k8s.io__v1_openapi.json");
    let v1beta1 = "v1.21/apis__storage.k8s.io__v1beta1_openapi.json";
    let v1alpha1 = "v1.23/apis__storage.k8s.io__v1alpha1_openapi.json";
    let attachments = [
        check::<storage_v1::VolumeAttachment>(v1, inline),
        check::<storage_v1beta1::VolumeAttachment>(v1beta1, inline),
        check::<storage_v1alpha1::VolumeAttachment>(v1alpha1, inline),
    ];
    assert_eq!((volumes, attachments), (9, [9; 3]));
}
