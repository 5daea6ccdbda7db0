//! When two values are the same for a server.

use std::collections::BTreeMap;

/// Whether two values are the same for a server: a list or map that is not there is the same as
/// one without entries.
pub trait Semantic {
    /// Whether `self` and `other` are the same.
    fn is_same(&self, other: &Self) -> bool;
}

impl<T: PartialEq> Semantic for Option<Vec<T>> {
    fn is_same(&self, other: &Self) -> bool {
        self.as_deref().unwrap_or_default() == other.as_deref().unwrap_or_default()
    }
}

impl<T: PartialEq> Semantic for Option<BTreeMap<String, T>> {
    fn is_same(&self, other: &Self) -> bool {
        let is_empty = |map: &Self| map.as_ref().is_none_or(BTreeMap::is_empty);
        self == other || (is_empty(self) && is_empty(other))
    }
}
