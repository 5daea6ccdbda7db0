//! Compares lifecycles: what happened to kinds and fields that both releases have.

use serde_json::Value;

use crate::release::Release;

use super::api::Api;
use super::change::{ChangeKind, Severity};
use super::comparer::Comparer;
use super::node::Node;
use super::words::plain;

/// The stages, and what they are called.
const STAGES: [(&str, &str); 5] = [
    ("alpha", "alpha"),
    ("beta", "beta"),
    ("default-on", "on by default"),
    ("stable", "stable"),
    ("deprecated", "deprecated"),
];

/// The release of a stage in a lifecycle.
pub(super) fn stage(schema: Option<&Value>, stage: &str) -> Option<Release> {
    schema?
        .get("x-lifecycle")?
        .get(stage)?
        .as_str()?
        .parse()
        .ok()
}

/// The release that brought a field or kind which only the later release has.
pub(super) fn introduced(schema: &Value, from: &Api, to: &Api) -> Option<Release> {
    between(stage(Some(schema), "introduced")?, from, to)
}

/// The release that no longer had a kind which only the earlier release has.
pub(super) fn removed(schema: &Value, from: &Api, to: &Api) -> Option<Release> {
    between(stage(Some(schema), "removed")?, from, to)
}

/// The release if it is later than the one and not later than the other.
fn between(release: Release, from: &Api, to: &Api) -> Option<Release> {
    let (from, to) = (from.release?, to.release?);
    (from < release && release <= to).then_some(release)
}

/// A lifecycle in words: `alpha since 1.33, beta since 1.34, gate G`.
pub(super) fn described(schema: &Value, release: Option<Release>) -> Option<String> {
    let known = |at: Release| release.is_none_or(|release| at <= release);
    let mut parts = Vec::new();
    for (key, name) in STAGES {
        if let Some(at) = stage(Some(schema), key).filter(|at| known(*at)) {
            parts.push(format!("{name} since {at}"));
        }
    }
    if let Some(gate) = schema.pointer("/x-lifecycle/gate") {
        parts.push(format!("feature gate {}", plain(gate)));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Reports the stages that were reached after one release, up to the other.
pub(super) fn compare<'a>(comparer: &mut Comparer<'a>, a: &Node<'a>, b: &Node<'a>, path: &str) {
    let (from, to) = (comparer.from, comparer.to);
    let lifecycle = b
        .keywords
        .get("x-lifecycle")
        .or_else(|| a.keywords.get("x-lifecycle"));
    let at = |key: &str| lifecycle?.get(key)?.as_str()?.parse::<Release>().ok();
    // A kind that was introduced as stable had its stages in other versions.
    for (key, name) in STAGES {
        let Some(release) = at(key).and_then(|release| between(release, from, to)) else {
            continue;
        };
        let is_deprecation = key == "deprecated";
        let severity = if is_deprecation {
            Severity::Warning
        } else {
            Severity::Info
        };
        let change = comparer.push(path, ChangeKind::LifecycleChanged, (severity, severity));
        change.to = Some(name.to_owned());
        change.release = Some(release);
        if is_deprecation {
            let removed = at("removed").map(|at| format!("no longer served from {at} on"));
            let replacement = lifecycle.and_then(|l| l.get("replacement"));
            let replacement = replacement.map(|text| format!("replaced by {}", plain(text)));
            change
                .details
                .extend(removed.into_iter().chain(replacement));
        }
    }
    let deprecated = |node: &Node<'_>| node.keywords.get("deprecated") == Some(&Value::Bool(true));
    if deprecated(a) != deprecated(b) {
        let severity = if deprecated(b) {
            Severity::Warning
        } else {
            Severity::Info
        };
        let change = comparer.push(path, ChangeKind::LifecycleChanged, (severity, severity));
        let words = if deprecated(b) {
            "deprecated"
        } else {
            "no longer deprecated"
        };
        change.to = Some(words.to_owned());
    }
}
