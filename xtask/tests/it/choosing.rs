//! The documents that are read: of two versions of an API, the older one in two documents.

use crate::common::{Outcome, Sandbox, kind};

const OLD: &str = "root/old-v1beta1/src";

/// A sandbox with a folder of documents beside the workspace, as of one release: of the new
/// version and of the kind of the old one that it served.
fn beside(folder: &str, old: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::versions();
    let new = sandbox.read("root/spec/v1.37/new.json");
    sandbox.write(&format!("{folder}/new.json"), &new);
    sandbox.write(&format!("{folder}/old.json"), &kind("v1beta1", old));
    let path = sandbox.path(folder).display().to_string();
    (sandbox, path)
}

#[test]
fn all_documents_of_one_name_become_one_crate() {
    let sandbox = Sandbox::versions();
    let outcome = sandbox.run(&[]).succeeds();
    assert!(
        outcome.out.contains("old-v1beta1: 2 documents read"),
        "{}",
        outcome.out
    );
    for (file, says) in [("thing", "`early`"), ("part", "`late`")] {
        let text = sandbox.read(&format!("{OLD}/{file}.rs"));
        assert!(text.contains(says), "{text}");
    }
}

/// The overlay says something from 1.35 on; as of 1.37, the document of 1.21 has it too.
#[test]
fn own_documents_are_of_the_release_that_as_of_tells() {
    let sandbox = Sandbox::versions();
    sandbox.run(&[]).succeeds();
    assert!(sandbox.read(&format!("{OLD}/thing.rs")).contains("`early`"));
    sandbox.edit(
        "root/codegen.toml",
        "release = \"1.21\"\nas-of = \"1.37\"",
        "release = \"1.21\"",
    );
    sandbox.run(&[]).succeeds();
    assert!(!sandbox.read(&format!("{OLD}/thing.rs")).contains("`early`"));
}

#[test]
fn of_one_name_the_first_that_served_as_late_as_the_release_is_read() {
    for (release, kind, overlay) in [
        ("v1.20", "Thing", "early.yaml"),
        ("v1.21", "Thing", "early.yaml"),
        ("v1.22", "Part", "late.yaml"),
        ("v1.36", "Part", "late.yaml"),
        ("v1.40", "Part", "late.yaml"),
    ] {
        let (sandbox, folder) = beside(&format!("docs/{release}"), kind);
        let outcome = sandbox.run(&["--spec", &folder]).succeeds();
        assert!(
            outcome.out.contains("old-v1beta1: 1 document read"),
            "{}",
            outcome.out
        );
        assert_eq!(outcome.stderr, "", "{release}");
        let text = sandbox.read(&format!("{OLD}/{}.rs", kind.to_lowercase()));
        assert!(text.contains(&format!("{release}/old.json")), "{text}");
        // The overlay of the other document isn't even read.
        let other = if overlay == "early.yaml" {
            "late.yaml"
        } else {
            "early.yaml"
        };
        std::fs::remove_file(sandbox.path("root/spec/overlays").join(other)).unwrap();
        sandbox.run(&["--spec", &folder]).succeeds();
        std::fs::remove_file(sandbox.path("root/spec/overlays").join(overlay)).unwrap();
        sandbox
            .run(&["--spec", &folder])
            .fails_with(&["can't read", overlay]);
    }
}

#[test]
fn where_the_release_is_not_known_the_last_document_is_read() {
    let (sandbox, folder) = beside("docs/plain", "Part");
    let outcome = sandbox.run(&["--spec", &folder]).succeeds();
    for part in ["old.json for a document of Kubernetes 1.36", "--release"] {
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    assert!(
        sandbox
            .read(&format!("{OLD}/part.rs"))
            .contains("v1.36/old.json")
    );
    // Said on the command line, it counts as the name of the folder does.
    let (sandbox, folder) = beside("docs/plain", "Thing");
    let outcome = sandbox
        .run(&["--spec", &folder, "--release", "1.20"])
        .succeeds();
    assert_eq!(outcome.stderr, "");
    assert!(
        sandbox
            .read(&format!("{OLD}/thing.rs"))
            .contains("v1.20/old.json")
    );
}

/// Crates from documents of a release have no more than the documents.
#[test]
fn the_release_of_the_documents_is_stated() {
    let stated = |sandbox: &Sandbox, file: &str| {
        let text = sandbox.read(&format!("root/{file}/src/lib.rs"));
        let (_, value) = text.split_once("pub const KUBERNETES").unwrap();
        value
            .split_once(';')
            .unwrap()
            .0
            .split_whitespace()
            .collect::<String>()
    };
    let sandbox = Sandbox::versions();
    sandbox.run(&[]).succeeds();
    assert!(stated(&sandbox, "new-v1").ends_with("new(1,37)"));
    let (sandbox, folder) = beside("docs/v1.36", "Part");
    sandbox.run(&["--spec", &folder]).succeeds();
    assert!(stated(&sandbox, "new-v1").ends_with("new(1,36)"));
    let (sandbox, folder) = beside("docs/plain", "Part");
    sandbox
        .run(&["--spec", &folder, "--release", "1.34"])
        .succeeds();
    assert!(stated(&sandbox, "new-v1").ends_with("new(1,34)"));
}

#[test]
fn a_release_that_the_folder_contradicts() {
    let (sandbox, folder) = beside("docs/v1.30", "Part");
    let before = sandbox.snapshot();
    let outcome = sandbox.run(&["--spec", &folder, "--release", "1.31"]);
    outcome.fails_with(&["--release 1.31", "named after 1.30", "help: "]);
    assert_eq!(sandbox.snapshot(), before);
}

fn without(file: &str, arguments: &[&str]) -> (Sandbox, Outcome) {
    let (sandbox, folder) = beside("docs/v1.30", "Part");
    std::fs::remove_file(sandbox.path("docs/v1.30").join(file)).unwrap();
    let before = sandbox.snapshot();
    let outcome = sandbox.run(&[&["--spec", &folder], arguments].concat());
    if outcome.code != Some(0) {
        assert_eq!(sandbox.snapshot(), before);
    }
    (sandbox, outcome)
}

#[test]
fn a_version_that_the_folder_does_not_have_is_left_out() {
    let (sandbox, outcome) = without("old.json", &[]);
    let outcome = outcome.succeeds();
    assert!(outcome.stderr.contains("note: ") && outcome.stderr.contains("has no old.json"));
    assert!(!outcome.out.contains("old-v1beta1"), "{}", outcome.out);
    assert!(sandbox.path("root/new-v1/src/thing.rs").is_file());
    assert!(!sandbox.path("root/old-v1beta1/Cargo.toml").exists());
    let (_, outcome) = without("old.json", &["new-v1"]);
    assert_eq!(outcome.succeeds().stderr, "", "nothing of it was wanted");
}

#[test]
fn a_crate_that_is_named_must_have_a_document() {
    let parts = ["no old.json", "docs/v1.30", "help: "];
    without("old.json", &["old-v1beta1"]).1.fails_with(&parts);
    without("old.json", &["new-v1", "old-v1beta1"])
        .1
        .fails_with(&parts);
}

#[test]
fn a_folder_without_any_of_the_documents() {
    let sandbox = Sandbox::versions();
    sandbox.write("docs/v1.30/more.json", "{}");
    let folder = sandbox.path("docs/v1.30").display().to_string();
    let before = sandbox.snapshot();
    let outcome = sandbox
        .run(&["--spec", &folder])
        .fails_with(&["no new.json", "help: "]);
    assert!(!outcome.stderr.contains("note: "), "{}", outcome.stderr);
    assert_eq!(sandbox.snapshot(), before);
}

/// The target of the old version is missing, so its conversion can't be worked out.
#[test]
fn a_version_without_the_one_that_it_becomes() {
    let parts = [
        "`new-v1`, into which it is converted, has no documents",
        "help: ",
    ];
    without("new.json", &[]).1.fails_with(&parts);
    without("new.json", &["old-v1beta1"]).1.fails_with(&parts);
}

#[test]
fn a_folder_laid_out_like_our_own() {
    let sandbox = Sandbox::versions();
    for name in ["v1.37/new.json", "v1.21/old.json", "v1.36/old.json"] {
        sandbox.write(
            &format!("docs/{name}"),
            &sandbox.read(&format!("root/spec/{name}")),
        );
    }
    let folder = sandbox.path("docs").display().to_string();
    let outcome = sandbox.run(&["--spec", &folder]).succeeds();
    assert!(
        outcome.out.contains("old-v1beta1: 2 documents read"),
        "{}",
        outcome.out
    );
    // All must be there, since one release can't be why they aren't.
    std::fs::remove_file(sandbox.path("docs/v1.21/old.json")).unwrap();
    let outcome = sandbox.run(&["--spec", &folder]);
    outcome.fails_with(&["no old.json", "docs/v1.21/old.json", "help: ", "docs/v1.36"]);
}

#[test]
fn what_a_named_crate_is_converted_into_is_read_but_not_written() {
    let sandbox = Sandbox::versions();
    let outcome = sandbox.run(&["old-v1beta1"]).succeeds();
    assert!(!outcome.out.contains("new-v1:"), "{}", outcome.out);
    assert!(!sandbox.path("root/new-v1").exists());
    let text = sandbox.read(&format!("{OLD}/thing.rs"));
    assert!(text.contains("new_v1::Thing"), "{text}");
    sandbox.run(&["old-v1beta1", "--check"]).succeeds();
    // It is the same as when all are generated.
    let alone = sandbox.snapshot();
    sandbox.run(&[]).succeeds();
    let all = sandbox.snapshot();
    assert!(alone.iter().all(|(path, file)| all[path] == *file));
    // Its errors count: conversions can't be worked out with them.
    sandbox.edit("root/spec/v1.37/new.json", "\"string\"", "\"file\"");
    sandbox
        .run(&["old-v1beta1"])
        .fails_with(&["unknown type `file`", "new.json"]);
    // The other way round, nothing more is read.
    let sandbox = Sandbox::versions();
    std::fs::remove_dir_all(sandbox.path("root/spec/v1.21")).unwrap();
    sandbox.run(&["new-v1"]).succeeds();
    assert!(!sandbox.path("root/old-v1beta1/Cargo.toml").exists());
}
