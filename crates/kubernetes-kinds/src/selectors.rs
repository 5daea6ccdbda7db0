//! Label selectors and the labels that they match.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use kubernetes_kinds::selectors;
//! use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
//!
//! let zone = BTreeMap::from([("topology.kubernetes.io/zone".to_owned(), "a".to_owned())]);
//! let selector = LabelSelector { match_labels: Some(zone), ..Default::default() };
//! let node = [("topology.kubernetes.io/zone", "a"), ("kubernetes.io/hostname", "node-1")];
//! assert!(selectors::matches(&selector, &node)?);
//! # Ok::<(), kubernetes_kinds::selectors::InvalidSelector>(())
//! ```

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher, Hash};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use crate::names::NameFormat;
use crate::path::FieldPath;

/// Labels: a map, pairs in a slice or array, or the labels of an object's metadata.
pub trait Labels {
    /// Returns the value of a label, if it is set.
    fn label(&self, key: &str) -> Option<&str>;
}

impl<K: Borrow<str> + Ord, V: AsRef<str>> Labels for BTreeMap<K, V> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key).map(V::as_ref)
    }
}

impl<K: Borrow<str> + Eq + Hash, V: AsRef<str>, S: BuildHasher> Labels for HashMap<K, V, S> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key).map(V::as_ref)
    }
}

impl<K: AsRef<str>, V: AsRef<str>> Labels for [(K, V)] {
    fn label(&self, key: &str) -> Option<&str> {
        let mut pairs = self.iter();
        pairs
            .find(|(other, _)| other.as_ref() == key)
            .map(|(_, value)| value.as_ref())
    }
}

impl<K: AsRef<str>, V: AsRef<str>, const N: usize> Labels for [(K, V); N] {
    fn label(&self, key: &str) -> Option<&str> {
        self.as_slice().label(key)
    }
}

/// An object without `labels` has no label.
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

/// Returns true if a selector matches an object with these labels. All requirements of the
/// selector must be met; a selector without requirements matches every object.
///
/// In Kubernetes, an absent selector matches no object, unless the documentation of the field
/// says otherwise.
///
/// # Errors
///
/// When the selector is invalid, such as with an unknown operator, whatever the labels are.
pub fn matches(
    selector: &LabelSelector,
    labels: &(impl Labels + ?Sized),
) -> Result<bool, InvalidSelector> {
    let errors = check(selector);
    if !errors.is_empty() {
        return Err(InvalidSelector { errors });
    }
    let mut equal = selector.match_labels.iter().flatten();
    let mut expressions = selector.match_expressions.iter().flatten();
    Ok(equal.all(|(key, value)| labels.label(key) == Some(value))
        && expressions.all(|requirement| holds(requirement, labels)))
}

/// Returns true if a valid requirement is met.
fn holds(requirement: &LabelSelectorRequirement, labels: &(impl Labels + ?Sized)) -> bool {
    let label = labels.label(&requirement.key);
    let listed = |value: &str| requirement.values.iter().flatten().any(|v| v == value);
    match requirement.operator.as_str() {
        "In" => label.is_some_and(listed),
        "NotIn" => !label.is_some_and(listed),
        "Exists" => label.is_some(),
        _ => label.is_none(),
    }
}

/// Returns the errors of a selector; none if a server accepts it.
#[must_use]
pub fn check(selector: &LabelSelector) -> Vec<SelectorError> {
    let mut errors = match &selector.match_labels {
        Some(labels) => check_labels(labels),
        None => Vec::new(),
    };
    for (index, requirement) in selector.match_expressions.iter().flatten().enumerate() {
        check_requirement(requirement, index, &mut errors);
    }
    errors
}

/// Returns the errors of labels: those of an object, or those in `matchLabels` of a selector.
#[must_use]
pub fn check_labels(labels: &BTreeMap<String, String>) -> Vec<SelectorError> {
    let mut errors = Vec::new();
    for (key, value) in labels {
        if !NameFormat::QualifiedName.matches(key) {
            errors.push(SelectorError::LabelKey { key: key.clone() });
        }
        if !NameFormat::LabelValue.matches(value) {
            errors.push(SelectorError::LabelValue {
                key: key.clone(),
                value: value.clone(),
            });
        }
    }
    errors
}

fn check_requirement(
    requirement: &LabelSelectorRequirement,
    index: usize,
    errors: &mut Vec<SelectorError>,
) {
    let values = requirement.values.as_deref().unwrap_or_default();
    match requirement.operator.as_str() {
        "In" | "NotIn" if values.is_empty() => {
            errors.push(SelectorError::NoValues { requirement: index });
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            errors.push(SelectorError::Values { requirement: index });
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => errors.push(SelectorError::Operator {
            requirement: index,
            operator: other.to_owned(),
        }),
    }
    if !NameFormat::QualifiedName.matches(&requirement.key) {
        errors.push(SelectorError::Key {
            requirement: index,
            key: requirement.key.clone(),
        });
    }
    for (at, value) in values.iter().enumerate() {
        if !NameFormat::LabelValue.matches(value) {
            errors.push(SelectorError::Value {
                requirement: index,
                index: at,
                value: value.clone(),
            });
        }
    }
}

/// An error of a selector, shown with its path in the selector.
///
/// `requirement` is an index of `matchExpressions`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectorError {
    /// A key of `matchLabels` isn't a valid label key.
    LabelKey {
        /// The key.
        key: String,
    },
    /// A value of `matchLabels` isn't a valid label value.
    LabelValue {
        /// Its key.
        key: String,
        /// The value.
        value: String,
    },
    /// The operator requires values, and there are none.
    NoValues {
        /// The requirement.
        requirement: usize,
    },
    /// The operator takes no values, and there are some.
    Values {
        /// The requirement.
        requirement: usize,
    },
    /// The operator is not known.
    Operator {
        /// The requirement.
        requirement: usize,
        /// The operator.
        operator: String,
    },
    /// The key of a requirement isn't a valid label key.
    Key {
        /// The requirement.
        requirement: usize,
        /// The key.
        key: String,
    },
    /// A value of a requirement isn't a valid label value.
    Value {
        /// The requirement.
        requirement: usize,
        /// The index of the value.
        index: usize,
        /// The value.
        value: String,
    },
}

impl SelectorError {
    /// Returns the path in the selector.
    #[must_use]
    pub fn path(&self) -> FieldPath {
        let below = |requirement: &usize, name: &'static str| {
            FieldPath::new("matchExpressions")
                .index(*requirement)
                .child(name)
        };
        match self {
            Self::LabelKey { key } | Self::LabelValue { key, .. } => {
                FieldPath::new("matchLabels").key(key)
            }
            Self::NoValues { requirement } | Self::Values { requirement } => {
                below(requirement, "values")
            }
            Self::Operator { requirement, .. } => below(requirement, "operator"),
            Self::Key { requirement, .. } => below(requirement, "key"),
            Self::Value {
                requirement, index, ..
            } => below(requirement, "values").index(*index),
        }
    }

    /// Returns the message, without the path.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::LabelKey { .. } => {
                format!(
                    "the key must be {}",
                    NameFormat::QualifiedName.description()
                )
            }
            Self::Key { .. } => {
                format!("it must be {}", NameFormat::QualifiedName.description())
            }
            Self::LabelValue { .. } | Self::Value { .. } => {
                format!("it must be {}", NameFormat::LabelValue.description())
            }
            Self::NoValues { .. } => "In and NotIn need values".to_owned(),
            Self::Values { .. } => "Exists and DoesNotExist take no values".to_owned(),
            Self::Operator { .. } => "it must be In, NotIn, Exists or DoesNotExist".to_owned(),
        }
    }
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path(), self.message())
    }
}

impl Error for SelectorError {}

/// An invalid selector, shown with one error a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidSelector {
    /// The errors; at least one.
    pub errors: Vec<SelectorError>,
}

impl fmt::Display for InvalidSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl Error for InvalidSelector {}
