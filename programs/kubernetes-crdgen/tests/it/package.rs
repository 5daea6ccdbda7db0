//! What the manifests of crates say for publishing.

use std::fs;

use super::{DEFINITION, Folder};

#[test]
fn keys_of_the_package_are_those_that_are_given() {
    let folder = Folder::new();
    let run = |keys: &[&str]| {
        let keys = keys.iter().flat_map(|key| ["--package", *key]);
        let arguments = ["boats.yaml", "--out", "crates", "--only", "v1"];
        folder.run(&Vec::from_iter(arguments.into_iter().chain(keys)))
    };
    let outcome = run(&[
        "license = \"MIT\"",
        "version = \"2.0.0-rc.1\"",
        "description = \"Boats\"",
        "publish = [\"mine\"]",
    ]);
    assert!(outcome.succeeded, "{}", outcome.errors);
    let manifest = folder.read("crates/example-com-v1/Cargo.toml");
    let manifest: toml::Table = manifest.parse().unwrap();
    let package = &manifest["package"];
    assert_eq!(package["license"].as_str(), Some("MIT"));
    assert_eq!(package["version"].as_str(), Some("2.0.0-rc.1"));
    assert_eq!(package["description"].as_str(), Some("Boats"));
    assert_eq!(package["publish"][0].as_str(), Some("mine"));
    assert_eq!(package["readme"].as_str(), Some("README.md"));
    for (key, message) in [
        (
            "license",
            "--package license: it is no line of a Cargo.toml",
        ),
        ("name = \"boats\"", "`name` can't be set in [package]"),
        ("edition = \"2018\"", "`edition` can't be set in [package]"),
        ("version = 2", "invalid type: integer `2`"),
    ] {
        run(&[key]).fails_with(message);
    }
}

/// A file beside a definition that only refers to one.
#[test]
fn a_file_of_a_folder_may_only_mention_definitions() {
    let folder = Folder::new();
    let other = "{\"kind\": \"Usage\", \"of\": {\"kind\": \"CustomResourceDefinition\"}}";
    fs::create_dir_all(folder.path("all/other")).unwrap();
    fs::write(folder.path("all/other/usage.json"), other).unwrap();
    folder
        .run(&["all", "--out", "crates"])
        .fails_with("no CustomResourceDefinition in any of the files");
    fs::write(folder.path("all/boats.yaml"), DEFINITION).unwrap();
    let outcome = folder.run(&["all", "--out", "crates", "--parts", "types"]);
    assert!(outcome.succeeded, "{}", outcome.errors);
    // One that is named is meant.
    folder
        .run(&["all", "all/other/usage.json", "--out", "crates"])
        .fails_with("no CustomResourceDefinition\n  --> all/other/usage.json");
}

/// A list as a server prints it, in JSON, and one without any definition.
#[test]
fn lists_come_from_the_standard_input() {
    let folder = Folder::new();
    let list = r#"{"kind": "List", "apiVersion": "v1", "items": [
        {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "beside"}},
        {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
         "metadata": {"name": "oars.example.com"},
         "spec": {"group": "example.com", "scope": "Cluster",
                  "names": {"kind": "Oar", "plural": "oars"},
                  "versions": [{"name": "v1", "served": true, "storage": true,
                                "schema": {"openAPIV3Schema": {"type": "object"}}}]}}]}"#;
    let arguments = ["-", "--out", "crates", "--parts", "types"];
    let outcome = folder.run_reading(&arguments, list);
    assert!(outcome.succeeded, "{}", outcome.errors);
    assert!(folder.path("crates/example-com-v1/src/oar.rs").is_file());
    let unserved = list.replace("\"served\": true", "\"served\": false");
    folder
        .run_reading(&arguments, &unserved)
        .fails_with("no version of Oar of example.com is served\n  --> -");
    for empty in [
        "",
        "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": []}",
    ] {
        folder
            .run_reading(&arguments, empty)
            .fails_with("no CustomResourceDefinition\n  --> -");
    }
}
