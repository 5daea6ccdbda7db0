//! `cargo xtask proof`, with a script in place of cargo.

use std::process::Command;

use crate::common::{Outcome, Sandbox, XTASK, real_root};

const LIST: &str = r#"
[[run]]
name = "long"
about = "a long run"
command = ["cargo", "test", "--package", "a"]
env = { CASES = "5" }

[[run]]
name = "documents"
about = "a run with upstream files"
command = ["cargo", "bench"]
upstream = true

[[run]]
name = "own"
about = "a command of the workspace"
command = ["xtask", "upstream"]
"#;

const CARGO: &str = r#"#!/bin/sh
echo "$@ CASES=$CASES UPSTREAM_DIR=$UPSTREAM_DIR"
[ "$1" != bench ] || [ ! -e "$(dirname "$0")/fails" ] || exit 3
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("root/xtask/proof.toml", LIST);
    sandbox.script("bin/cargo", CARGO);
    for folder in ["openapi", "golden"] {
        sandbox.write(&format!("upstream/{folder}/file"), "");
    }
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    command
        .arg("proof")
        .args(arguments)
        .current_dir(sandbox.path("root"))
        .env("CARGO", sandbox.path("bin/cargo"))
        .env("UPSTREAM_DIR", sandbox.path("upstream"));
    Outcome::of(&mut command)
}

/// Returns the first words of each row of the table.
fn rows(outcome: &Outcome) -> Vec<(&str, &str)> {
    let rows = outcome.out.lines().skip(1).map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        (words[0], words[2])
    });
    rows.collect()
}

#[test]
fn all_runs_in_a_table() {
    let sandbox = sandbox();
    let outcome = run(&sandbox, &[]).succeeds();
    let passed = [
        ("long", "passed"),
        ("documents", "passed"),
        ("own", "passed"),
    ];
    assert_eq!(rows(&outcome), passed);
    let log = sandbox.read("root/target/proof/long.log");
    assert!(log.starts_with("test --package a CASES=5 "), "{log}");
    let log = sandbox.read("root/target/proof/documents.log");
    assert!(log.starts_with("bench CASES= UPSTREAM_DIR=/"), "{log}");
    let log = sandbox.read("root/target/proof/own.log");
    assert!(log.trim_end().ends_with("/upstream"), "{log}");
}

#[test]
fn a_run_that_fails_stops_no_other() {
    let sandbox = sandbox();
    sandbox.write("bin/fails", "");
    let outcome = run(&sandbox, &["documents", "own"]);
    assert_eq!(rows(&outcome), [("documents", "FAILED"), ("own", "passed")]);
    outcome.fails_with(&["documents failed (exit status: 3)", "1 of 2 runs failed"]);
}

#[test]
fn runs_are_chosen_and_listed() {
    let sandbox = sandbox();
    assert_eq!(
        rows(&run(&sandbox, &["long"]).succeeds()),
        [("long", "passed")]
    );
    let listed = run(&sandbox, &["--list"]).succeeds().out;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert!(listed.contains("a run with upstream files"), "{listed}");
    run(&sandbox, &["other"]).fails_with(&["no run `other`", "long, documents, own"]);
}

#[test]
fn a_list_that_is_wrong() {
    let sandbox = sandbox();
    sandbox.edit("root/xtask/proof.toml", "\"xtask\", \"upstream\"", "\"rm\"");
    run(&sandbox, &["own"]).fails_with(&["`own` runs `rm`", "start with `cargo` or `xtask`"]);
    sandbox.edit("root/xtask/proof.toml", "about", "abuot");
    run(&sandbox, &[]).fails_with(&["xtask/proof.toml"]);
}

#[test]
fn the_real_list_is_understood() {
    let Some(root) = real_root() else { return };
    let mut command = Command::new(XTASK);
    let outcome = Outcome::of(command.args(["proof", "--list"]).current_dir(root)).succeeds();
    assert!(outcome.out.lines().count() > 15, "{}", outcome.out);
}
