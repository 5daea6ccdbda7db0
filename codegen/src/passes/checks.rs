//! Checks: what is asked of a value can be asked of one of its type, so that no keyword of an
//! overlay is lost unseen.

use crate::diag::{Diagnostics, Pointer};
use crate::model::{ApiVersion, Checks, Field, Role, Shape, Struct, Ty, Type, Unique};

/// What keywords tell types apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Text,
    Number,
    List,
    Map,
    Enumeration,
    /// A type of another crate, which may be a quantity.
    External,
    Other,
}

/// Tells what is asked in vain.
pub(super) fn run(version: &ApiVersion, diagnostics: &mut Diagnostics) {
    let mut pass = Pass {
        version,
        diagnostics,
    };
    for ty in version.types.values() {
        // Lists of kinds aren't checked. Kubernetes' own documents give some of them keys that
        // their elements don't have.
        if let Shape::Struct(object) = &ty.shape
            && !matches!(object.role, Role::List { .. })
        {
            for field in &object.fields {
                pass.value(&field.ty, &field.checks, &field.pointer);
            }
            pass.depends(ty, object);
        }
    }
}

struct Pass<'a> {
    version: &'a ApiVersion,
    diagnostics: &'a mut Diagnostics,
}

impl Pass<'_> {
    fn sort(&self, ty: &Ty) -> Sort {
        match ty {
            Ty::String => Sort::Text,
            Ty::I32 | Ty::I64 => Sort::Number,
            Ty::List(_) => Sort::List,
            Ty::Map(_) => Sort::Map,
            Ty::Ref(schema) => {
                match self.version.types.get(schema).map(|ty| &ty.shape) {
                    Some(Shape::Enum(_)) => Sort::Enumeration,
                    Some(Shape::Struct(_)) => Sort::Other,
                    None => Sort::External,
                }
            }
            _ => Sort::Other,
        }
    }

    fn value(&mut self, ty: &Ty, asked: &Checks, pointer: &Pointer) {
        const OF_TEXT: &[Sort] = &[Sort::Text];
        const OF_LIST_OR_MAP: &[Sort] = &[Sort::List, Sort::Map];
        let keywords = [
            ("minLength", asked.not_empty_text, OF_TEXT),
            ("maxLength", asked.max_length.is_some(), OF_TEXT),
            ("format", asked.format.is_some(), OF_TEXT),
            ("x-ignore-case", asked.lowered, OF_TEXT),
            ("pattern", asked.pattern.is_some(), &[Sort::Text, Sort::Enumeration]),
            ("minimum", asked.minimum.is_some(), &[Sort::Number, Sort::External]),
            ("maximum", asked.maximum.is_some(), &[Sort::Number]),
            ("self in", asked.accepted.is_some(), &[Sort::Enumeration]),
            ("minItems or minProperties", asked.not_empty, OF_LIST_OR_MAP),
            ("maxItems or maxProperties", asked.max_entries.is_some(), OF_LIST_OR_MAP),
            ("x-keys-not-empty", asked.keys_not_empty, &[Sort::Map]),
            ("x-max-total-length", asked.max_total_length.is_some(), &[Sort::Map]),
        ];
        let sort = self.sort(ty);
        for (keyword, is_asked, sorts) in keywords {
            if is_asked && !sorts.contains(&sort) {
                self.fault(
                    pointer,
                    format!("`{keyword}` can't be checked of a value of this type"),
                );
            }
        }
        if let Ty::List(item) = ty {
            self.keys(item, asked, pointer);
            if let Some(inside) = &asked.items {
                self.value(item, inside, &pointer.child("items"));
            }
        }
    }

    /// The keys that tell elements apart are fields of theirs.
    fn keys(&mut self, item: &Ty, asked: &Checks, pointer: &Pointer) {
        let Unique::Keys { keys, .. } = &asked.unique else {
            return;
        };
        let Ty::Ref(schema) = item else { return };
        let Some(Shape::Struct(object)) =
            self.version.types.get(schema).map(|ty| &ty.shape)
        else {
            return;
        };
        for key in keys.iter().filter(|key| object.field(key).is_none()) {
            let key = key.escape_debug();
            self.fault(pointer, format!("`{key}` is no property of the elements"));
        }
    }

    fn depends(&mut self, ty: &Type, object: &Struct) {
        for (one, other) in &object.checks.depends {
            let is_list = |field: &Field| matches!(field.ty, Ty::List(_));
            let (Some(field), Some(list)) = (object.field(one), object.field(other))
            else {
                continue;
            };
            if !field.is_optional() || !list.is_optional() || !is_list(list) {
                let (one, other) = (one.escape_debug(), other.escape_debug());
                let message = format!("`{one}` can't depend on `{other}`");
                let pointer = ty.pointer.child("x-dependent-required");
                self.diagnostics.at(
                    &self.version.file,
                    &pointer,
                    message,
                    "both are optional, and what it depends on is a list",
                );
            }
        }
    }

    fn fault(&mut self, pointer: &Pointer, message: String) {
        self.diagnostics.at(
            &self.version.file,
            pointer,
            message,
            "spec/overlays/README.md tells what can be asked of what",
        );
    }
}
