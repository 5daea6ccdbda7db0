//! `cargo xtask e2e`, with scripts in place of Go and cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Outcome, Sandbox, XTASK, real_root};

const MODULES: &str = "module example\n\ngo 1.26.0 // at least\n\nrequire (\n\
    \tk8s.io/kubernetes v1.2.3 // indirect\n\tk8s.io/other v0.1.0\n)\n\n\
    tool (\n\tgo.etcd.io/etcd/server/v3\n\tk8s.io/kubernetes/cmd/kube-apiserver\n)\n";

/// Prints its arguments, and writes the file that it is asked to build.
const GO: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/go.log"
case $1 in
env) cat "$here/go.version" ;;
build)
    echo "CGO_ENABLED=$CGO_ENABLED GOFLAGS=$GOFLAGS GOWORK=$GOWORK" >>"$here/go.log"
    echo "files:" * >>"$here/go.log"
    [ ! -e "$here/go.slow" ] || sleep 1
    while [ "$1" != -o ]; do shift; done
    echo "$3" >"$2"
    [ ! -e "$here/go.fails" ] || exit 1
    ;;
esac
"#;

const CARGO: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$KUBEBUILDER_ASSETS $@" >"$here/cargo.log"
[ ! -e "$here/cargo.fails" ]
"#;

struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("root/tests/e2e/control-plane/v1.2/go.mod", MODULES);
        sandbox.write("root/tests/e2e/control-plane/v1.2/go.sum", "sums\n");
        let machine = Self { sandbox };
        machine.sandbox.script("bin/go", GO);
        machine.sandbox.script("bin/cargo", CARGO);
        machine
            .sandbox
            .write("bin/go.version", "go1.26.8\nlinux\namd64\n");
        machine
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(XTASK);
        let path = format!("{}:/usr/bin:/bin", self.sandbox.path("bin").display());
        command
            .arg("e2e")
            .args(arguments)
            .current_dir(self.sandbox.path("root"));
        command
            .env("PATH", path)
            .env("XDG_CACHE_HOME", self.sandbox.path("cache"));
        command.env("CARGO", self.sandbox.path("bin/cargo"));
        command.env_remove("KUBEBUILDER_ASSETS");
        command
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(&mut self.command(arguments))
    }

    /// Has the programs built where needed and returns their folder.
    fn build(&self) -> PathBuf {
        PathBuf::from(self.run(&["--build-only"]).succeeds().out.trim_end())
    }

    /// Returns the number of programs that have been built.
    fn builds(&self) -> usize {
        let log = fs::read_to_string(self.sandbox.path("bin/go.log")).unwrap_or_default();
        log.lines()
            .filter(|line| line.starts_with("build "))
            .count()
    }
}

/// The names of the entries of a folder that aren't those of the modules.
fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap());
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with("go.")).collect();
    names.sort();
    names
}

#[test]
fn programs_are_built_once_from_the_two_files_alone() {
    let machine = Machine::new();
    machine.sandbox.write(
        "root/tests/e2e/control-plane/v1.2/other.go",
        "package other\n",
    );
    let first = machine.run(&["--build-only"]).succeeds();
    for expected in [
        "Kubernetes v1.2.3 with go1.26.8 linux amd64",
        "etcd (1 of 2)",
        "kube-apiserver (2 of 2): 0 s",
        "built in 0 s",
    ] {
        assert!(
            first.stderr.contains(expected),
            "no {expected} in:\n{}",
            first.stderr
        );
    }
    let folder = Path::new(first.out.trim_end());
    let cache = machine
        .sandbox
        .path("cache/kubernetes-storage/control-plane");
    assert_eq!(folder.parent().unwrap(), cache);
    assert_eq!(entries(folder), ["etcd", "kube-apiserver"]);
    let etcd = fs::read_to_string(folder.join("etcd")).unwrap();
    assert_eq!(etcd, "go.etcd.io/etcd/server/v3\n");

    let log = machine.sandbox.read("bin/go.log");
    let version = "k8s.io/component-base/version";
    for part in [
        "build -trimpath -mod=readonly",
        "CGO_ENABLED=0 GOFLAGS= GOWORK=off",
        "files: go.mod go.sum\n",
        &format!("-X {version}.gitVersion=v1.2.3"),
        &format!("-X {version}.gitMajor=1 -X {version}.gitMinor=2 "),
    ] {
        assert!(log.contains(part), "no {part} in:\n{log}");
    }
    let second = machine.run(&["--build-only"]).succeeds();
    assert_eq!((second.out, second.stderr), (first.out, String::new()));
    assert_eq!(machine.builds(), 2);
}

#[test]
fn the_folder_is_named_after_all_that_the_programs_come_of() {
    let machine = Machine::new();
    let mut folders = vec![machine.build()];
    for (file, text) in [
        (
            "root/tests/e2e/control-plane/v1.2/go.mod",
            MODULES.replace("v0.1.0", "v0.2.0"),
        ),
        (
            "root/tests/e2e/control-plane/v1.2/go.sum",
            "other sums\n".to_owned(),
        ),
        ("bin/go.version", "go1.26.9\nlinux\namd64\n".to_owned()),
        ("bin/go.version", "go1.26.9\ndarwin\narm64\n".to_owned()),
    ] {
        machine.sandbox.write(file, &text);
        folders.push(machine.build());
    }
    let names: std::collections::BTreeSet<_> = folders.iter().collect();
    assert_eq!(names.len(), 5, "{folders:?}");
    for folder in &folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("v1.2.3-"), "{name}");
        assert_eq!(entries(folder), ["etcd", "kube-apiserver"], "{name}");
    }
}

/// A program of the module itself is one of its tools too.
#[test]
fn a_program_beside_the_modules_is_built_from_its_code() {
    let machine = Machine::new();
    let modules = MODULES.replace(
        "tool (\n",
        "tool (\n\texample/cmd/idle\n\texamples.com/other/cmd/kubelet\n",
    );
    machine
        .sandbox
        .write("root/tests/e2e/control-plane/v1.2/go.mod", &modules);
    let code = "root/tests/e2e/control-plane/v1.2/cmd/idle/main.go";
    machine
        .run(&["--build-only"])
        .fails_with(&["can't read", "v1.2/cmd/idle/main.go"]);
    let mut folders = Vec::new();
    for text in ["package main\n", "package main // changed\n"] {
        machine.sandbox.write(code, text);
        let folder = machine.build();
        assert_eq!(
            entries(&folder),
            ["cmd", "etcd", "idle", "kube-apiserver", "kubelet"]
        );
        let copy = fs::read_to_string(folder.join("cmd/idle/main.go")).unwrap();
        assert_eq!(copy, text);
        folders.push(folder);
    }
    assert_ne!(folders[0], folders[1]);
}

#[test]
fn a_build_that_was_broken_off_is_not_taken_for_a_whole_one() {
    let machine = Machine::new();
    machine.sandbox.write("bin/go.fails", "");
    let parts = ["can't build etcd", "exit status: 1", "KUBEBUILDER_ASSETS"];
    machine.run(&["--build-only"]).fails_with(&parts);
    let cache = machine
        .sandbox
        .path("cache/kubernetes-storage/control-plane");
    let left: Vec<_> = entries(&cache)
        .into_iter()
        .filter(|n| !n.ends_with(".lock"))
        .collect();
    assert!(
        left.iter().all(|name| name.ends_with(".incomplete")),
        "{left:?}"
    );
    // The rest of it goes.
    machine.sandbox.write(
        &format!("cache/kubernetes-storage/control-plane/{}/junk", left[0]),
        "",
    );
    fs::remove_file(machine.sandbox.path("bin/go.fails")).unwrap();
    let folder = machine.build();
    assert_eq!(entries(&folder), ["etcd", "kube-apiserver"]);
    // So does what somebody has taken things from.
    fs::remove_file(folder.join("etcd")).unwrap();
    assert_eq!(machine.build(), folder);
    assert_eq!(entries(&folder), ["etcd", "kube-apiserver"]);
}

#[test]
fn of_two_at_once_one_waits() {
    let machine = Machine::new();
    machine.sandbox.write("bin/go.slow", "");
    let runs = [0, 1].map(|_| {
        let mut command = machine.command(&["--build-only"]);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    });
    let outcomes = runs.map(|run| Outcome::from(run.wait_with_output().unwrap()).succeeds());
    assert_eq!(outcomes[0].out, outcomes[1].out);
    let waited = outcomes
        .iter()
        .filter(|o| o.stderr.contains("waiting for another build"));
    assert_eq!(waited.count(), 1, "{outcomes:?}");
    assert_eq!(machine.builds(), 2);
}

#[test]
fn without_go_it_says_what_to_install() {
    let machine = Machine::new();
    let mut command = machine.command(&["--build-only"]);
    let outcome = Outcome::of(command.env("PATH", machine.sandbox.path("root")));
    outcome.fails_with(&[
        "no Go",
        "install Go 1.26.0 or newer",
        "KUBEBUILDER_ASSETS",
        "etcd",
    ]);
    machine
        .sandbox
        .script("bin/go", "#!/bin/sh\necho go is too old >&2\nexit 1\n");
    machine
        .run(&["--build-only"])
        .fails_with(&["go is too old", "Go 1.26.0 or newer"]);
}

#[test]
fn programs_of_the_users_own() {
    let machine = Machine::new();
    let run = |folder: &str| {
        let mut command = machine.command(&["--build-only"]);
        Outcome::of(command.env("KUBEBUILDER_ASSETS", folder))
    };
    machine.sandbox.write("root/own/etcd", "");
    let parts = [
        "KUBEBUILDER_ASSETS names own",
        "no kube-apiserver",
        "help: ",
    ];
    run("own").fails_with(&parts);
    run("missing").fails_with(&["no etcd and no kube-apiserver"]);
    machine.sandbox.write("root/own/kube-apiserver", "");
    let outcome = run("own").succeeds();
    assert_eq!(
        Path::new(outcome.out.trim_end()),
        machine.sandbox.path("root/own")
    );
    assert_eq!(machine.builds(), 0);
    // As unset, as a shell leaves it.
    run("").succeeds();
    assert_eq!(machine.builds(), 2);
}

#[test]
fn modules_that_say_too_little() {
    let machine = Machine::new();
    let modules = "root/tests/e2e/control-plane/v1.2/go.mod";
    for (from, to, expected) in [
        (
            "k8s.io/kubernetes v1.2.3",
            "k8s.io/sample v1",
            "k8s.io/kubernetes",
        ),
        (
            "\tk8s.io/kubernetes/cmd/kube-apiserver\n",
            "",
            "no tool for kube-apiserver",
        ),
        ("v1.2.3", "v1", "no release: v1"),
    ] {
        machine.sandbox.write(modules, &MODULES.replace(from, to));
        machine
            .run(&["--build-only"])
            .fails_with(&["tests/e2e/control-plane/v1.2/go.mod", expected]);
    }
    fs::remove_file(machine.sandbox.path(modules)).unwrap();
    machine
        .run(&["--build-only"])
        .fails_with(&["can't read", "go.mod"]);
    assert_eq!(machine.builds(), 0);
}

#[test]
fn where_the_cache_is() {
    let machine = Machine::new();
    let home = machine.sandbox.path("home");
    let mut command = machine.command(&["--build-only"]);
    let outcome = Outcome::of(command.env("XDG_CACHE_HOME", "relative").env("HOME", &home));
    let folder = PathBuf::from(outcome.succeeds().out.trim_end());
    assert!(
        folder.starts_with(home.join(".cache/kubernetes-storage")),
        "{folder:?}"
    );
    let mut command = machine.command(&["--build-only"]);
    let outcome = Outcome::of(command.env_remove("XDG_CACHE_HOME").env_remove("HOME"));
    outcome.fails_with(&["no folder for caches", "XDG_CACHE_HOME"]);
}

#[test]
fn arguments_go_to_cargo_test() {
    let machine = Machine::new();
    let folder = machine.build();
    for (arguments, wanted) in [
        (
            &[][..],
            "--test it -- --include-ignored differential:: server::",
        ),
        (&["--", "--test", "it"], "--test it -- --include-ignored"),
        (
            &["--", "--release", "--", "--nocapture", "kinds"],
            "--release -- --include-ignored --nocapture kinds",
        ),
    ] {
        machine.run(arguments).succeeds();
        let log = machine.sandbox.read("bin/cargo.log");
        let packages = "--package csi-hostpath --package e2e --package examples \
                        --package hostpath-provisioner --package pod-volumes";
        assert_eq!(
            log,
            format!("{} test {packages} {wanted}\n", folder.display())
        );
    }
    machine.sandbox.write("bin/cargo.fails", "");
    machine.run(&[]).fails_with(&["the tests failed"]);
}

/// The real files have all four programs; what Go makes of them is for `.ci/run`.
#[test]
fn the_real_modules_are_understood() {
    let Some(root) = real_root() else { return };
    let machine = Machine::new();
    let mut command = machine.command(&["--build-only"]);
    let outcome = Outcome::of(command.current_dir(root)).succeeds();
    let names = [
        "cmd",
        "container-runtime",
        "etcd",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kubelet",
    ];
    assert_eq!(entries(Path::new(outcome.out.trim_end())), names);
}

#[test]
fn a_release_is_chosen() {
    let machine = Machine::new();
    let older = MODULES.replace("v1.2.3", "v1.1.9");
    machine
        .sandbox
        .write("root/tests/e2e/control-plane/v1.1/go.mod", &older);
    machine
        .sandbox
        .write("root/tests/e2e/control-plane/v1.1/go.sum", "sums\n");
    let named = |arguments: &[&str]| {
        let out = machine.run(arguments).succeeds().out;
        let folder = Path::new(out.trim_end()).file_name().unwrap().to_owned();
        folder.into_string().unwrap()
    };
    assert!(
        named(&["--build-only"]).starts_with("v1.2.3-"),
        "the newest"
    );
    assert!(named(&["--build-only", "--release", "1.1"]).starts_with("v1.1.9-"));
    machine.run(&["--release", "1.3"]).fails_with(&[
        "no modules of 1.3",
        "it has 1.1, 1.2",
        "go mod tidy",
    ]);
    let mut command = machine.command(&["--release", "1.1"]);
    Outcome::of(command.env("KUBEBUILDER_ASSETS", "own"))
        .fails_with(&["KUBEBUILDER_ASSETS is set", "help: unset it"]);
}
