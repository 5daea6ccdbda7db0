//! Documentation: descriptions become comments, facts become notes below them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::doc::{self, Links};
use crate::model::{ApiVersion, Docs, Lifecycle, SchemaName, Shape, Ty};
use crate::release::Release;

/// Writes the lines of every type, field and value.
pub(super) fn run(version: &mut ApiVersion) {
    let release = version.release;
    let inherited = inherited(version);
    let known = Known::new(version);
    let modules: BTreeMap<SchemaName, usize> = version
        .modules
        .iter()
        .enumerate()
        .flat_map(|(index, module)| {
            module.types.iter().map(move |name| (name.clone(), index))
        })
        .collect();
    for (schema, ty) in &mut version.types {
        let here = ty.name.to_string();
        let module = modules.get(schema).copied();
        let mut links = Scope::new(&known, &here, module);
        if let Shape::Struct(object) = &ty.shape {
            let names = object.fields.iter();
            links.fields = names.map(|f| (f.json.clone(), f.name.to_string())).collect();
        }
        let lifecycle = inherited.get(schema);
        describe(&mut ty.docs, &here);
        write(&mut ty.docs, lifecycle, release, &links);
        match &mut ty.shape {
            Shape::Struct(object) => {
                for field in &mut object.fields {
                    let own = field.docs.lifecycle.clone();
                    let meta = matches!(field.json.as_str(), "metadata" | "items");
                    let lifecycle = own.as_ref().or(lifecycle).filter(|_| !meta);
                    links.field.clone_from(&field.json);
                    describe(&mut field.docs, &field.json);
                    write(&mut field.docs, lifecycle, release, &links);
                }
            }
            Shape::Enum(shape) => {
                for variant in &mut shape.variants {
                    describe(&mut variant.docs, &variant.value);
                    write(&mut variant.docs, None, release, &links);
                }
            }
        }
    }
}

/// Says at least the name of what a document doesn't describe.
fn describe(docs: &mut Docs, name: &str) {
    if docs.description.trim().is_empty() {
        let name = if name.is_empty() {
            "\"\"".to_owned()
        } else {
            doc::as_code(name)
        };
        docs.description = format!("`{name}`.");
    }
}

fn write(
    docs: &mut Docs,
    lifecycle: Option<&Lifecycle>,
    release: Release,
    links: &Scope<'_>,
) {
    let mut notes = Vec::new();
    if !docs.keys.is_empty() {
        let keys: Vec<_> =
            docs.keys.iter().map(|key| format!("`{}`", doc::as_code(key))).collect();
        notes.push(format!("At most one element for each {}.", keys.join(" and ")));
    }
    if let Some(default) = &docs.default {
        let text = match default {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        notes.push(format!("The server's default is `{}`.", doc::as_code(&text)));
    }
    if docs.immutable {
        notes.push("Immutable: an update must not change it.".to_owned());
    }
    if let Some(lifecycle) = lifecycle {
        notes.push(doc::maturity(lifecycle, release));
        // What holds for a type is not said again of each of its fields.
        if docs.lifecycle.is_some() {
            notes.extend(doc::retirement(lifecycle, release));
        }
    }
    docs.lines = doc::lines(&docs.description, links);
    doc::append_notes(&mut docs.lines, &notes);
}

/// The lifecycle of each type: its own, that of the only field that uses it, or that of the
/// kind in whose file it stands.
fn inherited(version: &ApiVersion) -> BTreeMap<SchemaName, Lifecycle> {
    let mut inherited = BTreeMap::new();
    for module in &version.modules {
        let of = |name: &SchemaName| {
            version.types.get(name).and_then(|ty| ty.docs.lifecycle.clone())
        };
        let kind = module.types.first().and_then(of);
        // A type is as old as the field that brought it, where only one did.
        for name in &module.types {
            let lifecycle =
                of(name).or_else(|| brought_by(version, name)).or_else(|| kind.clone());
            if let Some(lifecycle) = lifecycle {
                inherited.insert(name.clone(), lifecycle);
            }
        }
    }
    inherited
}

fn brought_by(version: &ApiVersion, name: &SchemaName) -> Option<Lifecycle> {
    let mut name = name.clone();
    // Up the only fields that use it; a type that holds itself has no end, hence the bound.
    for _ in 0..version.types.len() {
        let mut users = version.structs().flat_map(|(owner, object)| {
            let uses = |ty: &Ty| {
                let mut names = BTreeSet::new();
                ty.references(&mut names);
                names.contains(&name)
            };
            object
                .fields
                .iter()
                .filter(move |f| uses(&f.ty))
                .map(move |f| (owner, f))
                .collect::<Vec<_>>()
        });
        let (owner, field) = users.next()?;
        if users.next().is_some() {
            return None;
        }
        if let Some(lifecycle) = &field.docs.lifecycle {
            return Some(lifecycle.clone());
        }
        name = owner.clone();
    }
    None
}

/// The types that descriptions may link to, by their Kubernetes names.
struct Known {
    path: String,
    own: BTreeMap<String, usize>,
    external: BTreeMap<String, String>,
}

impl Known {
    fn new(version: &ApiVersion) -> Self {
        let mut own = BTreeMap::new();
        for (index, module) in version.modules.iter().enumerate() {
            for ty in module.types.iter().filter_map(|name| version.types.get(name)) {
                own.insert(ty.name.to_string(), index);
            }
        }
        let external = version.externs.values();
        let external = external.map(|e| (e.path.name().to_string(), e.path.to_string()));
        Self {
            path: version.path(),
            own,
            external: external.collect(),
        }
    }
}

/// What can be linked to from one type.
struct Scope<'a> {
    known: &'a Known,
    here: &'a str,
    module: Option<usize>,
    /// The fields of the type, by their name on the wire.
    fields: BTreeMap<String, String>,
    /// The field that is described, which needs no link to itself.
    field: String,
}

impl<'a> Scope<'a> {
    fn new(known: &'a Known, here: &'a str, module: Option<usize>) -> Self {
        Self {
            known,
            here,
            module,
            fields: BTreeMap::new(),
            field: String::new(),
        }
    }
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
            Some(module) if Some(*module) == self.module => Some(word.to_owned()),
            Some(_) => Some(format!("{}::{word}", self.known.path)),
            None => self.known.external.get(word).cloned(),
        }
    }

    fn is_name(&self, word: &str) -> bool {
        // Words such as `Status` or `parameters` are English too; two humps are not.
        let humps = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
        let known =
            self.known.own.contains_key(word) || self.known.external.contains_key(word);
        humps && (known || self.fields.contains_key(word))
    }
}
