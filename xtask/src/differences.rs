//! `spec/differences.toml`: where our documents are known to differ from Kubernetes' own.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use codegen::{Difference, DifferenceKind, Pointer, Release};
use serde::Deserialize;

use crate::workspace;

pub(crate) const FILE: &str = "spec/differences.toml";

/// The key for what holds for every document that has the schema.
const ALL: &str = "*";

/// The key for what a running server publishes otherwise than the checked-in documents.
const SERVER: &str = "server";

/// The key for what Kubernetes' documents lack although the release had it.
const LEFT_OUT: &str = "left-out";

/// The names of the schemas of each document, by its path.
pub(crate) type Schemas = BTreeMap<String, BTreeSet<String>>;

/// A place that must differ.
pub(crate) struct Expected<'a> {
    pub(crate) change: DifferenceKind,
    pub(crate) at: &'a Pattern,
    /// The reason for the difference.
    pub(crate) why: String,
    /// True if it may be missing: no document shows that the release had it.
    pub(crate) is_uncertain: bool,
}

impl Expected<'_> {
    pub(crate) fn is(&self, difference: &Difference) -> bool {
        self.change == difference.change && self.at.covers(&difference.pointer)
    }
}

/// A JSON pointer; a `*` at the end of a part matches any text.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Pattern(Vec<String>);

/// The differences that are known.
#[derive(Deserialize)]
pub(crate) struct Differences {
    /// The releases whose documents they rest on.
    compared: BTreeSet<Release>,
    /// The differences by the document's path, `v1.37/FILE`, or [`ALL`].
    #[serde(flatten)]
    documents: BTreeMap<String, BTreeMap<String, Places>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Places {
    added: Vec<Place>,
    removed: Vec<Place>,
    changed: Vec<Place>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    At(Pattern),
    From { at: Pattern, from: Release },
}

impl Differences {
    /// Reads the list, which may name existing documents and schemas only.
    pub(crate) fn read(root: &Path, schemas: &Schemas) -> Result<Self, Box<dyn Error>> {
        let text = workspace::read(&root.join(FILE))?;
        let listed: Self = toml::from_str(&text).map_err(|e| format!("error: {FILE}: {e}"))?;
        match listed.check(schemas) {
            Ok(()) => Ok(listed),
            Err(message) => Err(format!("error: {FILE}: {message}").into()),
        }
    }

    fn check(&self, schemas: &Schemas) -> Result<(), String> {
        for (document, sections) in &self.documents {
            if document != ALL && !schemas.contains_key(document) {
                let known: Vec<_> = schemas.keys().map(String::as_str).collect();
                return Err(format!(
                    "no document `{document}`\n  help: there are {}, and `{ALL}` for all of \
                     them",
                    known.join(", ")
                ));
            }
            for (key, places) in sections {
                if ![SERVER, LEFT_OUT].contains(&key.as_str()) {
                    key.parse::<Release>().map_err(|e| e.to_string())?;
                }
                let known = |at: &Pattern| schemas.values().any(|s| at.is_about_one_of(s));
                let mut places = places.all().map(|(_, place)| place.at());
                // No document would ever be asked for it.
                if let Some(at) = places.find(|at| document == ALL && !known(at)) {
                    return Err(format!(
                        "no document has the schema of `{at}`\n  help: correct it or take it \
                         out, or list it for one document if only upstream has it"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns the differences that one of our documents must have from one of a release, which a
    /// server may have published.
    pub(crate) fn expected(
        &self,
        document: &str,
        schemas: &Schemas,
        (upstream, from_server): (Release, bool),
    ) -> Vec<Expected<'_>> {
        let has_schema = |at: &Pattern| {
            schemas
                .get(document)
                .is_some_and(|schemas| at.is_about_one_of(schemas))
        };
        let mut expected = Vec::new();
        for of in [ALL, document] {
            for (key, places) in self.documents.get(of).into_iter().flatten() {
                let (why, is_uncertain) = match (key.as_str(), key.parse::<Release>()) {
                    (_, Ok(release)) if upstream < release => {
                        match self.between(upstream, release) {
                            Some(last) => (
                                format!("Kubernetes {release}, or earlier but after {last}"),
                                true,
                            ),
                            None => (format!("Kubernetes {release}"), false),
                        }
                    }
                    (SERVER, _) if from_server => {
                        ("published by a running server".to_owned(), false)
                    }
                    (LEFT_OUT, _) => ("left out upstream".to_owned(), false),
                    _ => continue,
                };
                let meant = places.all().filter(|(_, place)| {
                    place.is_in(upstream) && (of != ALL || has_schema(place.at()))
                });
                expected.extend(meant.map(|(change, place)| Expected {
                    change,
                    at: place.at(),
                    why: why.clone(),
                    is_uncertain,
                }));
            }
        }
        expected
    }

    /// The oldest release whose documents were compared.
    pub(crate) fn oldest(&self) -> Option<Release> {
        self.compared.first().copied()
    }

    /// The last release before `upstream` whose documents were compared, if none was from there to
    /// `release`: what is new in that may be in `upstream` already.
    fn between(&self, upstream: Release, release: Release) -> Option<Release> {
        if self.compared.range(upstream..release).next().is_some() {
            return None;
        }
        self.compared.range(..upstream).next_back().copied()
    }

    /// Returns a note if a release is older or newer than all that the list was made from.
    pub(crate) fn out_of_range(&self, upstream: Release) -> Option<String> {
        let (first, last) = (self.compared.first()?, self.compared.last()?);
        (upstream < *first || upstream > *last).then(|| {
            format!(
                "note: {FILE} rests on documents of Kubernetes {first} to {last}, not on any of \
                 {upstream}"
            )
        })
    }
}

impl Places {
    fn all(&self) -> impl Iterator<Item = (DifferenceKind, &Place)> {
        [
            (DifferenceKind::Added, &self.added),
            (DifferenceKind::Removed, &self.removed),
            (DifferenceKind::Changed, &self.changed),
        ]
        .into_iter()
        .flat_map(|(change, places)| places.iter().map(move |place| (change, place)))
    }
}

impl Place {
    fn at(&self) -> &Pattern {
        match self {
            Self::At(at) | Self::From { at, .. } => at,
        }
    }

    fn is_in(&self, release: Release) -> bool {
        match self {
            Self::At(_) => true,
            Self::From { from, .. } => *from <= release,
        }
    }
}

impl Pattern {
    /// The parts of the pointer.
    pub(crate) fn parts(&self) -> &[String] {
        &self.0
    }

    /// Returns true if it matches this place.
    pub(crate) fn covers(&self, pointer: &Pointer) -> bool {
        pointer.segments().count() == self.0.len() && self.starts_with(pointer)
    }

    /// Returns true if it matches places inside of this one.
    pub(crate) fn is_inside(&self, pointer: &Pointer) -> bool {
        pointer.segments().count() < self.0.len() && self.starts_with(pointer)
    }

    fn starts_with(&self, pointer: &Pointer) -> bool {
        pointer
            .segments()
            .zip(&self.0)
            .all(|(segment, part)| is_like(&segment, part))
    }

    /// Returns true if it is about one of these schemas, or about no schema.
    fn is_about_one_of(&self, schemas: &BTreeSet<String>) -> bool {
        match self.0.as_slice() {
            [components, of, name, ..] if components == "components" && of == "schemas" => {
                schemas.iter().any(|schema| is_like(schema, name))
            }
            _ => true,
        }
    }
}

fn is_like(segment: &str, part: &str) -> bool {
    match part.strip_suffix('*') {
        Some(start) => segment.starts_with(start),
        None => segment == part,
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let pointer = Pointer::parse(&text).filter(|_| text.starts_with('#'));
        let pointer = pointer.ok_or_else(|| {
            format!("`{text}` is not a JSON pointer such as `#/components/schemas/NAME`")
        })?;
        Ok(Self(pointer.segments().collect()))
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let pointer = self
            .0
            .iter()
            .fold(Pointer::root(), |at, part| at.child(part));
        pointer.fmt(f)
    }
}
