//! Semantic equality: the values that a server treats as equal on an update.

use std::collections::BTreeMap;

/// Semantic equality, as of Kubernetes' `apiequality.Semantic`: an absent list or map is the same
/// as an empty one.
pub trait Semantic {
    /// Returns true if `self` and `other` are equal for a server.
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
