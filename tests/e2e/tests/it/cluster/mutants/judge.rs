//! Says of objects, one in a line, what a server of a release would say.

use std::io::{BufRead, BufWriter, Write};

use kubernetes_kinds::Release;
use kubernetes_validation::{Report, Target, Validate};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn judge<K: DeserializeOwned + Serialize + Validate>(request: &Value, target: &Target) -> Value {
    let (document, before) = (&request["object"], &request["stored"]);
    let mut object: K = match serde_json::from_value(document.clone()) {
        Ok(object) => object,
        Err(error) => return json!({"unread": error.to_string()}),
    };
    if request["operation"] == "rewrite" {
        return json!({"object": object});
    }
    let mut report: Report;
    if before.is_object() {
        let stored: K = match serde_json::from_value(before.clone()) {
            Ok(stored) => stored,
            Err(error) => return json!({"unread": format!("stored: {error}")}),
        };
        if request["operation"] == "status" {
            report = object.default_and_validate_status(&stored, target);
            K::report_absent_in_status(document, &mut report);
        } else {
            report = object.default_and_validate_update(&stored, target);
            K::report_absent_in_update(document, before, target, &mut report);
        }
    } else {
        report = object.default_and_validate(target);
        K::report_absent(document, &mut report);
    }
    if report.errors.is_empty() {
        return json!({"object": object});
    }
    let errors = report.errors.iter();
    let mut told: Vec<_> = errors
        .map(|error| format!("{} {}", error.error_type.reason(), error.field))
        .collect();
    told.sort();
    json!({"errors": told})
}

fn main() {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut release = std::env::args().skip(1).map(|number| number.parse().unwrap());
    let (major, minor) = (release.next().unwrap(), release.next().unwrap());
    let target = Target::new(Release::new(major, minor));
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let kind = request["kind"].as_u64().unwrap() as usize;
        writeln!(out, "{}", KINDS[kind](&request, &target)).unwrap();
    }
}
