//! Enumerations: where a document lists the values itself, it is believed.

use std::collections::BTreeMap;

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Docs, Enum, SchemaName, Shape, Ty, Type, Variant};
use crate::name;

/// Gives every enumerated string a type: the one an overlay has named, with the document's
/// values, or one named after its field.
pub(super) fn run(version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
    let mut believed: BTreeMap<SchemaName, Vec<String>> = BTreeMap::new();
    let mut nameless: Vec<(SchemaName, Type)> = Vec::new();
    let file = version.file.clone();
    let owners: BTreeMap<SchemaName, String> = version
        .types
        .iter()
        .map(|(name, ty)| (name.clone(), ty.name.to_string()))
        .collect();
    for (owner, object) in version.structs_mut() {
        for field in &mut object.fields {
            let innermost = field.ty.innermost_mut();
            let Ty::Values { values, named } = innermost else {
                continue;
            };
            let values = std::mem::take(values);
            if let Some(named) = named.take() {
                let known = believed.entry(named.clone()).or_default();
                known.extend(
                    values
                        .into_iter()
                        .filter(|v| !known.contains(v))
                        .collect::<Vec<_>>(),
                );
                *innermost = Ty::Ref(named);
                continue;
            }
            let mut title = field.json.clone();
            if let Some(first) = title.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            let rust = owners.get(owner).map(|owner| format!("{owner}{title}"));
            let Some(rust) = rust.as_deref().and_then(name::type_name) else {
                continue;
            };
            let pointer = field.pointer.clone();
            let description = format!("Values of `{}`.", field.json);
            let docs = Docs {
                description,
                ..Docs::default()
            };
            let mut shape = Enum {
                variants: Vec::new(),
            };
            add(&mut shape, values, &file, &pointer, diagnostics);
            let schema = format!("{owner}{title}");
            *innermost = Ty::Ref(schema.clone());
            let shape = Shape::Enum(shape);
            nameless.push((
                schema,
                Type {
                    name: rust,
                    pointer,
                    docs,
                    shape,
                },
            ));
        }
    }
    for (schema, ty) in nameless {
        let taken = version.types.contains_key(&schema)
            || version.aliases.contains_key(&schema)
            || version.externs.contains_key(&schema);
        if taken {
            diagnostics.at(
                &file,
                &ty.pointer,
                format!("the enumeration needs the name of `{}`", ty.name),
                "name it in an overlay: add a schema with the values and refer to it",
            );
            continue;
        }
        version.types.insert(schema, ty);
    }
    for (schema, values) in believed {
        let Some(ty) = version.types.get_mut(&schema) else {
            continue;
        };
        let Shape::Enum(shape) = &mut ty.shape else {
            continue;
        };
        shape.variants.retain(|variant| values.contains(&variant.value));
        let known: Vec<_> = shape.variants.iter().map(|v| v.value.clone()).collect();
        let new = values.into_iter().filter(|value| !known.contains(value)).collect();
        add(shape, new, &file, &ty.pointer, diagnostics);
    }
}

fn add(
    shape: &mut Enum,
    values: Vec<String>,
    file: &str,
    pointer: &crate::diag::Pointer,
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
