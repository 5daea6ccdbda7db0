//! `cargo xtask upstream`, with a script in place of Go.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::common::{Outcome, Sandbox, XTASK, real_root};

const LIST: &str = r#"
[[module]]
path = "example.com/documents"
version = "v1.2.3"
sum = "h1:module"
files = "h1:3U60ZQ20tbs1QsJ6QN8mRGerflPksrvCB9dq8XCZOcQ="

[[module.copy]]
from = "documents/1.2"
to = "openapi/v1.2"
only = ["apis/g/*.json"]
names = "openapi"

[[module.copy]]
from = "fixtures"
to = "golden/v1.2.0"
only = ["g.v1.*.yaml"]
"#;

/// Logs its arguments and prints the answer.
const GO: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/go.log"
[ ! -e "$here/go.slow" ] || sleep 1
[ ! -e "$here/go.error" ] || { cat "$here/go.error" >&2; exit 1; }
cat "$here/go.json"
"#;

struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    fn new() -> Self {
        let machine = Self {
            sandbox: Sandbox::new(),
        };
        for (name, text) in [
            ("root/xtask/upstream.toml", LIST),
            ("module/documents/1.2/apis/g/v1.json", "{}\n"),
            ("module/documents/1.2/apis/other/v1.json", "[]\n"),
            ("module/fixtures/g.v1.Thing.yaml", "kind: Thing\n"),
            ("module/fixtures/g.v1.Thing.pb", "k8s"),
        ] {
            machine.sandbox.write(name, text);
        }
        machine.sandbox.script("bin/go", GO);
        machine.answers("h1:module");
        machine
    }

    /// Sets the answer of Go, with a checksum of the module.
    fn answers(&self, sum: &str) {
        let answer = json!({
            "Path": "example.com/documents", "Version": "v1.2.3",
            "Dir": self.sandbox.path("module"), "Sum": sum,
        });
        self.sandbox.write("bin/go.json", &answer.to_string());
    }

    fn command(&self) -> Command {
        let mut command = Command::new(XTASK);
        let path = format!("{}:/usr/bin:/bin", self.sandbox.path("bin").display());
        command
            .arg("upstream")
            .current_dir(self.sandbox.path("root"));
        command
            .env("PATH", path)
            .env("XDG_CACHE_HOME", self.sandbox.path("cache"))
            .env_remove("UPSTREAM_DIR");
        command
    }

    fn run(&self) -> Outcome {
        Outcome::of(&mut self.command())
    }

    fn downloads(&self) -> usize {
        let log = fs::read_to_string(self.sandbox.path("bin/go.log")).unwrap_or_default();
        log.lines().count()
    }

    /// Returns the complete results in the cache.
    fn results(&self) -> Vec<PathBuf> {
        let cache = self.sandbox.path("cache/kubernetes-storage/upstream");
        let entries = fs::read_dir(cache).into_iter().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_none());
        paths
    }
}

#[test]
fn listed_files_are_fetched_once() {
    let machine = Machine::new();
    let first = machine.run().succeeds();
    let folder = Path::new(first.out.trim_end());
    assert_eq!(machine.results(), [folder]);
    let mut names: Vec<_> = ["openapi/v1.2", "golden/v1.2.0"]
        .iter()
        .flat_map(|part| fs::read_dir(folder.join(part)).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["apis__g__v1_openapi.json", "g.v1.Thing.yaml"]);
    assert!(
        first
            .stderr
            .contains("example.com/documents@v1.2.3: 2 files")
    );
    let log = machine.sandbox.read("bin/go.log");
    assert_eq!(log, "mod download -json example.com/documents@v1.2.3\n");

    let second = machine.run().succeeds();
    assert_eq!((second.out, second.stderr), (first.out, String::new()));
    assert_eq!(machine.downloads(), 1);
}

#[test]
fn another_list_is_fetched_anew() {
    let machine = Machine::new();
    machine.run().succeeds();
    machine
        .sandbox
        .write("root/xtask/upstream.toml", &format!("# new\n{LIST}"));
    machine.run().succeeds();
    assert_eq!((machine.downloads(), machine.results().len()), (2, 2));
}

#[test]
fn checksums_are_compared() {
    let machine = Machine::new();
    machine.answers("h1:other");
    machine.run().fails_with(&[
        "example.com/documents@v1.2.3 has the checksum h1:other",
        "xtask/upstream.toml has h1:module",
    ]);
    machine.answers("h1:module");
    machine
        .sandbox
        .write("module/fixtures/g.v1.Thing.yaml", "kind: Other\n");
    machine.run().fails_with(&[
        "the files of example.com/documents@v1.2.3 have the checksum h1:",
        "go clean -modcache",
    ]);
    assert!(machine.results().is_empty());
}

#[test]
fn go_that_is_missing_or_fails() {
    let machine = Machine::new();
    let mut command = machine.command();
    Outcome::of(command.env("PATH", machine.sandbox.path("root")))
        .fails_with(&["can't run go: it is not installed", "UPSTREAM_DIR"]);
    machine.sandbox.write("bin/go.error", "no network\n");
    machine
        .run()
        .fails_with(&["can't download", "no network", "GOPROXY"]);
    fs::remove_file(machine.sandbox.path("bin/go.error")).unwrap();
    machine.sandbox.write(
        "bin/go.json",
        r#"{"Path": "example.com/documents", "Version": "v1.2.3", "Error": "404 Not Found"}"#,
    );
    machine
        .run()
        .fails_with(&["can't download", "404 Not Found"]);
    machine.sandbox.write("bin/go.json", "oops");
    machine.run().fails_with(&["can't read the output of go"]);
    assert!(machine.results().is_empty());
}

/// The result of an interrupted run is never used.
#[test]
fn an_interrupted_run_leaves_nothing_that_counts() {
    let machine = Machine::new();
    machine.sandbox.write("bin/go.slow", "");
    let mut command = machine.command();
    let mut run = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while machine.downloads() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(machine.results().is_empty());
    fs::remove_file(machine.sandbox.path("bin/go.slow")).unwrap();
    machine.run().succeeds();
    assert_eq!(machine.results().len(), 1);
}

#[test]
fn one_of_two_runs_waits() {
    let machine = Machine::new();
    machine.sandbox.write("bin/go.slow", "");
    let runs = [0, 1].map(|_| {
        let mut command = machine.command();
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    });
    let outcomes = runs.map(|run| Outcome::from(run.wait_with_output().unwrap()).succeeds());
    assert_eq!(outcomes[0].out, outcomes[1].out);
    assert_eq!(machine.downloads(), 1);
}

#[test]
fn a_folder_that_is_given_is_used() {
    let machine = Machine::new();
    for part in ["openapi/v1.2/a.json", "golden/v1.2.0/a.json"] {
        machine.sandbox.write(&format!("mine/{part}"), "{}");
    }
    let run = |folder: &str| Outcome::of(machine.command().env("UPSTREAM_DIR", folder));
    // Relative to the root of the workspace, as for tests.
    let outcome = run("../mine").succeeds();
    let mine = fs::canonicalize(machine.sandbox.path("mine")).unwrap();
    assert_eq!(Path::new(outcome.out.trim_end()), mine);
    fs::remove_dir_all(mine.join("golden")).unwrap();
    run("../mine").fails_with(&["UPSTREAM_DIR names", "no golden", "unset UPSTREAM_DIR"]);
    assert_eq!(machine.downloads(), 0);
    run("").succeeds();
    assert_eq!(machine.downloads(), 1);
}

#[test]
fn a_list_that_is_wrong() {
    let machine = Machine::new();
    for (from, to, part) in [
        (
            "to = \"openapi/v1.2\"",
            "to = \"../openapi\"",
            "`../openapi` is not a relative path",
        ),
        (
            "apis/g/*",
            "apis/missing/*",
            "has no file `documents/1.2/apis/missing/*.json`",
        ),
        (
            "names = \"openapi\"",
            "names = \"other\"",
            "unknown variant `other`",
        ),
    ] {
        machine
            .sandbox
            .write("root/xtask/upstream.toml", &LIST.replace(from, to));
        machine.run().fails_with(&["xtask/upstream.toml", part]);
    }
    assert!(machine.results().is_empty());
}

/// The list of this repository is complete; only `cargo xtask upstream` itself fetches it.
#[test]
fn the_real_list_is_understood() {
    let Some(root) = real_root() else { return };
    let machine = Machine::new();
    let mut command = machine.command();
    Outcome::of(command.current_dir(root)).fails_with(&["go can't download sigs.k8s.io/"]);
}
