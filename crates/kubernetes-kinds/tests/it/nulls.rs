//! `null` in lists, maps and metadata: the zero value, as Go reads it.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde_json::{self, json};
use kubernetes_kinds::wire;

#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    name: String,
}

wire::object! {
    Part {
        required "name" => name,
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Thing {
    metadata: ObjectMeta,
    list: Vec<String>,
    numbers: Option<Vec<i64>>,
    parts: Option<Vec<Part>>,
    map: Option<BTreeMap<String, String>>,
    required: BTreeMap<String, i32>,
}

wire::object! {
    Thing {
        required "metadata" => metadata as metadata,
        required "list" => list as elements,
        optional "numbers" => numbers as elements,
        optional "parts" => parts as elements,
        optional "map" => map as elements,
        required "required" => required as elements,
    }
}

#[test]
fn elements_that_are_null_are_zero() {
    let thing: Thing = serde_json::from_value(json!({
        "list": ["ro", null],
        "numbers": [null, 1],
        "parts": [null, {"name": null}],
        "map": {"a": null, "b": "c"},
        "required": {"a": null},
    }))
    .unwrap();
    assert_eq!(thing.list, ["ro", ""]);
    assert_eq!(thing.numbers, Some(vec![0, 1]));
    assert_eq!(thing.parts, Some(vec![Part::default(), Part::default()]));
    let map = [("a", ""), ("b", "c")].map(|(key, value)| (key.into(), value.into()));
    assert_eq!(thing.map, Some(map.into()));
    assert_eq!(thing.required, [("a".to_owned(), 0)].into());
}

#[test]
fn a_list_that_is_null_is_unset() {
    let value = json!({"list": null, "numbers": null, "map": null, "metadata": null});
    assert_eq!(
        serde_json::from_value::<Thing>(value).unwrap(),
        Thing::default()
    );
}

/// Metadata is a type of k8s-openapi, whose own reading refuses `null` there.
#[test]
fn metadata_is_read_the_same_way() {
    let metadata = json!({
        "annotations": {"x": null},
        "creationTimestamp": "2026-01-02T03:04:05Z",
        "deletionGracePeriodSeconds": 3,
        "deletionTimestamp": "2026-01-02T03:04:06Z",
        "finalizers": ["a/b", null],
        "generateName": "a-",
        "generation": 7,
        "labels": {"x": null, "y": "z"},
        "managedFields": [{"manager": "m", "fieldsV1": {"f:metadata": {}}}, null],
        "name": "a",
        "namespace": "b",
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}, null],
        "resourceVersion": "1",
        "selfLink": "/a",
        "uid": "u",
    });
    let thing: Thing = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
    let mut zero = metadata.clone();
    zero["annotations"]["x"] = "".into();
    zero["labels"]["x"] = "".into();
    zero["finalizers"][1] = "".into();
    zero["managedFields"][1] = json!({});
    zero["ownerReferences"][1] = json!({"apiVersion": "", "kind": "", "name": "", "uid": ""});
    let expected: ObjectMeta = serde_json::from_value(zero.clone()).unwrap();
    assert_eq!(thing.metadata, expected);
    assert_eq!(serde_json::to_value(&thing.metadata).unwrap(), zero);
    let unknown = json!({"metadata": {"name": "a", "more": {"x": [null]}}});
    let thing: Thing = serde_json::from_value(unknown).unwrap();
    assert_eq!(thing.metadata.name.as_deref(), Some("a"));
}

#[test]
fn other_shapes_are_errors() {
    for value in [
        json!({"list": ["a", 1]}),
        json!({"list": {}}),
        json!({"map": {"a": 1}}),
        json!({"map": []}),
        json!({"metadata": {"labels": {"a": 1}}}),
        json!({"metadata": []}),
    ] {
        assert!(
            serde_json::from_value::<Thing>(value.clone()).is_err(),
            "{value}"
        );
    }
}
