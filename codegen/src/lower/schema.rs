//! The type of a value, from the schema of a property, of items or of a map's values.

use std::borrow::Borrow;

use openapiv3::{
    AdditionalProperties, AnySchema, IntegerFormat, IntegerType, NumberFormat, ReferenceOr, Schema,
    SchemaKind, StringFormat, StringType, Type, VariantOrUnknownOrEmpty as Format,
};
use serde_json::Value;

use crate::diag::Spot;
use crate::load::schema_name;
use crate::model::{NameFormat, Ty, is_misspelt_name_format};

/// The type of a schema or of what a reference leads to.
pub(super) fn of<S: Borrow<Schema>>(schema: &ReferenceOr<S>, at: &Spot<'_>) -> Option<Ty> {
    match schema {
        ReferenceOr::Item(schema) => ty(schema.borrow(), at),
        ReferenceOr::Reference { reference } => reference_to(reference),
    }
}

/// Returns the type of a reference. References that lead elsewhere were reported on loading.
fn reference_to(reference: &str) -> Option<Ty> {
    schema_name(reference).map(|name| Ty::Ref(name.to_owned()))
}

/// The type of a schema.
pub(super) fn ty(schema: &Schema, at: &Spot<'_>) -> Option<Ty> {
    let either = schema
        .schema_data
        .extensions
        .get("x-kubernetes-int-or-string");
    if either == Some(&Value::Bool(true)) {
        return Some(Ty::IntOrString);
    }
    match &schema.schema_kind {
        SchemaKind::Type(kind) => plain(kind, schema.schema_data.default.as_ref(), at),
        SchemaKind::AllOf { all_of } => all_of_one(all_of, at),
        SchemaKind::Any(any) => mixed(any, at),
        SchemaKind::OneOf { one_of: forms } | SchemaKind::AnyOf { any_of: forms } => {
            Some(one_of(forms))
        }
        SchemaKind::Not { .. } => Some(Ty::Json),
    }
}

fn plain(kind: &Type, default: Option<&Value>, at: &Spot<'_>) -> Option<Ty> {
    match kind {
        Type::Boolean(_) => Some(Ty::Bool),
        Type::Integer(integer) => Some(whole(integer, default)),
        Type::Number(number) => match &number.format {
            Format::Item(NumberFormat::Float) => Some(Ty::F32),
            _ => Some(Ty::F64),
        },
        Type::String(string) => text(string, at),
        Type::Array(array) => match &array.items {
            Some(items) => {
                let item = of(items, &at.child("items"))?;
                Some(Ty::List(Box::new(item)))
            }
            None => Some(Ty::List(Box::new(Ty::Json))),
        },
        Type::Object(object) if object.properties.is_empty() => {
            match &object.additional_properties {
                Some(AdditionalProperties::Schema(schema)) => {
                    let value = of(&**schema, &at.child("additionalProperties"))?;
                    Some(Ty::Map(Box::new(value)))
                }
                Some(AdditionalProperties::Any(_)) | None => Some(Ty::Object),
            }
        }
        // Objects in the crate's own schemas have got names.
        Type::Object(_) => Some(Ty::Json),
    }
}

/// The type of a whole number. A format without sign, which a server doesn't know, counts if the
/// schema itself has no value beyond it.
fn whole(integer: &IntegerType, default: Option<&Value>) -> Ty {
    let format = match &integer.format {
        Format::Item(IntegerFormat::Int32) => return Ty::I32,
        Format::Unknown(format) => format.as_str(),
        _ => return Ty::I64,
    };
    let bits = match format {
        "uint8" => 8,
        "uint16" => 16,
        "uint32" => 32,
        "uint64" | "uint" => 64,
        _ => return Ty::I64,
    };
    let fits = |value: i64| u64::try_from(value).is_ok_and(|v| bits == 64 || v < 1 << bits);
    let known = integer.enumeration.iter().flatten().copied();
    let known = known.chain(default.and_then(Value::as_i64));
    match known.into_iter().all(fits) {
        true => Ty::Unsigned(bits),
        false => Ty::I64,
    }
}

fn text(string: &StringType, at: &Spot<'_>) -> Option<Ty> {
    match &string.format {
        Format::Item(StringFormat::Byte) => return Some(Ty::Bytes),
        Format::Item(StringFormat::DateTime) => return Some(Ty::Time),
        Format::Unknown(format) if format == "int-or-string" => {
            return Some(Ty::IntOrString);
        }
        Format::Unknown(format) if is_misspelt_name_format(format) => {
            return at.child("format").refuse(
                format!("unknown format `{}`", format.escape_debug()),
                format!(
                    "known names are {}",
                    NameFormat::ALL.map(NameFormat::name).join(", ")
                ),
            );
        }
        _ => {}
    }
    if string.enumeration.is_empty() {
        return Some(Ty::String);
    }
    let values = values(string.enumeration.iter().cloned(), at)?;
    Some(Ty::Values {
        values,
        named: None,
    })
}

/// Returns the type of alternatives: `IntOrString` for a number or a text, otherwise anything.
fn one_of(forms: &[ReferenceOr<Schema>]) -> Ty {
    let mut has = [false; 2];
    for form in forms {
        match form.as_item().map(|form| &form.schema_kind) {
            Some(SchemaKind::Type(Type::Integer(_))) => has[0] = true,
            Some(SchemaKind::Type(Type::String(_))) => has[1] = true,
            _ => return Ty::Json,
        }
    }
    if has == [true, true] {
        Ty::IntOrString
    } else {
        Ty::Json
    }
}

/// An `allOf` of one reference is how Kubernetes puts a description beside a reference.
fn all_of_one(all_of: &[ReferenceOr<Schema>], at: &Spot<'_>) -> Option<Ty> {
    match all_of {
        [ReferenceOr::Reference { reference }] => reference_to(reference),
        [ReferenceOr::Item(schema)] => ty(schema, at),
        _ => Some(Ty::Json),
    }
}

/// A schema with keywords that openapiv3 has no one form for: a reference beside a type, as
/// an overlay leaves it, or a type that isn't one.
fn mixed(any: &AnySchema, at: &Spot<'_>) -> Option<Ty> {
    let forms = [&any.one_of, &any.any_of];
    if let (None, Some(forms)) = (&any.typ, forms.into_iter().find(|f| !f.is_empty())) {
        return Some(one_of(forms));
    }
    match (any.typ.as_deref(), any.all_of.as_slice()) {
        (Some("string") | None, all_of @ [_, ..]) => {
            let ty = all_of_one(all_of, at)?;
            match ty {
                Ty::Ref(named) if !any.enumeration.is_empty() => {
                    let text = |value: &Value| value.as_str().map(str::to_owned);
                    let values = values(any.enumeration.iter().map(text), at)?;
                    Some(Ty::Values {
                        values,
                        named: Some(named),
                    })
                }
                ty => Some(ty),
            }
        }
        // Without a type it can be anything.
        (Some("object"), []) if any.properties.is_empty() => Some(Ty::Object),
        (None, []) if any.properties.is_empty() => Some(Ty::Json),
        (Some("string" | "object" | "array" | "integer" | "number" | "boolean"), _) => {
            unsupported("this combination of keywords", at)
        }
        (Some(unknown), _) => at.child("type").refuse(
            format!("unknown type `{}`", unknown.escape_debug()),
            "the types of OpenAPI 3.0 are array, boolean, integer, number, object and \
                 string",
        ),
        (None, _) => unsupported("properties without `type: object`", at),
    }
}

/// The values of an enumeration, which must be strings.
pub(super) fn values(
    enumeration: impl Iterator<Item = Option<String>>,
    at: &Spot<'_>,
) -> Option<Vec<String>> {
    enumeration.collect::<Option<_>>().or_else(|| no_text(at))
}

fn no_text<T>(at: &Spot<'_>) -> Option<T> {
    at.child("enum").refuse(
        "a value that is not a string",
        "only strings can be enumerated here",
    )
}

fn unsupported(what: &str, at: &Spot<'_>) -> Option<Ty> {
    at.refuse(
        format!("{what}: no Rust type is known for it"),
        "write a plain type or one `$ref`, or declare the schema external in codegen.toml",
    )
}
