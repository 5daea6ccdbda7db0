//! Topology terms of a StorageClass, and node labels in them and in the selector of a
//! CSIStorageCapacity.

use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_validation::{Checker, NameFormat, Path, Repeats};

use crate::node_labels::deprecated_node_label;

/// Checks the `allowedTopologies` of a StorageClass.
#[inline]
pub fn topology_terms(
    terms: &Option<Vec<TopologySelectorTerm>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let terms = terms.as_deref().unwrap_or_default();
    for (index, term) in terms.iter().enumerate() {
        topology_term(term, &at.index(index), to);
    }
    for (index, term) in terms.iter().enumerate() {
        // The server takes an empty term for a duplicate, even if there is no other term.
        let is_empty = term
            .match_label_expressions
            .as_ref()
            .is_none_or(Vec::is_empty);
        let before = terms.get(..index).unwrap_or_default();
        if is_empty || before.iter().any(|other| is_same_term(term, other)) {
            let at = at.index(index);
            let list = at.field("matchLabelExpressions");
            to.duplicate(list, &term.match_label_expressions);
        }
    }
}

/// Returns true if two terms require the same values of the same keys, in any order.
#[inline]
fn is_same_term(term: &TopologySelectorTerm, other: &TopologySelectorTerm) -> bool {
    has_all_of(term, other) && has_all_of(other, term)
}

#[inline]
fn has_all_of(term: &TopologySelectorTerm, other: &TopologySelectorTerm) -> bool {
    other
        .match_label_expressions
        .iter()
        .flatten()
        .all(|requirement| {
            match (
                values_of(term, &requirement.key),
                values_of(other, &requirement.key),
            ) {
                (Some(values), Some(wanted)) => wanted.iter().all(|w| values.contains(w)),
                _ => false,
            }
        })
}

/// Returns the values that a term requires of a key; if the key repeats, those of the last.
fn values_of<'t>(term: &'t TopologySelectorTerm, key: &str) -> Option<&'t [String]> {
    let mut requirements = term.match_label_expressions.iter().flatten().rev();
    requirements
        .find(|r| r.key == key)
        .map(|r| r.values.as_slice())
}

#[inline]
fn topology_term(term: &TopologySelectorTerm, at: &Path<'_>, to: &mut Checker<'_>) {
    let list = &at.field("matchLabelExpressions");
    let requirements = term.match_label_expressions.as_deref().unwrap_or_default();
    let mut keys = Repeats::of(requirements.iter().map(|r| r.key.as_str()));
    for (index, requirement) in requirements.iter().enumerate() {
        let at = &list.index(index);
        let values = &at.field("values");
        to.not_empty(*values, requirement.values.len(), "topology.values");
        let mut repeats = Repeats::of(requirement.values.iter().map(String::as_str));
        for (index, value) in requirement.values.iter().enumerate() {
            if repeats.next(value.as_str()) {
                to.duplicate(values.index(index), value);
            }
        }
        to.format(at.field("key"), &requirement.key, NameFormat::QualifiedName);
        if keys.next(requirement.key.as_str()) {
            to.duplicate(at.field("key"), &requirement.key);
        }
    }
}

/// Warns of deprecated node labels in topology terms.
#[inline]
pub fn deprecated_topology_labels(
    terms: &Option<Vec<TopologySelectorTerm>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    for (index, term) in terms.iter().flatten().enumerate() {
        let at = at.index(index);
        let list = at.field("matchLabelExpressions");
        for (index, requirement) in term.match_label_expressions.iter().flatten().enumerate() {
            if let Some(message) = deprecated_node_label(&requirement.key) {
                to.warn(list.index(index).field("key"), message);
            }
        }
    }
}

/// Warns of deprecated node labels in a selector of nodes.
#[inline]
pub fn deprecated_selector_labels(
    selector: &Option<LabelSelector>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let Some(selector) = selector else { return };
    let list = at.field("matchExpressions");
    for (index, requirement) in selector.match_expressions.iter().flatten().enumerate() {
        if let Some(message) = deprecated_node_label(&requirement.key) {
            to.warn(list.index(index).field("key"), message);
        }
    }
    let labels = at.field("matchLabels");
    for label in selector
        .match_labels
        .iter()
        .flat_map(|labels| labels.keys())
    {
        if let Some(message) = deprecated_node_label(label) {
            to.warn(labels.key_as_field(label), message);
        }
    }
}
