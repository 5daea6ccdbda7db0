//! The JSON Schemas of golden crates.

use golden_recursive::Tree;
use golden_server::{Mill, Power};
use golden_unknown_fields_v1::Cup;
use golden_values::Values;
use k8s_openapi::schemars::JsonSchema;
use k8s_openapi::schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// Makes the schema as kube does for a CustomResourceDefinition: without references.
fn inlined<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::openapi3();
    settings.inline_subschemas = true;
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

#[test]
fn values_of_all_types_have_schemas() {
    let schema = inlined::<Values>();
    let properties = &schema["properties"];
    for (name, expected) in [
        ("any", json!({"x-kubernetes-preserve-unknown-fields": true})),
        ("at", json!({"type": "string", "format": "date-time"})),
        ("counts", json!({"type": "object"})),
        ("data", json!({"type": "string", "format": "byte"})),
        ("large", json!({"type": "integer", "format": "int64"})),
        ("small", json!({"type": "integer", "format": "int32"})),
        (
            "texts",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
    ] {
        for (keyword, value) in expected.as_object().unwrap() {
            assert_eq!(properties[name][keyword], *value, "{name}");
        }
    }
    assert_eq!(
        schema["required"],
        json!(["needBytes", "needCount", "needDeep", "needTags", "needText"])
    );
}

#[test]
fn rules_are_keywords() {
    let schema = inlined::<Mill>();
    let spec = &schema["properties"]["spec"]["properties"];
    assert_eq!(spec["marks"]["items"]["maxLength"], 63);
    assert_eq!(spec["crew"]["x-kubernetes-list-map-keys"], json!(["name"]));
    assert_eq!(spec["kind"]["enum"], json!(["", "Water", "Wind"]));
    assert_eq!(spec["bags"]["default"], 12);
    assert_eq!(schema["properties"]["kind"]["enum"], json!(["Mill"]));

    // A default would exclude the other field, where only one may be set.
    let power = inlined::<Power>();
    assert_eq!(power["maxProperties"], 1);
    assert_eq!(power["properties"]["brook"].get("default"), None);
}

#[test]
fn fields_that_are_kept_are_not_pruned() {
    let keeps = "x-kubernetes-preserve-unknown-fields";
    assert_eq!(inlined::<Cup>()[keeps], true);
    assert_eq!(inlined::<Mill>().get(keeps), None);
}

/// No CustomResourceDefinition can have such a type, but making its schema comes to an end.
#[test]
fn a_type_that_holds_itself_has_a_schema() {
    let schema = inlined::<Tree>().to_string();
    assert!(schema.contains("$ref"), "{schema}");
}
