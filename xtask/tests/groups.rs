//! All documents of a release of Kubernetes, each as a crate that uses the others: they are generated,
//! they compile and have documentation without a warning, and Kubernetes' fixtures come back as they
//! were.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Outcome, XTASK, real_root};
use serde_json::Value;

const BUNDLE: &str = "all-groups";

/// Reads each fixture whose kind is registered, and compares what is written; but for those with
/// what Go of later releases adds, fields of which these documents know nothing.
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

/// The group-versions of the documents in a folder: the file, the name of the crate, and what the
/// names of its schemas start with.
fn documents(folder: &Path) -> Vec<(String, String, String)> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names.retain(|name| name.contains("__v") && name.ends_with("_openapi.json"));
    let one = |file: String| {
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let (start, version) =
            file.strip_suffix("_openapi.json")?.rsplit_once("__").unwrap();
        let group = start.strip_prefix("apis__").unwrap_or("core");
        let group = match group {
            "internal.apiserver.k8s.io" => "apiserverinternal",
            group => group.split('.').next().unwrap(),
        };
        let end = format!(".{group}.{version}.");
        let schemas = document["components"]["schemas"].as_object()?.keys();
        let prefixes: BTreeSet<_> = schemas
            .map(|name| &name[..=name.rfind('.').unwrap()])
            .filter(|prefix| prefix.ends_with(&end))
            .collect();
        let prefix = prefixes.first().expect(&file).to_owned().to_owned();
        assert_eq!(prefixes.len(), 1, "{file}");
        let name = format!("{group}-{version}");
        Some((file.clone(), name, prefix))
    };
    names.into_iter().filter_map(one).collect()
}

/// Writes the workspace in which the crates are generated.
fn workspace(
    root: &Path,
    folder: &Path,
    release: &str,
    documents: &[(String, String, String)],
) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("fixtures/src")).unwrap();
    fs::create_dir_all(folder.join("spec/overlays")).unwrap();
    let mut config = format!(
        "newest = \"{}\"\n\n[bundle]\nname = \"{BUNDLE}\"\ndescription = \"All groups\"\n\n\
         [[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n\n\
         [[extern]]\nprefix = \"io.k8s.api.\"\npath = \"k8s_openapi::api\"\n",
        release.trim_start_matches('v')
    );
    for (file, name, prefix) in documents {
        write!(
            config,
            "\n[[crate]]\nname = \"{name}\"\ndescription = \"Types of {name}\"\n\n\
             [[crate.document]]\nfile = \"{file}\"\nprefix = \"{prefix}\"\n\n\
             [[extern]]\nprefix = \"{prefix}\"\npath = \"{}\"\n",
            name.replace('-', "_")
        )
        .unwrap();
    }
    fs::write(folder.join("codegen.toml"), config).unwrap();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut manifest: toml::Table = manifest.parse().unwrap();
    let workspace = manifest["workspace"].as_table_mut().unwrap();
    let crates = documents.iter().map(|(_, name, _)| name.as_str());
    let crates: Vec<_> = crates.chain([BUNDLE]).collect();
    let members = crates.iter().chain(&["fixtures"]).map(|name| (*name).into());
    workspace.insert("members".to_owned(), toml::Value::Array(members.collect()));
    let dependencies = workspace["dependencies"].as_table_mut().unwrap();
    let support = ["kubernetes-kinds", "kubernetes-manifests", "kubernetes-validation"];
    dependencies.retain(|name, dependency| {
        dependency.get("path").is_none() || support.contains(&name)
    });
    for krate in support {
        dependencies[krate]["path"] = root.join(krate).display().to_string().into();
    }
    for krate in crates {
        let path = toml::Table::from_iter([("path".to_owned(), krate.into())]);
        dependencies.insert(krate.to_owned(), path.into());
    }
    fs::write(folder.join("Cargo.toml"), manifest.to_string()).unwrap();
    fs::write(
        folder.join("fixtures/Cargo.toml"),
        format!(
            "[package]\nname = \"fixtures\"\nedition.workspace = true\n\n[dependencies]\n\
             {BUNDLE} = {{ workspace = true, features = [\"manifests\"] }}\n\
             kubernetes-manifests.workspace = true\nserde_json.workspace = true\n"
        ),
    )
    .unwrap();
    fs::write(folder.join("fixtures/src/lib.rs"), format!("#[cfg(test)]{FIXTURES}"))
        .unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
}

fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    let mut command = Command::new(env!("CARGO"));
    command
        .args(arguments)
        .arg("--offline")
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", "-Dwarnings")
        .env("RUSTDOCFLAGS", "-Dwarnings");
    command
}

fn upstream(root: &Path) -> PathBuf {
    let upstream = std::env::var_os("UPSTREAM_DIR");
    root.join(upstream.expect("UPSTREAM_DIR names a folder with openapi/vRELEASE"))
}

/// Generates all crates of a release in a workspace and returns that.
fn generated(root: &Path, release: &str) -> PathBuf {
    let spec = upstream(root).join("openapi").join(release);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("groups").join(release);
    let documents = documents(&spec);
    assert!(documents.len() > 30, "{release}: {}", documents.len());
    workspace(root, &folder, release, &documents);
    let mut command = Command::new(XTASK);
    command.args(["codegen", "--spec"]).arg(&spec).current_dir(&folder);
    Outcome::of(&mut command).succeeds();
    folder
}

/// Of the releases of which all documents are there, the newest has all of the older ones' kinds but
/// some, so that these are checked with all features only.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn every_document_becomes_a_crate() {
    let Some(root) = real_root() else { return };
    let all = ["check", "--workspace", "--all-features", "--quiet"];
    for release in ["v1.31", "v1.34"] {
        let folder = generated(&root, release);
        Outcome::of(&mut cargo(&folder, &all)).succeeds();
    }
    let folder = generated(&root, "v1.36");
    Outcome::of(&mut cargo(&folder, &all)).succeeds();
    let doc = ["doc", "--workspace", "--no-deps", "--all-features", "--quiet"];
    Outcome::of(&mut cargo(&folder, &doc)).succeeds();
    let mut test = cargo(&folder, &["test", "-p", "fixtures", "--lib", "--quiet"]);
    let fixtures = upstream(&root).join("golden/v1.34.0");
    let outcome =
        Outcome::of(test.arg("--").arg("--nocapture").env("FIXTURES", fixtures));
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.stderr);
    println!("{}", outcome.out);
}
