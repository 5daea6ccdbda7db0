//! The golden custom resource says of each case what a server says: `e2e` asks one.

use golden_custom::{Garden, KUBERNETES};
use kubernetes_validation::{Report, Target, Validate};
use serde_json::{Value, json};

fn garden(parts: &Value) -> serde_json::Result<Garden> {
    let mut object = parts.clone();
    let name = parts["metadata"]["name"].as_str().unwrap_or("garden");
    object["metadata"] = json!({"name": name, "resourceVersion": "1"});
    serde_json::from_value(object)
}

/// The types of errors and the paths that a server reports, sorted.
fn told(report: &Report) -> Vec<String> {
    let errors = report.errors.iter();
    let mut told: Vec<_> = errors
        .map(|error| format!("{} {}", error.error_type.reason(), error.field))
        .collect();
    told.sort();
    told
}

/// Cases of which a server stores something else, which means the same.
const STORED_OTHERWISE: [(&str, &str); 3] = [
    (
        r#"ledger free {"c": null, "d": 1.0, "e": [null]}"#,
        "a server writes `1` for `1.0`, in JSON of any kind too",
    ),
    ("plaque of null metadata", "a server writes `{}`"),
    ("plaque with an empty name", "a server leaves the name out"),
];

#[test]
fn every_case_is_as_on_a_server() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases.json")).unwrap();
    let target = Target::new(KUBERNETES);
    let mut failed = Vec::new();
    for case in &cases {
        let mut object = match garden(&case["object"]) {
            Ok(object) => object,
            // A value of another type isn't read.
            Err(error) => {
                if !case["errors"].to_string().contains("TypeInvalid") {
                    failed.push(format!("{}: {error}", case["case"]));
                }
                continue;
            }
        };
        let mut report = if case["stored"].is_object() {
            let mut stored = garden(&case["stored"]).unwrap();
            stored.prepare_for_update(&stored.clone(), &target);
            match case["operation"].as_str() {
                Some("status") => object.default_and_validate_status(&stored, &target),
                _ => object.default_and_validate_update(&stored, &target),
            }
        } else {
            object.metadata.resource_version = None;
            object.default_and_validate(&target)
        };
        match case["operation"].as_str() {
            Some("status") => Garden::report_absent_in_status(&case["object"], &mut report),
            Some("update") => {
                let (object, stored) = (&case["object"], &case["stored"]);
                Garden::report_absent_in_update(object, stored, &target, &mut report);
            }
            _ => Garden::report_absent(&case["object"], &mut report),
        }
        let told = json!(told(&report));
        let expected = case.get("errors").unwrap_or(&Value::Null);
        if report.errors.is_empty() != expected.is_null()
            || !expected.is_null() && told != *expected
        {
            failed.push(format!("{}: {told}, not {expected}", case["case"]));
        } else if report.errors.is_empty() {
            let mut stores = serde_json::to_value(&object).unwrap();
            for part in ["apiVersion", "kind", "metadata"] {
                stores.as_object_mut().unwrap().remove(part);
            }
            let is_other = STORED_OTHERWISE
                .iter()
                .any(|(name, _)| case["case"] == *name);
            if (stores != case["stores"]) != is_other {
                failed.push(format!(
                    "{}: {stores}, not {}",
                    case["case"], case["stores"]
                ));
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {}:\n{}",
        failed.len(),
        cases.len(),
        failed.join("\n")
    );
}

#[test]
fn expressions_are_read_as_a_server_reads_them() {
    let target = Target::new(KUBERNETES);
    let told = |legend: &str| {
        let spec = json!({"owner": "anna", "size": 10, "well": 5, "legend": legend});
        let mut object = garden(&json!({"spec": spec})).unwrap();
        object.metadata.resource_version = None;
        let report = object.default_and_validate(&target);
        let errors = report.errors.iter();
        let errors = errors.filter(|error| error.field.ends_with("legend"));
        let told: Vec<_> = errors.map(|error| error.detail.to_string()).collect();
        told
    };
    let vertical_tabs = ["A\u{b}b", "to the\u{b}End", "\u{b}oak"];
    let folded = ["oak", "OAK", "\u{212a}", "\u{17f}"];
    for legend in vertical_tabs.into_iter().chain(folded) {
        assert_eq!(told(legend), [""; 0], "{legend:?}");
    }
    let pattern = "it must match `^(?i)[^[]*(?P<end>[a-z.-])\\z`";
    for legend in ["oak[", "oak1", "oak\n"] {
        assert_eq!(told(legend), [pattern], "{legend:?}");
    }
    assert_eq!(told(" oak"), ["it starts with a word"]);
    // One of the schemas that it could fit.
    assert_eq!(told("to-the-west.").len(), 1);
}
