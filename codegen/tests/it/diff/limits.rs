//! Limits, rules and combinations in the schemas of custom resources.

use super::custom::{changes, check_added, check_changed, gadget, gadget_with};
use super::*;

#[test]
fn limits_and_rules_are_restrictions() {
    let added = "rule added, readers none, writers breaking, patch";
    let removed = "rule removed, readers info, writers info, patch";
    let tightened = "rule tightened, readers none, writers breaking, patch";
    let loosened = "rule loosened, readers info, writers info, patch";
    let changed = "rule changed, readers none, writers breaking, patch";
    for (place, value, tighter) in [
        ("/properties/text/maxLength", json!(9), json!(8)),
        ("/properties/list/items/minLength", json!(1), json!(2)),
        ("/properties/list/minItems", json!(1), json!(2)),
        ("/properties/list/maxItems", json!(9), json!(8)),
        ("/properties/map/maxProperties", json!(9), json!(8)),
        ("/properties/map/minProperties", json!(1), json!(2)),
        ("/properties/size/minimum", json!(1), json!(2)),
        ("/properties/size/maximum", json!(9), json!(8)),
        ("/properties/size/multipleOf", json!(2), json!(4)),
        (
            "/properties/text/anyOf",
            json!([{"minLength": 1}, {"pattern": "a"}]),
            json!([{"minLength": 1}]),
        ),
        (
            "/properties/text/allOf",
            json!([{"minLength": 1}]),
            json!([{"minLength": 1}, {"pattern": "a"}]),
        ),
    ] {
        check_added(place, value.clone(), added, removed);
        check_changed(place, [value, tighter], tightened, loosened);
    }
    for (place, value, other) in [
        ("/properties/text/pattern", json!("^a"), json!("^b")),
        ("/properties/size/multipleOf", json!(2), json!(3)),
        (
            "/oneOf",
            json!([{"required": ["text"]}]),
            json!([{"required": ["size"]}]),
        ),
        (
            "/properties/text/not",
            json!({"pattern": "a"}),
            json!({"pattern": "b"}),
        ),
    ] {
        check_added(place, value.clone(), added, removed);
        check_changed(place, [value, other], changed, changed);
    }
    let exclusive = "/properties/size/exclusiveMinimum";
    check_added(exclusive, json!(true), added, removed);
    check_changed(exclusive, [json!(false), json!(true)], added, removed);
    let rule = |rule: &str| json!([{"rule": rule}]);
    check_added(
        "/x-kubernetes-validations",
        rule("has(self.text)"),
        added,
        removed,
    );
    let rules = [rule("has(self.text)"), rule("has(self.size)")];
    let found = changes(
        &gadget_with(&[("/x-kubernetes-validations", rules[0].clone())]),
        &gadget_with(&[("/x-kubernetes-validations", rules[1].clone())]),
    );
    assert_eq!(found, [added, removed]);
    let of_updates = json!([{"rule": "self == oldSelf"}]);
    let of_all = json!([{"rule": "self == oldSelf", "optionalOldSelf": true}]);
    check_changed(
        "/x-kubernetes-validations",
        [of_updates, of_all],
        tightened,
        loosened,
    );
}

/// What is written in another way refuses the same.
#[test]
fn the_same_restrictions_are_no_change() {
    let one = json!({"minLength": 1});
    let two = json!({"pattern": "a"});
    for (place, values) in [
        ("/properties/size/maximum", [json!(10), json!(10.0)]),
        (
            "/properties/text/anyOf",
            [json!([one, two]), json!([two, one])],
        ),
        (
            "/properties/text/oneOf",
            [json!([one, two]), json!([two, one])],
        ),
        ("/properties/text/minLength", [json!(0), json!(0.0)]),
    ] {
        let [from, to] = values.map(|value| gadget_with(&[(place, value)]));
        assert_eq!(changes(&from, &to), [""; 0], "{place}");
    }
    for place in [
        "/properties/text/minLength",
        "/properties/list/minItems",
        "/properties/map/minProperties",
    ] {
        let other = gadget_with(&[(place, json!(0))]);
        assert_eq!(changes(&gadget(), &other), [""; 0], "{place}");
    }
    // As floats they are equal.
    check_changed(
        "/properties/size/maximum",
        [json!(i64::MAX), json!(i64::MAX - 1)],
        "rule tightened, readers none, writers breaking, patch",
        "rule loosened, readers info, writers info, patch",
    );
}

/// Rules are known by all of their text, however long it is.
#[test]
fn long_rules_are_told_apart() {
    let long = "has(self.text) || ".repeat(8);
    let rules = |ends: &[&str]| {
        let rules = ends
            .iter()
            .map(|end| json!({"rule": format!("{long}{end}")}));
        let rules = Value::Array(rules.collect());
        gadget_with(&[("/x-kubernetes-validations", rules)])
    };
    let added = "rule added, readers none, writers breaking, patch";
    let removed = "rule removed, readers info, writers info, patch";
    let one = rules(&["a"]);
    assert_eq!(changes(&one, &rules(&["b"])), [added, removed]);
    assert_eq!(changes(&one, &rules(&["a", "b"])), [added]);
    assert_eq!(changes(&rules(&["a", "b"]), &one), [removed]);
    // Two that are the same, and two that change in the same way.
    assert_eq!(changes(&rules(&["a", "a"]), &one), [removed]);
    let of_all = |is_set: bool| {
        let rule = |field: &str| {
            let rule = format!("self.{field} == oldSelf.{field}");
            match is_set {
                true => json!({"rule": rule, "optionalOldSelf": true}),
                false => json!({"rule": rule}),
            }
        };
        let rules = json!([rule("text"), rule("size")]);
        gadget_with(&[("/x-kubernetes-validations", rules)])
    };
    let tightened = "rule tightened, readers none, writers breaking, patch";
    assert_eq!(changes(&of_all(false), &of_all(true)), [tightened; 2]);
}

/// They refuse nothing.
#[test]
fn selectable_fields_are_for_readers() {
    let document = |fields: &[&str]| {
        let mut document = gadget();
        let fields: Vec<_> = fields
            .iter()
            .map(|path| json!({"fieldPath": path}))
            .collect();
        let place = "/components/schemas/com.example.v1.Gadget/x-kubernetes-selectable-fields";
        set(&mut document, place, json!(fields));
        document
    };
    let (one, two) = (
        document(&["spec.text"]),
        document(&["spec.size", "spec.text"]),
    );
    let added = "rule added, readers info, writers none, patch";
    let removed = "rule removed, readers breaking, writers none, patch";
    assert_eq!(changes(&gadget(), &one), [added]);
    assert_eq!(changes(&one, &two), [added]);
    assert_eq!(changes(&two, &one), [removed]);
}
