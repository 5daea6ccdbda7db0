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
        ("diff-1.34-1.35.html", &["1.34", "1.35", "--format", "html"]),
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

/// Two folders of a document each: `Thing` in one, and in the other with another text or name. The
/// workspace generates it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.edit("root/codegen.toml", "others.json", "kinds.json");
    sandbox.write("root/spec/v1.37/kinds.json", &kind("v1", "Thing"));
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

/// Kinds without a crate are compared on request, and only where both sides describe them.
#[test]
fn generated_kinds_are_compared() {
    let sandbox = sandbox();
    let root = sandbox.path("root");
    let other = |version: &str| kind(version, "Boat").replace("example.com", "other.example.com");
    sandbox.write("old/v1.36/boats.json", &other("v1"));
    sandbox.write("new/v1.37/boats.json", &other("v2"));
    let run = |arguments: &[&str]| diff(&root, arguments).succeeds().out;
    let both = ["../old/v1.36", "../new/v1.37", "--complete"];
    let out = run(&[&both[..], &["--fail-on", "info"]].concat());
    assert!(out.contains(": no changes\n"), "{out}");
    assert!(
        out.contains("not compared: 2 kinds without a crate in codegen.toml; --all-kinds"),
        "{out}"
    );
    let out = run(&[&both[..], &["--all-kinds"]].concat());
    assert!(out.contains("1 breaking, 1 info"), "{out}");
    assert!(
        out.contains("breaking  other.example.com/v1: group-version removed (1.37)"),
        "{out}"
    );
    let only = [&both[..], &["--group", "other.example.com"]].concat();
    fails_with(
        &diff(&root, &only),
        &[
            "no group-version of other.example.com in common",
            "--all-kinds",
        ],
    );
    // A release of spec/ describes only those that are generated.
    let Some(root) = real_root() else { return };
    let core = std::fs::read_to_string(root.join("spec/v1.37/api__v1_openapi.json")).unwrap();
    let core = core.replace("\"PersistentVolumeClaim", "\"Pod");
    sandbox.write("core/v1.37/api__v1_openapi.json", &core);
    let folder = sandbox.path("core/v1.37").display().to_string();
    for arguments in [
        &["1.36", &folder, "--all-kinds"],
        &[folder.as_str(), "1.37", "--all-kinds"],
    ] {
        let out = diff(&root, arguments).succeeds().out;
        assert!(!out.contains("v1 Pod: kind"), "{out}");
        assert!(out.contains("1 kind that spec/ doesn't describe"), "{out}");
    }
}

/// The document of a custom resource has a version of its own, and no release.
#[test]
fn custom_resources_have_no_release() {
    let sandbox = sandbox();
    let root = sandbox.path("root");
    let info = "{\"openapi\": \"3.0.0\", \"info\": {\"title\": \"Kubernetes CRD Swagger\", \
                \"version\": \"v0.1.0\"}";
    let custom = kind("v1", "Thing").replacen("{\"openapi\": \"3.0.0\"", info, 1);
    sandbox.write("server/apis__example.com__v1_openapi.json", &custom);
    let mut fetch = Command::new(XTASK);
    fetch.args([
        "spec",
        "fetch",
        "1.36",
        "--from",
        "../server",
        "--out",
        "../fetched",
    ]);
    Outcome::of(fetch.current_dir(&root)).succeeds();
    for folder in ["../fetched/v1.36", "../server"] {
        let report = diff(&root, &[folder, folder, "--fail-on", "info"]).succeeds();
        assert!(report.out.contains(": no changes\n"), "{}", report.out);
        assert!(!report.out.contains("not compared"), "{}", report.out);
    }
    // A folder without its group says nothing about it.
    sandbox.write(
        "empty/v1.37/things.json",
        &sandbox.read("root/spec/v1.37/things.json"),
    );
    let both = ["../fetched/v1.36", "../empty/v1.37", "--complete"];
    let report = diff(&root, &both);
    assert_eq!(report.code, Some(0), "{}{}", report.out, report.stderr);
    assert!(!report.out.contains("removed"), "{}", report.out);
    assert!(
        report
            .out
            .contains("example.com/v1: 1.37 has no document of these custom resources"),
        "{}",
        report.out
    );
}

/// Texts of documents stay text on the page, which needs nothing from elsewhere.
#[test]
fn pages_are_safe() {
    let sandbox = sandbox();
    let root = sandbox.path("root");
    let field = r#""<script>alert('1')</script>&amp;": {"type": "string"}, "text": {"#;
    sandbox.edit("new/v1.37/kinds.json", "\"text\": {", field);
    let both = ["../old/v1.36", "../new/v1.37"];
    let page = diff(&root, &[&both[..], &["--format", "html"]].concat());
    let page = page.succeeds().out;
    assert!(
        page.contains(
            "Thing &lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;: field added"
        ),
        "{page}"
    );
    for unwanted in ["<script", "src=", "http", "@import", "url(", "&amp;: "] {
        assert!(!page.contains(unwanted), "{unwanted} in\n{page}");
    }
    let count = |text: &str| page.matches(text).count();
    assert_eq!(count("<h1>"), 1);
    assert_eq!(count("href=\"#info-0\""), 1);
    assert_eq!(count("id=\"info-0\""), 1);
    // A report without changes is a page too.
    let same = diff(&root, &[both[0], both[0], "--format", "html"]).succeeds();
    assert!(same.out.contains("<p>No changes."), "{}", same.out);
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
