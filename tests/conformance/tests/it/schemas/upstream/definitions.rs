//! Our definitions of custom resources have the structure of those that they describe.

use std::fs;
use std::path::Path;

use conformance::fixtures;
use serde_json::{Map, Value};

/// Reads the definitions in a file.
fn read(path: &Path) -> Vec<Value> {
    serde_saphyr::from_multiple(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A schema without the texts, which are ours, and with what is required in order.
fn structure(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, value)| {
                !(["description", "message"].contains(&name.as_str()) && value.is_string())
            });
            let kept = kept.map(|(name, value)| (name.clone(), structure(value)));
            let mut kept: Map<_, _> = kept.collect();
            if let Some(Value::Array(required)) = kept.get_mut("required") {
                required.sort_by_key(ToString::to_string);
            }
            // A number or a text is also written as a text that may be a number.
            if kept.get("x-kubernetes-int-or-string") == Some(&true.into()) {
                kept.remove("anyOf");
                kept.remove("type");
            }
            Value::Object(kept)
        }
        Value::Array(items) => items.iter().map(structure).collect(),
        other => other.clone(),
    }
}

/// Group, kind, names, scope, whether there is a status, and the schema of v1.
fn of_v1(definition: &Value) -> Value {
    let mut spec = definition["spec"].clone();
    let versions = spec["versions"].as_array().unwrap();
    let v1 = versions
        .iter()
        .find(|version| version["name"] == "v1")
        .unwrap();
    let mut schema = structure(&v1["schema"]["openAPIV3Schema"]);
    let properties = schema["properties"].as_object_mut().unwrap();
    // Every object has them, whether its schema says so or not.
    properties.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    let status = v1.pointer("/subresources/status").cloned();
    // The value that a server takes for an absent one.
    spec["names"].as_object_mut().unwrap().remove("listKind");
    spec["versions"] = serde_json::json!({"schema": schema, "status": status});
    spec
}

#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn snapshots_are_defined_as_by_their_project() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let ours = read(&root.join("spec/v1.37/snapshot.storage.k8s.io.yaml"));
    let upstream = fixtures::folder().unwrap();
    let folder = upstream.join("crds/snapshot-v8.7.0/manifests");
    for ours in &ours {
        let plural = ours["spec"]["names"]["plural"].as_str().unwrap();
        let theirs = read(&folder.join(format!("snapshot.storage.k8s.io_{plural}.yaml")));
        assert_eq!(of_v1(ours), of_v1(&theirs[0]), "{plural}");
    }
    assert_eq!(ours.len(), 3);
}
