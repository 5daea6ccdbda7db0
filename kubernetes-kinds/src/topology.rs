//! Which nodes a volume can be on: the topology of classes and capacities, as Kubernetes'
//! scheduler looks at it.
//!
//! ```
//! # use k8s_openapi::api::core::v1::{TopologySelectorLabelRequirement, TopologySelectorTerm};
//! use kubernetes_kinds::topology;
//!
//! let zone = TopologySelectorLabelRequirement {
//!     key: "topology.kubernetes.io/zone".to_owned(),
//!     values: vec!["a".to_owned(), "b".to_owned()],
//! };
//! let term = TopologySelectorTerm { match_label_expressions: Some(vec![zone]) };
//! assert!(topology::allows_node(&[term.clone()], &[("topology.kubernetes.io/zone", "a")]));
//! assert!(!topology::allows_node(&[term], &[("topology.kubernetes.io/zone", "c")]));
//! assert!(topology::allows_node(&[], &[("topology.kubernetes.io/zone", "c")]));
//! ```
//!
//! Facts as of Kubernetes 1.36, the scheduler's plugin `volumebinding`.

use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::names::NameFormat;
use crate::quantity::{Amount, QuantityError};
use crate::selectors::{self, InvalidSelector, Labels};

/// What limits the nodes that volumes can be on: a StorageClass of any version.
pub trait AllowedTopologies {
    /// The terms of which a node must meet one; none allow all nodes.
    fn allowed_topologies(&self) -> &[TopologySelectorTerm];

    /// Whether volumes may be provisioned for a node with these labels, as [`allows_node`].
    fn allows_node(&self, labels: &(impl Labels + ?Sized)) -> bool {
        allows_node(self.allowed_topologies(), labels)
    }
}

/// How much storage a class has for some nodes: a CSIStorageCapacity of any version.
pub trait StorageCapacity {
    /// The name of the StorageClass.
    fn class(&self) -> &str;

    /// Which nodes can reach the storage; none if this is `None`.
    fn node_topology(&self) -> Option<&LabelSelector>;

    /// How large a volume may be: `maximumVolumeSize`, or else `capacity`.
    fn volume_limit(&self) -> Option<&Quantity>;

    /// Whether a node with these labels can reach the storage.
    ///
    /// # Errors
    ///
    /// When the selector of nodes breaks a rule.
    fn reaches_node(
        &self,
        labels: &(impl Labels + ?Sized),
    ) -> Result<bool, InvalidSelector> {
        let topology = self.node_topology();
        topology.map_or(Ok(false), |selector| selectors::matches(selector, labels))
    }

    /// Whether there is room for a volume of this size. There is none if nothing is said of
    /// it.
    ///
    /// Both sizes count in whole bytes, rounded up.
    ///
    /// # Errors
    ///
    /// When what limits the size is no quantity.
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

    /// Whether a volume of the class and size can be made for a node with these labels, as the
    /// scheduler decides: not where anything is malformed.
    ///
    /// The scheduler asks only if the CSIDriver has `storageCapacity`, and takes the node if
    /// any CSIStorageCapacity fits.
    fn fits(&self, class: &str, size: &Amount, labels: &(impl Labels + ?Sized)) -> bool {
        self.class() == class
            && self.has_room_for(size) == Ok(true)
            && self.reaches_node(labels).unwrap_or_default()
    }
}

/// Whether a node with these labels meets one of the terms, which it does if there are none.
///
/// A term is met if each of its expressions names the value that the node has. A term without
/// expressions is never met, nor is one with an expression that has no values, or a key or value
/// that can't be that of a label.
#[must_use]
pub fn allows_node(
    terms: &[TopologySelectorTerm],
    labels: &(impl Labels + ?Sized),
) -> bool {
    terms.is_empty() || terms.iter().any(|term| is_met(term, labels))
}

fn is_met(term: &TopologySelectorTerm, labels: &(impl Labels + ?Sized)) -> bool {
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
