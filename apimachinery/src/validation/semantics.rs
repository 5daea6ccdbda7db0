//! When two values are the same for a server.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

/// Whether two values are the same for a server: a list or map that is not there is the same as
/// one without entries.
pub trait Semantic {
    /// Whether `self` and `other` are the same.
    fn is_same(&self, other: &Self) -> bool;
}

/// Values that are the same when they are equal.
macro_rules! by_equality {
    ($($ty:ty),*) => {$(
        impl Semantic for $ty {
            fn is_same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

by_equality!(bool, i32, i64, String, Option<bool>, Option<i32>, Option<i64>, Option<String>);

impl<T: PartialEq> Semantic for Vec<T> {
    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
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
