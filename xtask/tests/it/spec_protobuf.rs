//! `cargo xtask spec protobuf`, with a script in place of Go.

use std::process::Command;

use crate::common::{Outcome, Sandbox, XTASK};

const CORE: &str = "k8s.io/api/core/v1/generated.proto";
const META: &str = "k8s.io/apimachinery/pkg/meta/v1/generated.proto";
const EVENTS: &str = "k8s.io/api/events/v1/generated.proto";

const OUT: &str = "root/spec/v1.37/protobuf";

/// The output of the Go program. No file has the last message.
const PRESENCE: &str = "\
k8s.io.api.core.v1 Thing metadata 1 value metadata
k8s.io.api.core.v1 Thing text 2 pointer text
k8s.io.apimachinery.pkg.meta.v1 Meta name 1 value name
k8s.io.api.events.v1 Event text 1 pointer text
k8s.io.api.other.v1 Thing text 1 value text
";

/// Prints the file beside it, if it is asked to run the program.
const GO: &str = r#"#!/bin/sh
here=$(dirname "$0")
[ ! -e "$here/go.fails" ] || exit 3
[ "$*" = "run -mod=readonly -buildvcs=false ./cmd/protobuf-presence" ] && cat "$here/go.out"
"#;

struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    fn new() -> Self {
        let machine = Self {
            sandbox: Sandbox::new(),
        };
        machine.prefix("com.example.v1.", "io.k8s.api.core.v1.");
        let file = |package: &str, rest: &str| {
            format!("// Their text.\nsyntax = \"proto2\";\npackage {package};\n{rest}\n")
        };
        let thing = format!(
            "import \"{META}\";\n\nmessage Thing {{\n  // What it is.\n  optional \
             .k8s.io.apimachinery.pkg.meta.v1.Meta metadata = 1;\n  optional string text = 2;\n}}"
        );
        let meta = "message Meta {\n  optional string name = 1;\n}";
        let event = "message Event {\n  optional string text = 1;\n}";
        for (path, package, text) in [
            (CORE, "k8s.io.api.core.v1", thing.as_str()),
            (META, "k8s.io.apimachinery.pkg.meta.v1", meta),
            (EVENTS, "k8s.io.api.events.v1", event),
        ] {
            machine.write(&format!("src/{path}"), &file(package, text));
        }
        // Other files aren't of the API.
        machine.write("src/k8s.io/kubelet/api.proto", "syntax = \"proto3\";");
        let modules = "root/tests/e2e/control-plane/v1.37";
        machine.write(&format!("{modules}/cmd/protobuf-presence/main.go"), "");
        machine.sandbox.script("bin/go", GO);
        machine.write("bin/go.out", PRESENCE);
        machine
    }

    /// Replaces the prefixes of the documents, whose release is the newest.
    fn prefix(&self, from: &str, to: &str) {
        let text = self.sandbox.read("root/codegen.toml").replace(from, to);
        let newest = match text.starts_with("newest") {
            true => text,
            false => format!("newest = \"1.37\"\n{text}"),
        };
        self.write("root/codegen.toml", &newest);
    }

    fn write(&self, path: &str, text: &str) {
        self.sandbox.write(path, text);
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        let path = format!("{}:/usr/bin:/bin", self.sandbox.path("bin").display());
        let mut command = Command::new(XTASK);
        command
            .args(["spec", "protobuf"])
            .args(arguments)
            .current_dir(self.sandbox.path("root"))
            .env("PATH", path);
        Outcome::of(&mut command)
    }

    /// Asserts that the command fails, writes nothing and prints these parts.
    fn fails(&self, arguments: &[&str], parts: &[&str]) {
        let before = self.sandbox.snapshot();
        self.run(arguments).fails_with(parts);
        assert_eq!(self.sandbox.snapshot(), before, "{parts:?}");
    }

    fn is_there(&self, path: &str) -> bool {
        self.sandbox.path(&format!("{OUT}/{path}")).is_file()
    }
}

const FROM: &[&str] = &["--from", "../src"];
const CHECK: &[&str] = &["--from", "../src", "--check"];
const ALL: &[&str] = &["--from", "../src", "--all"];

#[test]
fn packages_of_documents_and_their_imports_are_written() {
    let machine = Machine::new();
    machine.fails(CHECK, &["are stale", "core/v1/generated.proto (missing)"]);
    machine.run(FROM).succeeds();
    let text = machine.sandbox.read(&format!("{OUT}/{CORE}"));
    let expected = format!(
        "\nsyntax = \"proto2\";\n\npackage k8s.io.api.core.v1;\n\nimport \"{META}\";\n\n\
         message Thing {{\n  required .k8s.io.apimachinery.pkg.meta.v1.Meta metadata = 1;\n  \
         optional string text = 2;\n}}\n"
    );
    assert!(text.ends_with(&expected), "{text}");
    assert!(
        !text.contains("Their text") && !text.contains("What it is"),
        "{text}"
    );
    assert!(machine.is_there(META) && !machine.is_there(EVENTS));
    let written = machine.sandbox.snapshot();
    let outcome = machine.run(FROM).succeeds();
    assert!(
        outcome.out.contains("0 files changed, 2 unchanged"),
        "{}",
        outcome.out
    );
    machine.run(CHECK).succeeds();
    assert_eq!(
        machine.sandbox.snapshot(),
        written,
        "a second run changes nothing"
    );
}

#[test]
fn files_that_are_stale_or_not_needed() {
    let machine = Machine::new();
    machine.run(ALL).succeeds();
    assert!(machine.is_there(EVENTS));
    let path = format!("{OUT}/{CORE}");
    machine.sandbox.edit(&path, "required", "optional");
    let stale = [
        "core/v1/generated.proto (differs)",
        "events/v1/generated.proto (has no source",
    ];
    machine.fails(CHECK, &stale);
    machine.run(FROM).succeeds();
    assert!(!machine.is_there(EVENTS));
    assert!(machine.sandbox.read(&path).contains("required"));
    // A file of somebody else stays.
    machine.write(&format!("{OUT}/README.md"), "Mine.\n");
    machine.run(CHECK).succeeds();
    machine.write(&path, "Mine.\n");
    machine.fails(
        FROM,
        &[
            "core/v1/generated.proto was not written by this command",
            "--out",
        ],
    );
    machine
        .run(&["--from", "../src", "--out", "../other"])
        .succeeds();
    machine.sandbox.read(&format!("other/{CORE}"));
}

#[test]
fn both_sides_must_have_the_same_fields() {
    let machine = Machine::new();
    machine.write(
        "bin/go.out",
        &PRESENCE.replace("Thing text 2 pointer", "Thing more 2 pointer"),
    );
    let parts = [
        "the field `text` of `k8s.io.api.core.v1.Thing` isn't in Go",
        "src/k8s.io/api/core/v1/generated.proto:9",
        "Go has the field `more` of `k8s.io.api.core.v1.Thing`",
        "the output of ./cmd/protobuf-presence:2",
        "one release",
    ];
    machine.fails(FROM, &parts);
    // The packages that aren't written need not agree.
    machine.write("bin/go.out", &PRESENCE.replace("Event text", "Event more"));
    machine.run(FROM).succeeds();
    machine.fails(ALL, &["`text` of `k8s.io.api.events.v1.Event` isn't in Go"]);
}

#[test]
fn folders_that_lack_something() {
    let machine = Machine::new();
    machine.fails(
        &["--from", "../bin"],
        &["has no generated.proto", "staging/src"],
    );
    machine.fails(&["--from", "../nothing"], &["can't read", "nothing"]);
    machine.fails(
        &["--from", "../src/k8s.io"],
        &[
            "package `k8s.io.api.core.v1`, which isn't its path",
            "api/core/v1/generated.proto",
        ],
    );
    machine.fails(
        &["--from", "../src", "--release", "1.36"],
        &["has no modules of 1.36"],
    );
    machine.write(
        "src/k8s.io/api/bad/v1/generated.proto",
        "syntax = \"proto2\";\nmessage A {",
    );
    machine.fails(
        FROM,
        &[
            "the file ends in the message `A`",
            "bad/v1/generated.proto:2",
        ],
    );
    let machine = Machine::new();
    machine.prefix("io.k8s.api.core.v1.", "io.k8s.api.gone.v1.");
    machine.fails(
        FROM,
        &["has no package k8s.io.api.gone.v1, that of v1.37/things.json"],
    );
    machine.prefix("release = \"1.37\"", "release = \"1.20\"");
    let outcome = machine.run(FROM).succeeds();
    assert!(
        outcome.stderr.contains("note: ../src has no package"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn go_fails() {
    let machine = Machine::new();
    machine.write("bin/go.fails", "");
    machine.fails(
        FROM,
        &["`go run ./cmd/protobuf-presence`", "exit status: 3"],
    );
    let program = "root/tests/e2e/control-plane/v1.37/cmd/protobuf-presence/main.go";
    std::fs::remove_file(machine.sandbox.path(program)).unwrap();
    machine.fails(FROM, &["error: no ", "main.go", "move cmd/ there"]);
}
