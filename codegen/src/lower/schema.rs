//! The type of a value, from the schema of a property, of items or of a map's values.

use std::borrow::Borrow;

use openapiv3::{
    AdditionalProperties, AnySchema, IntegerFormat, NumberFormat, ReferenceOr, Schema,
    SchemaKind, StringFormat, StringType, Type, VariantOrUnknownOrEmpty as Format,
};
use serde_json::Value;

use super::Context;
use crate::diag::Pointer;
use crate::load::SCHEMAS;
use crate::model::{NameFormat, Ty};

/// The type of a schema or of what a reference leads to.
pub(super) fn of<S: Borrow<Schema>>(
    schema: &ReferenceOr<S>,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Ty> {
    match schema {
        ReferenceOr::Item(schema) => ty(schema.borrow(), pointer, cx),
        ReferenceOr::Reference { reference } => reference_to(reference),
    }
}

/// What leads elsewhere than to a schema of the document has been reported on loading.
fn reference_to(reference: &str) -> Option<Ty> {
    let name = reference.strip_prefix('#')?.strip_prefix(SCHEMAS)?.strip_prefix('/')?;
    Some(Ty::Ref(name.to_owned()))
}

/// The type of a schema.
pub(super) fn ty(
    schema: &Schema,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Ty> {
    match &schema.schema_kind {
        SchemaKind::Type(kind) => plain(kind, pointer, cx),
        SchemaKind::AllOf { all_of } => all_of_one(all_of, pointer, cx),
        SchemaKind::Any(any) => mixed(any, schema, pointer, cx),
        SchemaKind::OneOf { .. } | SchemaKind::AnyOf { .. } | SchemaKind::Not { .. } => {
            unsupported("oneOf, anyOf and not", pointer, cx)
        }
    }
}

fn plain(kind: &Type, pointer: &Pointer, cx: &mut Context<'_>) -> Option<Ty> {
    match kind {
        Type::Boolean(_) => Some(Ty::Bool),
        Type::Integer(integer) => match &integer.format {
            Format::Item(IntegerFormat::Int32) => Some(Ty::I32),
            Format::Item(IntegerFormat::Int64) | Format::Empty => Some(Ty::I64),
            Format::Unknown(format) => unknown_format(format, "integer", pointer, cx),
        },
        Type::Number(number) => match &number.format {
            Format::Item(NumberFormat::Float) => Some(Ty::F32),
            Format::Item(NumberFormat::Double) | Format::Empty => Some(Ty::F64),
            Format::Unknown(format) => unknown_format(format, "number", pointer, cx),
        },
        Type::String(string) => text(string, pointer, cx),
        Type::Array(array) => match &array.items {
            Some(items) => {
                let item = of(items, &pointer.child("items"), cx)?;
                Some(Ty::List(Box::new(item)))
            }
            None => {
                cx.report(pointer, "a list without `items`", "say what it is a list of");
                None
            }
        },
        Type::Object(object) if object.properties.is_empty() => {
            match &object.additional_properties {
                Some(AdditionalProperties::Schema(schema)) => {
                    let value =
                        of(&**schema, &pointer.child("additionalProperties"), cx)?;
                    Some(Ty::Map(Box::new(value)))
                }
                Some(AdditionalProperties::Any(true)) | None => Some(Ty::Json),
                Some(AdditionalProperties::Any(false)) => {
                    unsupported("an object that may have no properties", pointer, cx)
                }
            }
        }
        Type::Object(_) => {
            cx.report(
                pointer,
                "an object with properties inside another",
                "give it a name under components/schemas and refer to that",
            );
            None
        }
    }
}

fn text(string: &StringType, pointer: &Pointer, cx: &mut Context<'_>) -> Option<Ty> {
    match &string.format {
        Format::Empty if !string.enumeration.is_empty() => {
            let values = values(&string.enumeration, pointer, cx)?;
            Some(Ty::Values {
                values,
                named: None,
            })
        }
        Format::Empty | Format::Item(StringFormat::Password) => Some(Ty::String),
        Format::Item(StringFormat::Byte) => Some(Ty::Bytes),
        Format::Item(StringFormat::DateTime) => Some(Ty::Time),
        Format::Item(StringFormat::Date) => {
            unknown_format("date", "string", pointer, cx)
        }
        Format::Item(StringFormat::Binary) => {
            unknown_format("binary", "string", pointer, cx)
        }
        Format::Unknown(format) if NameFormat::parse(format).is_some() => {
            Some(Ty::String)
        }
        Format::Unknown(format) => unknown_format(format, "string", pointer, cx),
    }
}

/// An `allOf` of one reference is how Kubernetes puts a description beside a reference.
fn all_of_one(
    all_of: &[ReferenceOr<Schema>],
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Ty> {
    match all_of {
        [ReferenceOr::Reference { reference }] => reference_to(reference),
        _ => unsupported("an `allOf` of anything but one `$ref`", pointer, cx),
    }
}

/// A schema with keywords that openapiv3 has no one form for: a reference beside a type, as
/// an overlay leaves it, or a type that isn't one.
fn mixed(
    any: &AnySchema,
    schema: &Schema,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Ty> {
    if !any.one_of.is_empty() || !any.any_of.is_empty() || any.not.is_some() {
        return unsupported("oneOf, anyOf and not", pointer, cx);
    }
    match (any.typ.as_deref(), any.all_of.as_slice()) {
        (Some("string") | None, all_of @ [_, ..]) => {
            let ty = all_of_one(all_of, pointer, cx)?;
            match ty {
                Ty::Ref(named) if !any.enumeration.is_empty() => {
                    let values = values(&any.enumeration, pointer, cx)?;
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
                cx.report(
                    pointer,
                    "a schema without a type",
                    "give it a `type`, or `x-kubernetes-preserve-unknown-fields: true` if \
                     any JSON will do",
                );
                None
            }
        }
        (Some("string" | "object" | "array" | "integer" | "number" | "boolean"), _) => {
            unsupported("this combination of keywords", pointer, cx)
        }
        (Some(unknown), _) => {
            cx.report(
                &pointer.child("type"),
                format!("unknown type `{}`", unknown.escape_debug()),
                "the types of OpenAPI 3.0 are array, boolean, integer, number, object and \
                 string",
            );
            None
        }
        (None, _) => unsupported("properties without `type: object`", pointer, cx),
    }
}

/// The values of an enumeration of strings.
pub(super) fn values<V: AsValue>(
    enumeration: &[V],
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Vec<String>> {
    let values: Option<Vec<_>> = enumeration.iter().map(AsValue::as_string).collect();
    if values.is_none() {
        cx.report(
            &pointer.child("enum"),
            "a value that is not a string",
            "only strings can be enumerated here",
        );
    }
    values
}

/// The two forms in which openapiv3 gives the values of an enumeration.
pub(super) trait AsValue {
    fn as_string(&self) -> Option<String>;
}

impl AsValue for Option<String> {
    fn as_string(&self) -> Option<String> {
        self.clone()
    }
}

impl AsValue for Value {
    fn as_string(&self) -> Option<String> {
        self.as_str().map(str::to_owned)
    }
}

fn unknown_format(
    format: &str,
    ty: &str,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Ty> {
    cx.report(
        &pointer.child("format"),
        format!("unknown format `{}` of type {ty}", format.escape_debug()),
        "known are int32, int64, float, double, byte, date-time, dns1123Subdomain, \
         dns1123Label, qualifiedName and labelValue",
    );
    None
}

fn unsupported(what: &str, pointer: &Pointer, cx: &mut Context<'_>) -> Option<Ty> {
    cx.report(
        pointer,
        format!("{what}: no Rust type is known for it"),
        "write a plain type or one `$ref`, or declare the schema external in codegen.toml",
    );
    None
}
