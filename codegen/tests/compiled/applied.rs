//! Requests of server-side apply, and extraction.

use golden_apply::{Pantry, PantrySpec, Shelf, Spoon, Step, apply};
use serde_json::json;

use crate::round_trip;

#[test]
fn what_is_applied_is_what_is_set() {
    let nothing = apply::Pantry::new("p");
    let named = json!({
        "apiVersion": "example.com/v1", "kind": "Pantry", "metadata": {"name": "p"}
    });
    assert_eq!(serde_json::to_value(&nothing).unwrap(), named);

    let spec = apply::PantrySpec::new()
        .with_light(false)
        .with_shelves([apply::Shelf::new().with_name("top")])
        .with_smells(Vec::<String>::new())
        .with_by_day([("monday", apply::Step::new())]);
    let pantry = nothing.with_spec(spec);
    let read: apply::Pantry = round_trip(&json!({
        "apiVersion": "example.com/v1", "kind": "Pantry", "metadata": {"name": "p"},
        "spec": {
            "light": false, "shelves": [{"name": "top"}], "smells": [], "byDay": {"monday": {}}
        }
    }));
    assert_eq!(read, pantry);

    let spoon: apply::Spoon = round_trip(&json!({
        "apiVersion": "example.com/v1", "kind": "Spoon",
        "metadata": {"name": "s", "namespace": "n"}, "step": {}
    }));
    let step = apply::Step::new();
    assert_eq!(spoon, apply::Spoon::new("s", "n").with_step(step));
}

#[test]
fn a_full_object_is_applied_with_all_that_it_holds() {
    let shelf = Shelf::new("low").with_above(Shelf::new("high"));
    let spec = PantrySpec::new(false, [shelf]).with_recipe([Step::new("mix")]);
    let pantry = Pantry::new("p", spec);
    let mut live = pantry.clone();
    live.metadata.uid = Some("u".to_owned());
    live.metadata.resource_version = Some("1".to_owned());
    let applied = serde_json::to_value(apply::Pantry::from(live)).unwrap();
    assert_eq!(applied, serde_json::to_value(&pantry).unwrap());
    let spoon = Spoon::new("s").with_step(Step::new("stir"));
    let applied = serde_json::to_value(apply::Spoon::from(spoon.clone())).unwrap();
    assert_eq!(applied, serde_json::to_value(&spoon).unwrap());
}

/// The document says which maps and lists have one owner with all that is in them.
#[test]
fn what_is_owned_depends_on_the_document() {
    let live: Pantry = serde_json::from_value(json!({
        "metadata": {
            "name": "p",
            "managedFields": [{
                "manager": "me", "operation": "Apply", "apiVersion": "example.com/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {
                    "f:byDay": {}, "f:lock": {}, "f:notes": {}, "f:recipe": {}, "f:smells": {},
                    "f:stamp": {},
                    "f:shelves": {"k:{\"name\":\"top\"}": {"f:above": {}}}
                }}
            }]
        },
        "spec": {
            "light": true,
            "shelves": [{"name": "low"}, {"name": "top", "width": 1, "above": {"name": "x"}}],
            "byDay": {"monday": {"what": "mix"}}, "lock": {"key": "k", "step": {"what": "turn"}},
            "notes": {"a": "b"}, "recipe": [{"what": "mix"}], "smells": ["sweet"],
            "stamp": {"a": "b"}
        }
    }))
    .unwrap();
    let applied = apply::Pantry::extract(&live, "me").unwrap();
    let expected = json!({
        "apiVersion": "example.com/v1", "kind": "Pantry", "metadata": {"name": "p"},
        "spec": {
            "shelves": [{"name": "top", "above": {}}],
            "byDay": {}, "lock": {"key": "k", "step": {"what": "turn"}},
            "notes": {}, "recipe": [{"what": "mix"}], "smells": [], "stamp": {"a": "b"}
        }
    });
    assert_eq!(serde_json::to_value(&applied).unwrap(), expected);
    let status = apply::Pantry::extract_status(&live, "me").unwrap();
    assert_eq!(status, apply::Pantry::new("p"));
}
