//! The crate that bundles the others.

use crate::common::Sandbox;

fn with_bundle() -> Sandbox {
    let sandbox = Sandbox::versions();
    let text = sandbox.read("root/codegen.toml");
    let bundle = "\n[bundle]\nname = \"all\"\ndescription = \"All versions\"\n";
    sandbox.write("root/codegen.toml", &(text + bundle));
    sandbox
}

#[test]
fn it_is_generated_after_the_others() {
    let sandbox = with_bundle();
    sandbox.run(&[]).succeeds();
    let lib = sandbox.read("root/all/src/lib.rs");
    assert!(
        lib.contains("pub use new_v1;\npub use old_v1beta1;\n"),
        "{lib}"
    );
    let kinds = sandbox.read("root/all/src/kinds.rs");
    assert!(
        kinds.contains("old_v1beta1_thing: $crate::old_v1beta1::Thing"),
        "{kinds}"
    );
    sandbox.run(&["--check"]).succeeds();
    sandbox.edit("root/all/src/kinds.rs", "new_v1_thing", "new_v1_things");
    sandbox
        .run(&["--check"])
        .fails_with(&["all/src/kinds.rs (differs)"]);
}

#[test]
fn it_is_left_alone_where_others_are_named() {
    let sandbox = with_bundle();
    sandbox.run(&["new-v1"]).succeeds();
    assert!(!sandbox.path("root/all").exists());
    sandbox.run(&["all"]).succeeds();
    assert!(sandbox.path("root/all/src/lib.rs").is_file());
    assert!(!sandbox.path("root/old-v1beta1/src/lib.rs").exists());
    sandbox
        .run(&["missing"])
        .fails_with(&["no crate `missing`", "old-v1beta1, all"]);
}

#[test]
fn it_has_what_there_is_of_one_release() {
    let sandbox = with_bundle();
    let new = sandbox.read("root/spec/v1.37/new.json");
    sandbox.write("docs/v1.37/new.json", &new);
    let docs = sandbox.path("docs/v1.37").display().to_string();
    sandbox.run(&["--spec", &docs]).succeeds();
    let lib = sandbox.read("root/all/src/lib.rs");
    assert!(
        lib.contains("new_v1") && !lib.contains("old_v1beta1"),
        "{lib}"
    );
}
