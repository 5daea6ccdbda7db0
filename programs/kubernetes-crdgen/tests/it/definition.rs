//! The part `definition`.

use super::{DEFINITION, Folder};

#[test]
fn a_crate_has_its_definition_on_demand() {
    let folder = Folder::new();
    let run = |parts: &str| {
        let outcome = folder.run(&["boats.yaml", "--out", "crates", "--parts", parts]);
        assert!(outcome.succeeded, "{}", outcome.errors);
        let manifest = folder.read("crates/example-com-v1/Cargo.toml");
        manifest.parse::<toml::Table>().unwrap()
    };
    assert!(run("types")["dependencies"].get("kube-core").is_none());
    assert!(
        !folder
            .path("crates/example-com-v1/src/definition.rs")
            .exists()
    );
    let manifest = run("definition");
    let kube = &manifest["dependencies"]["kube-core"];
    assert_eq!(kube["optional"].as_bool(), Some(true));
    assert_eq!(kube["default-features"].as_bool(), Some(false));
    let features = manifest["features"].as_table().unwrap();
    assert_eq!(features.len(), 1);
    assert_eq!(features["definition"][0].as_str(), Some("dep:kube-core"));
    let file = folder.read("crates/example-com-v1/src/definition.rs");
    for part in [
        r#"\"metadata\":{\"name\":\"boats.example.com\"}"#,
        // All versions are in the text, whatever the crate's own is.
        r#"\"name\":\"v1beta1\""#,
        "impl kube_core::CustomResourceExt for Boat",
    ] {
        assert!(file.contains(part), "no {part}:\n{file}");
    }
    let readme = folder.read("crates/example-com-v1/README.md");
    assert!(readme.contains("| `definition` |"), "{readme}");
    // It adds nothing that only other parts need.
    let types = folder.read("crates/example-com-v1/src/boat.rs");
    assert!(!types.contains("kubernetes_kinds::Kind"), "{types}");
}

/// Every part is there unless some are named, and a file can't have this one.
#[test]
fn it_is_among_all_parts() {
    let folder = Folder::new();
    assert!(folder.run(&["boats.yaml", "--out", "crates"]).succeeded);
    assert!(
        folder
            .path("crates/example-com-v1/src/definition.rs")
            .exists()
    );
    let arguments = ["boats.yaml", "--out", "src", "--single-file", "--parts"];
    folder
        .run(&[arguments.as_slice(), &["definition"]].concat())
        .fails_with("--single-file can't have the part definition");
}

/// What no server would take is no definition to apply.
#[test]
fn types_of_keywords_are_those_of_a_server() {
    let folder = Folder::new();
    for (part, wrong, message) in [
        (
            "storage: true",
            "storage: 'true'",
            "spec.versions[0].storage is not true or false",
        ),
        (
            "metadata: {name: boats.example.com}",
            "metadata: {name: boats.example.com, labels: {sails: 2}}",
            "metadata.labels.sails is not a text",
        ),
        (
            "names: {kind: Boat, plural: boats}",
            "names: {kind: Boat, plural: boats, shortNames: bo}",
            "spec.names.shortNames is not a list",
        ),
        (
            "served: true\n      schema: {openAPIV3Schema: {type: object}}",
            "served: true\n      schema: {openAPIV3Schema: {type: object, description: [1]}}",
            "spec.versions[1].schema.openAPIV3Schema.description is not a text",
        ),
    ] {
        let definition = DEFINITION.replace(part, wrong);
        assert_ne!(definition, DEFINITION);
        let arguments = ["-", "--out", "crates", "--parts", "definition"];
        folder
            .run_reading(&arguments, &definition)
            .fails_with(&format!("no server reads the definition: {message}"));
    }
}
