//! Enumerations: values that a document lists override those of overlays.

use std::collections::BTreeMap;

use crate::diag::{Diagnostics, Pointer};
use crate::model::{
    ApiVersion, Docs, Enum, Facts, SchemaName, Shape, Ty, Type, Variant,
};
use crate::name;

/// Gives every enumerated string a type: the one an overlay has named, with the document's
/// values, or one named after its field.
pub(super) fn run(version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
    let mut overrides: BTreeMap<SchemaName, Vec<String>> = BTreeMap::new();
    let mut anonymous: Vec<Anonymous> = Vec::new();
    for (owner, object) in version.structs_mut() {
        for field in &mut object.fields {
            let innermost = field.ty.innermost_mut();
            let Ty::Values { values, named } = innermost else {
                continue;
            };
            let values = std::mem::take(values);
            if let Some(named) = named.take() {
                let known = overrides.entry(named.clone()).or_default();
                let new = values.into_iter().filter(|v| !known.contains(v));
                known.extend(new.collect::<Vec<_>>());
                *innermost = Ty::Ref(named);
                continue;
            }
            let mut title = field.json.clone();
            if let Some(first) = title.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            *innermost = Ty::Ref(format!("{owner}{title}"));
            let pointer = field.pointer.clone();
            let field = field.json.clone();
            anonymous.push(Anonymous {
                owner: owner.clone(),
                title,
                field,
                pointer,
                values,
            });
        }
    }
    for anonymous in anonymous {
        anonymous.name(version, diagnostics);
    }
    for (schema, values) in overrides {
        override_values(version, &schema, values, diagnostics);
    }
}

/// An enumeration in a property that nobody has named.
struct Anonymous {
    owner: SchemaName,
    title: String,
    field: String,
    pointer: Pointer,
    values: Vec<String>,
}

impl Anonymous {
    /// Makes a type of it, named after its owner and its field.
    fn name(self, version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
        let schema = format!("{}{}", self.owner, self.title);
        let owner = version.types.get(&self.owner).map(|ty| ty.name.to_string());
        let name =
            owner.and_then(|owner| name::type_name(&format!("{owner}{}", self.title)));
        let Some(name) = name else { return };
        let taken = version.types.contains_key(&schema)
            || version.aliases.contains_key(&schema)
            || version.externs.contains_key(&schema);
        if taken {
            diagnostics.at(
                &version.file,
                &self.pointer,
                format!("the enumeration needs the name of `{name}`"),
                "name it in an overlay: add a schema with the values and refer to it",
            );
            return;
        }
        let mut shape = Enum {
            variants: Vec::new(),
        };
        add(&mut shape, self.values, &version.file, &self.pointer, diagnostics);
        let description = format!("Values of `{}`.", self.field);
        let docs = Docs {
            description,
            ..Docs::default()
        };
        let pointer = self.pointer;
        let ty = Type {
            name,
            pointer,
            docs,
            facts: Facts::default(),
            shape: Shape::Enum(shape),
        };
        version.types.insert(schema, ty);
    }
}

/// Puts the values that the document lists in place of those that an overlay knew.
fn override_values(
    version: &mut ApiVersion,
    schema: &SchemaName,
    values: Vec<String>,
    diagnostics: &mut Diagnostics,
) {
    let Some(ty) = version.types.get_mut(schema) else {
        return;
    };
    let Shape::Enum(shape) = &mut ty.shape else {
        return;
    };
    shape.variants.retain(|variant| values.contains(&variant.value));
    let known: Vec<_> = shape.variants.iter().map(|v| v.value.clone()).collect();
    let new = values.into_iter().filter(|value| !known.contains(value)).collect();
    add(shape, new, &version.file, &ty.pointer, diagnostics);
}

fn add(
    shape: &mut Enum,
    values: Vec<String>,
    file: &str,
    pointer: &Pointer,
    diagnostics: &mut Diagnostics,
) {
    for value in values {
        match name::variant_name(&value) {
            Some(name) => {
                shape.variants.push(Variant {
                    value,
                    name,
                    docs: Docs::default(),
                });
            }
            None => diagnostics.at(
                file,
                &pointer.child("enum"),
                format!("`{}` can't be the name of a variant", value.escape_debug()),
                name::VARIANT_RULE,
            ),
        }
    }
}
