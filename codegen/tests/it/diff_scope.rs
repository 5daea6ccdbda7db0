//! The kinds that are compared, and custom resources, which are of no release.

use codegen::diff::{ChangeKind, Complete, Kinds, Knowledge, Scope, diff};
use codegen::{Config, Inputs, Source};
use serde_json::{Value, json};

use crate::diff_documents::{CONFIG, document, snapshot, text, whats};

/// The document of a custom resource.
fn custom(version: &str, kinds: &[&str]) -> Value {
    let mut custom = document(version, kinds, &text());
    custom["info"] = json!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"});
    custom
}

/// Custom resources are of no release: a cluster has a group of them, or it doesn't.
#[test]
fn a_group_of_custom_resources_is_compared_apart() {
    let with = |documents: &[(&str, Value)]| {
        let mut snapshot = snapshot("1.36", documents);
        snapshot.complete = Complete::All;
        snapshot
    };
    let none = with(&[]);
    let one = with(&[("v1", custom("v1", &["Thing"]))]);
    for (from, to) in [(&none, &one), (&one, &none)] {
        let report = diff(from, to, None, &Scope::default());
        assert_eq!((whats(&report), report.compared), (Vec::new(), Vec::new()));
        let note = "example.com/v1: 1.36 has no document of these custom resources, which are of \
                    no release of Kubernetes: a cluster has them where their definitions are \
                    installed";
        assert_eq!(report.not_compared, [note]);
    }
    // What is gone within the group is, even if nothing says that the folder is complete.
    let two = snapshot(
        "1.36",
        &[
            ("v1", custom("v1", &["Other", "Thing"])),
            ("v1beta1", custom("v1beta1", &["Thing"])),
        ],
    );
    let gone: Vec<_> = diff(&two, &one, None, &Scope::default()).changes;
    let found: Vec<_> = gone
        .iter()
        .map(|change| (change.what, change.release))
        .collect();
    let (version, kind) = (ChangeKind::GroupVersionRemoved, ChangeKind::KindRemoved);
    assert_eq!(found, [(version, None), (kind, None)]);
    let new = whats(&diff(&one, &two, None, &Scope::default()));
    let new: Vec<_> = new.iter().map(|(what, ..)| *what).collect();
    assert_eq!(new, [ChangeKind::GroupVersionAdded, ChangeKind::KindAdded]);
}

/// Only the kinds of a scope are compared, with what belongs to them.
#[test]
fn kinds_outside_of_the_scope_are_left_out() {
    let mut kinds = Kinds::default();
    kinds.add("example.com", &["Thing".to_owned()]);
    let scope = Scope {
        groups: Vec::new(),
        kinds: Some(kinds),
    };
    let from = snapshot(
        "1.36",
        &[("v1", document("v1", &["Old", "Thing"], &text()))],
    );
    let mut later = document("v1", &["New", "Thing"], &text());
    later["components"]["schemas"]["com.example.v1.Part"] = json!({"type": "object"});
    let to = snapshot("1.37", &[("v1", later)]);
    let report = diff(&from, &to, None, &scope);
    assert_eq!(whats(&report), []);
    assert_eq!(report.compared, ["example.com/v1"]);
    assert_eq!(
        report.not_wanted,
        ["example.com/v1 New", "example.com/v1 Old"]
    );
    assert_eq!(diff(&from, &to, None, &Scope::default()).changes.len(), 2);
    // The kind itself comes and goes, in any version.
    let beta = snapshot(
        "1.37",
        &[("v1beta1", document("v1beta1", &["New"], &text()))],
    );
    assert_eq!(diff(&from, &beta, None, &scope).changes, []);
    let mut without = snapshot("1.37", &[("v1", document("v1", &["New"], &text()))]);
    without.complete = Complete::All;
    let report = diff(&from, &without, None, &scope);
    assert_eq!(report.changes[0].what, ChangeKind::KindRemoved);
    assert_eq!(report.changes.len(), 1);
}

/// The configuration says which kinds are generated, by the groups of its documents.
#[test]
fn the_configuration_says_what_is_generated() {
    let config = Config::parse(&Source::new("codegen.toml", CONFIG)).unwrap();
    let inputs = Inputs::default();
    let knowledge = Knowledge {
        config: &config,
        inputs: &inputs,
        applies_overlays: true,
    };
    let mut expected = Kinds::default();
    expected.add("example.com", &[]);
    assert_eq!(knowledge.kinds(), expected);
    let text = CONFIG.replacen("prefix", "kinds = [\"Thing\"]\nprefix", 2);
    let config = Config::parse(&Source::new("codegen.toml", text)).unwrap();
    let knowledge = Knowledge {
        config: &config,
        ..knowledge
    };
    let mut expected = Kinds::default();
    expected.add("example.com", &["Thing".to_owned()]);
    assert_eq!(knowledge.kinds(), expected);
}
