//! Definitions of custom resources.

use std::fs;
use std::path::{Path, PathBuf};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, PostParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Client, ResourceExt as _};
use serde_json::Value;

/// Creates definitions and waits until the server serves them.
pub(crate) async fn define(client: &Client, all: &[CustomResourceDefinition]) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in all {
        let created = definitions.create(&PostParams::default(), definition).await;
        created.unwrap_or_else(|error| panic!("{}: {error}", definition.name_any()));
    }
    for definition in all {
        let is_established = conditions::is_crd_established();
        let name = definition.name_any();
        await_condition(definitions.clone(), &name, is_established)
            .await
            .unwrap();
    }
}

/// Keywords of a schema that check more than types.
const ASKED: [&str; 21] = [
    "allOf",
    "anyOf",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "not",
    "oneOf",
    "pattern",
    "required",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-validations",
];

/// A definition that asks no more than types, but for the keywords that it keeps.
pub(crate) fn lenient(
    definition: &CustomResourceDefinition,
    keeps: &[&str],
) -> CustomResourceDefinition {
    fn without(schema: &Value, keeps: &[&str]) -> Value {
        match schema {
            Value::Object(members) => {
                let kept = members.iter().filter(|(name, _)| {
                    keeps.contains(&name.as_str()) || !ASKED.contains(&name.as_str())
                });
                kept.map(|(name, value)| (name.clone(), without(value, keeps)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(|item| without(item, keeps)).collect(),
            other => other.clone(),
        }
    }
    let definition = serde_json::to_value(definition).unwrap();
    serde_json::from_value(without(&definition, keeps)).unwrap()
}

/// Replaces definitions of the same names; a server takes a while to heed them.
pub(crate) async fn replace(client: &Client, all: &[CustomResourceDefinition]) {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in all {
        let mut new = definition.clone();
        let name = definition.name_any();
        new.metadata.resource_version = api.get(&name).await.unwrap().resource_version();
        api.replace(&name, &PostParams::default(), &new)
            .await
            .unwrap();
    }
}

/// The manifests of a folder and the folders in it, sorted.
pub(crate) fn manifests(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let end = path.extension().and_then(|end| end.to_str());
        if path.is_dir() && !path.ends_with("src") {
            manifests(&path, found);
        } else if end.is_some_and(|end| ["yaml", "yml", "json"].contains(&end)) {
            found.push(path);
        }
    }
}
