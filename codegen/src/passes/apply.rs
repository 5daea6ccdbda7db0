//! Apply types: what is sent of a kind with server-side apply, where every field is optional.

use std::collections::{BTreeMap, BTreeSet};

use crate::doc;
use crate::model::{
    ApiVersion, Applies, Checks, Docs, Field, Module, Role, SchemaName, Shape, Struct,
    Ty, Type,
};

/// Makes the apply types of the kinds and of the structs that they are made of.
pub(super) fn run(version: &mut ApiVersion) {
    let mut types = BTreeMap::new();
    let mut open: Vec<_> = version.kinds().map(|(name, _)| name.clone()).collect();
    while let Some(name) = open.pop() {
        if types.contains_key(&name) {
            continue;
        }
        let Some(ty) = version.types.get(&name) else {
            continue;
        };
        let Shape::Struct(object) = &ty.shape else {
            continue;
        };
        for field in &object.fields {
            open.extend(inside(version, &field.ty));
        }
        types.insert(name, of_type(version, ty, object));
    }
    // The same files as those of the full types, with what of them is applied.
    let modules = version.modules.iter().filter_map(|module| {
        let applied = module.types.iter().filter(|name| types.contains_key(*name));
        let applied: Vec<SchemaName> = applied.cloned().collect();
        let name = module.name.clone();
        (!applied.is_empty()).then_some(Module {
            name,
            types: applied,
        })
    });
    let modules = modules.collect();
    version.apply = Applies { types, modules };
}

/// The types of the crate that a value has in it.
fn inside(version: &ApiVersion, ty: &Ty) -> Vec<SchemaName> {
    let mut names = BTreeSet::new();
    ty.references(&mut names);
    names.into_iter().filter(|name| version.types.contains_key(*name)).cloned().collect()
}

fn of_type(version: &ApiVersion, ty: &Type, object: &Struct) -> Type {
    let full = format!("{}::{}", version.path(), ty.name);
    let (role, what) = match &object.role {
        Role::Kind(resource) => (
            Role::Apply(resource.clone()),
            format!(
                "What is applied of a [`{}`]({full}): every field is absent unless set.",
                ty.name
            ),
        ),
        _ => (
            Role::Part,
            format!("The fields of a [`{}`]({full}) that are applied.", ty.name),
        ),
    };
    let fields = object.fields.iter().map(|field| of_field(version, &full, field));
    Type {
        name: ty.name.clone(),
        pointer: ty.pointer.clone(),
        docs: lines(doc::wrapped(&what)),
        shape: Shape::Struct(Struct {
            fields: fields.collect(),
            role,
            checks: Box::default(),
            // What isn't known isn't applied.
            unknown: None,
        }),
    }
}

fn of_field(version: &ApiVersion, full: &str, field: &Field) -> Field {
    let mut names = BTreeSet::new();
    field.ty.references(&mut names);
    let mut externals = names.iter().filter_map(|name| version.externs.get(*name));
    let mut docs = vec![format!("See [`{0}`]({full}::{0}).", field.name)];
    // What is required in metadata is so of list elements that have one owner anyway.
    if !field.is_metadata() && externals.any(|external| external.required) {
        let note = "What its type requires, at any depth, is always sent, set or not.";
        docs.push(String::new());
        docs.extend(doc::wrapped(note));
    }
    Field {
        json: field.json.clone(),
        name: field.name.clone(),
        pointer: field.pointer.clone(),
        ty: field.ty.clone(),
        required: false,
        boxed: field.boxed,
        docs: lines(docs),
        checks: Checks::default(),
    }
}

fn lines(lines: Vec<String>) -> Docs {
    Docs {
        lines,
        ..Docs::default()
    }
}
