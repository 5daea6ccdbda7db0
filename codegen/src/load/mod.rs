//! Load: parses the text of a document and applies its overlays; returns schemas and operations.
//!
//! Only this module and [`lower`](crate::lower) know OpenAPI.

mod combined;
mod complete;
pub(crate) mod crd;
mod definition;
mod document;
mod equal;
pub(crate) mod error;
mod follow;
mod inline;
mod join;
mod json;
mod kubernetes;
mod overlay;
mod read;
pub(crate) mod refs;
mod replace;
mod select;
mod shared;
mod unread;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use openapiv3::{ReferenceOr, Schema};
use serde::Deserialize;
use serde_json::Value;

use crate::adopt::undescribed;
use crate::config::{CrateConfig, DocumentConfig, Part};
use crate::diag::{Diagnostics, Spot};
use crate::keyword;
use crate::pointer::Pointer;
use crate::source::DocumentSource;

use document::place;
pub(crate) use document::{Document, is_of_custom_resources};
use inline::Places;
pub(crate) use overlay::Overlay;
use overlay::translate;
pub(crate) use read::read;
pub(crate) use refs::{SCHEMAS, references, schema_name, wrap_bare};
use replace::Replaced;
pub(crate) use select::select;
pub(crate) use shared::take_out as take_out_shared;
pub(crate) use unread::shown;

/// A document with newer versions of the same kinds, and the prefix of its schemas.
pub(crate) type Newer<'a> = (&'a DocumentSource, &'a str);

/// Gives names to the objects inside the schemas of a prefix, and types of other crates to those
/// that the configuration wants to have them. Returns where each was, and what other types replace.
fn name_objects(
    document: &mut Value,
    prefix: &str,
    given: Option<(&CrateConfig, &DocumentConfig)>,
    root: &Spot<'_>,
) -> (Places, Replaced) {
    let is_custom = is_of_custom_resources(document);
    if is_custom {
        combined::take_out(document, prefix);
    }
    let none = BTreeMap::new();
    let overrides = given.map_or(&none, |(_, config)| &config.names);
    let names = inline::Names::new(prefix, overrides, is_custom);
    let mut places = inline::name_all(document, names, root);
    let Some((krate, config)) = given else {
        return (places, Replaced::default());
    };
    if config.kubernetes_types {
        let is_given =
            |name: &str, place: &inline::Place| replace::is_given(name, place, krate, prefix);
        kubernetes::replace(document, &mut places, &is_given);
    }
    if config.merge_equal {
        equal::merge(document, &mut places);
    }
    let replaced = replace::run(document, &mut places, krate, prefix);
    (places, replaced)
}

/// The names of the types that the objects inside the schemas of a prefix become, by their places;
/// none where another crate has the type.
pub(crate) fn inner_types(
    document: &Value,
    prefix: &str,
    given: Option<(&CrateConfig, &DocumentConfig)>,
) -> BTreeMap<Pointer, Option<String>> {
    let mut document = document.clone();
    // What can't be named is reported where crates are generated.
    let mut diagnostics = Diagnostics::default();
    let reported = RefCell::new(&mut diagnostics);
    let (places, replaced) = name_objects(&mut document, prefix, given, &Spot::root("", &reported));
    let mut types = BTreeMap::new();
    for (name, place) in &places {
        let short = name.strip_prefix(prefix).unwrap_or(name);
        let is_own = !replaced.paths.contains_key(name);
        for pointer in place.all() {
            types.insert(pointer.clone(), is_own.then(|| short.to_owned()));
        }
    }
    types
}

/// Loads the kinds of one document, which may have more files, that the configuration wants, with
/// the overlays. What can't be read is left out and reported.
pub(crate) fn load(
    (input, more): (&DocumentSource, &[&DocumentSource]),
    (config, krate): (&DocumentConfig, &CrateConfig),
    newer: Option<Newer<'_>>,
    overlays: &[&Overlay],
    diagnostics: &mut Diagnostics,
) -> Option<Document> {
    let DocumentSource { source, release } = input;
    let prefix = &*config.prefix;
    let mut document = read(source, Some(prefix), diagnostics)?;
    let files = join::add(&mut document, source, more, prefix, diagnostics)?;
    select::check(&document, &config.kinds, &source.name, diagnostics);
    select(&mut document, &config.kinds);
    let is_custom = document::is_of_custom_resources(&document);
    let mut unchecked = match (config.list_unchecked, is_custom) {
        (false, _) => None,
        (true, true) => Some(unread::take_out(&mut document, prefix)),
        (true, false) => {
            let help = "take `list-unchecked` out of the document in codegen.toml";
            let message = "only rules of CustomResourceDefinitions can be left unchecked";
            diagnostics.in_file(&source.name, None, message, help);
            None
        }
    };
    check_described(&document, &source.name, diagnostics);
    if let Some((newer, newer_prefix)) = newer {
        // Its errors are reported where it is loaded itself.
        if let Some(newer) = read(
            &newer.source,
            Some(newer_prefix),
            &mut Diagnostics::default(),
        ) {
            follow::follow(&mut document, prefix, &newer, newer_prefix);
        }
    }
    for overlay in overlays {
        overlay.apply(&mut document, input, prefix, diagnostics);
    }
    wrap_bare(&mut document);
    let reported = RefCell::new(&mut *diagnostics);
    let root = Spot::root(&source.name, &reported);
    refs::check(&document, &root);
    keyword::check(&document, prefix, &root);
    let (places, replaced) = name_objects(&mut document, prefix, Some((krate, config)), &root);
    match &mut unchecked {
        Some(unchecked) => unchecked.extend(replaced.rules.iter().cloned()),
        None => report_unchecked(&replaced, &root),
    }
    let (mut schemas, others) = schemas(&document, prefix, &places, &root);
    schemas.retain(|name, _| !replaced.paths.contains_key(name));
    diagnostics.spread(&source.name, &files);
    let definitions = match krate.parts.has(Part::Definition) {
        true => {
            let all = iter::once(&input).chain(more).map(|input| &input.source);
            definition::of(all, prefix)
        }
        false => BTreeMap::new(),
    };
    Some(Document {
        file: source.name.clone(),
        files,
        release: *release,
        schemas,
        others,
        shared: BTreeSet::new(),
        places,
        unchecked,
        definitions,
        replaced,
        json: document,
    })
}

/// Reports rules of schemas that are types of other crates.
fn report_unchecked(replaced: &replace::Replaced, root: &Spot<'_>) {
    for rule in &replaced.rules {
        root.at(rule.pointer.clone()).report(
            format!("`{}` can't be checked: {}", rule.rule, rule.reason),
            "let rules be unchecked, or let the type be generated",
        );
    }
}

/// Reports the descriptions that are still to be written.
fn check_described(document: &Value, file: &str, diagnostics: &mut Diagnostics) {
    let mut places = Vec::new();
    undescribed(document, &Pointer::root(), &mut places);
    for place in places {
        diagnostics.at(
            file,
            &place,
            "the description is still to be written",
            "describe it in your own words, for readers of the generated crate",
        );
    }
}

/// The schemas with the prefix, and the names of the others.
fn schemas(
    document: &Value,
    prefix: &str,
    places: &inline::Places,
    root: &Spot<'_>,
) -> (BTreeMap<String, Schema>, Vec<String>) {
    let (mut schemas, mut others) = (BTreeMap::new(), Vec::new());
    let components = document.pointer(SCHEMAS).and_then(Value::as_object);
    let Some(components) = components.filter(|schemas| !schemas.is_empty()) else {
        root.report(
            "the document has no schemas",
            "an OpenAPI document of a Kubernetes group-version has its types under \
             components/schemas",
        );
        return (schemas, others);
    };
    for (name, value) in components {
        let at = root.at(place(places, name));
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.is_empty() || !name.chars().all(allowed) {
            at.report(
                format!("`{}` can't be the name of a schema", name.escape_debug()),
                "OpenAPI allows letters, digits, `.`, `-` and `_`, as in \
                 `io.k8s.api.storage.v1.CSINode`",
            );
            continue;
        }
        if !name.starts_with(prefix) && value.is_object() {
            others.push(name.clone());
            continue;
        }
        match ReferenceOr::<Schema>::deserialize(value) {
            Ok(ReferenceOr::Item(schema)) => {
                schemas.insert(name.clone(), schema);
            }
            Ok(ReferenceOr::Reference { .. }) => at.report(
                "a schema that is only another name for a schema",
                "refer to that one directly",
            ),
            Err(error) => at.report(
                format!("not an OpenAPI 3.0 schema: {error}"),
                "compare it with a schema that works, such as that of CSINode",
            ),
        }
    }
    (schemas, others)
}
