//! Compares the kinds of a group-version: whether they are there, their scope, resources and verbs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::structure::{Pair, pairs};

use super::api::{Api, Kind, Resource};
use super::change::{ChangeKind, Severity};
use super::comparer::Raw;
use super::lifecycle;

use Severity::{Breaking, Info, Warning};

/// The verbs of readers; the others are those of writers.
const READING: [&str; 3] = ["get", "list", "watch"];

/// Compares the kinds of two documents of one group-version.
pub(super) fn compare(from: &Api, to: &Api) -> Vec<(String, Raw)> {
    let mut found = Vec::new();
    for (name, pair) in pairs(&from.kinds, &to.kinds) {
        let changes = match pair {
            Pair::Both(kind, other) => match (&kind.resource, &other.resource) {
                (Some(a), Some(b)) => resources(kind, (a, b), has_status(kind, from)),
                // Documents without paths tell of no resource.
                (Some(_), None) if has_resources(to) => {
                    let mut change = raw(kind, ChangeKind::KindRemoved, (Breaking, Breaking));
                    change.details.push("only its schema is there".to_owned());
                    vec![change]
                }
                (None, Some(_)) if has_resources(from) => vec![added(other, from, to)],
                _ => Vec::new(),
            },
            Pair::First(kind) => {
                let mut change = raw(kind, ChangeKind::KindRemoved, (Breaking, Breaking));
                let schema = from.schema(&kind.schema);
                change.release = schema.and_then(|schema| lifecycle::removed(schema, from, to));
                vec![change]
            }
            Pair::Second(kind) => vec![added(kind, from, to)],
        };
        found.extend(changes.into_iter().map(|change| (name.clone(), change)));
    }
    found
}

fn has_resources(api: &Api) -> bool {
    api.kinds.values().any(|kind| kind.resource.is_some())
}

/// The change that a kind is new.
fn added(kind: &Kind, from: &Api, to: &Api) -> Raw {
    let mut change = raw(kind, ChangeKind::KindAdded, (Info, Info));
    if let Some(resource) = &kind.resource {
        let scope = scope(resource);
        change
            .details
            .push(format!("{scope}, verbs {}", list(&resource.verbs)));
    }
    if let Some(schema) = to.schema(&kind.schema) {
        change
            .details
            .extend(lifecycle::described(schema, to.release));
        change.release = lifecycle::introduced(schema, from, to);
    }
    change
}

fn has_status(kind: &Kind, api: &Api) -> bool {
    let schema = api.schema(&kind.schema);
    schema
        .and_then(|schema| schema.pointer("/properties/status"))
        .is_some_and(Value::is_object)
}

fn raw(kind: &Kind, what: ChangeKind, (readers, writers): (Severity, Severity)) -> Raw {
    Raw {
        schema: kind.schema.clone(),
        path: String::new(),
        what,
        from: None,
        to: None,
        details: Vec::new(),
        release: None,
        readers,
        writers,
        is_required: false,
        keeps_type: false,
    }
}

fn scope(resource: &Resource) -> &'static str {
    if resource.is_namespaced {
        "namespaced"
    } else {
        "cluster-scoped"
    }
}

fn list(verbs: &BTreeSet<&'static str>) -> String {
    verbs.iter().copied().collect::<Vec<_>>().join(", ")
}

fn resources(kind: &Kind, (a, b): (&Resource, &Resource), had_status: bool) -> Vec<Raw> {
    let mut found = Vec::new();
    let mut push = |what, severities, from: Option<String>, to: Option<String>| {
        let change = raw(kind, what, severities);
        found.push(Raw { from, to, ..change });
    };
    if a.is_namespaced != b.is_namespaced {
        let scopes = [a, b].map(|resource| Some(scope(resource).to_owned()));
        let [from, to] = scopes;
        push(ChangeKind::ScopeChanged, (Breaking, Breaking), from, to);
    }
    if a.plural != b.plural {
        let (from, to) = (Some(a.plural.clone()), Some(b.plural.clone()));
        push(ChangeKind::ResourceRenamed, (Breaking, Breaking), from, to);
    }
    let (gone, new) = verbs(&a.verbs, &b.verbs);
    if let Some((names, severities)) = gone {
        push(ChangeKind::VerbsRemoved, severities, Some(names), None);
    }
    if let Some((names, _)) = new {
        push(ChangeKind::VerbsAdded, (Info, Info), None, Some(names));
    }
    for (name, pair) in pairs(&a.subresources, &b.subresources) {
        match pair {
            Pair::Both(served, other) => {
                let (gone, new) = verbs(served, other);
                let of = |names: String| Some(format!("{names} of {name}"));
                if let Some((names, severities)) = gone {
                    push(ChangeKind::VerbsRemoved, severities, of(names), None);
                }
                if let Some((names, _)) = new {
                    push(ChangeKind::VerbsAdded, (Info, Info), None, of(names));
                }
            }
            Pair::First(served) => {
                let (_, severities) = verbs(served, &BTreeSet::new()).0.unwrap_or_default();
                let removed = ChangeKind::SubresourceRemoved;
                push(removed, severities, Some(name.clone()), None);
            }
            Pair::Second(_) => {
                // A write of the object itself then leaves the status as it was.
                let hides_status = name == "status" && had_status;
                let writers = if hides_status { Warning } else { Info };
                let added = ChangeKind::SubresourceAdded;
                push(added, (Info, writers), None, Some(name.clone()));
            }
        }
    }
    found
}

/// The names of verbs, and the severity of their loss for readers and writers.
type Verbs = Option<(String, (Severity, Severity))>;

/// The verbs that are gone, and those that are new.
fn verbs(a: &BTreeSet<&'static str>, b: &BTreeSet<&'static str>) -> (Verbs, Verbs) {
    let of = |verbs: BTreeSet<&'static str>| {
        let any = |is_reading: bool| {
            let any = verbs
                .iter()
                .any(|verb| READING.contains(verb) == is_reading);
            if any { Breaking } else { Severity::None }
        };
        (!verbs.is_empty()).then(|| (list(&verbs), (any(true), any(false))))
    };
    (of(a - b), of(b - a))
}
