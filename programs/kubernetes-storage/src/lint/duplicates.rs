//! Finds objects that manifests define more than once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::finding::Finding;
use super::messages;

/// The identity of an object in a cluster: group, kind, namespace and name.
pub(super) type ObjectId = (String, String, Option<String>, String);

/// An object with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedObject {
    pub(super) id: ObjectId,
    /// The file and line of the object, such as `a.yaml:7`.
    pub(super) location: String,
    /// The finding if the object is a duplicate; its message is replaced.
    pub(super) finding: Finding,
}

/// Remembers where each object is defined first.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    first: HashMap<ObjectId, String>,
}

impl Definitions {
    /// Adds an object; returns a finding if it is already defined.
    pub(super) fn add(&mut self, object: &NamedObject) -> Option<Finding> {
        match self.first.entry(object.id.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(object.location.clone());
                None
            }
            Entry::Occupied(first) => Some(Finding {
                message: messages::duplicate_object(first.get()),
                ..object.finding.clone()
            }),
        }
    }
}
