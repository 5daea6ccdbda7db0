//! Each annotation of the specification's fields has a check.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::reports::names;

/// Texts that no length is checked of: tokens, which the driver chooses, and filters, which find
/// nothing then.
const FREE: [&str; 3] = ["starting_token", "source_volume_id", "snapshot_id"];

/// Returns the names of the checks that a field needs.
fn needed(call: &str, field: &str, kind: &str, annotations: &[String]) -> Vec<String> {
    let has = |wanted: &str| annotations.iter().any(|one| one == wanted);
    let is_free = call.starts_with("list_") || call.ends_with("list_volume_health");
    let text = kind == "string" && !has("path") && !(is_free && FREE.contains(&field));
    let checks = [
        (has("required"), "without"),
        (text, "long"),
        (kind.starts_with("map<"), "large"),
        (has("path"), "relative"),
        (has("rule not_negative"), "negative"),
    ];
    let checks = checks.into_iter().filter(|(is_needed, _)| *is_needed);
    checks
        .map(|(_, what)| format!("{call}/{what}_{field}"))
        .collect()
}

/// Returns the name of a call whose request is a message.
fn call_of(message: &str) -> Option<String> {
    let mut call = String::new();
    for letter in message.strip_suffix("Request")?.chars() {
        if letter.is_uppercase() && !call.is_empty() {
            call.push('_');
        }
        call.push(letter.to_ascii_lowercase());
    }
    Some(call)
}

#[tokio::test]
async fn each_annotation_of_a_request_has_a_check() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/csi/v1.13/csi.proto");
    let text = fs::read_to_string(path).unwrap();
    let (mut call, mut annotations, mut count) = (None, Vec::new(), 0);
    let names: BTreeSet<_> = names().await.into_iter().collect();
    let mut missing = Vec::new();
    for line in text.lines() {
        if let Some(message) = line.strip_prefix("message ") {
            call = call_of(message.split(' ').next().unwrap());
        } else if line == "}" {
            call = None;
        } else if let Some(comment) = line.trim().strip_prefix("//") {
            annotations.extend(comment.trim().strip_prefix('@').map(str::to_owned));
        } else if let (Some(call), true) = (&call, line.contains(" = ")) {
            let (declared, _) = line.trim().split_once(" = ").unwrap();
            // Options of a field can have lines of their own.
            let Some((kind, field)) = declared.rsplit_once(' ') else {
                continue;
            };
            for name in needed(call, field, kind, &annotations) {
                count += 1;
                if !names.contains(&name) {
                    missing.push(name);
                }
            }
            annotations.clear();
        } else {
            annotations.clear();
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(count > 120, "{count} annotations");
}

/// Calls of the specification, of which each has checks.
#[tokio::test]
async fn each_call_has_checks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/csi/v1.13/csi.proto");
    let text = fs::read_to_string(path).unwrap();
    let names = names().await;
    let calls = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("rpc "));
    for rpc in calls.map(|line| line.split(' ').next().unwrap()) {
        let call = format!("{}/", call_of(&format!("{rpc}Request")).unwrap());
        assert!(names.iter().any(|name| name.starts_with(&call)), "{call}");
    }
}
