//! Facts about types and fields, from documents and derived.

use serde::Serialize;

use super::{Lifecycle, Literal, Merge, Reading};
use crate::name::{Ident, RulePath};

/// The facts about a type or field beyond its shape.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Facts {
    /// When it was introduced, became stable and was removed.
    pub(crate) lifecycle: Option<Lifecycle>,
    /// The server's default for an absent field, as JSON.
    pub(crate) default: Option<serde_json::Value>,
    /// The same as a value of the field's type, set by the pass for defaults.
    pub(crate) literal: Option<Literal>,
    /// The feature without which a server drops the field: the name of its constant.
    pub(crate) feature: Option<Ident>,
    /// The hand-written function that sets defaults inside.
    pub(crate) default_function: Option<RulePath>,
    /// The hand-written function that compares two values as the server does.
    pub(crate) same: Option<RulePath>,
    /// The fields that identify the elements of a list.
    pub(crate) list_keys: Vec<String>,
    /// True if it has one owner with all that is in it, where the document says so.
    pub(crate) atomic: Option<bool>,
    /// How it is merged, set by the pass for that.
    pub(crate) merge: Merge,
    /// True if the schema allows `null`: for the value, for the elements of a list or map, for
    /// those of these, and so on. What isn't listed can't be `null`.
    #[serde(skip)]
    pub(crate) takes_null: Vec<bool>,
    /// How the value is read, if not as its type reads itself.
    pub(crate) reading: Option<Reading>,
    /// A value for examples.
    pub(crate) example: Option<serde_json::Value>,
}

impl Facts {
    /// Returns true if the schema allows `null` for the value.
    pub(crate) fn takes_null(&self) -> bool {
        self.takes_null.first() == Some(&true)
    }

    /// Returns true if it allows `null` for the elements of the value.
    pub(crate) fn has_null_inside(&self) -> bool {
        self.takes_null.get(1) == Some(&true)
    }
}
