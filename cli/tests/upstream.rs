//! Manifests as people write them, from the repositories of others.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What is in repositories that are in use is right, or a template.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn manifests_of_others_have_no_false_finding() {
    let upstream = std::env::var_os("UPSTREAM_DIR").expect("UPSTREAM_DIR is set");
    // A relative path is meant from the root of the workspace.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_kubernetes-storage"))
        .args(["lint", "--format=json", "--warnings-as-errors"])
        .arg(root.join(upstream).join("manifests"))
        .output()
        .unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    let rows: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, notes) = rows.split_last().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{out}");
    let summary = &summary["summary"];
    println!("{summary}");
    assert!(summary["objects"].as_u64().unwrap() > 0);
    // One note for each template, and nothing else.
    assert_eq!(summary["templates"], notes.len());
    assert!(notes.iter().all(|note| note["reason"] == "Template"), "{out}");
}
