//! `cargo xtask release --binaries`, with a script in place of cargo.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Outcome, Sandbox, XTASK};

/// Builds scripts that print a version. A target of Windows has no compiler.
const CARGO: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/cargo.log"
[ "$1" = build ] || { cat "$here/metadata.json"; exit; }
while [ $# != 0 ]; do
    case $1 in
    --target) target=$2 ;;
    --target-dir) folder=$2/$target/dist ;;
    --bin)
        mkdir -p "$folder"
        printf '#!/bin/sh\necho %s\n' "$2" >"$folder/$2"
        chmod +x "$folder/$2"
        ;;
    esac
    shift
done
case $target in *windows*) exit 101 ;; esac
"#;

const MUSL: &str = "x86_64-unknown-linux-musl";

fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.script("bin/cargo", CARGO);
    let shared =
        "[workspace.package]\nversion = \"0.1.0\"\nrepository = \"https://example.com/a\"\n";
    sandbox.write("root/Cargo.toml", shared);
    sandbox.write("root/Cargo.lock", "# locked\n");
    sandbox.write("root/LICENSE", "License\n");
    let package = |name: &str, metadata: Value, programs: &[&str]| {
        sandbox.write(&format!("root/{name}/README.md"), "# Name\n");
        let programs = programs
            .iter()
            .map(|name| json!({"kind": ["bin"], "name": name}));
        json!({
            "name": name, "version": "0.1.0", "publish": null, "dependencies": [],
            "manifest_path": sandbox.path("root").join(name).join("Cargo.toml"),
            "metadata": metadata, "targets": programs.collect::<Vec<_>>(),
        })
    };
    let packages = [
        package("library", Value::Null, &[]),
        package(
            "tool",
            json!({"binstall": {}}),
            &["tool", "kubectl-storage"],
        ),
        package("other", json!({"binstall": {}}), &["other"]),
        package("internal", Value::Null, &["internal"]),
    ];
    let metadata = json!({
        "packages": packages, "workspace_root": sandbox.path("root"),
        "target_directory": sandbox.path("built"),
    });
    sandbox.write("bin/metadata.json", &metadata.to_string());
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    command.arg("release").args(arguments);
    command.current_dir(sandbox.path("root"));
    Outcome::of(command.env("CARGO", sandbox.path("bin/cargo")))
}

/// Returns what `tar` lists of an archive.
fn listed(sandbox: &Sandbox, archive: &str) -> String {
    let mut tar = Command::new("tar");
    tar.args(["--list", "--file"]);
    let path = sandbox.path("built/programs").join(archive);
    Outcome::of(tar.arg(path)).out
}

#[test]
fn archives_of_programs() {
    let sandbox = machine();
    let ran = run(&sandbox, &["--binaries"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // The size and time of each program that runs here.
    let lines: Vec<_> = ran.out.lines().skip(1).collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    assert!(lines[0].starts_with("tool-v0.1.0-x86_64-unknown-linux-musl.tar.gz  0.0 MB  "));
    assert!(lines[0].ends_with(" ms"), "{}", lines[0]);
    let tool = format!("tool-v0.1.0-{MUSL}");
    let files = ["", "LICENSE", "README.md", "kubectl-storage", "tool"];
    let files: String = files.map(|file| format!("{tool}/{file}\n")).concat();
    assert_eq!(listed(&sandbox, &format!("{tool}.tar.gz")), files);

    let sums = sandbox.read("built/programs/SHA256SUMS");
    let mut check = Command::new("sha256sum");
    check.current_dir(sandbox.path("built/programs"));
    let checked = Outcome::of(check.args(["--check", "SHA256SUMS"]));
    assert_eq!(checked.out.matches(": OK").count(), 2, "{sums}");

    // The manifest names the archive with the plugin and no other.
    let manifest = sandbox.read("built/programs/storage.yaml");
    let manifest: Value = serde_saphyr::from_str(&manifest).unwrap();
    let (sum, _) = sums.split_once(' ').unwrap();
    let platform = json!([{
        "selector": {"matchLabels": {"os": "linux", "arch": "amd64"}},
        "uri": format!("https://example.com/a/releases/download/v0.1.0/{tool}.tar.gz"),
        "sha256": sum,
        "files": [
            {"from": format!("{tool}/kubectl-storage"), "to": "."},
            {"from": format!("{tool}/LICENSE"), "to": "."},
        ],
        "bin": "kubectl-storage",
    }]);
    assert_eq!(manifest["spec"]["platforms"], platform);

    // Packed again, the archives are the same.
    assert_eq!(run(&sandbox, &["--binaries"]).code, Some(0));
    assert_eq!(sandbox.read("built/programs/SHA256SUMS"), sums);
}

#[test]
fn several_targets_and_one_that_fails() {
    let sandbox = machine();
    let targets = ["aarch64-unknown-linux-musl", "aarch64-apple-darwin"];
    let arguments = targets.map(|target| ["--target", target]).concat();
    let ran = run(&sandbox, &[&["--binaries"], arguments.as_slice()].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let manifest = sandbox.read("built/programs/storage.yaml");
    for platform in ["{os: linux, arch: arm64}", "{os: darwin, arch: arm64}"] {
        assert!(manifest.contains(platform), "{manifest}");
    }
    assert_eq!(sandbox.read("built/programs/SHA256SUMS").lines().count(), 4);

    let windows = ["--binaries", "--target", "x86_64-pc-windows-gnu"];
    let ran = run(&sandbox, &windows);
    let expected = "error: cargo can't build for x86_64-pc-windows-gnu\n  \
                    help: rustup target add x86_64-pc-windows-gnu\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), expected));
}

#[test]
fn a_task_is_named() {
    let sandbox = machine();
    assert_eq!(run(&sandbox, &[]).code, Some(2));
    assert_eq!(run(&sandbox, &["--check", "--binaries"]).code, Some(2));
    let target = ["--check", "--target", MUSL];
    assert_eq!(run(&sandbox, &target).code, Some(2));
    let toolchain = ["--binaries", "--toolchain", "1.89"];
    assert_eq!(run(&sandbox, &toolchain).code, Some(2));
}
