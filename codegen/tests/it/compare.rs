//! The comparison of two documents: what counts, and what doesn't.

use codegen::{Comparison, DifferenceKind, Source, compare};
use serde_json::{Value, json};

fn document() -> Value {
    let gvk = json!({"group": "example.com", "version": "v1", "kind": "Thing"});
    json!({
        "openapi": "3.0.0",
        "info": {"title": "t", "version": "unversioned"},
        "paths": {"/apis/example.com/v1/things": {"get": {
            "description": "Words.", "x-kubernetes-action": "list",
            "x-kubernetes-group-version-kind": gvk
        }}},
        "components": {"schemas": {"com.example.v1.Thing": {
            "type": "object", "description": "Words.", "required": ["a", "b"],
            "properties": {
                "a": {"type": "string", "description": "Words.", "enum": ["x", "y"]},
                "b": {"allOf": [{"$ref": "#/components/schemas/com.example.v1.Part"}]},
                "description": {"type": "array", "items": {"type": "string"}}
            },
            "x-kubernetes-group-version-kind": [gvk]
        }, "com.example.v1.Part": {"type": "object"}}}
    })
}

fn compared(ours: &Value, upstream: &Value) -> Comparison {
    let source = |name: &str, value: &Value| Source::new(name, value.to_string());
    compare(&source("ours", ours), &source("upstream", upstream), &[]).unwrap()
}

/// The differences after a place of the document was changed, as ours against the original.
fn changed(place: &str, value: Value) -> Vec<(String, DifferenceKind)> {
    let mut ours = document();
    let (parent, key) = place.rsplit_once('/').unwrap();
    let parent = ours.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.insert(key.replace("~1", "/"), value);
    let differences = compared(&ours, &document()).differences;
    differences
        .into_iter()
        .map(|d| (d.pointer.to_string(), d.change))
        .collect()
}

const THING: &str = "/components/schemas/com.example.v1.Thing";
const PATH: &str = "/paths/~1apis~1example.com~1v1~1things";

#[test]
fn a_document_equals_itself() {
    let comparison = compared(&document(), &document());
    assert!(comparison.differences.is_empty() && !comparison.from_server);
}

#[test]
fn words_and_order_do_not_count() {
    for (place, value) in [
        (format!("{THING}/description"), json!("Other words.")),
        (format!("{THING}/title"), json!("T")),
        (
            format!("{THING}/properties/a/description"),
            json!("Other words."),
        ),
        (format!("{THING}/properties/a/enum"), json!(["y", "x"])),
        (format!("{THING}/required"), json!(["b", "a"])),
        (format!("{PATH}/get/description"), json!("Other words.")),
        ("/info/title".to_owned(), json!("u")),
    ] {
        assert_eq!(changed(&place, value), [], "{place}");
    }
}

/// 1.23 has the description and the default beside the reference, later ones an `allOf`.
#[test]
fn the_two_forms_of_a_reference_are_equal() {
    let reference = "#/components/schemas/com.example.v1.Part";
    let old = json!({"$ref": reference, "description": "Words."});
    assert_eq!(changed(&format!("{THING}/properties/b"), old), []);
}

#[test]
fn what_shapes_a_schema_counts() {
    for (place, value, change) in [
        ("type", json!("string"), DifferenceKind::Changed),
        ("required", json!(["a"]), DifferenceKind::Changed),
        ("x-new", json!(1), DifferenceKind::Added),
        ("properties/a/format", json!("byte"), DifferenceKind::Added),
        ("properties/a/enum", json!(["x"]), DifferenceKind::Changed),
        (
            "properties/a/type",
            json!("integer"),
            DifferenceKind::Changed,
        ),
        (
            "properties/c",
            json!({"type": "string"}),
            DifferenceKind::Added,
        ),
        (
            "properties/description/items/type",
            json!("integer"),
            DifferenceKind::Changed,
        ),
    ] {
        let place = format!("{THING}/{place}");
        assert_eq!(changed(&place, value), [(format!("#{place}"), change)]);
    }
    let added = changed(
        "/components/schemas/com.example.v1.New",
        json!({"type": "object"}),
    );
    let pointer = "#/components/schemas/com.example.v1.New".to_owned();
    assert_eq!(added, [(pointer, DifferenceKind::Added)]);
}

#[test]
fn values_are_shown_where_they_differ() {
    let long: Vec<String> = (0..100).map(|number| format!("value-{number}")).collect();
    let mut other = long.clone();
    other[50] = "another".to_owned();
    let with = |values: &[String]| {
        let mut document = document();
        document["components"]["schemas"]["com.example.v1.Thing"]["x-list"] = json!(values);
        document
    };
    let differences = compared(&with(&long), &with(&other)).differences;
    let (ours, upstream) = &differences[0].values;
    for (text, says) in [
        (ours, "\"value-50\",\"value-51\""),
        (upstream, "\"another\""),
    ] {
        assert!(text.contains(says), "{text}");
        assert!(text.starts_with('…') && text.ends_with('…'), "{text}");
        assert!(text.chars().count() < 100, "{text}");
    }
    let differences = compared(&with(&long[..2]), &with(&long[..1])).differences;
    assert_eq!(differences[0].values.1, "[\"value-0\"]");
}

#[test]
fn paths_and_verbs_count() {
    let scope = "/paths/~1apis~1example.com~1v1~1namespaces~1{namespace}~1things";
    let path = document()["paths"]["/apis/example.com/v1/things"].clone();
    assert_eq!(
        changed(scope, path),
        [(format!("#{scope}"), DifferenceKind::Added)]
    );
    let verb = format!("{PATH}/delete");
    let added = changed(&verb, json!({"x-kubernetes-action": "delete"}));
    assert_eq!(added, [(format!("#{verb}"), DifferenceKind::Added)]);
    let action = format!("{PATH}/get/x-kubernetes-action");
    assert_eq!(
        changed(&action, json!("get")),
        [(format!("#{action}"), DifferenceKind::Changed)]
    );
}

#[test]
fn what_upstream_has_alone_is_removed() {
    let mut ours = document();
    let schemas = ours
        .pointer_mut("/components/schemas")
        .unwrap()
        .as_object_mut()
        .unwrap();
    schemas.remove("com.example.v1.Part");
    let differences = compared(&ours, &document()).differences;
    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0].change, DifferenceKind::Removed);
    let mirrored = compared(&document(), &ours).differences;
    assert_eq!(mirrored[0].change, DifferenceKind::Added);
    assert_eq!(mirrored[0].pointer, differences[0].pointer);
}

#[test]
fn a_server_tells_its_version() {
    let mut upstream = document();
    upstream["info"]["version"] = json!("v1.36.0");
    assert!(compared(&document(), &upstream).from_server);
}

#[test]
fn errors_of_both_documents_are_told() {
    let bad = |name: &str| Source::new(name, "{\n");
    let errors = compare(&bad("ours"), &bad("upstream"), &[]).unwrap_err();
    let files: Vec<_> = errors.iter().map(|error| error.file.as_str()).collect();
    assert_eq!(files, ["ours", "upstream"]);
}

/// If kinds are selected, upstream's document counts without the others and what only they need.
#[test]
fn kinds_that_are_not_selected_do_not_count() {
    let mut upstream = document();
    let gvk = json!({"group": "example.com", "version": "v1", "kind": "Other"});
    upstream["paths"]["/apis/example.com/v1/others"] =
        json!({"get": {"x-kubernetes-group-version-kind": gvk}});
    upstream["components"]["schemas"]["com.example.v1.Other"] = json!({
        "type": "object", "x-kubernetes-group-version-kind": [gvk],
        "properties": {"c": {"$ref": "#/components/schemas/com.example.v1.Own"}},
    });
    upstream["components"]["schemas"]["com.example.v1.Own"] = json!({"type": "object"});
    let source = |name: &str, value: &Value| Source::new(name, value.to_string());
    let differences = |kinds: &[String]| {
        let (ours, upstream) = (source("ours", &document()), source("upstream", &upstream));
        compare(&ours, &upstream, kinds).unwrap().differences.len()
    };
    assert_eq!(differences(&["Thing".to_owned()]), 0);
    assert_eq!(differences(&["Thing".to_owned(), "Other".to_owned()]), 3);
    assert_eq!(differences(&[]), 3);
}
