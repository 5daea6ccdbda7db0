//! Labels and the selectors that pick objects by them.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use apimachinery::labels;
//! use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
//!
//! let zone = BTreeMap::from([("topology.kubernetes.io/zone".to_owned(), "a".to_owned())]);
//! let selector = LabelSelector { match_labels: Some(zone), ..Default::default() };
//! let node = [("topology.kubernetes.io/zone", "a"), ("kubernetes.io/hostname", "node-1")];
//! assert!(labels::matches(&selector, &node)?);
//! # Ok::<(), apimachinery::validation::Refused>(())
//! ```

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    LabelSelector, LabelSelectorRequirement,
};

use crate::validation::{Checker, Path, Refused, Target, rules};

/// Texts by key: a map, pairs in a slice or array, or the labels of an object's metadata.
pub trait Labels {
    /// The value of the key, if there is one.
    fn label(&self, key: &str) -> Option<&str>;
}

impl<K: Borrow<str> + Ord, V: AsRef<str>> Labels for BTreeMap<K, V> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key).map(V::as_ref)
    }
}

impl<K: Borrow<str> + Eq + Hash, V: AsRef<str>, S: BuildHasher> Labels
    for HashMap<K, V, S>
{
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key).map(V::as_ref)
    }
}

impl<K: AsRef<str>, V: AsRef<str>> Labels for [(K, V)] {
    fn label(&self, key: &str) -> Option<&str> {
        let mut pairs = self.iter();
        pairs.find(|(other, _)| other.as_ref() == key).map(|(_, value)| value.as_ref())
    }
}

impl<K: AsRef<str>, V: AsRef<str>, const N: usize> Labels for [(K, V); N] {
    fn label(&self, key: &str) -> Option<&str> {
        self.as_slice().label(key)
    }
}

/// An object without labels has none of them.
impl<L: Labels> Labels for Option<L> {
    fn label(&self, key: &str) -> Option<&str> {
        self.as_ref()?.label(key)
    }
}

impl<L: Labels + ?Sized> Labels for &L {
    fn label(&self, key: &str) -> Option<&str> {
        (**self).label(key)
    }
}

/// Whether a selector picks what has these labels: all its requirements must hold, and without
/// any it picks everything.
///
/// A selector that is not there at all picks nothing, for Kubernetes as a whole; what an absent
/// one means in a field, the field's documentation says.
///
/// # Errors
///
/// When the selector breaks a rule, such as by an unknown operator, whatever the labels.
pub fn matches(
    selector: &LabelSelector,
    labels: &(impl Labels + ?Sized),
) -> Result<bool, Refused> {
    let target = Target::LATEST;
    let mut checker = Checker::new(&target);
    rules::selector_parts(selector, &Path::ROOT, &mut checker);
    checker.finish().into_result()?;
    let mut equal = selector.match_labels.iter().flatten();
    let mut expressions = selector.match_expressions.iter().flatten();
    Ok(equal.all(|(key, value)| labels.label(key) == Some(value))
        && expressions.all(|requirement| holds(requirement, labels)))
}

/// Whether a requirement holds, which is known to keep the rules.
fn holds(
    requirement: &LabelSelectorRequirement,
    labels: &(impl Labels + ?Sized),
) -> bool {
    let label = labels.label(&requirement.key);
    let listed = |value: &str| requirement.values.iter().flatten().any(|v| v == value);
    match requirement.operator.as_str() {
        "In" => label.is_some_and(listed),
        "NotIn" => !label.is_some_and(listed),
        "Exists" => label.is_some(),
        _ => label.is_none(),
    }
}
