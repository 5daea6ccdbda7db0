//! Types of values, and how values of them are kept.

use crate::model::{CelForm, CelObject, CelType, Exact, Node, ReadAs, Ty};

/// Returns true for plain values, of which there are lists.
pub(super) fn is_kept(sort: &CelType) -> bool {
    is_number(sort)
        || is_part(sort)
        || matches!(sort, CelType::Bool | CelType::Duration | CelType::Time)
}

pub(super) fn is_number(sort: &CelType) -> bool {
    matches!(sort, CelType::Int | CelType::Unsigned | CelType::Double)
}

/// Returns true for texts and bytes, which are part of what owns them.
pub(super) fn is_part(sort: &CelType) -> bool {
    matches!(sort, CelType::Text | CelType::Bytes)
}

/// Returns true for what lists and maps that are made can have.
pub(super) fn is_held(sort: &CelType) -> bool {
    is_kept(sort) || matches!(sort, CelType::Made(_) | CelType::Entries(..))
}

/// Returns true for lists.
pub(super) fn is_list(sort: &CelType) -> bool {
    matches!(
        sort,
        CelType::Made(_) | CelType::Place(Ty::List(_), _) | CelType::Kept(..)
    )
}

/// A value of its own, as values of the type are.
pub(super) fn made(node: Node, sort: &CelType) -> Node {
    match sort {
        CelType::Text => Node::Made(Box::new(node)),
        CelType::Bytes => Node::Slice(Box::new(node)),
        _ => node,
    }
}

/// The value that a variable or an element holds.
pub(super) fn held(node: Node, sort: &CelType) -> Node {
    match sort {
        CelType::Text => Node::Read(Box::new(node), ReadAs::Text),
        CelType::Bytes => Node::Slice(Box::new(node)),
        CelType::Made(_) | CelType::Maybe(_) | CelType::Entries(..) => {
            Node::Method(Box::new(node), "clone", Vec::new())
        }
        _ => node,
    }
}

/// A value as one of its own.
pub(super) fn owned(node: Node, sort: &CelType) -> Node {
    match is_part(sort) {
        true => Node::Owned(Box::new(node)),
        false => node,
    }
}

/// A value, wherever another one is known.
pub(super) fn beside(other: Node, value: Node) -> Node {
    match other.fails() {
        true => Node::Sure("beside", vec![other, value]),
        false => value,
    }
}

/// The name of a type in rules, unless only a value says it.
pub(super) fn name(sort: &CelType) -> Option<&'static str> {
    Some(match sort {
        CelType::Null => "null_type",
        CelType::Bool => "bool",
        CelType::Int => "int",
        CelType::Unsigned => "uint",
        CelType::Double => "double",
        CelType::Duration => DURATION,
        CelType::Time => TIME,
        CelType::Text => "string",
        CelType::Bytes => "bytes",
        CelType::Type => "type",
        CelType::Optional(..) | CelType::Maybe(_) => "optional_type",
        sort if is_list(sort) => "list",
        CelType::Place(Ty::Map(_) | Ty::Ref(_), _) | CelType::Entries(..) => "map",
        _ => return None,
    })
}

pub(super) const DURATION: &str = "google.protobuf.Duration";
pub(super) const TIME: &str = "google.protobuf.Timestamp";

/// The types that rules name by one word.
pub(super) const NAMES: [&str; 11] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
];

/// Names a type in messages.
pub(super) fn said(sort: &CelType) -> &'static str {
    match sort {
        CelType::Null => "`null`",
        CelType::Bool => "a flag",
        CelType::Int => "a whole number",
        CelType::Unsigned => "an unsigned number",
        CelType::Double => "a fraction",
        CelType::Duration => "a duration",
        CelType::Time => "a time",
        CelType::Type => "a type",
        CelType::Dynamic => "a number or text",
        CelType::Object(CelObject::Cidr) => "a range of addresses",
        CelType::Object(CelObject::Format) => "a format",
        CelType::Object(CelObject::Ip) => "an address",
        CelType::Object(CelObject::Problems) => "problems of a text",
        CelType::Object(CelObject::Quantity) => "a quantity",
        CelType::Object(CelObject::Url) => "a URL",
        CelType::Object(CelObject::Version) => "a version",
        CelType::Text => "a text",
        CelType::Bytes => "bytes",
        CelType::Place(Ty::List(_), _) | CelType::Kept(..) | CelType::Made(_) => "a list",
        CelType::Place(Ty::Map(_), _) | CelType::Entries(..) => "a map",
        CelType::Place(Ty::Time | Ty::Exact(Exact::DateTime), _) => "a time",
        CelType::Place(Ty::Ref(_), _) => "an object",
        CelType::Place(..) => "a value of no one type",
        CelType::Optional(..) | CelType::Maybe(_) => "an optional value",
    }
}

/// Returns true if a list in a place has elements in an order that counts.
pub(super) fn is_ordered(form: &CelForm) -> bool {
    form.list == crate::model::ListForm::Atomic
}
