//! A run of the comparison, which collects changes.

use std::collections::{BTreeMap, BTreeSet};

use super::api::Api;
use super::change::{Change, Place, Report, TextChange};
use super::comparer::{Comparer, Raw};
use super::documents::Documents;
use super::kinds;
use super::places::Places;
use super::selection::LeftOut;
use super::snapshot::Snapshot;
use super::verdict::Context;

/// The identity of a change, of which several documents may have the same.
type Key = (
    Option<String>,
    String,
    &'static str,
    Option<String>,
    Option<String>,
    Vec<String>,
);

/// The group-versions that have something, and the places in their kinds.
type Uses = (BTreeSet<String>, BTreeSet<String>);

/// A comparison of two releases, and what it has found.
pub(super) struct Run<'a> {
    pub(super) from: &'a Snapshot,
    pub(super) to: &'a Snapshot,
    pub(super) all_from: &'a [Api],
    pub(super) all_to: &'a [Api],
    changes: BTreeMap<(Key, String), (Change, BTreeSet<String>)>,
    /// The group-versions and the places in kinds, by schema, path and keyword.
    texts: BTreeMap<(String, String, String), Uses>,
    compared: BTreeSet<String>,
    /// The group-versions that can't be compared, by the reason.
    pub(super) missing: BTreeMap<String, Vec<String>>,
}

impl<'a> Run<'a> {
    pub(super) fn new((from, to): (&'a Snapshot, &'a Snapshot), documents: &'a Documents) -> Self {
        Self {
            from,
            to,
            all_from: &documents.from,
            all_to: &documents.to,
            changes: BTreeMap::new(),
            texts: BTreeMap::new(),
            compared: BTreeSet::new(),
            missing: BTreeMap::new(),
        }
    }

    pub(super) fn context(&self, from: &'a Api, to: &'a Api) -> Context<'a> {
        let names = match to.is_custom {
            true => ("the earlier definition", "the later definition"),
            false => (self.from.name.as_str(), self.to.name.as_str()),
        };
        Context {
            from,
            to,
            all_from: self.all_from,
            all_to: self.all_to,
            names,
        }
    }

    /// Compares a group-version that both releases have.
    pub(super) fn compare(&mut self, from: &'a Api, to: &'a Api) {
        self.compared.insert(to.group_version.clone());
        let context = self.context(from, to);
        for (kind, raw) in kinds::compare(from, to) {
            self.push(&context, raw, Some(kind), BTreeSet::new());
        }
        let places = (Places::of(from), Places::of(to));
        let of = |schema: &str, path: &str| {
            let mut found = places.1.at(schema, path);
            if found.is_empty() {
                found = places.0.at(schema, path);
            }
            found
        };
        let compared = Comparer::run(from, to);
        for raw in compared.found {
            let used = of(&raw.schema, &raw.path);
            self.push(&context, raw, None, used);
        }
        if self.from.has_own_words != self.to.has_own_words {
            // All of them differ.
            return;
        }
        for text in compared.texts {
            let used = of(&text.schema, &text.path);
            let key = (text.schema, text.path, text.keyword);
            let (group_versions, all) = self.texts.entry(key).or_default();
            group_versions.insert(to.group_version.clone());
            all.extend(used);
        }
    }

    /// Adds a change, or the group-version to the same change of another document.
    fn push(
        &mut self,
        context: &Context<'_>,
        raw: Raw,
        kind: Option<String>,
        used: BTreeSet<String>,
    ) {
        let group_version = context.to.group_version.clone();
        let (schema, path) = (raw.schema.clone(), raw.path.clone());
        let of = kind.as_ref().map(|kind| format!("{group_version} {kind}"));
        let key = (
            of.clone(),
            path.clone(),
            raw.what.text(),
            raw.from.clone(),
            raw.to.clone(),
            // Of two rules, they may be all that differs.
            match raw.what.is_of_rule() {
                true => raw.details.clone(),
                false => Vec::new(),
            },
        );
        let key = (key, schema.clone());
        let place = Place {
            schema: Some(schema),
            kind,
            path,
            group_versions: Vec::new(),
            used: Vec::new(),
            more: 0,
        };
        let change = context.change(raw, place);
        match self.changes.get_mut(&key) {
            Some((known, all)) => {
                known.place.group_versions.push(group_version);
                all.extend(used);
                // A type may be generated from one of the documents only.
                known.rust = known.rust.clone().max(change.rust);
            }
            None => {
                let mut change = change;
                change.place.group_versions.push(group_version);
                self.changes.insert(key, (change, used));
            }
        }
    }

    /// Adds a change of a group-version as a whole.
    pub(super) fn insert(&mut self, group_version: &str, change: Change) {
        let key = (
            None,
            group_version.to_owned(),
            change.what.text(),
            None,
            None,
            Vec::new(),
        );
        self.changes
            .insert((key, String::new()), (change, BTreeSet::new()));
        self.compared.insert(group_version.to_owned());
    }

    /// Returns what has been found.
    pub(super) fn report(self, left_out: &LeftOut, notes: &[String]) -> Report {
        let mut changes: Vec<_> = self
            .changes
            .into_values()
            .map(|(mut change, used)| {
                show(&mut change.place, used);
                change
            })
            .collect();
        changes.sort_by(|a, b| {
            let key = |change: &Change| {
                (
                    std::cmp::Reverse(change.severity()),
                    change.what,
                    change.place.clone(),
                    change.from.clone(),
                    change.to.clone(),
                )
            };
            key(a).cmp(&key(b))
        });
        let documentation =
            self.texts
                .into_iter()
                .map(|((schema, path, keyword), (group_versions, used))| {
                    let mut place = Place {
                        group_versions: group_versions.into_iter().collect(),
                        schema: Some(schema),
                        path,
                        ..Place::default()
                    };
                    show(&mut place, used);
                    TextChange { place, keyword }
                });
        let mut not_compared = notes.to_vec();
        not_compared.extend(gaps(self.from, self.to, self.all_to));
        not_compared.extend(gaps(self.to, self.from, self.all_to));
        let missing = self.missing.into_iter().map(|(reason, mut names)| {
            names.sort();
            format!("{}: {reason}", names.join(", "))
        });
        not_compared.extend(missing);
        not_compared.sort();
        Report {
            from: self.from.name.clone(),
            to: self.to.name.clone(),
            compared: self.compared.into_iter().collect(),
            not_compared,
            not_described: left_out.undescribed.iter().cloned().collect(),
            not_wanted: left_out.unwanted.iter().cloned().collect(),
            documentation: documentation.collect(),
            changes,
        }
    }
}

/// Fills in the places in kinds.
fn show(place: &mut Place, used: BTreeSet<String>) {
    place.group_versions.sort();
    place.group_versions.dedup();
    let mut used: Vec<_> = used.into_iter().collect();
    // The shortest paths say most.
    used.sort_by_key(|place| (place.matches(['.', ' ']).count(), place.clone()));
    place.more = used.len().saturating_sub(Place::SHOWN);
    used.truncate(Place::SHOWN);
    place.used = used;
}

/// The places of compared schemas whose form in one release, unlike the other, isn't known.
fn gaps(one: &Snapshot, other: &Snapshot, apis: &[Api]) -> Vec<String> {
    let gaps = one.gaps.difference(&other.gaps);
    let compared = gaps.filter(|(schema, _)| apis.iter().any(|api| api.schema(schema).is_some()));
    let text = |(schema, at): &(String, String)| {
        format!("{schema} {at}: how it was in {} isn't known", one.name)
    };
    compared.map(text).collect()
}
