//! Kinds and their parts in a custom resource of a user.

use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage_v1::{
    CSIDriverSpec, CSINodeDriver, StorageClass, VolumeAttachmentSpec, VolumeBindingMode,
};

/// Storage that a team may order.
#[derive(Clone, Debug, CustomResource, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Offer", namespaced)]
#[serde(rename_all = "camelCase")]
struct OfferSpec {
    /// The time at which volumes are bound.
    binding: VolumeBindingMode,
    fallback: Option<VolumeBindingMode>,
    class: StorageClass,
    driver: Option<CSIDriverSpec>,
    #[serde(default)]
    drivers: Vec<CSINodeDriver>,
    attachment: Option<VolumeAttachmentSpec>,
}

fn definition() -> Value {
    let definition = serde_json::to_value(Offer::crd()).unwrap();
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

#[test]
fn its_definition_has_the_schemas() {
    let schema = definition();
    let spec = &schema["properties"]["spec"];
    assert_eq!(
        spec["properties"]["binding"],
        json!({
            "description": "The time at which volumes are bound.",
            "type": "string",
            "enum": ["Immediate", "WaitForFirstConsumer"],
        })
    );
    let fallback = &spec["properties"]["fallback"];
    assert_eq!(
        (&fallback["type"], &fallback["nullable"]),
        (&json!("string"), &json!(true))
    );
    let driver = &spec["properties"]["driver"];
    assert_eq!(driver["properties"]["attachRequired"]["default"], true);
    assert_eq!(driver["nullable"], true);
    let name = &spec["properties"]["drivers"]["items"]["properties"]["name"];
    assert_eq!(name["maxLength"], 63);
}

/// Checks the requirements of an API server for every schema in a definition.
#[test]
fn its_definition_is_structural() {
    let mut schemas = 0;
    structural(&definition(), "", &mut schemas);
    assert!(schemas > 200, "{schemas}");
}

fn structural(schema: &Value, path: &str, schemas: &mut usize) {
    *schemas += 1;
    for keyword in [
        "$ref",
        "$defs",
        "definitions",
        "propertyNames",
        "const",
        "if",
    ] {
        assert_eq!(schema.get(keyword), None, "{path} {keyword}");
    }
    assert_ne!(schema.get("uniqueItems"), Some(&json!(true)), "{path}");
    let has = |flag: &str| schema.get(flag) == Some(&json!(true));
    let keeps = has("x-kubernetes-preserve-unknown-fields");
    assert!(
        schema["type"].is_string() || has("x-kubernetes-int-or-string") || keeps,
        "{path} has no type: {schema}"
    );
    if schema["type"] == "array" {
        assert!(schema["items"].is_object(), "{path}");
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        structural(property, &format!("{path}.{name}"), schemas);
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(inner).filter(|inner| inner.is_object()) {
            structural(inner, &format!("{path}[]"), schemas);
        }
    }
}
