//! The merge strategies of fields.

use serde::Serialize;

use crate::name::Ident;

/// The merge strategy of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Merge {
    /// It is replaced as a whole.
    #[default]
    Whole,
    /// Its own fields are merged, but for what is replaced at these paths.
    Fields(Vec<Replaced>),
    /// A map: the values of the same key are merged.
    Entries(Inner),
    /// A list of which no element occurs twice.
    Set,
    /// A list whose elements are identified by these fields.
    List { keys: Vec<Ident>, elements: Inner },
    /// The metadata of a kind.
    Metadata,
}

/// The merge strategy of the elements of a list or the values of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Inner {
    Whole,
    Fields,
}

/// The path of a value in a type of another crate which a server replaces as a whole, but the
/// type's own merge doesn't.
pub(crate) type Replaced = Vec<Step>;

/// A field on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Step {
    pub(crate) name: Ident,
    pub(crate) required: bool,
}
