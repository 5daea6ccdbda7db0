//! Boxing: optional fields that hold their own type, or much memory in a type of many of them, are
//! held in a `Box`.

use std::collections::{BTreeMap, BTreeSet};

use super::nullable;
use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Exact, Field, Graph, Lowered, SchemaName, Struct, Ty};

/// The number of optional objects in a type, and the bytes that they take together, from which on
/// they are boxed: most of them are unset. Of the sources of a volume only one is set.
const MANY: usize = 4;
const LARGE: usize = 1024;

/// The bytes of the smallest object that is worth an allocation of its own then.
const SMALLEST: usize = 2 * COLLECTION;

/// The bytes of a pointer, as of most machines that programs for Kubernetes are built for.
const POINTER: usize = 8;

/// The bytes of a text, a list or a map.
const COLLECTION: usize = 3 * POINTER;

/// The bytes of a type of another crate that isn't large.
const EXTERNAL: usize = 2 * COLLECTION;

/// The names of the boxed fields of each type.
pub(super) type Boxed<'a> = BTreeMap<&'a SchemaName, BTreeSet<&'a str>>;

/// Returns the boxed fields of the types of a document.
pub(super) fn of<'a>(
    version: &'a ApiVersion<Lowered>,
    graph: &Graph,
    diagnostics: &mut Diagnostics,
) -> Boxed<'a> {
    // The size of a type needs those of the types in it.
    let mut order: Vec<_> = version.types.iter().collect();
    order.sort_by_key(|(name, _)| graph.height(name));
    let mut sizes = Sizes {
        version,
        of_types: BTreeMap::new(),
    };
    let mut boxed = Boxed::new();
    for (name, ty) in order {
        let Some(object) = ty.object() else {
            // An enumeration has the text of an unknown value.
            sizes.of_types.insert(name, COLLECTION);
            continue;
        };
        report_endless(version, graph, name, object, diagnostics);
        let fields = sizes.boxed(graph, name, object);
        let size = object.fields.iter().map(|field| {
            let is_boxed = fields.contains(field.json.as_str());
            if is_boxed {
                POINTER
            } else {
                sizes.field(field)
            }
        });
        let size = size.sum::<usize>().next_multiple_of(POINTER);
        sizes.of_types.insert(name, size);
        boxed.insert(name, fields);
    }
    boxed
}

/// Reports required fields through which a type holds itself: they can't be boxed.
fn report_endless(
    version: &ApiVersion<Lowered>,
    graph: &Graph,
    owner: &SchemaName,
    object: &Struct<Lowered>,
    diagnostics: &mut Diagnostics,
) {
    for field in object.fields.iter().filter(|field| field.required) {
        if let Ty::Ref(name) = &field.ty
            && graph.is_endless(owner, name)
        {
            diagnostics.at(
                &version.file,
                &field.pointer,
                "a required field through which the type holds itself",
                "no such object can be written: make a field on the way optional",
            );
        }
    }
}

/// The bytes that values take in Rust without what they point to. They decide about boxes only, so
/// that it is enough that they are about right.
struct Sizes<'a> {
    version: &'a ApiVersion<Lowered>,
    of_types: BTreeMap<&'a SchemaName, usize>,
}

impl<'a> Sizes<'a> {
    /// The names of the boxed fields of a type.
    fn boxed(
        &self,
        graph: &Graph,
        owner: &SchemaName,
        object: &'a Struct<Lowered>,
    ) -> BTreeSet<&'a str> {
        let optional = object.fields.iter().filter(|field| !field.required);
        let (mut boxed, mut inline) = (BTreeSet::new(), Vec::new());
        for field in optional {
            let Ty::Ref(name) = &field.ty else { continue };
            let external = self.version.externs.get(name);
            if external.is_some_and(|external| external.large) || graph.is_recursive(owner, name) {
                boxed.insert(field.json.as_str());
            } else if !field.metadata {
                inline.push((field.json.as_str(), self.ty(&field.ty)));
            }
        }
        let together: usize = inline.iter().map(|(_, size)| size).sum();
        if inline.len() >= MANY && together >= LARGE {
            let large = inline.into_iter().filter(|(_, size)| *size >= SMALLEST);
            boxed.extend(large.map(|(json, _)| json));
        }
        boxed
    }

    fn field(&self, field: &Field<Lowered>) -> usize {
        let size = self.ty(&field.ty);
        let is_optional = !field.is_always_written() || nullable::is_nullable(self.version, field);
        match &field.ty {
            // Other types have values that an `Option` uses for `None`.
            Ty::I32 | Ty::I64 | Ty::Unsigned(_) | Ty::F32 | Ty::F64 if is_optional => 2 * size,
            _ => size,
        }
    }

    fn ty(&self, ty: &Ty) -> usize {
        match ty {
            Ty::Bool => 1,
            Ty::I32 | Ty::F32 => 4,
            Ty::I64 | Ty::F64 => 8,
            Ty::Unsigned(bits) => usize::from(*bits / 8),
            Ty::Time => 2 * POINTER,
            Ty::Json | Ty::Object | Ty::IntOrString => COLLECTION + POINTER,
            Ty::Exact(Exact::DateTime | Exact::Number) => COLLECTION,
            Ty::Exact(Exact::IntOrQuantity | Exact::IntOrString) => COLLECTION + POINTER,
            Ty::String | Ty::Bytes | Ty::List(_) | Ty::Map(_) | Ty::Values { .. } => COLLECTION,
            Ty::Ref(name) => match self.version.externs.get(name) {
                Some(_) => EXTERNAL,
                None => self.of_types.get(name).copied().unwrap_or(COLLECTION),
            },
        }
    }
}
