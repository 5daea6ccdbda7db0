//! Reading and writing: a table of the fields, which a macro of `kubernetes-kinds` takes.

use super::item::{Item, quoted, table};
use super::table::{presence, table_macro};
use super::types::type_text;
use crate::foundation;
use crate::model::{ApiVersion, Field, Reading, Rest, Role, Struct, Ty, Type};

/// The implementation of protobuf for an object of it without fields, for which the table says
/// nothing.
pub(super) fn without_fields(version: &ApiVersion, ty: &Type, object: &Struct) -> Option<Item> {
    let is_empty = version.has_numbers && object.fields.is_empty();
    is_empty.then(|| Item::Text(format!("wire::without_fields! {{ {} }}\n", ty.name)))
}

/// The implementations of `wire::Object` and of serde's traits.
pub(super) fn item(version: &ApiVersion, ty: &Type, object: &Struct) -> Item {
    let rows = object
        .fields
        .iter()
        .map(|field| row(version, object, field));
    let unknown = object
        .unknown
        .iter()
        .map(|Rest { name, only_nulls }| match only_nulls {
            true => format!("_ null => {name}"),
            false => format!("_ => {name}"),
        });
    let sort = match object.role {
        Role::Kind(_) if version.is_custom => "custom_kind",
        _ => table_macro(object),
    };
    table(
        &format!("wire::{sort}"),
        ty.name.as_str(),
        rows.chain(unknown),
    )
}

/// The row of a field.
fn row(version: &ApiVersion, object: &Struct, field: &Field) -> String {
    let (key, name) = (quoted(&field.json), &field.name);
    let presence = presence(field.is_always_written());
    let number = match &field.form.number {
        Some(number) => format!(" = {number}"),
        None => String::new(),
    };
    let mut row = format!("{presence} {key}{number} => {name}");
    if let Some(shape) = shape(version, object, field) {
        row.extend([" as ", &shape]);
    }
    if let Some(Rest { name, .. }) = object.unknown.as_ref().filter(|_| field.form.keeps_null) {
        row.extend([" or null in ", name.as_str()]);
    }
    // Before it is read, it has its default.
    if field.form.nullable && field.form.literal.is_some() {
        row.push_str(" else none");
    }
    row
}

/// The shape of a field that isn't read as its type reads itself.
fn shape(version: &ApiVersion, object: &Struct, field: &Field) -> Option<String> {
    if field.metadata && object.role.is_named() {
        return Some("metadata".to_owned());
    }
    let shape = match field.form.reading? {
        Reading::Elements => "elements",
        Reading::Shaped => {
            let takes_null = field.facts.takes_null.get(1..).unwrap_or_default();
            let shape = shape_of(version, &field.ty, takes_null);
            return Some(format!("shaped ({shape})"));
        }
        Reading::Pruned => {
            let value = type_text(version, &field.ty);
            return Some(format!("pruned ({value})"));
        }
        Reading::Entries => "entries",
        Reading::Quantity if version.is_custom => "custom_quantity",
        Reading::Time if version.is_custom => "custom_time",
        Reading::Quantity => "quantity",
        Reading::Quantities => "quantities",
        Reading::Time => "time",
    };
    Some(shape.to_owned())
}

/// The type that says how the values of a type are read. `takes_null` says for each depth whether
/// the values there can be `null`.
fn shape_of(version: &ApiVersion, ty: &Ty, takes_null: &[bool]) -> String {
    // A server keeps `null` of values of which the schema says nothing.
    let (has_null, inside) = match takes_null.split_first() {
        Some((first, rest)) => (*first, rest),
        None => (true, takes_null),
    };
    match ty {
        Ty::List(element) => format!("wire::ListOf<{}>", shape_of(version, element, inside)),
        Ty::Map(value) => {
            let value = shape_of(version, value, inside);
            match version.is_custom && !has_null {
                true => format!("wire::EntriesOf<{value}>"),
                false => format!("wire::MapOf<{value}>"),
            }
        }
        ty => {
            let value = || type_text(version, ty);
            let external = ty.reference().and_then(|name| version.externs.get(name));
            match external {
                _ if matches!(ty, Ty::Time) => format!("wire::Moment<{}>", value()),
                Some(external) if foundation::is_moment(&external.path) => {
                    format!("wire::Moment<{}>", value())
                }
                Some(external) if external.has_maps => format!("wire::Pruned<{}>", value()),
                Some(external) if foundation::is_quantity(&external.path) => {
                    "wire::Measure".to_owned()
                }
                _ => format!("wire::Plain<{}>", value()),
            }
        }
    }
}
