//! `cargo xtask spec verify`, run as a command in a small workspace.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::process::Command;

use common::{Outcome, Sandbox, XTASK, document};

const NEW: &str = "#/components/schemas/com.example.v1.Part";
const OLD: &str = "#/components/schemas/com.example.v1.Older";

/// A workspace in which `Part` has taken the place of what 1.34 called `Older`.
fn sandbox(differences: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("root/spec/differences.toml", differences);
    sandbox.write("upstream/v1.34/things.json", &document("Thing", "Older"));
    sandbox.write("upstream/v1.37/things.json", &document("Thing", "Part"));
    for release in ["v1.34", "v1.37"] {
        let path = format!("upstream/{release}/things.json");
        let info = "{\"info\": {\"version\": \"unversioned\"}, \"openapi\"";
        sandbox.edit(&path, "{\"openapi\"", info);
    }
    sandbox
}

fn listed(key: &str, added: &[&str], removed: &[&str]) -> String {
    format!(
        "[\"v1.37/things.json\".\"{key}\"]\nadded = {added:?}\nremoved = {removed:?}\n"
    )
}

fn verify(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    command.args(["spec", "verify"]).args(arguments).current_dir(sandbox.path("root"));
    let before = sandbox.snapshot();
    let outcome = Outcome::of(&mut command);
    assert_eq!(sandbox.snapshot(), before, "it only reads");
    outcome
}

#[test]
fn differences_that_are_listed_are_fine() {
    let sandbox = sandbox(&listed("1.35", &[NEW], &[OLD]));
    let outcome = verify(&sandbox, &["--upstream", "../upstream"]).succeeds();
    assert!(outcome.out.contains("v1.34/things.json"), "{}", outcome.out);
    assert!(outcome.out.contains("2 differences, all listed"), "{}", outcome.out);
    assert!(outcome.out.contains("0 differences, all listed"), "{}", outcome.out);
    verify(&sandbox, &["--upstream", "../upstream/v1.37"]).succeeds();
}

#[test]
fn a_difference_that_is_not_listed_fails() {
    let sandbox = sandbox(&listed("1.35", &[NEW], &[]));
    let outcome =
        verify(&sandbox, &["--upstream", "../upstream"]).fails_with(&["1 difference"]);
    assert!(outcome.out.contains(&format!("{OLD} NOT LISTED")), "{}", outcome.out);
    // What a later release explains doesn't explain it in an earlier one's place.
    let sandbox = self::sandbox(&listed("1.34", &[NEW], &[OLD]));
    verify(&sandbox, &["--upstream", "../upstream/v1.34"])
        .fails_with(&["2 differences"]);
}

#[test]
fn a_listed_difference_that_does_not_occur_fails() {
    let sandbox = sandbox(&listed("1.35", &[NEW, "#/paths/~1x"], &[OLD]));
    let outcome = verify(&sandbox, &["--upstream", "../upstream/v1.34"]);
    let outcome = outcome.fails_with(&["1 difference"]);
    assert!(outcome.out.contains("LISTED, BUT DOES NOT OCCUR"), "{}", outcome.out);
}

#[test]
fn the_release_must_be_known() {
    let sandbox = sandbox(&listed("1.35", &[NEW], &[OLD]));
    sandbox.write("plain/things.json", &sandbox.read("upstream/v1.34/things.json"));
    verify(&sandbox, &["--upstream", "../plain"]).fails_with(&["--release"]);
    verify(&sandbox, &["--upstream", "../plain", "--release", "1.34"]).succeeds();
    verify(&sandbox, &["--upstream", "../missing"]).fails_with(&["missing"]);
    sandbox.write("empty/v1.34/other.json", "{}");
    verify(&sandbox, &["--upstream", "../empty"]).fails_with(&["none of our documents"]);
    assert_eq!(verify(&sandbox, &[]).code, Some(2));
}

#[test]
fn a_list_that_is_wrong() {
    for text in [
        "[\"v1.37/things.json\".\"1.35\"]\nmore = []\n",
        "[\"v1.37/things.json\".\"soon\"]\n",
        "[\"v1.37/things.json\"\n",
    ] {
        let outcome = verify(&sandbox(text), &["--upstream", "../upstream"]);
        outcome.fails_with(&["spec/differences.toml"]);
    }
    // A misspelt document, whose list nothing would ever look at.
    let text = listed("1.35", &[NEW], &[OLD]);
    let more =
        format!("{text}{}", text.replace("v1.37/things.json", "v1.37/thing.json"));
    verify(&sandbox(&more), &["--upstream", "../upstream"]).fails_with(&["thing.json"]);
}
