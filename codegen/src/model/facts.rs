//! Facts about types and fields, from documents.

use serde::Serialize;

use super::Lifecycle;

/// The facts about a type or field beyond its shape.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Facts {
    /// The releases in which it was introduced, became stable and was removed.
    pub(crate) lifecycle: Option<Lifecycle>,
    /// The server's default for an absent field, as JSON.
    pub(crate) default: Option<serde_json::Value>,
    /// The fields that identify the elements of a list.
    pub(crate) list_keys: Vec<String>,
    /// True if it has one owner with all that is in it, where the document says so.
    pub(crate) atomic: Option<bool>,
    /// True if the schema allows `null`: for the value, for the elements of a list or map, for
    /// those of these, and so on. What isn't listed can't be `null`.
    #[serde(skip)]
    pub(crate) takes_null: Vec<bool>,
    /// A value for examples.
    pub(crate) example: Option<serde_json::Value>,
}

impl Facts {
    /// Returns true if the schema allows `null` for the value.
    pub(crate) fn takes_null(&self) -> bool {
        self.takes_null.first() == Some(&true)
    }

    /// Returns true if it allows `null` for the elements of the value, or says nothing of them.
    pub(crate) fn has_null_inside(&self) -> bool {
        self.takes_null.get(1) != Some(&false)
    }
}
