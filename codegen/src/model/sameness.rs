//! Equality of values in CEL, where it isn't that of Rust's types.

use serde::Serialize;

use super::SchemaName;
use crate::name::Ident;

/// The way in which a server of custom resources compares two values of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sameness {
    /// As Rust does.
    Exact,
    /// A number that may have a fraction, however it is written.
    Number,
    /// A text as what a function of `kubernetes_validation::cel` reads.
    Written(&'static str),
    /// A list in any order.
    Set,
    /// A list in any order of elements with keys.
    Keyed(Vec<Ident>, Box<Sameness>),
    /// A list, element by element.
    Each(Box<Sameness>),
    /// A map, value by value.
    Entries(Box<Sameness>),
    /// An object of any properties, of which a server compares those that both have.
    Open,
    /// A struct of the crate, field by field.
    Struct(SchemaName),
}

impl Sameness {
    /// The struct that is compared, itself or in lists and maps.
    pub(crate) fn of_struct(&self) -> Option<&SchemaName> {
        match self {
            Self::Keyed(_, inside) | Self::Each(inside) | Self::Entries(inside) => {
                inside.of_struct()
            }
            Self::Struct(name) => Some(name),
            Self::Exact | Self::Number | Self::Written(_) | Self::Set | Self::Open => None,
        }
    }

    /// Returns true if it reads texts.
    pub(crate) fn reads(&self) -> bool {
        match self {
            Self::Keyed(_, inside) | Self::Each(inside) | Self::Entries(inside) => inside.reads(),
            other => matches!(other, Self::Written(_)),
        }
    }
}
