//! Changes between releases, by our own documents and by Kubernetes' own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask_testing::upstream;

use crate::common::{Outcome, XTASK, real_root};

const GROUP: &str = "storage.k8s.io";

fn diff(root: &Path, from: &str, to: &str, group: Option<&str>) -> Value {
    let mut command = Command::new(XTASK);
    command
        .args(["diff", from, to, "--format", "json"])
        .current_dir(root);
    if let Some(group) = group {
        command.args(["--group", group]);
    }
    serde_json::from_str(&Outcome::of(&mut command).succeeds().out).unwrap()
}

/// The folders of Kubernetes' documents, by the second number of the release.
fn folders(root: &Path) -> Vec<(u32, PathBuf)> {
    let upstream = upstream(root).join("openapi");
    let entries = std::fs::read_dir(&upstream)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let numbered = entries.filter_map(|path| {
        let minor = path
            .file_name()?
            .to_str()?
            .strip_prefix("v1.")?
            .parse()
            .ok()?;
        Some((minor, path))
    });
    let mut folders: Vec<_> = numbered.collect();
    folders.sort();
    assert!(
        folders.len() > 2,
        "{} has too few releases",
        upstream.display()
    );
    folders
}

/// Identifies the changes that have an effect. Our own documents know that some earlier defaults
/// and list types were different, but not how: none of them has an effect.
fn effects(report: &Value) -> BTreeSet<String> {
    let changes = report["changes"].as_array().unwrap().iter();
    let has_effect = |change: &&Value| {
        let is_none = |who: &str| change[who] == "none";
        !is_none("readers") || !is_none("writers") || change["rust"]["semver"] != "patch"
    };
    let mut found = BTreeSet::new();
    for change in changes.filter(has_effect) {
        let mut change = change.clone();
        if change["what"] == "field-removed" {
            // Nor do they know what a removed field was.
            change["details"] = Value::Null;
        }
        found.insert(change.to_string());
    }
    found
}

#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn our_documents_know_what_changed() {
    let Some(root) = real_root() else { return };
    let folders = folders(&root);
    let (mut pairs, mut changes) = (0, 0);
    for (index, (earlier, from)) in folders.iter().enumerate() {
        // Compares with the next release, and with the last.
        let others = &folders[index + 1..];
        let last = others.last().filter(|_| others.len() > 1);
        for (later, to) in others.first().into_iter().chain(last) {
            let names = [from, to].map(|path| path.display().to_string());
            let theirs = diff(&root, &names[0], &names[1], Some(GROUP));
            let ours = diff(
                &root,
                &format!("1.{earlier}"),
                &format!("1.{later}"),
                Some(GROUP),
            );
            let (theirs, ours) = (effects(&theirs), effects(&ours));
            let wrong: Vec<_> = theirs.symmetric_difference(&ours).collect();
            assert!(wrong.is_empty(), "1.{earlier} to 1.{later}: {wrong:#?}");
            pairs += 1;
            changes += theirs.len();
        }
        // A release of spec/ and a folder are one release.
        if let Some((later, to)) = others.first() {
            let (from, to) = (from.display().to_string(), to.display().to_string());
            let releases = [format!("1.{earlier}"), format!("1.{later}")];
            let theirs = effects(&diff(&root, &from, &to, Some(GROUP)));
            for (from, to) in [(&releases[0], &to), (&from, &releases[1])] {
                let mixed = effects(&diff(&root, from, to, Some(GROUP)));
                let wrong: Vec<_> = theirs.symmetric_difference(&mixed).collect();
                assert!(wrong.is_empty(), "{from} to {to}: {wrong:#?}");
            }
        }
        // No release differs from itself, in any group.
        let name = from.display().to_string();
        let mut command = Command::new(XTASK);
        let all = ["diff", &name, &name, "--all-kinds", "--format", "json"];
        command.args(all).current_dir(&root);
        let same = Outcome::of(&mut command).succeeds().out;
        let same: Value = serde_json::from_str(&same).unwrap();
        assert_eq!(same["changes"], Value::Array(Vec::new()), "{name}");
    }
    println!("{pairs} pairs of releases, {changes} changes in all");
}

/// The first command of docs/upgrading.md: only the generated kinds, and no removal of custom
/// resources, which Kubernetes' documents don't have.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn a_release_is_compared_with_a_folder() {
    let Some(root) = real_root() else { return };
    let folder = upstream(&root).join("openapi/v1.34").display().to_string();
    let mixed = diff(&root, "1.33", &folder, None);
    assert_eq!(effects(&mixed), effects(&diff(&root, "1.33", "1.34", None)));
    let notes = mixed["notCompared"].as_array().unwrap();
    let [note] = notes.as_slice() else {
        panic!("{notes:?}")
    };
    let note = note.as_str().unwrap();
    assert!(
        note.starts_with(
            "groupsnapshot.storage.k8s.io/v1, snapshot.storage.k8s.io/v1: 1.34 has no document"
        ),
        "{note}"
    );
}

/// Our own definitions of custom resources and what a server publishes for the upstream ones.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn definitions_are_what_a_server_publishes() {
    let Some(root) = real_root() else { return };
    let folder = upstream(&root).join("crds/snapshot-v8.7.0/openapi");
    let folder = folder.display().to_string();
    for (from, to) in [
        ("1.37", folder.as_str()),
        (&folder, "1.37"),
        (&folder, &folder),
    ] {
        let report = diff(&root, from, to, None);
        assert_eq!(
            report["changes"],
            Value::Array(Vec::new()),
            "{from} to {to}"
        );
        let compared = report["compared"].as_array().unwrap();
        for group in ["groupsnapshot", "snapshot"] {
            let version = format!("{group}.storage.k8s.io/v1");
            assert!(compared.contains(&version.into()), "{compared:?}");
        }
    }
}
