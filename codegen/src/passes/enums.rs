//! Enumerations: values that a document lists override those of overlays.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Docs, Enum, Facts, Lowered, SchemaName, Shape, Ty, Type, Variant};
use crate::name;

/// Gives every enumerated string a type: the one an overlay has named, with the document's
/// values, or one named after its field.
pub(super) fn run(version: &mut ApiVersion<Lowered>, diagnostics: &mut Diagnostics) {
    let mut overrides: BTreeMap<SchemaName, Vec<String>> = BTreeMap::new();
    let mut anonymous: Vec<(SchemaName, Type<Lowered>, Vec<String>)> = Vec::new();
    let mut taken = taken(version);
    for (owner, ty) in &mut version.types {
        let owner_name = ty.name.clone();
        for field in ty
            .object_mut()
            .into_iter()
            .flat_map(|object| &mut object.fields)
        {
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
            // Nobody has named it: it is named after its owner and its field.
            let mut title = name::title(&field.json);
            if version.is_custom {
                title = name::free(&title, |title| taken.insert(format!("{owner}{title}")));
            }
            let schema = format!("{owner}{title}");
            *innermost = Ty::Ref(schema.clone());
            let Some(name) = name::type_name(&format!("{owner_name}{title}")) else {
                continue;
            };
            let shape = Shape::Enum(Enum {
                variants: Vec::new(),
            });
            let docs = Docs::of(format!("Values of `{}`.", field.json));
            let ty = Type {
                name,
                pointer: field.pointer.clone(),
                docs,
                facts: Facts::default(),
                shape,
            };
            anonymous.push((schema, ty, values));
        }
    }
    for (schema, ty, values) in anonymous {
        let is_taken = version.types.contains_key(&schema)
            || version.aliases.contains_key(&schema)
            || version.externs.contains_key(&schema);
        if is_taken {
            diagnostics.at(
                &version.file,
                &ty.pointer,
                format!("the enumeration needs the name of `{}`", ty.name),
                "name it in an overlay: add a schema with the values and refer to it",
            );
        } else {
            version.types.insert(schema.clone(), ty);
            set_values(version, &schema, values, diagnostics);
        }
    }
    for (schema, values) in overrides {
        set_values(version, &schema, values, diagnostics);
    }
}

/// The names of all schemas.
fn taken(version: &ApiVersion<Lowered>) -> BTreeSet<SchemaName> {
    let (types, externs) = (version.types.keys(), version.externs.keys());
    let all = types.chain(externs).chain(version.aliases.keys());
    all.cloned().collect()
}

/// Puts the values that the document lists in place of those that an overlay knew, if any.
fn set_values(
    version: &mut ApiVersion<Lowered>,
    schema: &SchemaName,
    values: Vec<String>,
    diagnostics: &mut Diagnostics,
) {
    let is_custom = version.is_custom;
    let Some(ty) = version.types.get_mut(schema) else {
        return;
    };
    let Shape::Enum(shape) = &mut ty.shape else {
        return;
    };
    shape
        .variants
        .retain(|variant| values.contains(&variant.value));
    let known: Vec<_> = shape.variants.iter().map(|v| v.value.clone()).collect();
    for value in values.into_iter().filter(|value| !known.contains(value)) {
        let spelled = || name::variant_name(&name::spelled(&value)).filter(|_| is_custom);
        match name::variant_name(&value).or_else(spelled) {
            Some(name) => shape.variants.push(Variant {
                value,
                name,
                docs: Docs::of(String::new()),
            }),
            None => diagnostics.at(
                &version.file,
                &ty.pointer.child("enum"),
                format!("`{}` can't be the name of a variant", value.escape_debug()),
                name::VARIANT_RULE,
            ),
        }
    }
}
