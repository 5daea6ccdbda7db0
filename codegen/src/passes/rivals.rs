//! Rivals: things of a CustomResourceDefinition that have the same name in Rust.
//!
//! One of them keeps the name: the one that is spelled like it, or else the first. Each of the
//! others gets a number, from 2, that makes it a name that nothing else has. What has no rival
//! keeps its name. In Kubernetes' own documents rivals are errors: a suffix would only hide the
//! question.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ApiVersion, Lowered, Shape};
use crate::name::{self, Ident};

/// Settles the names of the types of a document, of their fields and of their values.
pub(super) fn run(version: &mut ApiVersion<Lowered>) {
    if !version.is_custom {
        return;
    }
    let mut names = Vec::new();
    for (schema, ty) in &version.types {
        let is_spelled = schema.ends_with(&format!(".{}", ty.name));
        names.push((ty.name.clone(), is_spelled));
    }
    let settled = settle(&names, name::is_prelude, name::numbered_type);
    for (ty, name) in version.types.values_mut().zip(settled) {
        ty.name = name;
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
}

/// Returns a name of its own for each thing, given the names that they want, each with whether the
/// thing is spelled like it.
pub(super) fn settle(
    wanted: &[(Ident, bool)],
    is_taken: impl Fn(&Ident) -> bool,
    numbered: fn(&Ident, usize) -> Ident,
) -> Vec<Ident> {
    let mut keepers: BTreeMap<&Ident, usize> = BTreeMap::new();
    for (index, (name, is_spelled)) in wanted.iter().enumerate() {
        let keeper = keepers.entry(name).or_insert(index);
        let is_better = wanted.get(*keeper).is_none_or(|(_, other)| !other);
        if *is_spelled && is_better {
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
