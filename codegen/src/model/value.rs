//! The form in which a value is read, and its default.

use serde::Serialize;

use crate::name::Ident;

/// The form in which a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reading {
    /// A list or map in which `null` is the zero value of an element.
    Elements,
    /// Lists and maps in each other, those of times, and lists of quantities.
    Shaped,
    /// A map in which `null` isn't an entry, as in custom resources.
    Entries,
    /// A type of another crate with maps in it, in which `null` isn't an entry either.
    Pruned,
    /// A quantity.
    Quantity,
    /// A map of quantities, in which `null` is 0.
    Quantities,
    /// A time.
    Time,
}

/// A default as a value of its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Literal {
    Bool(bool),
    Int(i64),
    Text(String),
    /// A value of an enumeration of the crate.
    Variant {
        ty: Ident,
        variant: Ident,
    },
    List(Vec<Literal>),
    /// A number that its type is made from.
    Number(serde_json::Number),
    /// A text that its type is made from.
    Made(String),
    /// An object or map without entries.
    Empty,
    /// JSON that the value is read from.
    Json(String),
}

impl Literal {
    /// The enumerations of which it has a value.
    pub(crate) fn enumerations(&self) -> Vec<&Ident> {
        match self {
            Self::Variant { ty, .. } => vec![ty],
            Self::List(values) => values.iter().flat_map(Self::enumerations).collect(),
            _ => Vec::new(),
        }
    }
}
