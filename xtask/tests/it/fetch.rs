//! `cargo xtask spec fetch`, run as a command.

use std::path::Path;
use std::process::Command;

use crate::common::server::{Fault, Server};
use crate::common::{Outcome, Sandbox, XTASK, kind};

const V1: &str = "apis__example.com__v1_openapi.json";
const V2: &str = "apis__example.com__v2_openapi.json";
const OTHER: &str = "apis__example.org__v1_openapi.json";

/// The documents of a release.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(&format!("server/{V1}"), &kind("v1", "Thing"));
    sandbox.write(&format!("server/{V2}"), &kind("v2", "Thing"));
    let other = kind("v1", "Other").replace("example.com", "example.org");
    sandbox.write(&format!("server/{OTHER}"), &other);
    sandbox
}

fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new(XTASK);
    command
        .args(["spec", "fetch"])
        .args(arguments)
        .current_dir(sandbox.path("root"));
    command
}

fn fetch(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    Outcome::of(&mut command(sandbox, arguments))
}

/// Fails, and leaves nothing behind.
fn fails(sandbox: &Sandbox, command: &mut Command, parts: &[&str]) {
    let before = sandbox.snapshot();
    Outcome::of(command).fails_with(parts);
    assert_eq!(sandbox.snapshot(), before, "something was written");
}

#[test]
fn documents_are_fetched_with_their_checksums() {
    let sandbox = sandbox();
    let server = Server::of(&sandbox.path("server"), "v1.36.3", Fault::None);
    let arguments = ["1.36", "--from", &server.url, "--out", "../fetched"];
    let out = fetch(&sandbox, &arguments).succeeds().out;
    assert!(
        out.contains("3 documents of Kubernetes 1.36, 4 files written, 0 unchanged"),
        "{out}"
    );
    for name in [V1, V2, OTHER] {
        let fetched = sandbox.read(&format!("fetched/v1.36/{name}"));
        assert_eq!(fetched, sandbox.read(&format!("server/{name}")));
    }
    let record = sandbox.read("fetched/v1.36/fetched.toml");
    for part in [
        "release = \"1.36\"\n",
        "server = \"v1.36.3\"\n",
        "complete = true\n",
        V1,
        V2,
    ] {
        assert!(record.contains(part), "{record}");
    }
    let before = sandbox.snapshot();
    let out = fetch(&sandbox, &arguments).succeeds().out;
    assert!(
        out.contains("0 files written, 4 unchanged, 0 removed"),
        "{out}"
    );
    assert_eq!(sandbox.snapshot(), before, "a second time changes nothing");

    // Some groups only: the documents of others go.
    let out = fetch(
        &sandbox,
        &[&arguments[..], &["--group", "example.org"]].concat(),
    )
    .succeeds();
    assert!(
        out.out.contains("1 files written, 1 unchanged, 2 removed"),
        "{}",
        out.out
    );
    assert!(
        sandbox
            .read("fetched/v1.36/fetched.toml")
            .contains("groups = [\"example.org\"]")
    );
    // As a folder it is as complete as it was as a server.
    let out = fetch(
        &sandbox,
        &["1.36", "--from", "../fetched/v1.36", "--out", "../again"],
    );
    out.succeeds();
    let [record, again] =
        ["fetched", "again"].map(|folder| sandbox.read(&format!("{folder}/v1.36/fetched.toml")));
    assert_eq!(record, again);
}

/// Without --out they go where nothing else is looked for.
#[test]
fn the_default_folder_is_in_target() {
    let sandbox = sandbox();
    let server = Server::of(&sandbox.path("server"), "v1.36.3", Fault::None);
    fetch(
        &sandbox,
        &["v1.36", "--from", &format!("{}/openapi/v3/", server.url)],
    )
    .succeeds();
    assert!(
        sandbox
            .path(&format!("root/target/openapi/v1.36/{V1}"))
            .is_file()
    );
}

#[test]
fn what_a_server_says_is_compared() {
    let sandbox = sandbox();
    let old = Server::of(&sandbox.path("server"), "v1.36.3", Fault::None);
    sandbox.edit(
        &format!("server/{V1}"),
        "\"text\": {",
        "\"size\": {\"type\": \"integer\"}, \"text\": {",
    );
    std::fs::remove_file(sandbox.path(&format!("server/{V2}"))).unwrap();
    let new = Server::of(&sandbox.path("server"), "v1.37.0", Fault::None);
    fetch(
        &sandbox,
        &["1.36", "--from", &old.url, "--out", "../fetched"],
    )
    .succeeds();
    for from in [old.url.as_str(), "../fetched/v1.36"] {
        let mut diff = Command::new(XTASK);
        diff.args([
            "diff",
            from,
            &new.url,
            "--fail-on",
            "breaking",
            "--all-kinds",
        ]);
        let outcome = Outcome::of(diff.current_dir(sandbox.path("root")));
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(
            outcome.out.starts_with("1.36 → 1.37: 1 breaking, 1 info\n"),
            "{}",
            outcome.out
        );
        for change in [
            "example.com/v2: group-version removed (1.37)",
            "Thing size: field added",
        ] {
            assert!(outcome.out.contains(change), "{}", outcome.out);
        }
    }
}

#[test]
fn nothing_is_written_if_an_answer_is_wrong() {
    let sandbox = sandbox();
    for (fault, parts) in [
        (Fault::Truncated, &["can't get http", "curl"][..]),
        (
            Fault::Other,
            &["is not what the index names", "run this again"],
        ),
        (
            Fault::NoJson,
            &["not valid JSON", "apis__z.example.com__v1"],
        ),
        (Fault::NotFound, &["answers with 404", "no such page"]),
        (Fault::Forbidden, &["answers with 403", "kubectl proxy"]),
        (Fault::NoIndex, &["isn't an index of OpenAPI documents"]),
        (
            Fault::Outside,
            &["isn't an index of OpenAPI documents", "apis/../v1"],
        ),
    ] {
        let server = Server::of(&sandbox.path("server"), "v1.36.3", fault);
        let arguments = ["1.36", "--from", &server.url, "--out", "../fetched"];
        fails(&sandbox, &mut command(&sandbox, &arguments), parts);
    }
    let server = Server::of(&sandbox.path("server"), "v1.36.3", Fault::None);
    let mut other = command(
        &sandbox,
        &["1.35", "--from", &server.url, "--out", "../fetched"],
    );
    fails(&sandbox, &mut other, &["has Kubernetes 1.36, not 1.35"]);
    let mut none = command(
        &sandbox,
        &["1.36", "--from", &server.url, "--group", "example.net"],
    );
    fails(
        &sandbox,
        &mut none,
        &["has no OpenAPI documents of example.net"],
    );
    let mut odd = command(&sandbox, &["1.36", "--from", "http://127.0.0.1:1"]);
    fails(
        &sandbox,
        &mut odd,
        &["can't get http://127.0.0.1:1/version"],
    );
    let mut missing = command(&sandbox, &["1.36", "--from", &server.url]);
    fails(
        &sandbox,
        missing.env("PATH", ""),
        &["can't run curl", "install curl"],
    );
    let odd = Server::of(&sandbox.path("server"), "main", Fault::None);
    let mut odd = command(&sandbox, &["1.36", "--from", &odd.url]);
    fails(
        &sandbox,
        &mut odd,
        &["has the version `main`, of no release"],
    );
}

#[test]
fn what_was_not_fetched_stays() {
    let sandbox = sandbox();
    sandbox.write(&format!("fetched/v1.36/{V2}"), "{}");
    let mut fetch = command(
        &sandbox,
        &["1.36", "--from", "../server", "--out", "../fetched"],
    );
    fails(
        &sandbox,
        &mut fetch,
        &["is there already, and was not fetched", "--out"],
    );
}

/// Clusters are reached by kubectl, which logs in.
#[test]
fn clusters_are_asked_by_kubectl() {
    let sandbox = sandbox();
    let server = Server::of(&sandbox.path("server"), "v1.36.3", Fault::None);
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --context=there ] || {{ echo no context >&2; exit 1; }}\n\
         [ \"$3 $4\" = 'get --raw' ] || exit 1\nexec curl --silent --fail \"{}$5\"\n",
        server.url
    );
    sandbox.script("bin/kubectl", &script);
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", sandbox.path("bin").display());
    let run = |from: &str| {
        let mut command = command(&sandbox, &["1.36", "--from", from, "--out", "../fetched"]);
        command.env("PATH", &path);
        command
    };
    fails(
        &sandbox,
        &mut run("cluster"),
        &["can't get /version", "kubectl: no context"],
    );
    let out = Outcome::of(&mut run("cluster:there")).succeeds().out;
    assert!(out.contains("3 documents of Kubernetes 1.36"), "{out}");
    assert!(Path::new(&sandbox.path(&format!("fetched/v1.36/{OTHER}"))).is_file());
}

#[test]
fn checksums_are_checked() {
    let sandbox = sandbox();
    let arguments = ["1.36", "--from", "../server", "--out", "../fetched"];
    fetch(&sandbox, &arguments).succeeds();
    assert!(
        sandbox
            .read("fetched/v1.36/fetched.toml")
            .contains("complete = false")
    );
    let refused = |what: &str| {
        for arguments in [
            &["diff", "../fetched/v1.36", "../server"][..],
            &["codegen", "--check", "--spec", "../fetched/v1.36"],
        ] {
            let mut command = Command::new(XTASK);
            let outcome = Outcome::of(command.args(arguments).current_dir(sandbox.path("root")));
            assert_ne!(outcome.code, Some(0));
            assert!(outcome.stderr.contains(what), "{}", outcome.stderr);
        }
    };
    sandbox.edit(&format!("fetched/v1.36/{V1}"), "Text.", "Other.");
    refused("hasn't the checksum of fetched.toml");
    // Fetching anew mends it.
    fetch(&sandbox, &arguments).succeeds();
    sandbox.write("fetched/v1.36/more.json", "{}");
    refused("more.json isn't listed in fetched.toml");
    std::fs::remove_file(sandbox.path("fetched/v1.36/more.json")).unwrap();
    std::fs::remove_file(sandbox.path(&format!("fetched/v1.36/{V1}"))).unwrap();
    refused("is missing, but listed in fetched.toml");
}
