//! Matches nodes with the topology of classes and capacities, as Kubernetes' scheduler does.
//!
//! ```
//! use storage_v1::topology::{allows_node, topology_term};
//!
//! let term = topology_term([("topology.kubernetes.io/zone", ["a", "b"])]);
//! assert!(allows_node(&[term.clone()], &[("topology.kubernetes.io/zone", "a")]));
//! assert!(!allows_node(&[term], &[("topology.kubernetes.io/zone", "c")]));
//! assert!(allows_node(&[], &[("topology.kubernetes.io/zone", "c")]));
//! ```
//!
//! Facts as of Kubernetes 1.36, the scheduler's plugin `volumebinding`.

use k8s_openapi::api::core::v1::{TopologySelectorLabelRequirement, TopologySelectorTerm};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use kubernetes_kinds::names::NameFormat;
use kubernetes_kinds::quantity::{Amount, QuantityError};
use kubernetes_kinds::selectors::{self, InvalidSelector, Labels};

/// A StorageClass of any version, which can restrict the nodes for which volumes are provisioned.
pub trait AllowedTopologies {
    /// Returns the terms of which a node must match one; without terms, all nodes are allowed.
    fn allowed_topologies(&self) -> &[TopologySelectorTerm];

    /// Returns whether volumes may be provisioned for a node with these labels; see
    /// [`allows_node`].
    fn allows_node(&self, labels: &(impl Labels + ?Sized)) -> bool {
        allows_node(self.allowed_topologies(), labels)
    }
}

/// A CSIStorageCapacity of any version: how much storage a class has for some nodes.
pub trait StorageCapacity {
    /// Returns the name of the StorageClass.
    fn class(&self) -> &str;

    /// Returns the selector of the nodes that can access the storage; `None` selects no node.
    fn node_topology(&self) -> Option<&LabelSelector>;

    /// Returns the maximum size of a volume: `maximumVolumeSize`, or else `capacity`.
    fn volume_limit(&self) -> Option<&Quantity>;

    /// Returns whether a node with these labels can access the storage.
    ///
    /// # Errors
    ///
    /// When the selector of nodes is invalid.
    fn reaches_node(&self, labels: &(impl Labels + ?Sized)) -> Result<bool, InvalidSelector> {
        let topology = self.node_topology();
        topology.map_or(Ok(false), |selector| selectors::matches(selector, labels))
    }

    /// Returns whether a volume of this size fits; `false` if the object has no size.
    ///
    /// Both sizes are rounded up to whole bytes.
    ///
    /// # Errors
    ///
    /// When the maximum size isn't a quantity.
    fn has_room_for(&self, size: &Amount) -> Result<bool, QuantityError> {
        let Some(limit) = self.volume_limit() else {
            return Ok(false);
        };
        let limit = Amount::try_from(limit)?;
        Ok(match (limit.to_i64(), size.to_i64()) {
            (Some(limit), Some(size)) => limit >= size,
            _ => limit >= *size,
        })
    }

    /// Returns whether a volume of the class and size can be provisioned for a node with these
    /// labels, as the scheduler decides: `false` if a field is malformed.
    ///
    /// The scheduler checks this only if the CSIDriver sets `storageCapacity`, and accepts the
    /// node if any CSIStorageCapacity fits.
    fn fits(&self, class: &str, size: &Amount, labels: &(impl Labels + ?Sized)) -> bool {
        self.class() == class
            && self.has_room_for(size) == Ok(true)
            && self.reaches_node(labels).unwrap_or_default()
    }
}

/// Returns a term of topology: a node must have each of the labels, with one of its values.
///
/// A server wants at least one label, and at least one value of each.
pub fn topology_term<V: Into<String>>(
    labels: impl IntoIterator<Item = (impl Into<String>, impl IntoIterator<Item = V>)>,
) -> TopologySelectorTerm {
    let mut requirements = Vec::new();
    for (key, values) in labels {
        requirements.push(TopologySelectorLabelRequirement {
            key: key.into(),
            values: values.into_iter().map(Into::into).collect(),
        });
    }
    TopologySelectorTerm {
        match_label_expressions: Some(requirements),
    }
}

/// Returns whether a node with these labels matches one of the terms; `true` without terms.
///
/// A node matches a term if each of the term's expressions lists the value of the node's label. No
/// node matches a term without expressions, or with an expression that has no values or an
/// invalid label key or value.
#[must_use]
pub fn allows_node(terms: &[TopologySelectorTerm], labels: &(impl Labels + ?Sized)) -> bool {
    terms.is_empty() || terms.iter().any(|term| matches(term, labels))
}

fn matches(term: &TopologySelectorTerm, labels: &(impl Labels + ?Sized)) -> bool {
    let expressions = term.match_label_expressions.as_deref().unwrap_or_default();
    let mut each = expressions.iter();
    !expressions.is_empty()
        && each.all(|expression| {
            let mut values = expression.values.iter();
            let has = |label: &str| values.clone().any(|value| value == label);
            labels.label(&expression.key).is_some_and(has)
                && NameFormat::QualifiedName.matches(&expression.key)
                && values.all(|value| NameFormat::LabelValue.matches(value))
        })
}

/// Implements [`AllowedTopologies`] for a StorageClass of another version.
#[doc(hidden)]
#[macro_export]
macro_rules! implement_allowed_topologies {
    ($class:ty) => {
        impl $crate::topology::AllowedTopologies for $class {
            fn allowed_topologies(&self) -> &[k8s_openapi::api::core::v1::TopologySelectorTerm] {
                self.allowed_topologies.as_deref().unwrap_or_default()
            }
        }
    };
}

/// Implements [`StorageCapacity`] for a CSIStorageCapacity of another version.
#[doc(hidden)]
#[macro_export]
macro_rules! implement_storage_capacity {
    ($capacity:ty) => {
        impl $crate::topology::StorageCapacity for $capacity {
            fn class(&self) -> &str {
                &self.storage_class_name
            }

            fn node_topology(
                &self,
            ) -> Option<&k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector> {
                self.node_topology.as_ref()
            }

            fn volume_limit(
                &self,
            ) -> Option<&k8s_openapi::apimachinery::pkg::api::resource::Quantity> {
                self.maximum_volume_size.as_ref().or(self.capacity.as_ref())
            }
        }
    };
}

implement_allowed_topologies!(crate::StorageClass);
implement_storage_capacity!(crate::CSIStorageCapacity);
