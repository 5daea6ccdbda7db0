//! Defaults: converts the JSON of the document to values of the fields' types.

use serde_json::Value;

use crate::model::{ApiVersion, Literal, SchemaName, Ty};

/// Works out the default of every field that the server can set. Required fields have none.
pub(super) fn run(version: &mut ApiVersion) {
    let mut found: Vec<(SchemaName, usize, Literal)> = Vec::new();
    for (owner, object) in version.structs() {
        for (index, field) in object.fields.iter().enumerate() {
            let default = field.facts.default.as_ref().filter(|_| field.is_optional());
            if let Some(literal) = default.and_then(|d| literal(version, &field.ty, d)) {
                found.push((owner.clone(), index, literal));
            }
        }
    }
    for (owner, index, literal) in found {
        let object = version.object_mut(&owner);
        if let Some(field) = object.and_then(|object| object.fields.get_mut(index)) {
            field.facts.literal = Some(literal);
        }
    }
}

/// A default as a value of a type, if the type has a form for it.
fn literal(version: &ApiVersion, ty: &Ty, default: &Value) -> Option<Literal> {
    match (ty, default) {
        (Ty::Bool, Value::Bool(value)) => Some(Literal::Bool(*value)),
        (Ty::I32 | Ty::I64, Value::Number(number)) => number.as_i64().map(Literal::Int),
        (Ty::String, Value::String(text)) => Some(Literal::Text(text.clone())),
        (Ty::List(item), Value::Array(values)) => {
            let values = values.iter().map(|value| literal(version, item, value));
            values.collect::<Option<_>>().map(Literal::List)
        }
        (Ty::Ref(_), Value::String(text)) => {
            let (ty, shape) = version.own_enum(ty)?;
            let variant =
                shape.variants.iter().find(|variant| variant.value == *text)?;
            Some(Literal::Variant {
                ty: ty.name.clone(),
                variant: variant.name.clone(),
            })
        }
        _ => None,
    }
}
