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
        // No release differs from itself, in any group.
        let name = from.display().to_string();
        let same = diff(&root, &name, &name, None);
        assert_eq!(same["changes"], Value::Array(Vec::new()), "{name}");
    }
    println!("{pairs} pairs of releases, {changes} changes in all");
}
