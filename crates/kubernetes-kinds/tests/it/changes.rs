//! What a write leaves to the owners of fields.

use k8s_openapi::serde_json::{Value, json};
use kubernetes_kinds::apply::Change;

const GRANULAR: &[&str] = &["spec", "spec.drivers", "spec.drivers[]", "spec.modes"];

/// Returns true if the write leaves a field.
fn leaves(before: &Value, after: &Value, fields: &Value) -> bool {
    let change = Change {
        before,
        after,
        granular: GRANULAR,
        unchanged: &["status"],
    };
    change.leaves(fields).unwrap()
}

#[test]
fn what_is_added_changed_or_removed_has_a_new_owner() {
    let before = json!({"spec": {"a": 1, "b": 2, "c": 3}, "status": {"phase": "Pending"}});
    let after = json!({"spec": {"a": 1, "b": 3, "d": 4}, "status": {"phase": "Bound"}});
    for (fields, left) in [
        (json!({}), false),
        (json!(null), false),
        (json!({".": {}}), false),
        (json!({"x:unknown": {}}), false),
        (json!({"f:spec": {}}), true),
        (json!({"f:spec": {"f:a": {}}}), true),
        (json!({"f:spec": {"f:b": {}}}), false),
        (json!({"f:spec": {"f:c": {}}}), false),
        (json!({"f:spec": {"f:d": {}}}), false),
        (json!({"f:spec": {"f:unset": {}}}), true),
        (json!({"f:spec": {"f:b": {}, "f:d": null}}), false),
        (json!({"f:spec": {"f:a": {}, "f:d": {}}}), true),
        (json!({"f:spec": {".": {}, "f:b": {}}}), true),
        (json!({"f:spec": {"f:b": {"f:inside": {}}}}), true),
        (json!({"f:status": {"f:phase": {}}}), true),
    ] {
        assert_eq!(leaves(&before, &after, &fields), left, "{fields}");
    }
}

#[test]
fn elements_of_lists_have_owners_by_key_or_value() {
    let before = json!({"spec": {}});
    let after = json!({"spec": {
        "drivers": [{"name": "a", "topology": ["zone"]}],
        "modes": ["Persistent"],
        "sizes": [1, 2],
    }});
    for (fields, left) in [
        (json!({"f:drivers": {}}), false),
        (
            json!({"f:drivers": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}}}}),
            false,
        ),
        (json!({"f:drivers": {"k:{\"name\":\"b\"}": {}}}), true),
        (json!({"f:drivers": {"i:0": {}}}), true),
        (
            json!({"f:drivers": {"k:{\"name\":\"a\"}": {"f:topology": {"i:0": {}}}}}),
            false,
        ),
        (json!({"f:modes": {"v:\"Persistent\"": {}}}), false),
        (json!({"f:modes": {"v:\"Ephemeral\"": {}}}), true),
        // Who owns a part of a list with one owner owns the list.
        (json!({"f:sizes": {}}), false),
        (json!({"f:sizes": {"i:5": {}}}), false),
    ] {
        let fields = json!({"f:spec": fields});
        assert_eq!(leaves(&before, &after, &fields), left, "{fields}");
        assert!(leaves(&after, &after, &fields), "{fields}");
    }
}

#[test]
fn fields_that_cannot_be_read_are_an_error() {
    let object = json!({});
    let change = Change {
        before: &object,
        after: &object,
        granular: GRANULAR,
        unchanged: &[],
    };
    for (fields, message) in [
        (json!(5), "fieldsV1: is not an object"),
        (json!({"f:a": 5}), "fieldsV1.f:a: is not an object"),
        (json!({"a": {}}), "fieldsV1: \"a\" is not a path element"),
        (
            json!({"f:a": {"i:x": {}}}),
            "fieldsV1.f:a: \"i:x\": not an index",
        ),
    ] {
        let error = change.leaves(&fields).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
