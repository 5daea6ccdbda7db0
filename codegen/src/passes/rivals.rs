//! Rivals: things of a CustomResourceDefinition that have the same name in Rust.
//!
//! One of them keeps the name: a kind, or what is spelled like it, or else the first. Each of the
//! others gets a number, from 2, that makes it a name that nothing else has. What has no rival
//! keeps its name. In Kubernetes' own documents rivals are errors: a suffix would only hide the
//! question.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ApiVersion, Lowered, Role, SchemaName, Shape, Type};
use crate::name::{self, Ident};

/// Settles the names of the types in the documents of a crate, of their fields and of their values.
pub(super) fn run(versions: &mut [ApiVersion<Lowered>]) {
    // Each module is a scope of its own.
    let mut scopes: BTreeMap<Option<Ident>, Vec<&mut ApiVersion<Lowered>>> = BTreeMap::new();
    for version in versions.iter_mut().filter(|version| version.is_custom) {
        let scope = scopes.entry(version.module.clone()).or_default();
        scope.push(version);
    }
    for scope in scopes.into_values() {
        let versions = scope.into_iter();
        let types: Vec<_> = versions.flat_map(|version| &mut version.types).collect();
        let names = types
            .iter()
            .map(|(schema, ty)| (ty.name.clone(), rank(schema, ty)));
        let settled = settle(
            &names.collect::<Vec<_>>(),
            name::is_prelude,
            name::numbered_type,
        );
        for ((_, ty), name) in types.into_iter().zip(settled) {
            ty.name = name;
            inside(ty);
        }
    }
}

/// The right of a type to its name: kinds come first, and then what is spelled like it.
fn rank(schema: &SchemaName, ty: &Type<Lowered>) -> u8 {
    match &ty.shape {
        Shape::Struct(object) if !matches!(object.role, Role::Part) => 2,
        _ => schema.ends_with(&format!(".{}", ty.name)).into(),
    }
}

/// Settles the names of the fields or values of a type.
fn inside(ty: &mut Type<Lowered>) {
    match &mut ty.shape {
        Shape::Struct(object) => {
            let fields = object.fields.iter();
            let names =
                fields.map(|field| (field.name.clone(), name::is_usual_property(&field.json)));
            let names: Vec<_> = names.collect();
            let settled = settle(&names, |_| false, name::numbered_field);
            for (field, name) in object.fields.iter_mut().zip(settled) {
                field.name = name;
            }
        }
        Shape::Enum(shape) => {
            let values = shape.variants.iter();
            let names = values.map(|v| (v.name.clone(), v.name.as_str() == v.value));
            let names: Vec<_> = names.collect();
            let settled = settle(&names, |_| false, name::numbered_type);
            for (variant, name) in shape.variants.iter_mut().zip(settled) {
                variant.name = name;
            }
        }
    }
}

/// Returns a name of its own for each thing, given the names that they want, each with the thing's
/// right to it.
pub(super) fn settle<R: Copy + Ord>(
    wanted: &[(Ident, R)],
    is_taken: impl Fn(&Ident) -> bool,
    numbered: fn(&Ident, usize) -> Ident,
) -> Vec<Ident> {
    let mut keepers: BTreeMap<&Ident, usize> = BTreeMap::new();
    for (index, (name, right)) in wanted.iter().enumerate() {
        let keeper = keepers.entry(name).or_insert(index);
        if wanted.get(*keeper).is_some_and(|(_, other)| right > other) {
            *keeper = index;
        }
    }
    let mut all: BTreeSet<Ident> = wanted.iter().map(|(name, _)| name.clone()).collect();
    let wanted = wanted.iter().enumerate();
    let settled = wanted.map(|(index, (name, _))| {
        if keepers.get(name) == Some(&index) && !is_taken(name) {
            return name.clone();
        }
        let mut own = name.clone();
        for number in 2.. {
            own = numbered(name, number);
            if all.insert(own.clone()) {
                break;
            }
        }
        own
    });
    settled.collect()
}
