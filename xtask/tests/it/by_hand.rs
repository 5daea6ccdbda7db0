//! Hand-written files that generated code calls.

use std::fs;

use crate::common::{RULES, Sandbox};

const OWN: &str = "root/old-v1beta1/src/rules.rs";
const COPY: &str = "out/old-v1beta1/src/rules.rs";

/// A workspace and the path of a folder beside it.
fn with_out() -> (Sandbox, String) {
    let sandbox = Sandbox::versions();
    let out = sandbox.path("out").display().to_string();
    (sandbox, out)
}

#[test]
fn they_come_along() {
    let (sandbox, out) = with_out();
    sandbox.run(&["--out", &out]).succeeds();
    assert_eq!(sandbox.read(COPY), RULES);
    assert!(
        sandbox
            .read("out/old-v1beta1/src/lib.rs")
            .contains("mod rules;")
    );
    let before = sandbox.snapshot();
    assert_eq!(sandbox.run(&["--out", &out]).succeeds().stderr, "");
    assert_eq!(sandbox.snapshot(), before);
    fs::remove_file(sandbox.path(COPY)).unwrap();
    let stale = ["old-v1beta1/src/rules.rs (missing)"];
    sandbox.run(&["--out", &out, "--check"]).fails_with(&stale);
    sandbox.run(&["--out", &out]).succeeds();
    assert_eq!(sandbox.read(COPY), RULES);
}

#[test]
fn others_of_their_name_are_left_alone() {
    let (sandbox, out) = with_out();
    sandbox.write(COPY, "// Better.\n");
    for arguments in [&["--out", &*out][..], &["--out", &out, "--check"]] {
        let stderr = sandbox.run(arguments).succeeds().stderr;
        assert!(
            stderr.contains("note: ") && stderr.contains("rules.rs differs"),
            "{stderr}"
        );
        assert_eq!(sandbox.read(COPY), "// Better.\n");
    }
    // One that was generated is ours to replace.
    let generated = sandbox.read("out/old-v1beta1/src/thing.rs");
    sandbox.write(COPY, &generated);
    assert_eq!(sandbox.run(&["--out", &out]).succeeds().stderr, "");
    assert_eq!(sandbox.read(COPY), RULES);
}

#[test]
fn they_do_not_come_if_anything_is_wrong() {
    let (sandbox, out) = with_out();
    sandbox.write("out/Cargo.toml", "[workspace]\n");
    let before = sandbox.snapshot();
    sandbox
        .run(&["--out", &out])
        .fails_with(&["Cargo.toml is not a generated file"]);
    assert_eq!(sandbox.snapshot(), before);
}

#[test]
fn a_missing_one_is_told() {
    let (sandbox, out) = with_out();
    fs::remove_file(sandbox.path(OWN)).unwrap();
    let before = sandbox.snapshot();
    for arguments in [&[][..], &["--check"], &["--out", &out], &["old-v1beta1"]] {
        sandbox.run(arguments).fails_with(&[
            "old-v1beta1/src/rules.rs is not there",
            "codegen.toml, the conversion rules for `com.example.v1beta1.Thing`",
            "help: write a file of that name with the functions `back`, `forth`",
        ]);
        assert_eq!(sandbox.snapshot(), before);
    }
    // A crate that doesn't call it doesn't need it.
    sandbox.run(&["new-v1"]).succeeds();
}

#[test]
fn those_that_the_crate_lists_come_along_too() {
    let (sandbox, out) = with_out();
    let listed = "name = \"new-v1\"\nby-hand = [\"pub more\"]";
    sandbox.edit("root/codegen.toml", "name = \"new-v1\"", listed);
    sandbox.run(&[]).fails_with(&[
        "new-v1/src/more.rs is not there",
        "codegen.toml, `by-hand` of the crate",
        "help: write a file of that name",
    ]);
    sandbox.write("root/new-v1/src/more.rs", "//! More.\n");
    sandbox.run(&["--out", &out]).succeeds();
    assert_eq!(sandbox.read("out/new-v1/src/more.rs"), "//! More.\n");
    assert!(
        sandbox
            .read("out/new-v1/src/lib.rs")
            .contains("pub mod more;")
    );
    // It isn't a file that was generated once and no longer has a source.
    sandbox.run(&[]).succeeds();
    assert_eq!(sandbox.read("root/new-v1/src/more.rs"), "//! More.\n");
    sandbox.run(&["--check"]).succeeds();
}

/// A crate whose overlays name functions of a module of its own.
fn with_rules() -> (Sandbox, String) {
    let (sandbox, out) = with_out();
    let rules = "name = \"new-v1\"\nrules = \"crate::rules\"";
    sandbox.edit("root/codegen.toml", "name = \"new-v1\"", rules);
    (sandbox, out)
}

#[test]
fn a_missing_module_of_rules_is_reported() {
    let (sandbox, out) = with_rules();
    let before = sandbox.snapshot();
    for arguments in [&[][..], &["--check"], &["--out", &out]] {
        sandbox.run(arguments).fails_with(&[
            "new-v1/src/rules.rs is not there",
            "codegen.toml, `rules` of the crate",
            "help: write a file of that name, or a folder src/rules with a mod.rs",
        ]);
        assert_eq!(sandbox.snapshot(), before);
    }
    // A folder without its root isn't a module.
    sandbox.write("root/new-v1/src/rules/text.rs", "//! Texts.\n");
    sandbox
        .run(&[])
        .fails_with(&["new-v1/src/rules.rs is not there"]);
}

#[test]
fn a_folder_of_rules_comes_along_whole() {
    let (sandbox, out) = with_rules();
    let files = [
        ("mod.rs", "//! Rules.\n\nmod parts;\nmod text;\n"),
        ("text.rs", "//! Texts.\n"),
        ("parts/mod.rs", "//! Parts.\n"),
    ];
    for (name, text) in files {
        sandbox.write(&format!("root/new-v1/src/rules/{name}"), text);
    }
    sandbox.run(&["--out", &out]).succeeds();
    for (name, text) in files {
        assert_eq!(sandbox.read(&format!("out/new-v1/src/rules/{name}")), text);
    }
    let gated = "#[cfg(feature = \"validation\")]\nmod rules;";
    assert!(sandbox.read("out/new-v1/src/lib.rs").contains(gated));
    fs::remove_file(sandbox.path("out/new-v1/src/rules/text.rs")).unwrap();
    let stale = ["new-v1/src/rules/text.rs (missing)"];
    sandbox.run(&["--out", &out, "--check"]).fails_with(&stale);
    // In place, the files are there already and stay as they are.
    sandbox.run(&[]).succeeds();
    sandbox.run(&["--check"]).succeeds();
    assert_eq!(
        sandbox.read("root/new-v1/src/rules/text.rs"),
        "//! Texts.\n"
    );
}

#[test]
fn a_single_file_of_rules_may_have_a_folder() {
    let (sandbox, out) = with_rules();
    sandbox.write("root/new-v1/src/rules.rs", "//! Rules.\n\nmod text;\n");
    sandbox.write("root/new-v1/src/rules/text.rs", "//! Texts.\n");
    sandbox.run(&["--out", &out]).succeeds();
    assert!(sandbox.path("out/new-v1/src/rules.rs").is_file());
    assert!(sandbox.path("out/new-v1/src/rules/text.rs").is_file());
}

/// `thing` is the file of the type `Thing`.
#[test]
fn a_generated_file_is_not_written_by_hand() {
    let sandbox = Sandbox::versions();
    sandbox.edit("root/codegen.toml", "crate::rules::", "crate::thing::");
    sandbox.write("root/old-v1beta1/src/thing.rs", RULES);
    let before = sandbox.snapshot();
    let parts = [
        "`crate::thing::forth` is in a file that is generated",
        "help: ",
    ];
    sandbox.run(&[]).fails_with(&parts);
    assert_eq!(sandbox.snapshot(), before);
}

#[test]
fn the_crate_that_others_become_is_beside_them() {
    let (sandbox, out) = with_out();
    let path = |sandbox: &Sandbox| {
        let manifest: toml::Table = sandbox.read("out/Cargo.toml").parse().unwrap();
        let path = &manifest["workspace"]["dependencies"]["new-v1"]["path"];
        path.as_str().unwrap().to_owned()
    };
    sandbox.run(&["--out", &out]).succeeds();
    assert_eq!(path(&sandbox), "new-v1");
    // It stays so if only one crate is generated again.
    assert_eq!(
        sandbox
            .run(&["old-v1beta1", "--out", &out])
            .succeeds()
            .stderr,
        ""
    );
    assert_eq!(path(&sandbox), "new-v1");
    // If it has never been generated there, it is that of the workspace.
    let (sandbox, out) = with_out();
    let stderr = sandbox
        .run(&["old-v1beta1", "--out", &out])
        .succeeds()
        .stderr;
    assert!(
        stderr.contains("note: ") && stderr.contains("no new-v1"),
        "{stderr}"
    );
    assert_eq!(
        path(&sandbox),
        sandbox.path("root/new-v1").display().to_string()
    );
}
