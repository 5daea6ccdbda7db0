//! Documentation: makes comments from descriptions, and notes below them from facts.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::doc::{self, Links};
use crate::model::{
    Analysed, ApiVersion, CelRule, Docs, Facts, Field, Immutable, Lifecycle, Resource, Rest, Role,
    SchemaName, Shape, Ty, Type, Unchecked,
};
use crate::pointer::Pointer;
use crate::release::Release;

/// The documentation of a type.
pub(super) struct TypeDocs {
    pub(super) own: Docs,
    /// The documentation of its fields or values, in their order.
    pub(super) parts: Vec<Docs>,
}

/// Writes the documentation of every type, in the order of the types.
pub(super) fn run(version: &ApiVersion<Analysed>) -> Vec<TypeDocs> {
    let inherited = inherited(version);
    let mut left: BTreeMap<&Pointer, Vec<&Unchecked>> = BTreeMap::new();
    for unchecked in version.unchecked.iter().flatten() {
        left.entry(&unchecked.pointer).or_default().push(unchecked);
    }
    let known = Known::new(version);
    let types = version.types.iter();
    let docs = types
        .map(|(schema, ty)| of_type(&known, ty, (inherited.get(schema), &left), version.release));
    docs.collect()
}

fn of_type(
    known: &Known,
    ty: &Type<Analysed>,
    (lifecycle, left): (Option<&Lifecycle>, &Left<'_>),
    release: Release,
) -> TypeDocs {
    let here = ty.name.to_string();
    let fields = ty.object().into_iter().flat_map(|object| &object.fields);
    let mut links = Scope {
        known,
        here: &here,
        fields: fields
            .map(|f| (f.json.clone(), f.name.to_string()))
            .collect(),
        field: String::new(),
    };
    let mut notes = Vec::new();
    notes.extend(lifecycle.map(|lifecycle| doc::maturity(lifecycle, release)));
    notes.extend(retirement(&ty.facts, release));
    let mut parts = Vec::new();
    match &ty.shape {
        Shape::Struct(object) => {
            let rules = object.rules.cel.iter();
            notes.extend(rules.map(|rule| satisfies("The", rule)));
            notes.extend(object.rules.unchecked.iter().map(unchecked));
            let is_list = matches!(object.role, Role::List { .. });
            if let Role::Kind(Resource {
                deprecation: Some(warning),
                ..
            }) = &object.role
            {
                let warning = doc::prose(warning);
                notes.push(format!("Deprecated; a server warns: {warning}"));
            }
            for field in &object.fields {
                let description = match field.docs.description.trim() {
                    "" if field.metadata => metadata(is_list),
                    _ => &field.docs.description,
                };
                links.field.clone_from(&field.json);
                let of_struct = (lifecycle, object.unknown.as_ref());
                let mut notes = of_field(field, of_struct, release);
                notes.extend(left_of(field, left));
                parts.push(write(description, &field.json, &notes, &links));
            }
        }
        Shape::Enum(shape) => {
            let values = shape.variants.iter();
            parts.extend(values.map(|v| write(&v.docs.description, &v.value, &[], &links)));
        }
    }
    links.field.clear();
    TypeDocs {
        own: write(&ty.docs.description, &here, &notes, &links),
        parts,
    }
}

/// The rules that reading the document has left unchecked, by their places.
type Left<'a> = BTreeMap<&'a Pointer, Vec<&'a Unchecked>>;

/// Returns the notes on such rules of a field and of the elements in it.
fn left_of(field: &Field<Analysed>, left: &Left<'_>) -> Vec<String> {
    let (mut ty, mut place) = (&field.ty, field.pointer.clone());
    let mut notes = Vec::new();
    loop {
        let here = left.get(&place).into_iter().flatten();
        notes.extend(here.map(|rule| unchecked(rule)));
        (ty, place) = match ty {
            Ty::List(inner) => (inner, place.child("items")),
            Ty::Map(inner) => (inner, place.child("additionalProperties")),
            _ => return notes,
        };
    }
}

/// Returns the description of metadata, which documents of custom resources lack.
fn metadata(of_list: bool) -> &'static str {
    if of_list {
        "The version of the list, and how to go on where it is read in parts."
    } else {
        "Name, labels, annotations, owners and the rest of what every object has."
    }
}

/// Returns true if elements are JSON because they can be `null`.
fn has_open_elements(field: &Field<Analysed>) -> bool {
    let mut ty = &field.ty;
    for takes_null in field.facts.takes_null.iter().skip(1) {
        let (Ty::List(inner) | Ty::Map(inner)) = ty else {
            return false;
        };
        ty = inner;
        if *takes_null && matches!(ty, Ty::Json) {
            return true;
        }
    }
    false
}

/// Returns the notes below the description of a field.
fn of_field(
    field: &Field<Analysed>,
    (of_type, rest): (Option<&Lifecycle>, Option<&Rest>),
    release: Release,
) -> Vec<String> {
    let mut notes = Vec::new();
    let Facts {
        list_keys,
        default,
        lifecycle,
        ..
    } = &field.facts;
    if field.form.nullable {
        notes.push("Required; `None` is written as `null`.".to_owned());
    }
    if let Some(rest) = rest.filter(|_| field.form.keeps_null) {
        let Rest { name, .. } = rest;
        notes.push(format!("Can be `null`, as [`{name}`](Self::{name}) says."));
    }
    if !list_keys.is_empty() {
        let keys: Vec<_> = list_keys
            .iter()
            .map(|key| format!("`{}`", doc::as_code(key)))
            .collect();
        notes.push(format!(
            "At most one element for each {}.",
            keys.join(" and ")
        ));
    }
    if has_open_elements(field) {
        let note = "An element can be `null`, so it is JSON; rules for it are left to the server.";
        notes.push(note.to_owned());
    }
    if let Some(default) = default {
        let text = match default {
            Value::String(text) if !text.is_empty() => text.clone(),
            other => other.to_string(),
        };
        notes.push(format!(
            "The server's default is `{}`.",
            doc::as_code(&text)
        ));
    }
    let freezes =
        |immutable: &Immutable| immutable.releases.contain(release) && immutable.unless.is_none();
    if field.server.rules.immutable().any(freezes) {
        notes.push("Immutable: an update must not change it.".to_owned());
    }
    let stored = field.server.rules.cel(true);
    let rules = field
        .server
        .rules
        .cel(false)
        .chain(stored.filter(|rule| !rule.is_asked(false)));
    notes.extend(rules.map(|rule| satisfies("The", rule)));
    let items = field
        .server
        .rules
        .items
        .iter()
        .flat_map(|items| items.cel(false));
    notes.extend(items.map(|rule| satisfies("For each element, the", rule)));
    notes.extend(field.server.unchecked.iter().map(unchecked));
    if let Some(lifecycle) = lifecycle {
        let maturity = doc::maturity(lifecycle, release);
        // A note on a type is not repeated for each of its fields.
        if of_type.is_none_or(|of_type| doc::maturity(of_type, release) != maturity) {
            notes.push(maturity);
        }
    }
    notes.extend(retirement(&field.facts, release));
    notes
}

fn retirement(facts: &Facts, release: Release) -> Option<String> {
    facts
        .lifecycle
        .as_ref()
        .and_then(|lifecycle| doc::retirement(lifecycle, release))
}

/// A rule in CEL, of a value or of each in it.
fn satisfies(the: &str, rule: &CelRule) -> String {
    let text = doc::as_code(&rule.text);
    let message = rule.message.as_deref().map(doc::prose).unwrap_or_default();
    match message.trim_end_matches('.') {
        "" => format!("{the} rule `{text}` must hold."),
        message => format!("{the} rule `{text}` must hold: {message}."),
    }
}

/// A rule of the schema that isn't checked, with the reason.
fn unchecked(Unchecked { rule, reason, .. }: &Unchecked) -> String {
    let reason = doc::prose(reason);
    format!(
        "The rule `{}` is not checked here: {}.",
        doc::as_code(rule),
        reason.trim_end_matches('.')
    )
}

fn write(description: &str, name: &str, notes: &[String], links: &Scope<'_>) -> Docs {
    let description = match (description.trim(), name) {
        // The name replaces a missing description.
        ("", "") => "`\"\"`.".to_owned(),
        ("", name) => format!("`{}`.", doc::as_code(name)),
        _ => description.to_owned(),
    };
    let mut lines = doc::lines(&description, links);
    let summary = doc::summary(&lines);
    doc::append_notes(&mut lines, notes);
    Docs {
        description,
        lines,
        summary,
    }
}

/// The lifecycle of each type: its own, that of the only field that uses it, or that of the
/// kind in whose file it is.
fn inherited(version: &ApiVersion<Analysed>) -> BTreeMap<SchemaName, Lifecycle> {
    let mut inherited = BTreeMap::new();
    for module in &version.layout.modules {
        let of = |name: &SchemaName| {
            version
                .types
                .get(name)
                .and_then(|ty| ty.facts.lifecycle.clone())
        };
        let kind = module.types.first().and_then(of);
        // A type is as old as the field that brought it, where only one did.
        for name in &module.types {
            let lifecycle = of(name)
                .or_else(|| brought_by(version, name))
                .or_else(|| kind.clone());
            if let Some(lifecycle) = lifecycle {
                inherited.insert(name.clone(), lifecycle);
            }
        }
    }
    inherited
}

fn brought_by(version: &ApiVersion<Analysed>, name: &SchemaName) -> Option<Lifecycle> {
    let mut name = name;
    // Up the only fields that use it; a type that holds itself has no end, hence the bound.
    for _ in 0..version.types.len() {
        let [(owner, field)] = version.layout.graph.users(name) else {
            return None;
        };
        let field = version.object(owner)?.fields.get(*field)?;
        if let Some(lifecycle) = &field.facts.lifecycle {
            return Some(lifecycle.clone());
        }
        name = owner;
    }
    None
}

/// The types that descriptions may link to, by their Kubernetes names.
struct Known {
    path: String,
    /// Each with the number of its file.
    own: BTreeMap<String, usize>,
    external: BTreeMap<String, String>,
}

impl Known {
    fn new(version: &ApiVersion<Analysed>) -> Self {
        let mut own = BTreeMap::new();
        for (index, module) in version.layout.modules.iter().enumerate() {
            for ty in module
                .types
                .iter()
                .filter_map(|name| version.types.get(name))
            {
                own.insert(ty.name.to_string(), index);
            }
        }
        // A single file imports all types that have names of their own. The whole path of one that
        // is imported would be redundant there.
        let is_single = version.layout.modules.len() == 1;
        let external = version.externs.values().map(|external| {
            let name = external.path.name();
            let link = match is_single && version.is_alone(name) {
                true => name.to_string(),
                false => external.path.to_string(),
            };
            (name.to_string(), link)
        });
        let external = external.collect();
        Self {
            path: version.path(),
            own,
            external,
        }
    }
}

/// The link targets of one type.
struct Scope<'a> {
    known: &'a Known,
    here: &'a str,
    /// The fields of the type, by their name on the wire.
    fields: BTreeMap<String, String>,
    /// The field that is described, which needs no link to itself.
    field: String,
}

impl Links for Scope<'_> {
    fn link(&self, word: &str) -> Option<String> {
        if word == self.here || word == self.field {
            return None;
        }
        if let Some(field) = self.fields.get(word) {
            return Some(format!("Self::{field}"));
        }
        match self.known.own.get(word) {
            own @ Some(_) if own == self.known.own.get(self.here) => Some(word.to_owned()),
            Some(_) => Some(format!("{}::{word}", self.known.path)),
            None => self.known.external.get(word).cloned(),
        }
    }

    fn is_name(&self, word: &str) -> bool {
        // Words such as `Status` or `parameters` are English too; two humps are not.
        let humps = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
        humps
            && (self.known.own.contains_key(word)
                || self.known.external.contains_key(word)
                || self.fields.contains_key(word))
    }
}
