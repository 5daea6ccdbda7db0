//! `cargo xtask release --check`, with a script in place of cargo.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Outcome, Sandbox, XTASK};

/// Answers from files beside it: `metadata.json`, `info.NAME` and `fails.PACKAGE`.
const CARGO: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/cargo.log"
case $1 in
metadata) cat "$here/metadata.json" ;;
info)
    [ ! -e "$here/offline" ] || { echo "error: no network" >&2; exit 101; }
    if [ -e "$here/info.$2" ]; then cat "$here/info.$2"; else
        echo "error: could not find \`$2\` in registry" >&2
        exit 101
    fi
    ;;
package)
    while [ "$1" != --target-dir ]; do shift; done
    mkdir -p "$2/package"
    for name in "$here"/../archives/*; do
        name=$(basename "$name")
        tar --create --file "$2/package/$name.crate" --directory "$here/../archives" "$name"
    done
    ;;
check)
    while [ "$1" != --package ]; do shift; done
    package=$2
    while [ "$1" != --manifest-path ]; do shift; done
    folder=$(dirname "$2")
    cat "$2" "$folder/$package/Cargo.toml" "$folder/$package"/examples/*.rs \
        >"$here/checked.$package" 2>/dev/null
    [ ! -e "$here/warns.$package" ] || cat "$here/warns.$package" >&2
    [ ! -e "$here/fails.$package" ] || { cat "$here/fails.$package" >&2; exit 101; }
    ;;
doc)
    while [ "$1" != --package ]; do shift; done
    [ ! -e "$here/links.$2" ] || cat "$here/links.$2" >&2
    ;;
esac
"#;

const REPOSITORY: &str = "https://example.com/storage";

struct Machine {
    sandbox: Sandbox,
    packages: Vec<Value>,
}

impl Machine {
    /// A library, the program that uses it, and tests that aren't published.
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.script("bin/cargo", CARGO);
        sandbox.write(
            "root/Cargo.toml",
            &format!("[workspace.package]\nversion = \"0.1.0\"\nrepository = \"{REPOSITORY}\"\n"),
        );
        sandbox.write("root/Cargo.lock", "# locked\n");
        let machine = Self {
            packages: vec![
                machine_package(&sandbox, "kube-volume", &[]),
                machine_package(&sandbox, "tool", &["kube-volume"]),
                machine_package(&sandbox, "tests", &["tool"]),
            ],
            sandbox,
        };
        for name in ["kube-volume", "tool"] {
            let manifest = format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n\n[dependencies.serde]\n\
                 version = \"1\"\noptional = true\n"
            );
            machine
                .sandbox
                .write(&format!("archives/{name}-0.1.0/Cargo.toml"), &manifest);
            machine
                .sandbox
                .write(&format!("archives/{name}-0.1.0/README.md"), "# Name\n");
        }
        machine
    }

    /// Changes a package's metadata.
    fn set(&mut self, package: &str, field: &str, value: Value) {
        let package = self
            .packages
            .iter_mut()
            .find(|p| p["name"] == package)
            .unwrap();
        package[field] = value;
    }

    fn run(&self) -> Outcome {
        Outcome::of(&mut self.command())
    }

    fn command(&self) -> Command {
        let metadata = json!({
            "packages": self.packages, "workspace_root": self.sandbox.path("root"),
            "target_directory": self.sandbox.path("root/target"),
        });
        self.sandbox
            .write("bin/metadata.json", &metadata.to_string());
        let mut command = Command::new(XTASK);
        command
            .args(["release", "--check"])
            .current_dir(self.sandbox.path("root"))
            .env("CARGO", self.sandbox.path("bin/cargo"))
            .env_remove("CARGO_TARGET_DIR");
        command
    }

    fn log(&self) -> String {
        self.sandbox.read("bin/cargo.log")
    }
}

fn machine_package(sandbox: &Sandbox, name: &str, dependencies: &[&str]) -> Value {
    let dependencies: Vec<_> = dependencies
        .iter()
        .map(|name| json!({"name": name, "req": "^0.1.0", "kind": null, "features": []}))
        .collect();
    let publish = if name == "tests" {
        json!([])
    } else {
        Value::Null
    };
    json!({
        "name": name, "version": "0.1.0", "publish": publish, "dependencies": dependencies,
        "manifest_path": sandbox.path("root").join(name).join("Cargo.toml"), "metadata": null,
        "description": "Text", "license": "MIT", "repository": REPOSITORY, "readme": "README.md",
        "keywords": ["a"], "categories": ["b"], "rust_version": "1.89",
    })
}

#[test]
fn packages_that_can_be_published() {
    let machine = Machine::new();
    machine.sandbox.write(
        "bin/info.tool",
        &format!("tool\nrepository: {REPOSITORY}.git/\n"),
    );
    machine.sandbox.write(
        "archives/kube-volume-0.1.0/README.md",
        "```sh\ncargo add kube-volume serde --features a,b # c\ncargo add --dev tool\n\
         cargo add k8s-openapi --no-default-features --features latest\n```\n\
         ```rust,no_run\n# use kube_volume::A;\nlet a = 1;\n# Ok::<(), String>(())\n```\n\
         ```sh\nls\n```\n```rust,ignore\nno\n```\n```\n#![allow(unused)]\nlet b = 2;\n```\n",
    );
    let outcome = machine.run().succeeds();
    let rows: Vec<Vec<_>> = outcome
        .out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[1], ["kube-volume", "0.1.0", "free", "2"]);
    assert_eq!(rows[2], ["tool", "0.1.0", "ours", "0"]);
    assert_eq!(rows.len(), 3, "{}", outcome.out);

    let log = machine.log();
    assert!(log.contains(
        "package --no-verify --allow-dirty --quiet --package kube-volume --package tool"
    ));
    assert!(
        log.contains("info kube_volume"),
        "the other spelling is the same name"
    );
    let checked = machine.sandbox.read("bin/checked.examples-of-kube-volume");
    for part in [
        "kube-volume = { path = \"kube-volume-0.1.0\" }",
        "[dependencies.kube-volume]\nfeatures = [\"a\", \"b\"]\nversion = \"0.1.0\"",
        "[dependencies.tool]\nversion = \"0.1.0\"",
        "[dependencies.serde]\nfeatures = [\"a\", \"b\"]\nversion = \"1\"",
        "[dependencies.k8s-openapi]\ndefault-features = false\nfeatures = [\"latest\"]\nversion = \"*\"",
        "use kube_volume::A;\nlet a = 1;",
        "example().unwrap();",
        "#![allow(unused)]\nfn main() {\nlet b = 2;\n}",
    ] {
        assert!(checked.contains(part), "no {part} in:\n{checked}");
    }
    assert!(!checked.contains("optional"), "{checked}");
    assert!(!log.contains("--package examples-of-tool"), "{log}");
}

/// The name that the package of volumes once had belongs to a crate for audio.
#[test]
fn a_name_that_is_taken() {
    let mut machine = Machine::new();
    machine.set("kube-volume", "name", json!("volume"));
    machine.sandbox.write(
        "bin/info.volume",
        "volume #audio\nrepository: https://github.com/RustAudio/volume.git\n",
    );
    machine.run().fails_with(&[
        "kube-volume/Cargo.toml: the name `volume` belongs to https://github.com/RustAudio/volume.git",
        "help: rename the package",
    ]);
    assert!(!machine.log().contains("package "), "nothing is packed");
    // A name that differs by a hyphen is the same.
    machine.set("volume", "name", json!("a-b"));
    machine.sandbox.write("bin/info.a_b", "a_b\n");
    machine
        .run()
        .fails_with(&["the name `a-b` belongs to somebody else"]);
}

#[test]
fn a_registry_that_does_not_answer() {
    let machine = Machine::new();
    machine.sandbox.write("bin/offline", "");
    let parts = [
        "can't ask the registry for `kube-volume`",
        "no network",
        "help: check the network",
    ];
    machine.run().fails_with(&parts);
}

#[test]
fn metadata_that_is_missing_or_wrong() {
    let mut machine = Machine::new();
    machine.set("tool", "readme", Value::Null);
    machine.set("tool", "keywords", json!([]));
    machine.set("tool", "version", json!("0.2.0"));
    machine.set("kube-volume", "publish", json!([]));
    let tokio = json!({"name": "k8s-openapi", "req": "^1", "kind": null, "features": []});
    let volume = json!({"name": "kube-volume", "req": "^0.1.0", "kind": null, "features": []});
    machine.set("tool", "dependencies", json!([tokio, volume]));
    // All at once.
    machine.run().fails_with(&[
        "error: tool/Cargo.toml: `tool` has no `readme`",
        "error: tool/Cargo.toml: `tool` has no `keywords`",
        "help: add `keywords.workspace = true`",
        "`tool` has version 0.2.0, but the workspace has 0.1.0",
        "depends on `kube-volume`, which is not published",
        "the documentation of `tool` can't be built",
    ]);
    machine.set("kube-volume", "publish", Value::Null);
    let volume = json!({"name": "kube-volume", "req": "^0.2.0", "kind": null, "features": []});
    machine.set("tool", "dependencies", json!([volume]));
    machine
        .run()
        .fails_with(&["depends on `kube-volume` ^0.2.0, whose version is 0.1.0"]);
}

/// Runs `rustup run 1.89 cargo check …`.
#[test]
fn archives_are_compiled_by_another_toolchain() {
    let machine = Machine::new();
    let script = "#!/bin/sh\nhere=$(dirname \"$0\")\n\
        echo \"$1 $2 $3 $4\" >>\"$here/rustup.log\"\nshift 3\nexec \"$here/cargo\" \"$@\"\n";
    machine.sandbox.script("bin/rustup", script);
    let old = std::env::var("PATH").unwrap();
    let path = format!("{}:{old}", machine.sandbox.path("bin").display());
    let mut command = machine.command();
    Outcome::of(command.args(["--toolchain", "1.89"]).env("PATH", path)).succeeds();
    let log = machine.sandbox.read("bin/rustup.log");
    assert_eq!(log, "run 1.89 cargo check\n".repeat(2));
}

#[test]
fn archives_and_examples_that_do_not_compile() {
    let machine = Machine::new();
    machine.sandbox.write(
        "archives/tool-0.1.0/README.md",
        "cargo add tool\n```\nlet a = 1;\n```\n",
    );
    machine
        .sandbox
        .write("bin/fails.kube-volume", "error[E0432]: unresolved import\n");
    machine.sandbox.write(
        "bin/fails.examples-of-tool",
        "error[E0425]: cannot find value\n",
    );
    machine.run().fails_with(&[
        "kube-volume/Cargo.toml: the archive of `kube-volume` does not compile without errors and \
         warnings:\nerror[E0432]",
        "tool/Cargo.toml: an example in the README of `tool` does not compile:\nerror[E0425]",
        "help: correct the README",
    ]);
    fs::remove_dir_all(machine.sandbox.path("archives/tool-0.1.0")).unwrap();
    machine
        .run()
        .fails_with(&["can't unpack", "tool-0.1.0.crate"]);
}

/// A reader copies it, with the dependencies that the README adds.
#[test]
fn examples_that_a_readme_names() {
    let machine = Machine::new();
    let readme = "cargo add tool\n[A driver](https://example.com/examples/driver.rs)\n";
    machine
        .sandbox
        .write("archives/tool-0.1.0/README.md", readme);
    let write = |name: &str, text: &str| {
        let path = format!("archives/tool-0.1.0/examples/{name}.rs");
        machine.sandbox.write(&path, text);
    };
    write("driver", "fn main() { copied() }\n");
    write("measured", "fn main() { not_copied() }\n");
    machine.run().succeeds();
    let checked = machine.sandbox.read("bin/checked.examples-of-tool");
    assert!(checked.contains("{ copied() }"), "{checked}");
    assert!(!checked.contains("not_copied"), "{checked}");
}

#[test]
fn archives_with_warnings() {
    let machine = Machine::new();
    let warning = "warning: function `f` is never used\n";
    machine.sandbox.write("bin/warns.tool", warning);
    machine.run().fails_with(&[
        "tool/Cargo.toml: the archive of `tool` does not compile without errors and warnings:",
        "function `f` is never used",
    ]);
}

/// In the workspace, other packages bring the features without which the link leads nowhere.
#[test]
fn links_to_what_only_a_feature_brings() {
    let machine = Machine::new();
    let warning = "warning: unresolved link to `Kept`\n --> src/lib.rs:1:5\n";
    machine.sandbox.write("bin/links.tool", warning);
    machine.run().fails_with(&[
        "tool/Cargo.toml: the documentation of `tool` has warnings:",
        "unresolved link to `Kept`",
    ]);
}

#[test]
fn readmes_that_leave_dependencies_to_the_reader() {
    let mut machine = Machine::new();
    let example = "```\nlet a = 1;\n```\n";
    let readme = "archives/tool-0.1.0/README.md";
    machine.sandbox.write(readme, example);
    machine.run().fails_with(&[
        "tool/Cargo.toml: the README of `tool` has an example, but no `cargo add`",
        "help: add the line `cargo add tool`",
    ]);
    // It needs the release through another package.
    let api = json!({"name": "k8s-openapi", "req": "^1", "kind": null, "features": []});
    machine.set("kube-volume", "dependencies", json!([api]));
    let features = json!({"docs": {"rs": {"features": ["k8s-openapi/latest"]}}});
    machine.set("kube-volume", "metadata", features);
    let added = format!("cargo add tool\n{example}");
    machine.sandbox.write(readme, &added);
    machine.run().fails_with(&[
        "tool/Cargo.toml: the README of `tool` chooses no release of Kubernetes",
        "help: add the line `cargo add k8s-openapi --features latest`",
    ]);
    let added = format!("cargo add k8s-openapi --features latest\n{added}");
    machine.sandbox.write(readme, &added);
    machine.run().succeeds();
    // The release is needed only if its reader chooses a feature.
    let added = format!("cargo add tool\n{example}");
    machine.sandbox.write(readme, &added);
    let volume = json!({"name": "kube-volume", "req": "^0.1.0", "kind": null, "optional": true, "features": []});
    machine.set("tool", "dependencies", json!([volume]));
    machine.run().succeeds();
}
