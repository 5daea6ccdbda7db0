//! Custom resources whose names meet: what they are on the wire, and what is left to a server.

use golden_rivals::{
    AllPots, Result2, Schema, TeaPot, TeaPot2, TeaPotSpec, TeaPotSpecBlend, UNCHECKED,
};
use k8s_openapi::Resource;
use kubernetes_validation::{Target, Validate};
use serde_json::{Value, json};

#[test]
fn kinds_keep_their_names_on_the_wire() {
    assert_eq!(
        (TeaPot2::KIND, TeaPot2::URL_PATH_SEGMENT),
        ("tea-pot", "tea-pots")
    );
    assert_eq!(
        (TeaPot::KIND, Result2::KIND, Schema::KIND),
        ("TeaPot", "Result", "Schema")
    );
    assert_eq!(AllPots::KIND, "all-pots");
    assert_eq!(
        <TeaPot2 as k8s_openapi::ListableResource>::LIST_KIND,
        "all-pots"
    );
    let list = json!({"apiVersion": "example.com/v1", "kind": "all-pots", "metadata": {},
        "items": [{"apiVersion": "example.com/v1", "kind": "tea-pot", "metadata": {"name": "a"}}]});
    let read: AllPots = serde_json::from_value(list.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), list);
}

#[test]
fn values_and_properties_keep_their_names_on_the_wire() {
    let values = [
        "replace", "Replace", "a-b", "a_b", "1.0", "10", "unknown", "Unknown", "", "Empty", "é",
        "--", "v1", "V1",
    ];
    let mut known: Vec<_> = TeaPotSpecBlend::known_values().to_vec();
    known.sort_unstable();
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    assert_eq!(known, sorted);
    let mut seen = Vec::new();
    for value in values.into_iter().chain(["another"]) {
        let read: TeaPotSpecBlend = serde_json::from_value(value.into()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), Value::from(value));
        assert!(!seen.contains(&read), "{value}");
        seen.push(read);
    }
    // The one that is spelled like the name has it, or else the first.
    assert_eq!(TeaPotSpecBlend::Replace.as_str(), "Replace");
    assert_eq!(TeaPotSpecBlend::Replace2.as_str(), "replace");
    assert_eq!(TeaPotSpecBlend::AB.as_str(), "a-b");
    assert_eq!(TeaPotSpecBlend::V1_2.as_str(), "v1");
    let spec = json!({"blend": "10", "mirrorPercent": 1, "mirror_percent": 2.5, "proxyURL": "a",
        "proxyUrl": "b", "$": "c", "é": "d", "": "e", "type": "f", "type_": "g"});
    let read: TeaPotSpec = serde_json::from_value(spec.clone()).unwrap();
    assert_eq!(read.mirror_percent, Some(1));
    assert_eq!(read.mirror_percent_2, Some(2.5.into()));
    assert_eq!(serde_json::to_value(&read).unwrap(), spec);
}

fn errors(spec: Value) -> Vec<String> {
    let pot = json!({"metadata": {"name": "a", "namespace": "b"}, "spec": spec});
    let mut pot: TeaPot2 = serde_json::from_value(pot).unwrap();
    let report = pot.default_and_validate(&Target::new(golden_rivals::KUBERNETES));
    let errors = report
        .errors
        .iter()
        .map(|error| format!("{} {}", error.field, error.rule));
    errors.collect()
}

#[test]
fn properties_are_counted_where_they_are_set() {
    let handle = |handle: Value| errors(json!({"blend": "v1", "handle": handle}));
    assert_eq!(handle(json!({"left": "yes"})), [""; 0]);
    assert_eq!(handle(json!({})), ["spec.handle minProperties"]);
    let both = json!({"left": "yes", "right": ""});
    assert_eq!(handle(both), ["spec.handle maxProperties"]);
    // A required property counts, and of values those that are no default as well.
    let mut most = json!({"blend": "v1"});
    for name in ["mirrorPercent", "mirror_percent", "cups"] {
        most[name] = 1.into();
    }
    for name in [
        "proxyURL",
        "proxyUrl",
        "$",
        "é",
        "",
        "type",
        "type_",
        "unknownFields",
    ] {
        most[name] = "".into();
    }
    assert_eq!(errors(most.clone()), [""; 0]);
    most["lid"] = json!({});
    assert_eq!(errors(most), ["spec maxProperties"]);
}

#[test]
fn limits_of_whole_numbers_need_not_be_whole() {
    let with = |percent: i64| errors(json!({"blend": "v1", "mirrorPercent": percent}));
    assert_eq!(with(0), ["spec.mirrorPercent minimum"]);
    assert_eq!(with(1), [""; 0]);
    let cups = |cups: i64| errors(json!({"blend": "v1", "cups": cups}));
    assert_eq!(
        (cups(2), cups(3)),
        (vec![], vec!["spec.cups enum".to_owned()])
    );
}

#[test]
fn schemas_are_combined() {
    let with = |name: &str, value: Value| {
        let mut errors = errors(json!({"blend": "v1", name: value}));
        errors.sort();
        errors
    };
    assert_eq!(with("water", json!("ab")), [""; 0]);
    // A server reports a combination at no place.
    let wrong = ["<nil> allOf", "spec.water minLength"];
    assert_eq!(with("water", json!("a")), wrong);
    assert_eq!(with("handle", json!({"left": "yes"})), [""; 0]);
    assert_eq!(with("handle", json!({"right": "no"})), [""; 0]);
    let wrong = ["<nil> oneOf", "spec.handle.left enum"];
    assert_eq!(with("handle", json!({"left": "no"})), wrong);
}

#[test]
fn a_program_can_ask_what_is_not_checked() {
    let left: Vec<_> = UNCHECKED
        .iter()
        .map(|rule| (rule.kind, rule.path, rule.rule))
        .collect();
    let expected = [
        ("tea-pot", "spec", "required: [\"warmth\"]"),
        ("tea-pot", "spec.leaf", "pattern: \"^\\\\pL+$\""),
        ("tea-pot", "spec.until", "self.matches('(?i)^é+$')"),
    ];
    assert_eq!(left, expected);
    assert!(UNCHECKED.iter().all(|rule| !rule.reason.is_empty()));
    let shown = UNCHECKED[1].to_string();
    let wanted = "tea-pot spec.leaf is not checked offline: pattern: \"^\\\\pL+$\" (";
    assert!(shown.starts_with(wanted), "{shown}");
}
