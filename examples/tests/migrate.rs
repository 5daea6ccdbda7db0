//! The example of a migration, whose output docs/conversion.md shows.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn migrate(folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_migrate"));
    command.arg(folder).current_dir(root()).output().unwrap()
}

/// `UPDATE_GOLDEN=1` writes the files.
fn assert_is(name: &str, found: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let found = std::str::from_utf8(found).unwrap();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&path).unwrap(), "{name}");
}

#[test]
fn every_manifest_becomes_v1() {
    let output = migrate(Path::new("examples/manifests"));
    assert!(output.status.success());
    assert_is("migrated.yaml", &output.stdout);
    assert_is("report.txt", &output.stderr);
}

/// The documentation shows the first and the last lines of the report.
#[test]
fn the_documentation_is_true() {
    let text = fs::read_to_string(root().join("docs/conversion.md")).unwrap();
    let (_, shown) = text.split_once("```text\n").unwrap();
    let (first, last) = shown.split_once("```").unwrap().0.split_once("…\n").unwrap();
    let report = migrate(Path::new("examples/manifests")).stderr;
    let report = String::from_utf8(report).unwrap();
    assert!(report.starts_with(first) && report.ends_with(last), "{report}");
}

/// Objects that are v1 already stay the same, to the byte, annotations included.
#[test]
fn migrating_twice_changes_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("twice");
    fs::create_dir_all(&folder).unwrap();
    let once = migrate(Path::new("examples/manifests")).stdout;
    fs::write(folder.join("v1.yaml"), &once).unwrap();
    let twice = migrate(&folder);
    assert_eq!(twice.stdout, once);
    let report = String::from_utf8(twice.stderr).unwrap();
    assert!(report.lines().all(|line| line.ends_with("stays as it is")), "{report}");
}

#[test]
fn what_can_not_be_read_is_named_and_nothing_is_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad");
    for (text, expected) in [
        ("apiVersion: storage.k8s.io/v2\nkind: CSINode\n", "storage.k8s.io/v2"),
        (
            "apiVersion: storage.k8s.io/v1beta1\nkind: CSIDriver\nspec:\n  attachRequired: 1\n",
            "spec.attachRequired",
        ),
        ("kind: CSIDriver\n", "apiVersion"),
        ("a: [\n", "bad.yaml"),
    ] {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let good =
            "apiVersion: storage.k8s.io/v1beta1\nkind: StorageClass\nprovisioner: x\n";
        fs::write(folder.join("a.yaml"), good).unwrap();
        fs::write(folder.join("bad.yaml"), text).unwrap();
        let output = migrate(&folder);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(output.stdout.is_empty(), "{text}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("bad.yaml") && error.contains(expected), "{error}");
    }
    let _ = fs::remove_dir_all(&folder);
    let error = String::from_utf8(migrate(&folder).stderr).unwrap();
    assert!(error.starts_with("error: "), "{error}");
}
