//! Compares two releases of the API: what has changed, and what that means.
//!
//! ```
//! use codegen::Source;
//! use codegen::diff::{ChangeKind, Severity, Snapshot, diff};
//!
//! let document = |property: &str| Source::new("thing.json", format!(r#"{{
//!     "openapi": "3.0.0",
//!     "components": {{"schemas": {{"com.example.v1.Thing": {{
//!         "type": "object", "properties": {{{property}}}
//!     }}}}}}
//! }}"#));
//! let mut from = Snapshot::new("1.36", Some("1.36".parse()?));
//! from.add("thing.json", &document(""))?;
//! let mut to = Snapshot::new("1.37", Some("1.37".parse()?));
//! to.add("thing.json", &document(r#""text": {"type": "string"}"#))?;
//!
//! let report = diff(&from, &to, None, &[]);
//! assert_eq!(report.changes[0].what, ChangeKind::FieldAdded);
//! assert_eq!(report.severity(), Severity::Info);
//! assert_eq!(report.semver().name(), "major");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod api;
mod change;
mod comparer;
mod conversion;
mod fields;
mod kinds;
mod lifecycle;
mod node;
mod past;
mod places;
mod rules;
mod snapshot;
mod values;
mod verdict;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub use change::{Change, ChangeKind, Place, Report, Rust, Semver, Severity, TextChange};
pub use past::{Earlier, Part};
pub use snapshot::{Complete, Knowledge, Snapshot};

use crate::structure::{Pair, pairs};
use api::Api;
use comparer::{Comparer, Raw};
use places::Places;
use verdict::Context;

/// Compares two releases.
///
/// `knowledge` adds our own overlays to the documents that the configuration names, if both
/// releases are known: rules, defaults, enumerations and lifecycles. `groups` restricts the
/// comparison to these groups, of which the core group is the empty text; without any, all are
/// compared.
pub fn diff(
    from: &Snapshot,
    to: &Snapshot,
    knowledge: Option<&Knowledge<'_>>,
    groups: &[String],
) -> Report {
    let mut notes = Vec::new();
    let documents = annotated(from, to, knowledge, &mut notes);
    let apis = |snapshot: &Snapshot, documents: &BTreeMap<String, Value>| -> Vec<Api> {
        let mut apis = Vec::new();
        for (file, document) in documents {
            let Some(mut api) = Api::of(file, document, snapshot.release) else {
                continue;
            };
            api.has_crate = knowledge.is_some_and(|knowledge| knowledge.has(file));
            if groups.is_empty() || groups.iter().any(|group| group == api.group()) {
                apis.push(api);
            }
        }
        apis
    };
    let (all_from, all_to) = (apis(from, &documents.0), apis(to, &documents.1));
    let mut run = Run {
        from,
        to,
        all_from: &all_from,
        all_to: &all_to,
        changes: BTreeMap::new(),
        texts: BTreeMap::new(),
        compared: BTreeSet::new(),
        not_compared: notes,
        missing: BTreeMap::new(),
    };
    let [named_from, named_to] =
        [&all_from, &all_to].map(|all| all.iter().map(|api| (&api.group_version, api)));
    for (_, pair) in pairs(named_from, named_to) {
        match pair {
            Pair::Both(from, to) => run.compare(from, to),
            Pair::First(api) => run.removed(api),
            Pair::Second(api) => run.added(api),
        }
    }
    for (one, other) in [(from, to), (to, from)] {
        let gaps = one.gaps.difference(&other.gaps);
        let gaps = gaps.map(|place| format!("{place}: how it was in {} isn't known", one.name));
        run.not_compared.extend(gaps);
    }
    run.report()
}

type Documents = BTreeMap<String, Value>;

/// The documents of both with our overlays, or both without where one can't have them.
fn annotated(
    from: &Snapshot,
    to: &Snapshot,
    knowledge: Option<&Knowledge<'_>>,
    notes: &mut Vec<String>,
) -> (Documents, Documents) {
    let mut documents = (from.documents.clone(), to.documents.clone());
    let (Some(knowledge), Some(earlier), Some(later)) = (knowledge, from.release, to.release)
    else {
        return documents;
    };
    let files: BTreeSet<_> = from.documents.keys().chain(to.documents.keys()).collect();
    for file in files {
        let of = |snapshot: &Snapshot, release| {
            let document = snapshot.documents.get(file)?;
            let config = knowledge.document(file, release)?;
            Some(knowledge.annotated(document, config, release))
        };
        match (of(from, earlier).transpose(), of(to, later).transpose()) {
            (Ok(a), Ok(b)) => {
                documents
                    .0
                    .extend(a.map(|document| (file.clone(), document)));
                documents
                    .1
                    .extend(b.map(|document| (file.clone(), document)));
            }
            (Err(error), _) | (_, Err(error)) => {
                let first = error.iter().next().map(|error| error.message.clone());
                notes.push(format!(
                    "rules and lifecycles of {file}: an overlay doesn't fit ({})",
                    first.unwrap_or_default()
                ));
            }
        }
    }
    documents
}

/// The identity of a change, of which several documents may have the same.
type Key = (
    Option<String>,
    String,
    &'static str,
    Option<String>,
    Option<String>,
);

/// The group-versions that have something, and the places in their kinds.
type Uses = (BTreeSet<String>, BTreeSet<String>);

struct Run<'a> {
    from: &'a Snapshot,
    to: &'a Snapshot,
    all_from: &'a [Api],
    all_to: &'a [Api],
    changes: BTreeMap<(Key, String), (Change, BTreeSet<String>)>,
    /// The group-versions and the places in kinds, by schema, path and keyword.
    texts: BTreeMap<(String, String, String), Uses>,
    compared: BTreeSet<String>,
    not_compared: Vec<String>,
    /// The group-versions that can't be compared, by the reason.
    missing: BTreeMap<String, Vec<String>>,
}

impl<'a> Run<'a> {
    fn context(&self, from: &'a Api, to: &'a Api) -> Context<'a> {
        Context {
            from,
            to,
            all_from: self.all_from,
            all_to: self.all_to,
            names: (&self.from.name, &self.to.name),
        }
    }

    fn compare(&mut self, from: &'a Api, to: &'a Api) {
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

    /// A group-version that only the earlier release has.
    fn removed(&mut self, api: &'a Api) {
        let group_version = &api.group_version;
        let release = self.all_between(api, "removed");
        if release.is_none() && !self.is_served_no_more(api) {
            return;
        }
        let context = self.context(api, api);
        let mut losses = Vec::new();
        let mut edits = BTreeSet::new();
        for name in api.kinds.keys() {
            let (loss, edit) = context.replaced(name);
            losses.extend(loss.map(|loss| format!("{name}: {loss}")));
            edits.extend(edit);
        }
        let change = Change {
            release: release.or_else(|| self.next_release()),
            conversion: (!losses.is_empty()).then(|| losses.join("; ")),
            edit: (!edits.is_empty()).then(|| edits.into_iter().collect::<Vec<_>>().join("; ")),
            ..self.whole(api, ChangeKind::GroupVersionRemoved, Severity::Breaking)
        };
        self.insert(group_version, change);
    }

    /// Returns true if a group-version that only the earlier release has is gone, and not just
    /// unknown in the later one.
    fn is_served_no_more(&mut self, api: &Api) -> bool {
        let group_version = &api.group_version;
        if !self.to.complete.has(api.group()) {
            self.missing(group_version, self.to);
            return false;
        }
        // A server serves no alpha and few beta versions unless it is asked to. One that served it
        // in an earlier release was asked.
        let serves_all = self.all_to.iter().all(|other| !other.from_server);
        let was_asked = api.from_server && self.from.release != self.to.release;
        let is_gone = serves_all || was_asked || !is_unstable(group_version);
        if !is_gone {
            let reason = format!(
                "the server of {} doesn't serve it, which may be a matter of its settings",
                self.to.name
            );
            self.missing
                .entry(reason)
                .or_default()
                .push(group_version.clone());
        }
        is_gone
    }

    /// The last release of a stage of all kinds, if each has it between the two releases.
    fn all_between(&self, api: &Api, stage: &str) -> Option<crate::Release> {
        let of = |kind: &api::Kind| lifecycle::stage(api.schema(&kind.schema), stage);
        let releases: Option<Vec<_>> = api.kinds.values().map(of).collect();
        let releases = releases?.into_iter();
        let all: Option<Vec<_>> = releases
            .map(|release| self.is_between(release).then_some(release))
            .collect();
        all?.into_iter().max()
    }

    /// A group-version that only the later release has.
    fn added(&mut self, api: &'a Api) {
        let group_version = &api.group_version;
        let release = self.all_between(api, "introduced");
        if release.is_none() && !self.from.complete.has(api.group()) {
            self.missing(group_version, self.from);
            return;
        }
        let change = Change {
            release: release.or_else(|| self.next_release()),
            ..self.whole(api, ChangeKind::GroupVersionAdded, Severity::Info)
        };
        self.insert(group_version, change);
    }

    /// A change of a group-version as a whole.
    fn whole(&self, api: &Api, what: ChangeKind, severity: Severity) -> Change {
        let is_new = what == ChangeKind::GroupVersionAdded;
        let kinds: Vec<_> = api.kinds.keys().map(String::as_str).collect();
        Change {
            what,
            place: Place {
                group_versions: vec![api.group_version.clone()],
                ..Place::default()
            },
            from: None,
            to: None,
            details: vec![format!("kinds {}", kinds.join(", "))],
            release: None,
            readers: severity,
            writers: severity,
            rust: Rust {
                semver: if is_new { Semver::Minor } else { Semver::Major },
                why: if is_new {
                    "its types are new"
                } else {
                    "its types are gone"
                }
                .to_owned(),
            },
            conversion: None,
            edit: is_new.then(|| "add a document to codegen.toml to generate it".to_owned()),
        }
    }

    fn insert(&mut self, group_version: &str, change: Change) {
        let key = (
            None,
            group_version.to_owned(),
            change.what.text(),
            None,
            None,
        );
        self.changes
            .insert((key, String::new()), (change, BTreeSet::new()));
        self.compared.insert(group_version.to_owned());
    }

    fn missing(&mut self, group_version: &str, snapshot: &Snapshot) {
        let reason = format!("{} has no document of it", snapshot.name);
        self.missing
            .entry(reason)
            .or_default()
            .push(group_version.to_owned());
    }

    fn is_between(&self, release: crate::Release) -> bool {
        let is_later = self.from.release.is_some_and(|from| from < release);
        is_later && self.to.release.is_some_and(|to| release <= to)
    }

    fn next_release(&self) -> Option<crate::Release> {
        let (from, to) = (self.from.release?, self.to.release?);
        (from.major == to.major && from.minor.checked_add(1) == Some(to.minor)).then_some(to)
    }

    fn report(self) -> Report {
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
        let mut not_compared = self.not_compared;
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

fn is_unstable(group_version: &str) -> bool {
    let version = group_version.rsplit('/').next().unwrap_or_default();
    version.contains("alpha") || version.contains("beta")
}
