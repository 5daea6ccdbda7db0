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

/// Group, kind, names, scope, whether there is a status, and the schema of a version.
fn of(version: &str, definition: &Value) -> Value {
    let mut spec = definition["spec"].clone();
    let versions = spec["versions"].as_array().unwrap();
    let version = versions
        .iter()
        .find(|found| found["name"] == version)
        .unwrap();
    let mut schema = structure(&version["schema"]["openAPIV3Schema"]);
    let properties = schema["properties"].as_object_mut().unwrap();
    // Every object has them, whether its schema says so or not.
    properties.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    let status = version.pointer("/subresources/status").cloned();
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
    let upstream = fixtures::folder().unwrap();
    let folder = upstream.join("crds/snapshot-v8.7.0/manifests");
    for group in ["snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"] {
        let ours = read(&root.join(format!("spec/v1.37/{group}.yaml")));
        for ours in &ours {
            let plural = ours["spec"]["names"]["plural"].as_str().unwrap();
            let theirs = read(&folder.join(format!("{group}_{plural}.yaml")));
            assert_eq!(of("v1", ours), of("v1", &theirs[0]), "{plural}");
            if group.starts_with("group") {
                check_other_versions(ours, &theirs[0]);
            }
        }
        assert_eq!(ours.len(), 3);
    }
}

/// The program `kubernetes-storage` reads v1beta2 as v1, and says that all three are served.
fn check_other_versions(ours: &Value, theirs: &Value) {
    let kind = &theirs["spec"]["names"]["kind"];
    assert_eq!(of("v1", ours), of("v1beta2", theirs), "{kind}");
    let versions = theirs["spec"]["versions"].as_array().unwrap();
    let facts = versions.iter().map(|version| {
        let is_deprecated = version["deprecated"] == true;
        let name = version["name"].as_str().unwrap();
        (name, version["served"] == true, is_deprecated)
    });
    let wanted = [
        ("v1", true, false),
        ("v1beta1", true, true),
        ("v1beta2", true, false),
    ];
    assert_eq!(facts.collect::<Vec<_>>(), wanted, "{kind}");
}
