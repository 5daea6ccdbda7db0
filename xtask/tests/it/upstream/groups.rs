//! All documents of a release of Kubernetes, each as a crate that uses the others: they are
//! generated, they compile and have documentation without a warning, and Kubernetes' fixtures come
//! back as they were.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask_testing::every::{BUNDLE, documents, workspace};
use xtask_testing::nested::{SHARED, share_dependencies, strict};
use xtask_testing::{upstream, upstream_part};

use crate::common::{Outcome, XTASK, cargo, real_root};

/// Reads each fixture whose kind is registered, and compares what is written; leaves out those with
/// fields that Go of later releases adds, which these documents don't know.
const FIXTURES: &str = r#"
#[test]
fn fixtures_come_back() {
    let mut scheme = kubernetes_manifests::scheme::Scheme::new();
    all_groups::add_to_scheme(&mut scheme);
    let mut seen = 0;
    for entry in std::fs::read_dir(std::env::var_os("FIXTURES").unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if !name.ends_with(".json") || name.contains("after_roundtrip") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let wanted: serde_json::Value = serde_json::from_str(&text).unwrap();
        let objects = scheme.decode_json_all(&text).unwrap();
        for object in objects.iter().filter(|object| object.as_value().is_none()) {
            assert_eq!(object.to_value().unwrap(), wanted, "{}", path.display());
            seen += 1;
        }
    }
    println!("{seen} fixtures");
    assert!(seen > 10, "{seen}");
}
"#;

/// Generates all crates of a release in a workspace and returns that.
fn generated(root: &Path, release: &str) -> PathBuf {
    let spec = upstream(root).join("openapi").join(release);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("groups")
        .join(release);
    let documents = documents(&spec);
    assert!(documents.len() > 30, "{release}: {}", documents.len());
    workspace(root, &folder, release, &documents, &["fixtures"]);
    fs::create_dir_all(folder.join("fixtures/src")).unwrap();
    fs::write(
        folder.join("fixtures/Cargo.toml"),
        format!(
            "[package]\nname = \"fixtures\"\nedition.workspace = true\n\n[dependencies]\n\
             {BUNDLE} = {{ workspace = true, features = [\"manifests\"] }}\n\
             kubernetes-manifests.workspace = true\nserde_json.workspace = true\n\
             {SHARED} = {{ path = \"../{SHARED}\" }}\n"
        ),
    )
    .unwrap();
    fs::write(
        folder.join("fixtures/src/lib.rs"),
        format!("#[cfg(test)]{FIXTURES}"),
    )
    .unwrap();
    let mut command = Command::new(XTASK);
    command
        .args(["codegen", "--spec"])
        .arg(&spec)
        .current_dir(&folder);
    Outcome::of(&mut command).succeeds();
    share_dependencies(root, &folder);
    folder
}

/// Almost all kinds of older releases are in the newest one too, so older ones are checked with all
/// features only. Go modules have the documents of 1.35; those of 1.36 are published by a server.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn every_document_becomes_a_crate() {
    let Some(root) = real_root() else { return };
    let all = ["--workspace", "--all-features"];
    for release in ["v1.31", "v1.34"] {
        let folder = generated(&root, release);
        strict(cargo(&folder, "check").args(all));
    }
    let newest = match upstream_part(&root, "openapi/v1.36") {
        Some(_) => "v1.36",
        None => "v1.35",
    };
    let folder = generated(&root, newest);
    strict(cargo(&folder, "check").args(all));
    strict(cargo(&folder, "doc").args(all).arg("--no-deps"));
    let mut test = cargo(&folder, "test");
    test.args(["-p", "fixtures", "--lib"]);
    let fixtures = upstream(&root).join("golden/v1.34.0");
    let outcome = strict(test.arg("--").arg("--nocapture").env("FIXTURES", fixtures));
    println!("{}", outcome.out);
}
