//! Conversions of the types of one crate into those of another.

use serde::Serialize;

use super::SchemaName;
use crate::name::{Function, Ident, RustPath};

/// The conversion of a type into a type of another crate, and back.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Conversion {
    /// The other type.
    pub(crate) to: RustPath,
    pub(crate) how: ConversionMethod,
    /// True if neither direction can lose anything.
    pub(crate) total: bool,
    /// True if the way back can take the form of another object.
    pub(crate) like: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) enum ConversionMethod {
    /// Field by field.
    Fields(Vec<FieldConversion>),
    /// Value by value, of an enumeration.
    Values,
    /// Item by item, of a list of a kind; with what becomes of the fields that it doesn't know.
    Items(Option<FieldConversion>),
    /// Functions for the whole type.
    ByHand(Functions),
}

/// Functions that are written by hand.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Functions {
    pub(crate) forth: Function,
    pub(crate) back: Function,
    /// The way back in the form of another object.
    pub(crate) back_like: Option<Function>,
}

impl Functions {
    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Function> {
        [&self.forth, &self.back].into_iter().chain(&self.back_like)
    }
}

/// The conversion of a field of either side.
#[derive(Clone, Debug, Serialize)]
pub(crate) enum FieldConversion {
    /// It has a counterpart of the same shape.
    Carried {
        ours: Side,
        theirs: Side,
        optional: bool,
        carry: ValueConversion,
    },
    /// Functions make its counterpart from it.
    Function {
        ours: Side,
        theirs: Side,
        functions: Box<Functions>,
    },
    /// Only our side has it.
    Ours(Dropped),
    /// Only the other side has it.
    Theirs(Dropped),
}

/// A field that has a counterpart.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Side {
    pub(crate) name: Ident,
    pub(crate) boxed: bool,
}

/// A field that has none.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Dropped {
    pub(crate) json: String,
    pub(crate) name: Ident,
    pub(crate) optional: bool,
    pub(crate) reason: String,
}

/// The conversion of a value from one side to the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum ValueConversion {
    /// It is of the same type.
    Same,
    /// It is of a type that has a conversion of its own.
    Type {
        ours: SchemaName,
        theirs: SchemaName,
        total: bool,
        like: bool,
    },
    /// It is a list.
    List(Box<ValueConversion>),
    /// It is a map.
    Map(Box<ValueConversion>),
}

impl ValueConversion {
    /// The two types that meet at its innermost, if they differ.
    pub(crate) fn pair(&self) -> Option<(&SchemaName, &SchemaName, bool)> {
        match self {
            Self::Same => None,
            Self::Type {
                ours,
                theirs,
                total,
                ..
            } => Some((ours, theirs, *total)),
            Self::List(inner) | Self::Map(inner) => inner.pair(),
        }
    }

    /// Returns true if it needs what `convert` of the run-time has, of a field that is boxed on
    /// both sides or not.
    pub(crate) fn uses_support(&self, boxed: bool) -> bool {
        match self {
            Self::Same => false,
            Self::Type { .. } => boxed,
            Self::List(_) | Self::Map(_) => true,
        }
    }

    /// The innermost conversion of lists and maps, for changing.
    pub(crate) fn innermost_mut(&mut self) -> &mut Self {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost_mut(),
            other => other,
        }
    }
}
