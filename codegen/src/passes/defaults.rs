//! Defaults: converts the JSON of the document to values of the fields' types.

use serde_json::Value;

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Exact, Field, Literal, Lowered, Ty};

/// Returns the default of a field, if the server sets it. Required fields have none, but for those
/// of custom resources.
pub(super) fn of(
    version: &ApiVersion<Lowered>,
    field: &Field<Lowered>,
    is_optional: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Literal> {
    let default = field.facts.default.as_ref()?;
    if let Err(wanted) = fits(version, &field.ty, default) {
        diagnostics.at(
            &version.file,
            &field.pointer.child("default"),
            format!("the default `{default}` is not {wanted}"),
            "correct the default or the type, or remove the default",
        );
        return None;
    }
    let is_set = is_optional || version.is_custom && !field.metadata;
    is_set.then(|| literal(version, &field.ty, default))?
}

/// A default as a value of a type, if the type has a form for it.
fn literal(version: &ApiVersion<Lowered>, ty: &Ty, default: &Value) -> Option<Literal> {
    Some(match (ty, default) {
        (Ty::Bool, Value::Bool(value)) => Literal::Bool(*value),
        (Ty::I32 | Ty::I64 | Ty::Unsigned(_), Value::Number(number)) => {
            Literal::Int(number.as_i64()?)
        }
        (Ty::String, Value::String(text)) => Literal::Text(text.clone()),
        (Ty::List(_), Value::Array(values)) if version.is_custom && values.is_empty() => {
            Literal::Empty
        }
        (Ty::List(item), Value::Array(values)) => {
            let values = values.iter().map(|value| literal(version, item, value));
            Literal::List(values.collect::<Option<_>>()?)
        }
        (Ty::Exact(_), Value::Number(number)) => Literal::Number(number.clone()),
        (Ty::Exact(_), Value::String(text)) => Literal::Made(text.clone()),
        (Ty::Ref(_), Value::String(text)) => {
            let (ty, shape) = version.own_enum(ty)?;
            let variant = shape
                .variants
                .iter()
                .find(|variant| variant.value == *text)?;
            Literal::Variant {
                ty: ty.name.clone(),
                variant: variant.name.clone(),
            }
        }
        (Ty::Map(_) | Ty::Ref(_), Value::Object(members))
            if version.is_custom && members.is_empty() =>
        {
            Literal::Empty
        }
        (Ty::Map(_) | Ty::Ref(_) | Ty::Bytes | Ty::Json, default) if version.is_custom => {
            Literal::Json(default.to_string())
        }
        _ => return None,
    })
}

/// Checks that a default is a value of a type; the error names what would be.
fn fits(version: &ApiVersion<Lowered>, ty: &Ty, default: &Value) -> Result<(), String> {
    let is = |fits: bool, wanted: &str| fits.then_some(()).ok_or(wanted.to_owned());
    match (ty, default) {
        (Ty::Bool, value) => is(value.is_boolean(), "`true` or `false`"),
        (Ty::I32, value) => {
            let narrow = value
                .as_i64()
                .is_some_and(|value| i32::try_from(value).is_ok());
            is(narrow, "a whole number of 32 bits")
        }
        (Ty::I64, value) => is(value.is_i64(), "a whole number of 64 bits"),
        (Ty::Unsigned(_), value) => is(value.is_u64(), "a whole number without sign"),
        (Ty::F32 | Ty::F64 | Ty::Exact(Exact::Number), value) => is(value.is_number(), "a number"),
        (Ty::String | Ty::Bytes | Ty::Time | Ty::Exact(Exact::DateTime), value) => {
            is(value.is_string(), "a string")
        }
        (Ty::List(item), Value::Array(values)) => values
            .iter()
            .try_for_each(|value| fits(version, item, value)),
        (Ty::List(_), _) => is(false, "a list"),
        (Ty::Map(item), Value::Object(values)) => values
            .values()
            .try_for_each(|value| fits(version, item, value)),
        (Ty::Map(_), _) => is(false, "an object"),
        (Ty::Ref(_), value) => match (version.own_enum(ty), version.own_struct(ty)) {
            (Some((_, shape)), _) => {
                let values: Vec<_> = shape
                    .variants
                    .iter()
                    .map(|variant| &*variant.value)
                    .collect();
                let known = value.as_str().is_some_and(|text| values.contains(&text));
                is(known, &format!("one of {}", values.join(", ")))
            }
            (_, Some((_, object))) => {
                let members = value.as_object().into_iter().flatten();
                for (name, value) in members.filter(|_| version.is_custom) {
                    let field = object.field(name);
                    field.map_or(Ok(()), |field| fits(version, &field.ty, value))?;
                }
                is(value.is_object(), "an object")
            }
            // An external type reads what it wants.
            (None, None) => Ok(()),
        },
        (Ty::IntOrString | Ty::Exact(Exact::IntOrString | Exact::IntOrQuantity), value) => is(
            value.is_i64() || value.is_string(),
            "a whole number or a string",
        ),
        (Ty::Json | Ty::Object | Ty::Values { .. }, _) => Ok(()),
    }
}
