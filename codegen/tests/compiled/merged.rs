//! Merges of objects, by what their documents say of lists and maps.

use std::fmt::Debug;

use k8s_openapi::DeepMerge;
use k8s_openapi::serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Merges two objects, and compares the result.
fn merge<T>(ours: &Value, theirs: &Value, expected: &Value)
where
    T: DeepMerge + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let read = |value: &Value| serde_json::from_value::<T>(value.clone()).unwrap();
    let mut merged = read(ours);
    merged.merge_from(read(theirs));
    assert_eq!(merged, read(expected));
}

/// The full type and the apply type, of which only the full type replaces what isn't given.
#[test]
fn each_list_and_map_is_merged_as_its_document_says() {
    let ours = json!({"spec": {
        "light": true, "door": "Hinged", "lock": {"key": "a"}, "smells": ["a", "b"],
        "shelves": [{"name": "a", "width": 1, "above": {"name": "x", "width": 2}}],
        "recipe": [{"what": "a"}], "notes": {"a": "1", "b": "1"}, "stamp": {"a": "1"},
        "byDay": {"a": {"what": "1"}}, "selector": {"matchLabels": {"a": "1"}}
    }, "status": {"jars": 1}});
    let theirs = json!({"spec": {
        "light": true, "door": "Sliding", "lock": {"step": {"what": "b"}}, "smells": ["c", "b"],
        "shelves": [{"name": "b"}, {"name": "a", "above": {"name": "y"}}],
        "recipe": [{"what": "b"}], "notes": {"b": "2"}, "stamp": {"b": "2"},
        "byDay": {"b": {"what": "2"}}, "selector": {"matchLabels": {"b": "2"}}
    }});
    let both = json!({"spec": {
        "light": true, "door": "Sliding", "lock": {"step": {"what": "b"}},
        "smells": ["a", "c", "b"],
        "shelves": [
            {"name": "b"}, {"name": "a", "width": 1, "above": {"name": "y", "width": 2}}
        ],
        "recipe": [{"what": "b"}], "notes": {"a": "1", "b": "2"}, "stamp": {"b": "2"},
        "byDay": {"a": {"what": "1"}, "b": {"what": "2"}},
        "selector": {"matchLabels": {"b": "2"}}
    }, "status": {"jars": 1}});
    merge::<golden_apply::Pantry>(&ours, &theirs, &both);
    merge::<golden_apply::apply::Pantry>(&ours, &theirs, &both);

    let dark = json!({"spec": {"light": false, "shelves": []}});
    let only_light = json!({"spec": {"light": true, "smells": ["a"]}});
    let both = json!({"spec": {"light": false, "smells": ["a"]}});
    merge::<golden_apply::Pantry>(&only_light, &dark, &both);
    merge::<golden_apply::Pantry>(&only_light, &json!({}), &both);
    merge::<golden_apply::apply::Pantry>(&only_light, &json!({}), &only_light);
}

#[test]
fn unknown_fields_are_replaced_by_name() {
    merge::<golden_unknown_fields_v1::Dish>(
        &json!({"depth": 1, "a": {"b": 1}, "c": 1}),
        &json!({"a": {"d": 2}, "e": null}),
        &json!({"depth": 1, "a": {"d": 2}, "c": 1, "e": null}),
    );
}

/// Types of k8s-openapi, in which some objects have one owner.
#[test]
fn what_others_merge_field_by_field_is_replaced() {
    let volume = |key: &str, name: Value| {
        let secret = json!({key: name});
        json!({
            "claimRef": {key: name},
            "csi": {"driver": "d", "volumeHandle": "h", "nodeStageSecretRef": secret},
            "scaleIO": {"gateway": "g", "system": "s", "secretRef": secret}
        })
    };
    let shelf = |key: &str, kind: &str| {
        let volume = volume(key, key.into());
        json!({
            "must": volume, "may": volume, "selector": {},
            "metaCondition": [{"type": kind, "status": key, "reason": "", "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z"}]
        })
    };
    let (ours, theirs) = (shelf("name", "a"), shelf("namespace", "a"));
    let mut both = theirs.clone();
    for field in ["must", "may"] {
        both[field]["claimRef"]["name"] = "name".into();
    }
    merge::<golden_external::Shelf>(&ours, &theirs, &both);
    let other = shelf("namespace", "b");
    both["metaCondition"] = json!([
        ours["metaCondition"][0].clone(),
        other["metaCondition"][0].clone()
    ]);
    merge::<golden_external::Shelf>(&ours, &other, &both);
}
