//! The nodes from which a volume can be reached.

use kubernetes_kinds::Release;
use kubernetes_storage_rules::node_labels;
use kubernetes_validation::{Checker, NameFormat, Path, Semantic as _};

use crate::{
    NodeSelector, NodeSelectorOperator, NodeSelectorRequirement, NodeSelectorTerm,
    VolumeNodeAffinity,
};

/// The field of nodes that a selector can name.
const NAME: &str = "metadata.name";

/// The first release that checks the form of values.
const CHECKS_VALUES: Release = Release::new(1, 33);

/// Checks a node affinity. `stored` is that of the stored object, whose values may be invalid.
pub(super) fn check(
    affinity: &VolumeNodeAffinity,
    stored: Option<&VolumeNodeAffinity>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let Some(selector) = &affinity.required else {
        let message = "a node affinity needs a node selector";
        to.required(at.field("required"), "nodeAffinity.required", message);
        return;
    };
    let at = at.field("required");
    let list = &at.field("nodeSelectorTerms");
    to.not_empty(*list, selector.node_selector_terms.len(), "minItems");
    let checks_values =
        !to.target().is_before(CHECKS_VALUES) && !stored.is_some_and(has_wrong_values);
    for (index, term) in selector.node_selector_terms.iter().enumerate() {
        term_of(term, checks_values, &list.index(index), to);
    }
}

fn has_wrong_values(affinity: &VolumeNodeAffinity) -> bool {
    let terms = affinity
        .required
        .iter()
        .flat_map(|s| &s.node_selector_terms);
    let requirements = terms.flat_map(|term| term.match_expressions.iter().flatten());
    let mut values = requirements.flat_map(|r| r.values.iter().flatten());
    values.any(|value| !NameFormat::LabelValue.matches(value))
}

fn term_of(term: &NodeSelectorTerm, checks_values: bool, at: &Path<'_>, to: &mut Checker<'_>) {
    let list = at.field("matchExpressions");
    for (index, requirement) in term.match_expressions.iter().flatten().enumerate() {
        let at = &list.index(index);
        expression(requirement, at, to);
        let values = at.field("values");
        for (index, value) in requirement.values.iter().flatten().enumerate() {
            if checks_values {
                to.format(values.index(index), value, NameFormat::LabelValue);
            }
        }
    }
    let list = at.field("matchFields");
    for (index, requirement) in term.match_fields.iter().flatten().enumerate() {
        field(requirement, &list.index(index), to);
    }
}

/// Checks a requirement of a label, without its values.
fn expression(requirement: &NodeSelectorRequirement, at: &Path<'_>, to: &mut Checker<'_>) {
    let count = requirement.values.as_ref().map_or(0, Vec::len);
    let values = at.field("values");
    match &requirement.operator {
        NodeSelectorOperator::In | NodeSelectorOperator::NotIn => {
            to.not_empty(values, count, "selector.values");
        }
        NodeSelectorOperator::Exists | NodeSelectorOperator::DoesNotExist => {
            if count > 0 {
                let message = "Exists and DoesNotExist take no values";
                to.forbidden(values, "selector.values", message);
            }
        }
        NodeSelectorOperator::Gt | NodeSelectorOperator::Lt => {
            if count != 1 {
                to.required(values, "selector.values", "Gt and Lt take one value");
            }
        }
        other => unknown_operator(other, at, to),
    }
    to.format(at.field("key"), &requirement.key, NameFormat::QualifiedName);
}

/// Checks a requirement of a field of nodes.
fn field(requirement: &NodeSelectorRequirement, at: &Path<'_>, to: &mut Checker<'_>) {
    let values = requirement.values.as_deref().unwrap_or_default();
    let list = at.field("values");
    match &requirement.operator {
        NodeSelectorOperator::In | NodeSelectorOperator::NotIn => {
            if values.len() != 1 {
                let message = "a requirement of a field takes one value";
                to.required(list, "selector.values", message);
            }
        }
        other => unknown_operator(other, at, to),
    }
    if requirement.key == NAME {
        for (index, value) in values.iter().enumerate() {
            to.format(list.index(index), value, NameFormat::DnsSubdomain);
        }
    } else {
        let message = "the only field of nodes that can be selected is metadata.name";
        to.invalid(at.field("key"), "selector.field", &requirement.key, message);
    }
}

#[cold]
fn unknown_operator(operator: &NodeSelectorOperator, at: &Path<'_>, to: &mut Checker<'_>) {
    let message = "no operator that can be used here";
    to.invalid(
        at.field("operator"),
        "selector.operator",
        operator.as_str(),
        message,
    );
}

/// Warns of deprecated node labels.
pub(super) fn warn(selector: &NodeSelector, at: &Path<'_>, to: &mut Checker<'_>) {
    let list = at.field("nodeSelectorTerms");
    for (index, term) in selector.node_selector_terms.iter().enumerate() {
        let at = list.index(index);
        let list = at.field("matchExpressions");
        for (index, requirement) in term.match_expressions.iter().flatten().enumerate() {
            if let Some(message) = node_labels::deprecated_node_label(&requirement.key) {
                to.warn(list.index(index).field("key"), message);
            }
        }
    }
}

/// Returns true if an update may change the stored node affinity to the new one: deprecated labels
/// may be replaced.
pub(super) fn is_same(new: Option<&VolumeNodeAffinity>, old: &VolumeNodeAffinity) -> bool {
    let Some(new) = new else { return false };
    match (&new.required, &old.required) {
        (Some(new), Some(old)) => {
            let (new, old) = (&new.node_selector_terms, &old.node_selector_terms);
            new.len() == old.len()
                && new.iter().zip(old).all(|(new, old)| {
                    let expressions = (&new.match_expressions, &old.match_expressions);
                    let fields = (&new.match_fields, &old.match_fields);
                    are_same(expressions.0, expressions.1) && are_same(fields.0, fields.1)
                })
        }
        (new, old) => new.is_none() && old.is_none(),
    }
}

type Requirements = Option<Vec<NodeSelectorRequirement>>;

fn are_same(new: &Requirements, old: &Requirements) -> bool {
    let new = new.as_deref().unwrap_or_default();
    let old = old.as_deref().unwrap_or_default();
    new.len() == old.len()
        && new.iter().zip(old).all(|(new, old)| {
            let is_key = new.key == old.key || node_labels::is_replaced_by(&old.key, &new.key);
            is_key && new.operator == old.operator && new.values.is_same(&old.values)
        })
}
