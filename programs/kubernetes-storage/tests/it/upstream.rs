//! Manifests from public repositories.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::texts;

/// Returns the manifests of CSI drivers, which no Go module has.
fn upstream() -> Option<PathBuf> {
    let upstream = std::env::var_os("UPSTREAM_DIR").expect("UPSTREAM_DIR is set");
    // A relative path is relative to the root of the workspace.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let folder = root.join(upstream).join("manifests");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("left out: UPSTREAM_DIR has no manifests, which no Go module has");
    None
}

/// The only object that a server rejects, and the paths of its errors: it has the fields of
/// v1alpha1 under the name of v1, so that it has no source.
const WRONG: (&str, [&str; 4]) = (
    "csi-block-pvc-snapshot.yaml",
    [
        "spec.snapshotClassName",
        "spec.source",
        "spec.source.name",
        "spec.source.kind",
    ],
);

/// The objects of a version that is deprecated.
const DEPRECATED: [&str; 2] = [
    "csi-groupsnapshot-v1beta1.yaml",
    "csi-groupsnapshotclass-v1beta1.yaml",
];

/// Manifests in use are valid, or templates.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn manifests_of_others_have_no_false_finding() {
    let Some(manifests) = upstream() else { return };
    let ran = Command::new(env!("CARGO_BIN_EXE_kubernetes-storage"))
        .args(["lint", "--format=json", "--warnings-as-errors", "--notes"])
        .arg(manifests)
        .output()
        .unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    let rows: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, notes) = rows.split_last().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{out}");
    let summary = &summary["summary"];
    println!("{summary}");
    assert!(summary["objects"].as_u64().unwrap() > 0);
    let (templates, others): (Vec<_>, Vec<_>) =
        notes.iter().partition(|note| note["reason"] == "Template");
    // There is one note for each template, and no other finding.
    assert_eq!(summary["templates"], templates.len());
    let is_deprecated = |note: &&Value| note["rule"] == "deprecatedVersion";
    let (deprecated, others): (Vec<_>, Vec<_>) = others.into_iter().partition(is_deprecated);
    let is_of = |note: &Value, file: &str| note["file"].as_str().unwrap().ends_with(file);
    assert_eq!(deprecated.len(), DEPRECATED.len(), "{out}");
    let mut expected = deprecated.iter().zip(DEPRECATED);
    assert!(expected.all(|(note, file)| is_of(note, file)), "{out}");
    let (file, paths) = WRONG;
    assert!(others.iter().all(|note| is_of(note, file)), "{out}");
    assert_eq!(
        others.iter().map(|note| &note["path"]).collect::<Vec<_>>(),
        paths,
        "{out}"
    );
}

fn convert(arguments: &[&str], from: &Path, to: &Path) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_kubernetes-storage"))
        .arg("convert")
        .args(arguments)
        .arg("--output")
        .args([to, from])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(0), "{stderr}");
    println!("{}", stderr.lines().last().unwrap());
    stderr
}

/// Converting to an older release and back restores the files; each change is one scalar in a line.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn manifests_of_others_are_edited_and_no_more() {
    let Some(manifests) = upstream() else { return };
    let here = tempfile::tempdir().unwrap();
    let (newest, older, back) = (
        here.path().join("a"),
        here.path().join("b"),
        here.path().join("c"),
    );
    convert(&[], &manifests, &newest);
    let stderr = convert(&["--target-release=1.33"], &newest, &older);
    let (newest, older) = (texts(&newest), texts(&older));
    assert_eq!(newest.len(), older.len());
    let mut changed = 0;
    for ((name, new), (other, old)) in newest.iter().zip(&older) {
        assert_eq!(name, other);
        assert_eq!(new.lines().count(), old.lines().count());
        for (new, old) in new.lines().zip(old.lines()).filter(|(new, old)| new != old) {
            assert!(new.contains("apiVersion: storage.k8s.io/v1"), "{new}");
            assert_eq!(new.replace("/v1", "/v1beta1"), *old);
            changed += 1;
        }
    }
    let becomes = stderr.matches(" becomes storage.k8s.io/v1beta1 ").count();
    assert_eq!(changed, becomes, "{stderr}");
    assert!(changed > 0);
    convert(&[], &here.path().join("b"), &back);
    assert_eq!(texts(&back), newest);
}
