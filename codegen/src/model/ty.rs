//! The types of values.

use serde::Serialize;

use super::SchemaName;
use crate::name::{self, Ident};

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ty {
    Bool,
    I32,
    I64,
    /// A whole number without sign, of that many bits.
    Unsigned(u8),
    F32,
    F64,
    String,
    Bytes,
    Time,
    Json,
    /// An object that can have any properties. Gone after the pass for exact values.
    Object,
    /// A number or a text, such as a port.
    IntOrString,
    /// A value of a custom resource, which a server keeps as it is written.
    Exact(Exact),
    List(Box<Ty>),
    Map(Box<Ty>),
    /// A schema of the document: a type of the crate, an alias or an external.
    Ref(SchemaName),
    /// A string for which the document itself lists the values, and its type where an
    /// overlay has named one. Gone after the pass for enumerations.
    Values {
        values: Vec<String>,
        named: Option<SchemaName>,
    },
}

/// A value that a server keeps as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Exact {
    DateTime,
    IntOrQuantity,
    IntOrString,
    Number,
}

impl Exact {
    /// The name of its type.
    pub(crate) fn name(self) -> Ident {
        name::fixed(match self {
            Self::DateTime => "DateTime",
            Self::IntOrQuantity => "IntOrQuantity",
            Self::IntOrString => "IntOrString",
            Self::Number => "Number",
        })
    }
}

impl Ty {
    /// The type that keeps values as they are written, itself or in lists and maps.
    pub(crate) fn exact(&self) -> Option<Exact> {
        match self.innermost() {
            Self::Exact(exact) => Some(*exact),
            _ => None,
        }
    }

    /// The schema that the type names, itself or in lists and maps.
    pub(crate) fn reference(&self) -> Option<&SchemaName> {
        match self.innermost() {
            Self::Ref(name)
            | Self::Values {
                named: Some(name), ..
            } => Some(name),
            _ => None,
        }
    }

    /// The innermost type of lists and maps.
    pub(crate) fn innermost(&self) -> &Ty {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost(),
            other => other,
        }
    }

    /// The innermost type of lists and maps, for changing.
    pub(crate) fn innermost_mut(&mut self) -> &mut Ty {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost_mut(),
            other => other,
        }
    }
}
