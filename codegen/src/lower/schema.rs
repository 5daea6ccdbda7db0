//! The type of a value, from the schema of a property, of items or of a map's values.

use std::borrow::Borrow;

use openapiv3::{
    AdditionalProperties, AnySchema, IntegerFormat, NumberFormat, ReferenceOr, Schema,
    SchemaKind, StringFormat, StringType, Type, VariantOrUnknownOrEmpty as Format,
};
use serde_json::Value;

use crate::diag::Spot;
use crate::load::schema_name;
use crate::model::{NameFormat, Ty};

/// The type of a schema or of what a reference leads to.
pub(super) fn of<S: Borrow<Schema>>(
    schema: &ReferenceOr<S>,
    at: &Spot<'_>,
) -> Option<Ty> {
    match schema {
        ReferenceOr::Item(schema) => ty(schema.borrow(), at),
        ReferenceOr::Reference { reference } => reference_to(reference),
    }
}

/// What leads elsewhere than to a schema of the document has been reported on loading.
fn reference_to(reference: &str) -> Option<Ty> {
    schema_name(reference).map(|name| Ty::Ref(name.to_owned()))
}

/// The type of a schema.
pub(super) fn ty(schema: &Schema, at: &Spot<'_>) -> Option<Ty> {
    match &schema.schema_kind {
        SchemaKind::Type(kind) => plain(kind, at),
        SchemaKind::AllOf { all_of } => all_of_one(all_of, at),
        SchemaKind::Any(any) => mixed(any, schema, at),
        SchemaKind::OneOf { .. } | SchemaKind::AnyOf { .. } | SchemaKind::Not { .. } => {
            unsupported("oneOf, anyOf and not", at)
        }
    }
}

fn plain(kind: &Type, at: &Spot<'_>) -> Option<Ty> {
    match kind {
        Type::Boolean(boolean) if !boolean.enumeration.is_empty() => no_text(at),
        Type::Integer(integer) if !integer.enumeration.is_empty() => no_text(at),
        Type::Number(number) if !number.enumeration.is_empty() => no_text(at),
        Type::Boolean(_) => Some(Ty::Bool),
        Type::Integer(integer) => match &integer.format {
            Format::Item(IntegerFormat::Int32) => Some(Ty::I32),
            Format::Item(IntegerFormat::Int64) | Format::Empty => Some(Ty::I64),
            Format::Unknown(format) => unknown_format(format, "integer", at),
        },
        Type::Number(number) => match &number.format {
            Format::Item(NumberFormat::Float) => Some(Ty::F32),
            Format::Item(NumberFormat::Double) | Format::Empty => Some(Ty::F64),
            Format::Unknown(format) => unknown_format(format, "number", at),
        },
        Type::String(string) => text(string, at),
        Type::Array(array) => match &array.items {
            Some(items) => {
                let item = of(items, &at.child("items"))?;
                Some(Ty::List(Box::new(item)))
            }
            None => at.refuse("a list without `items`", "say what it is a list of"),
        },
        Type::Object(object) if object.properties.is_empty() => {
            match &object.additional_properties {
                Some(AdditionalProperties::Schema(schema)) => {
                    let value = of(&**schema, &at.child("additionalProperties"))?;
                    Some(Ty::Map(Box::new(value)))
                }
                Some(AdditionalProperties::Any(true)) | None => Some(Ty::Json),
                Some(AdditionalProperties::Any(false)) => {
                    unsupported("an object that may have no properties", at)
                }
            }
        }
        Type::Object(_) => at.refuse(
            "an object with properties inside another",
            "give it a name under components/schemas and refer to that",
        ),
    }
}

fn text(string: &StringType, at: &Spot<'_>) -> Option<Ty> {
    match &string.format {
        Format::Empty if !string.enumeration.is_empty() => {
            let values = values(string.enumeration.iter().cloned(), at)?;
            Some(Ty::Values {
                values,
                named: None,
            })
        }
        Format::Empty | Format::Item(StringFormat::Password) => Some(Ty::String),
        Format::Item(StringFormat::Byte) => Some(Ty::Bytes),
        Format::Item(StringFormat::DateTime) => Some(Ty::Time),
        Format::Item(StringFormat::Date) => unknown_format("date", "string", at),
        Format::Item(StringFormat::Binary) => unknown_format("binary", "string", at),
        Format::Unknown(format) if NameFormat::parse(format).is_some() => {
            Some(Ty::String)
        }
        Format::Unknown(format) => unknown_format(format, "string", at),
    }
}

/// An `allOf` of one reference is how Kubernetes puts a description beside a reference.
fn all_of_one(all_of: &[ReferenceOr<Schema>], at: &Spot<'_>) -> Option<Ty> {
    match all_of {
        [ReferenceOr::Reference { reference }] => reference_to(reference),
        _ => unsupported("an `allOf` of anything but one `$ref`", at),
    }
}

/// A schema with keywords that openapiv3 has no one form for: a reference beside a type, as
/// an overlay leaves it, or a type that isn't one.
fn mixed(any: &AnySchema, schema: &Schema, at: &Spot<'_>) -> Option<Ty> {
    if !any.one_of.is_empty() || !any.any_of.is_empty() || any.not.is_some() {
        return unsupported("oneOf, anyOf and not", at);
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
        (Some("object") | None, []) if any.properties.is_empty() => {
            let keeps = schema
                .schema_data
                .extensions
                .get("x-kubernetes-preserve-unknown-fields");
            if any.typ.is_some() || keeps == Some(&Value::Bool(true)) {
                Some(Ty::Json)
            } else {
                at.refuse(
                    "a schema without a type",
                    "give it a `type`, or `x-kubernetes-preserve-unknown-fields: true` if \
                     any JSON will do",
                )
            }
        }
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
    at.child("enum")
        .refuse("a value that is not a string", "only strings can be enumerated here")
}

fn unknown_format(format: &str, ty: &str, at: &Spot<'_>) -> Option<Ty> {
    at.child("format").refuse(
        format!("unknown format `{}` of type {ty}", format.escape_debug()),
        "known are int32, int64, float, double, byte, date-time, dns1123Subdomain, \
         dns1123Label, qualifiedName and labelValue",
    )
}

fn unsupported(what: &str, at: &Spot<'_>) -> Option<Ty> {
    at.refuse(
        format!("{what}: no Rust type is known for it"),
        "write a plain type or one `$ref`, or declare the schema external in codegen.toml",
    )
}
