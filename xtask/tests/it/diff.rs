//! `cargo xtask diff`, run as a command.
//!
//! `UPDATE_GOLDEN=1 cargo test -p xtask --test it diff::` writes the reports in `tests/golden`
//! anew; read what changed before it is committed.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Outcome, Sandbox, XTASK, kind, real_root};

fn diff(folder: &Path, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    command.arg("diff").args(arguments).current_dir(folder);
    Outcome::of(&mut command)
}

/// Fails as documented: with 2, and an error that has all the parts.
fn fails_with(outcome: &Outcome, parts: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.out, outcome.stderr);
    assert_eq!(outcome.out, "");
    for part in parts {
        assert!(
            outcome.stderr.contains(part),
            "no `{part}` in:\n{}",
            outcome.stderr
        );
    }
    assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
}

/// Earlier releases, by our own documents.
#[test]
fn reports_are_as_they_were_approved() {
    let Some(root) = real_root() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for (name, arguments) in [
        ("diff-1.31-1.34.txt", &["1.31", "v1.34"][..]),
        ("diff-1.29-1.30.txt", &["1.29", "1.30"]),
        ("diff-1.36-1.37.txt", &["1.36", "1.37", "--docs"]),
        (
            "diff-1.34-1.35.md",
            &["1.34", "1.35", "--format", "markdown"],
        ),
        ("diff-1.32-1.33.json", &["1.32", "1.33", "--format", "json"]),
    ] {
        let report = diff(&root, arguments).succeeds();
        assert_eq!(report.stderr, "");
        assert_eq!(report.out, diff(&root, arguments).out, "twice the same");
        let path = folder.join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &report.out).unwrap();
        }
        let golden = fs::read_to_string(&path).unwrap();
        assert_eq!(
            report.out, golden,
            "{name}: if it is as it should be, see above"
        );
    }
}

/// Each release that spec/ describes has no changes to itself, and all to the newest.
#[test]
fn a_release_equals_itself() {
    let Some(root) = real_root() else { return };
    for minor in 23..=37 {
        let release = format!("1.{minor}");
        let report = diff(&root, &[&release, &release, "--fail-on", "info"]).succeeds();
        assert!(report.out.contains(": no changes\n"), "{}", report.out);
    }
    let report = diff(&root, &["1.23", "1.37", "--format", "json"]).succeeds();
    let report: Value = serde_json::from_str(&report.out).unwrap();
    assert!(report["changes"].as_array().unwrap().len() > 40);
}

/// Two folders of a document each: `Thing` in one, and in the other with another text or name.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("old/v1.36/kinds.json", &kind("v1", "Thing"));
    sandbox.write("new/v1.37/kinds.json", &kind("v1", "Thing"));
    sandbox
}

#[test]
fn the_exit_code_is_by_the_worst_severity() {
    let sandbox = sandbox();
    let root = sandbox.path("root");
    let run = |arguments: &[&str]| {
        diff(
            &root,
            &[&["../old/v1.36", "../new/v1.37"], arguments].concat(),
        )
    };
    let code = |level: &str| run(&["--fail-on", level]).code.unwrap();
    let codes = || ["never", "breaking", "warning", "info"].map(code);
    assert_eq!(codes(), [0, 0, 0, 0]);
    // A changed text doesn't count.
    sandbox.edit("new/v1.37/kinds.json", "\"Text.\"", "\"Other.\"");
    assert_eq!(codes(), [0, 0, 0, 0]);
    let out = run(&[]).out;
    assert!(
        out.contains("documentation: 1 text changed; --docs lists them"),
        "{out}"
    );
    assert!(run(&["--docs"]).out.contains("Thing text, description"));
    sandbox.edit(
        "new/v1.37/kinds.json",
        "\"text\": {",
        "\"size\": {\"type\": \"integer\"}, \"text\": {",
    );
    assert_eq!(codes(), [0, 0, 0, 1]);
    sandbox.edit(
        "new/v1.37/kinds.json",
        "\"type\": \"string\"",
        "\"type\": \"string\", \"default\": \"a\"",
    );
    assert_eq!(codes(), [0, 0, 1, 1]);
    sandbox.edit(
        "new/v1.37/kinds.json",
        "\"text\": {\"type\": \"string\"",
        "\"text\": {\"type\": \"boolean\"",
    );
    assert_eq!(codes(), [0, 1, 1, 1]);
    let report: Value = serde_json::from_str(&run(&["--format", "json"]).out).unwrap();
    assert_eq!(report["changes"][0]["what"], "type-changed");
    assert_eq!(report["changes"][0]["release"], "1.37");
    assert!(run(&["--format", "markdown"]).out.contains("## Breaking"));
}

/// The overlays of the configuration count where the releases are known.
#[test]
fn overlays_count() {
    let sandbox = Sandbox::new();
    let document = sandbox.read("root/spec/v1.37/things.json");
    for folder in ["v1.34", "v1.35", "unnamed"] {
        sandbox.write(&format!("{folder}/things.json"), &document);
    }
    let root = sandbox.path("root");
    let out = diff(&root, &["../v1.34", "../v1.35"]).succeeds().out;
    assert!(
        out.contains("Thing text: default added: hello (1.35)"),
        "{out}"
    );
    for arguments in [
        &["../v1.34", "../v1.35", "--no-overlays"][..],
        &["../v1.34", "../unnamed"],
    ] {
        let out = diff(&root, arguments).succeeds().out;
        assert!(out.contains(": no changes\n"), "{out}");
    }
}

#[test]
fn what_a_folder_lacks_is_no_change() {
    let sandbox = sandbox();
    let root = sandbox.path("root");
    let version = kind("v1beta1", "Thing");
    sandbox.write("old/v1.36/more.json", &version);
    let both = ["../old/v1.36", "../new/v1.37"];
    let out = diff(&root, &both).succeeds().out;
    assert!(
        out.contains("not compared: example.com/v1beta1: 1.37 has no document of it"),
        "{out}"
    );
    assert!(out.contains(": no changes\n"), "{out}");
    let out = diff(&root, &[both[0], both[1], "--complete"])
        .succeeds()
        .out;
    assert!(
        out.contains("example.com/v1beta1: group-version removed (1.37)"),
        "{out}"
    );
    let out = diff(
        &root,
        &[both[0], both[1], "--complete", "--group", "example.com"],
    )
    .succeeds();
    assert!(out.out.contains("group-version removed"), "{}", out.out);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let sandbox = sandbox();
    let root = sandbox.path("root");
    let run = |from: &str| diff(&root, &[from, "../new/v1.37"]);
    fails_with(
        &run("../nowhere"),
        &["`../nowhere` is neither a folder, nor a release"],
    );
    sandbox.write("empty/notes.txt", "");
    fails_with(
        &run("../empty"),
        &["has no OpenAPI documents", "spec fetch"],
    );
    fails_with(&run("../old"), &["has no OpenAPI documents", "v1.36"]);
    fails_with(&run("../empty/notes.txt"), &["notes.txt"]);
    for (text, message) in [
        ("{\"a\": 1}", "not an OpenAPI document"),
        ("[", "not valid JSON"),
    ] {
        sandbox.write("bad/things.json", text);
        fails_with(&run("../bad"), &["things.json", message]);
    }
    let group = diff(
        &root,
        &["../old/v1.36", "../new/v1.37", "--group", "example.org"],
    );
    fails_with(&group, &["no group-version of example.org in common"]);
    let Some(root) = real_root() else { return };
    let old = diff(&root, &["1.20", "1.37"]);
    fails_with(
        &old,
        &[
            "spec/ describes Kubernetes 1.23 to 1.37, not 1.20",
            "spec fetch",
        ],
    );
    fails_with(&diff(&root, &["1.37"]), &["TO"]);
}
