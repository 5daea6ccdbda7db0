//! Our own documents, as of an earlier release.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::config::DocumentConfig;
use crate::diag::Diagnostics;
use crate::load::{self, SCHEMAS};
use crate::pointer::Pointer;
use crate::release::Release;
use crate::source::Source;

use super::api::Api;
use super::knowledge::Knowledge;
use super::lifecycle;
use super::node::{Topic, UNKNOWN, topic};
use super::snapshot::{Complete, Snapshot};

/// A place of a document, by the parts of its pointer; a `*` at the end of a part matches any text.
pub type Part = String;

/// The differences of the document of an earlier release from ours.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// The places that it lacks.
    pub lacks: Vec<Vec<Part>>,
    /// The places that only it has.
    pub has: Vec<Vec<Part>>,
    /// The places that differ in it.
    pub changed: Vec<Vec<Part>>,
}

impl Snapshot {
    /// Adds what one of our documents says of the snapshot's release: without kinds that the
    /// release didn't serve, by their lifecycles, and without what it is known to have lacked.
    /// Nothing is added if no kind is left.
    ///
    /// # Errors
    ///
    /// When the document or one of its overlays can't be read.
    pub fn add_earlier(
        &mut self,
        config: &DocumentConfig,
        source: &Source,
        knowledge: &Knowledge<'_>,
        earlier: &Earlier,
    ) -> Result<(), Diagnostics> {
        let Some(release) = self.release else {
            return Ok(());
        };
        let mut diagnostics = Diagnostics::default();
        let prefix = Some(config.prefix.as_str());
        let Some(mut document) = load::read(source, prefix, &mut diagnostics) else {
            return Err(diagnostics);
        };
        let described = config.described();
        let annotated = knowledge.annotated(&document, config, described)?;
        let gone = Api::of(&config.file, &annotated, Some(described)).map(|api| {
            let (gone, is_all) = unserved(&api, release);
            (api.group().to_owned(), gone, is_all)
        });
        if let Some((group, ..)) = &gone {
            let described = self.described.get_or_insert_default();
            described.add(group, &config.kinds);
        }
        if let Complete::Unknown = self.complete {
            self.complete = Complete::Groups(BTreeSet::new());
        }
        if let (Complete::Groups(groups), Some((group, ..))) = (&mut self.complete, &gone) {
            groups.insert(group.clone());
        }
        let Some((_, gone, is_all)) = gone else {
            return Ok(());
        };
        if is_all {
            return Ok(());
        }
        drop_kinds(&mut document, &gone);
        self.gaps.extend(earlier.apply(&mut document));
        // No server has published it.
        if let Some(Value::Object(info)) = document.get_mut("info") {
            info.remove("version");
        }
        self.has_own_words = true;
        self.documents.insert(config.file.clone(), document);
        Ok(())
    }
}

impl Earlier {
    /// Turns our document into that of the earlier release. Returns the places whose earlier form
    /// isn't known.
    fn apply(&self, document: &mut Value) -> BTreeSet<(String, String)> {
        let mut gaps = BTreeSet::new();
        for parts in &self.lacks {
            // The kinds that operations name and the form of references aren't differences.
            let is_form = parts.last().is_some_and(|part| part == "$ref");
            let is_of_operation =
                parts.first().is_some_and(|part| part == "paths") && parts.len() > 2;
            if !is_form && !is_of_operation {
                remove(document, parts);
            }
        }
        for parts in &self.has {
            match parts.as_slice() {
                [.., properties, name] if properties == "properties" => {
                    add_stub(document, parts, name)
                }
                _ => gaps.extend(gap(document, parts)),
            }
        }
        for parts in &self.changed {
            gaps.extend(gap(document, parts));
        }
        gaps
    }
}

/// The kinds, with their lists and plurals, that a release didn't serve, and whether these are all.
fn unserved(api: &Api, release: Release) -> (BTreeSet<String>, bool) {
    let mut gone = BTreeSet::new();
    let mut is_all = true;
    for kind in api.kinds.values() {
        let schema = api.schema(&kind.schema);
        let is_later = lifecycle::stage(schema, "introduced").is_some_and(|at| at > release);
        let is_removed = lifecycle::stage(schema, "removed").is_some_and(|at| at <= release);
        if is_later || is_removed {
            gone.insert(kind.schema.clone());
            gone.insert(format!("{}List", kind.schema));
            gone.extend(
                kind.resource
                    .as_ref()
                    .map(|resource| format!("/{}", resource.plural)),
            );
        } else {
            is_all = false;
        }
    }
    (gone, is_all)
}

fn drop_kinds(document: &mut Value, gone: &BTreeSet<String>) {
    if let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) {
        schemas.retain(|name, _| !gone.contains(name));
    }
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        let is_of = |path: &str| {
            path.split('/')
                .any(|part| gone.contains(&format!("/{part}")))
        };
        paths.retain(|path, _| !is_of(path));
    }
}

fn is_like(text: &str, part: &str) -> bool {
    match part.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => text == part,
    }
}

/// Removes what a pattern matches.
fn remove(value: &mut Value, parts: &[Part]) {
    let (Value::Object(members), [first, rest @ ..]) = (value, parts) else {
        return;
    };
    if rest.is_empty() {
        // A required field no longer is.
        members.retain(|name, _| !is_like(name, first));
        return;
    }
    for (_, inner) in members.iter_mut().filter(|(name, _)| is_like(name, first)) {
        remove(inner, rest);
    }
    if let ([name], "properties") = (rest, first.as_str())
        && let Some(Value::Array(required)) = members.get_mut("required")
    {
        required.retain(|field| field.as_str().is_none_or(|field| !is_like(field, name)));
    }
}

/// Adds a field of which nothing but the name is known.
fn add_stub(document: &mut Value, parts: &[Part], name: &str) {
    let pointer = parts[..parts.len() - 1]
        .iter()
        .fold(Pointer::root(), |at, part| at.child(part));
    if let Some(Value::Object(properties)) = document.pointer_mut(pointer.as_str()) {
        properties
            .entry(name)
            .or_insert_with(|| json!({(UNKNOWN): true}));
    }
}

/// A place whose schema the document has, but not what the earlier release had there.
fn gap(document: &Value, parts: &[Part]) -> Option<(String, String)> {
    let [components, schemas, schema, way @ .., keyword] = parts else {
        return None;
    };
    let is_known = matches!(topic(keyword), Topic::Ignored | Topic::Type | Topic::Text);
    if components != "components" || schemas != "schemas" || is_known {
        return None;
    }
    document.pointer(SCHEMAS)?.get(schema)?;
    let way: Vec<_> = way
        .iter()
        .filter(|part| *part != "properties")
        .map(String::as_str)
        .collect();
    Some((schema.clone(), format!("{}, {keyword}", way.join(" "))))
}
