//! `cargo xtask codegen`, run as a command in small workspaces.

use std::process::Command;

use crate::common::{Outcome, Sandbox, XTASK, document};

const THING: &str = "root/example-v1/src/thing.rs";

#[test]
fn the_first_run_writes_and_the_second_changes_nothing() {
    let sandbox = Sandbox::new();
    let first = sandbox.run(&[]).succeeds();
    assert!(
        first
            .out
            .contains("example-v1: 1 document read, 2 types and 0 enums")
    );
    assert!(
        first
            .out
            .contains("8 files written, 0 unchanged, 0 removed"),
        "{}",
        first.out
    );
    assert!(sandbox.read(THING).contains("pub struct Thing"));
    assert!(
        sandbox.read(THING).contains("`hello`"),
        "the overlay was not applied"
    );
    assert!(
        sandbox
            .read("root/other-v1/src/other.rs")
            .contains("pub struct Other")
    );
    let before = sandbox.snapshot();
    let second = sandbox.run(&[]).succeeds();
    assert!(
        second
            .out
            .contains("0 files written, 8 unchanged, 0 removed"),
        "{}",
        second.out
    );
    assert_eq!(
        sandbox.snapshot(),
        before,
        "files or their times have changed"
    );
}

#[test]
fn only_the_crates_that_are_named_are_generated() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run(&["other-v1"]).succeeds();
    assert!(!outcome.out.contains("example-v1"), "{}", outcome.out);
    assert!(sandbox.path("root/other-v1/src/lib.rs").is_file());
    assert!(!sandbox.path("root/example-v1").exists());
}

#[test]
fn a_check_of_fresh_files_is_content() {
    let sandbox = Sandbox::generated();
    let before = sandbox.snapshot();
    let outcome = sandbox.run(&["--check"]).succeeds();
    assert!(
        outcome.out.contains("18 generated files are up to date"),
        "{}",
        outcome.out
    );
    assert_eq!(sandbox.snapshot(), before);
}

#[test]
fn a_check_names_what_is_stale_and_writes_nothing() {
    let sandbox = Sandbox::generated();
    sandbox.edit(THING, "pub struct Thing", "pub struct  Thing");
    std::fs::remove_file(sandbox.path("root/other-v1/src/rest.rs")).unwrap();
    let old = sandbox.read(THING);
    sandbox.write("root/other-v1/src/old.rs", &old);
    let before = sandbox.snapshot();
    sandbox.run(&["--check"]).fails_with(&[
        "generated files are stale",
        "example-v1/src/thing.rs (differs)",
        "other-v1/src/rest.rs (missing)",
        "other-v1/src/old.rs (has no source any more)",
        "cargo xtask codegen",
    ]);
    assert_eq!(sandbox.snapshot(), before);
    sandbox.run(&[]).succeeds();
    sandbox.run(&["--check"]).succeeds();
}

#[test]
fn a_change_of_the_document_changes_only_what_it_must() {
    let sandbox = Sandbox::generated();
    let before = sandbox.snapshot();
    sandbox.edit("root/spec/v1.37/others.json", "Other", "Others");
    let outcome = sandbox.run(&[]).succeeds();
    assert!(
        outcome
            .out
            .contains("5 files written, 3 unchanged, 2 removed"),
        "{}",
        outcome.out
    );
    assert!(!sandbox.path("root/other-v1/src/other.rs").exists());
    let after = sandbox.snapshot();
    for name in [
        "example-v1/src/thing.rs",
        "other-v1/src/rest.rs",
        "other-v1/Cargo.toml",
    ] {
        let path = sandbox.path("root").join(name);
        assert_eq!(after[&path], before[&path], "{name}");
    }
}

#[test]
fn generated_files_without_a_source_are_removed_and_others_are_not() {
    let sandbox = Sandbox::generated();
    let text = sandbox.read(THING);
    sandbox.write("root/example-v1/src/gone.rs", &text);
    sandbox.write("root/example-v1/src/deep/gone.rs", &text);
    sandbox.write("root/example-v1/src/own.rs", "// By hand.\n");
    sandbox.write("root/example-v1/README.md", &text);
    let outcome = sandbox.run(&[]).succeeds();
    assert!(outcome.out.contains("2 removed"), "{}", outcome.out);
    assert!(!sandbox.path("root/example-v1/src/gone.rs").exists());
    assert!(!sandbox.path("root/example-v1/src/deep/gone.rs").exists());
    assert!(sandbox.path("root/example-v1/src/own.rs").exists());
    assert!(sandbox.path("root/example-v1/README.md").exists());
}

/// Nobody writes to the pipe: the command must not wait for it.
#[test]
fn folders_and_pipes_in_place_of_files() {
    let places = [
        "codegen.toml",
        "spec/v1.37/things.json",
        "spec/overlays/things.yaml",
        "example-v1/src/thing.rs",
    ];
    for place in places {
        for (what, is_folder) in [("a folder", true), ("not a regular file", false)] {
            let sandbox = Sandbox::generated();
            let path = sandbox.path("root").join(place);
            std::fs::remove_file(&path).unwrap();
            if is_folder {
                std::fs::create_dir(&path).unwrap();
            } else {
                let made = Command::new("mkfifo").arg(&path).status().unwrap();
                assert!(made.success());
            }
            let name = path.file_name().unwrap().to_str().unwrap();
            if place == "codegen.toml" {
                sandbox.run(&[]).fails_with(&["no codegen.toml", "help: "]);
            } else {
                sandbox.run(&[]).fails_with(&[name, what, "help: "]);
            }
        }
    }
}

#[test]
fn a_file_that_is_not_generated_is_not_touched() {
    for name in ["src/thing.rs", "src/lib.rs", "Cargo.toml"] {
        let sandbox = Sandbox::new();
        sandbox.write(&format!("root/example-v1/{name}"), "// By hand.\n");
        let before = sandbox.snapshot();
        for arguments in [&[][..], &["--check"]] {
            let parts = [name, "is not a generated file", "help: "];
            sandbox.run(arguments).fails_with(&parts);
            assert_eq!(sandbox.snapshot(), before, "{name}");
        }
    }
    let sandbox = Sandbox::generated();
    let path = sandbox.path(THING);
    std::fs::write(path, b"\xff\xfe").unwrap();
    sandbox.run(&[]).fails_with(&["is not a generated file"]);
}

#[test]
fn an_error_in_one_document_leaves_everything_as_it_was() {
    let sandbox = Sandbox::generated();
    sandbox.edit("root/spec/v1.37/things.json", "\"A part.\"", "\"Changed.\"");
    sandbox.edit("root/spec/v1.37/others.json", "\"string\"", "\"file\"");
    let before = sandbox.snapshot();
    let outcome = sandbox
        .run(&[])
        .fails_with(&["unknown type `file`", "v1.37/others.json:2"]);
    assert!(outcome.stderr.contains("2 errors"), "{}", outcome.stderr);
    assert_eq!(sandbox.snapshot(), before);
}

#[test]
fn documents_that_are_not_there() {
    let sandbox = Sandbox::generated();
    std::fs::remove_file(sandbox.path("root/spec/v1.37/others.json")).unwrap();
    let before = sandbox.snapshot();
    sandbox
        .run(&[])
        .fails_with(&["no others.json", "v1.37", "help: "]);
    assert_eq!(sandbox.snapshot(), before);
    // Another release has it, so that is what is proposed.
    sandbox.write("root/spec/v1.36/others.json", &document("Other", "Rest"));
    sandbox.run(&[]).fails_with(&["help: ", "v1.36"]);
    std::fs::remove_file(sandbox.path("root/spec/overlays/things.yaml")).unwrap();
    sandbox
        .run(&["example-v1"])
        .fails_with(&["can't read", "things.yaml"]);
    std::fs::write(sandbox.path("root/spec/v1.37/things.json"), b"\xff").unwrap();
    sandbox
        .run(&["example-v1"])
        .fails_with(&["can't read", "things.json"]);
}

/// One run should report all of them, as it does for errors in documents.
#[test]
fn all_documents_that_are_not_there_are_told_at_once() {
    let sandbox = Sandbox::new();
    std::fs::remove_dir_all(sandbox.path("root/spec/v1.37")).unwrap();
    sandbox.run(&[]).fails_with(&["things.json", "others.json"]);
}

#[test]
fn a_crate_that_is_not_known() {
    let sandbox = Sandbox::new();
    let before = sandbox.snapshot();
    let parts = ["no crate `missing`", "example-v1", "other-v1"];
    sandbox.run(&["example-v1", "missing"]).fails_with(&parts);
    assert_eq!(sandbox.snapshot(), before);
}

#[test]
fn a_configuration_that_is_wrong() {
    let sandbox = Sandbox::new();
    sandbox.edit("root/codegen.toml", "\"other-v1\"", "\"../other\"");
    sandbox
        .run(&[])
        .fails_with(&["`../other` can't be the name of a crate"]);
    sandbox.write("root/codegen.toml", "[[crate]\n");
    sandbox.run(&[]).fails_with(&["codegen.toml:1"]);
}

#[test]
fn another_folder_of_documents() {
    let sandbox = Sandbox::generated();
    let older = document("Thing", "Older");
    sandbox.write("elsewhere/v1.34/things.json", &older);
    sandbox.write("elsewhere/plain/things.json", &older);
    let folder = |name: &str| sandbox.path("elsewhere").join(name).display().to_string();
    let run = |arguments: &[&str]| sandbox.run(&[&["example-v1"], arguments].concat());
    // The folder's name is the release; the overlay says nothing about that release.
    run(&["--spec", &folder("v1.34")]).succeeds();
    let text = sandbox.read(THING);
    assert!(
        text.contains("v1.34/things.json") && !text.contains("`hello`"),
        "{text}"
    );
    assert!(sandbox.path("root/example-v1/src/older.rs").is_file());
    assert!(!sandbox.path("root/example-v1/src/part.rs").exists());
    // Otherwise it is that of the configuration, and a note says so.
    let stderr = run(&["--spec", &folder("plain")]).succeeds().stderr;
    assert!(
        stderr.contains("note: ") && stderr.contains("--release"),
        "{stderr}"
    );
    assert!(sandbox.read(THING).contains("v1.37/things.json"));
    run(&["--spec", &folder("plain"), "--release", "1.36"]).succeeds();
    let text = sandbox.read(THING);
    assert!(
        text.contains("v1.36/things.json") && text.contains("`hello`"),
        "{text}"
    );
    // A folder that is laid out like spec/, and one that isn't there.
    run(&["--spec", &sandbox.path("root/spec").display().to_string()]).succeeds();
    assert!(sandbox.read(THING).contains("v1.37/things.json"));
    run(&["--spec", &folder("missing")]).fails_with(&["no things.json", "missing"]);
}

#[test]
fn outside_a_workspace() {
    let sandbox = Sandbox::new();
    let mut command = Command::new(XTASK);
    command.arg("codegen").current_dir(sandbox.path(""));
    let outcome = Outcome::of(&mut command);
    outcome.fails_with(&["no codegen.toml", "help: run this inside the workspace"]);
    // From a folder inside, the workspace around it is found.
    let mut command = Command::new(XTASK);
    command
        .arg("codegen")
        .current_dir(sandbox.path("root/spec/overlays"));
    Outcome::of(&mut command).succeeds();
    assert!(sandbox.path(THING).is_file());
}

#[test]
fn every_command_has_help_that_names_its_options() {
    for (command, names) in [
        (&[][..], &["codegen", "e2e", "spec"][..]),
        (
            &["codegen"],
            &["--check", "--spec", "--out", "--release", "[CRATE]"],
        ),
        (&["e2e"], &["--build-only", "[ARGS]", "KUBEBUILDER_ASSETS"]),
        (&["spec"], &["verify"]),
        (&["spec", "verify"], &["--upstream", "--release"]),
    ] {
        let mut xtask = Command::new(XTASK);
        let outcome = Outcome::of(xtask.args(command).arg("--help")).succeeds();
        for name in names {
            assert!(
                outcome.out.contains(name),
                "{command:?}: no {name}:\n{}",
                outcome.out
            );
        }
        // It is run as a cargo alias, so that is what is to be typed.
        assert!(
            outcome.out.contains("Usage: cargo xtask"),
            "{command:?}:\n{}",
            outcome.out
        );
    }
}

/// 0 for success, 1 for an error of the input, 2 for a command that isn't one.
#[test]
fn exit_codes() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&[]).code, Some(0));
    assert_eq!(sandbox.run(&["missing"]).code, Some(1));
    for arguments in [
        &["--unknown"][..],
        &["--spec"],
        &["--release", "1.36"],
        &["--spec", "spec", "--release", "soon"],
    ] {
        let outcome = sandbox.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(!outcome.stderr.contains("panicked"));
    }
    let mut none = Command::new(XTASK);
    assert_eq!(Outcome::of(&mut none).code, Some(2));
}
