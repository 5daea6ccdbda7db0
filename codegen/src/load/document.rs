//! A document that is loaded.

use std::collections::{BTreeMap, BTreeSet};

use openapiv3::Schema;
use serde_json::Value;

use super::inline::Places;
use super::replace::Replaced;
use crate::model::{Definition, Unchecked};
use crate::pointer::Pointer;
use crate::release::Release;

/// The title of documents about custom resources.
pub(super) const CUSTOM: &str = "Kubernetes CRD Swagger";

/// A document of one group-version.
#[derive(Debug)]
pub(crate) struct Document {
    /// The name of its file.
    pub(crate) file: String,
    /// The names of the files of schemas that aren't in that one.
    pub(crate) files: BTreeMap<String, String>,
    /// The release it describes.
    pub(crate) release: Release,
    /// The schemas of its components that have the prefix.
    pub(crate) schemas: BTreeMap<String, Schema>,
    /// The names of the others.
    pub(crate) others: Vec<String>,
    /// The schemas with the prefix that an earlier document of the crate has too.
    pub(crate) shared: BTreeSet<String>,
    /// The places of the schemas that were inside others.
    pub(super) places: Places,
    /// The rules that aren't checked, if such rules are listed and not refused.
    pub(crate) unchecked: Option<Vec<Unchecked>>,
    /// The definitions of its kinds, if the crate has them, by their schemas, or what is wrong in
    /// them.
    pub(crate) definitions: BTreeMap<String, Result<Definition, String>>,
    /// The schemas that types of other crates replace.
    pub(crate) replaced: Replaced,
    /// The whole, with its overlays.
    pub(crate) json: Value,
}

impl Document {
    /// The place of a schema in the file.
    pub(crate) fn place(&self, name: &str) -> Pointer {
        place(&self.places, name)
    }

    /// The other places of schemas that were inside others, of those that had several.
    pub(crate) fn other_places(&self) -> impl Iterator<Item = (&String, &Vec<Pointer>)> {
        let places = self
            .places
            .iter()
            .map(|(name, place)| (name, &place.others));
        places.filter(|(_, others)| !others.is_empty())
    }

    /// Returns true if it is about custom resources, as servers title such documents.
    pub(crate) fn is_of_custom_resources(&self) -> bool {
        is_of_custom_resources(&self.json)
    }
}

pub(crate) fn is_of_custom_resources(document: &Value) -> bool {
    document.pointer("/info/title").and_then(Value::as_str) == Some(CUSTOM)
}

pub(super) fn place(places: &Places, name: &str) -> Pointer {
    places
        .get(name)
        .map(|place| place.first.clone())
        .unwrap_or_else(|| Pointer::schema(name))
}
