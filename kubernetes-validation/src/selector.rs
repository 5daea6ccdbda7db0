//! Label selectors and topology terms.

use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::selectors::{self, SelectorError};

use crate::{Checker, NameFormat, Path, Repeats, Semantic};

/// Checks a label selector; the values too, as servers do since 1.27.
pub fn label_selector(
    selector: &Option<LabelSelector>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    for error in selector.iter().flat_map(selectors::check) {
        selector_error(&error, &at, to);
    }
}

/// The error as the server reports it.
#[cold]
fn selector_error(error: &SelectorError, at: &Path<'_>, to: &mut Checker<'_>) {
    let labels = at.field("matchLabels");
    let list = at.field("matchExpressions");
    let message = error.message();
    match error {
        SelectorError::LabelKey { key } => {
            to.invalid(labels.key(key).above(1), "label.key", key, message);
        }
        SelectorError::LabelValue { key, value } => {
            to.invalid(labels.key(key).above(1), "label.value", value, message);
        }
        SelectorError::NoValues { requirement } => {
            let at = list.index(*requirement);
            to.missing(at.field("values"), "selector.values", message);
        }
        SelectorError::Values { requirement } => {
            let at = list.index(*requirement);
            to.forbidden(at.field("values"), "selector.values", message);
        }
        SelectorError::Operator {
            requirement,
            operator,
        } => {
            let at = list.index(*requirement);
            to.invalid(at.field("operator"), "selector.operator", operator, message);
        }
        SelectorError::Key { requirement, key } => {
            let at = list.index(*requirement);
            to.invalid(at.field("key"), "format", key, message);
        }
        SelectorError::Value {
            requirement,
            index,
            value,
        } => {
            let at = list.index(*requirement);
            let values = at.field("values");
            to.invalid(values.index(*index), "format", value, message);
        }
        // The crates are released together, and all that there is now stands above.
        error => to.invalid(*at, "selector", &error.path().to_string(), message),
    }
}

/// Checks the terms in which a StorageClass allows volumes.
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
        // The server takes an empty term for the repetition of another, even if there is none.
        let is_empty = term.match_label_expressions.as_ref().is_none_or(Vec::is_empty);
        let before = terms.get(..index).unwrap_or_default();
        if is_empty || before.iter().any(|other| says_the_same(term, other)) {
            let at = at.index(index);
            let list = at.field("matchLabelExpressions");
            to.duplicate(list, &term.match_label_expressions);
        }
    }
}

/// Whether two terms ask for the same values of the same keys, however they are ordered.
fn says_the_same(term: &TopologySelectorTerm, other: &TopologySelectorTerm) -> bool {
    says_all_of(term, other) && says_all_of(other, term)
}

fn says_all_of(term: &TopologySelectorTerm, other: &TopologySelectorTerm) -> bool {
    other.match_label_expressions.iter().flatten().all(|requirement| {
        match (values_of(term, &requirement.key), values_of(other, &requirement.key)) {
            (Some(values), Some(wanted)) => wanted.iter().all(|w| values.contains(w)),
            _ => false,
        }
    })
}

/// The values that a term wants for a key; if the key repeats, the last counts.
fn values_of<'t>(term: &'t TopologySelectorTerm, key: &str) -> Option<&'t [String]> {
    let mut requirements = term.match_label_expressions.iter().flatten().rev();
    requirements.find(|r| r.key == key).map(|r| r.values.as_slice())
}

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

impl Semantic for Option<LabelSelector> {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(selector), Some(other)) => {
                let expressions = |selector: &LabelSelector| {
                    let expressions = selector.match_expressions.clone();
                    let mut expressions = expressions.unwrap_or_default();
                    for requirement in &mut expressions {
                        requirement.values.get_or_insert_default();
                    }
                    expressions
                };
                selector == other
                    || (selector.match_labels.is_same(&other.match_labels)
                        && expressions(selector) == expressions(other))
            }
            (None, None) => true,
            _ => false,
        }
    }
}

/// Node labels that have a newer name, and the name, if any.
const DEPRECATED_LABELS: [(&str, &str); 8] = [
    ("beta.kubernetes.io/arch", "deprecated since 1.14: use kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "deprecated since 1.14: use kubernetes.io/os"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since 1.17: use topology.kubernetes.io/region",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since 1.17: use topology.kubernetes.io/zone",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since 1.17: use node.kubernetes.io/instance-type",
    ),
    ("app.kubernetes.io/created-by", "deprecated since 1.9"),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since 1.22: use taints and tolerations",
    ),
    (
        "node-role.kubernetes.io/master",
        "superseded: use node-role.kubernetes.io/control-plane",
    ),
];

fn deprecated(label: &str) -> Option<String> {
    let (name, advice) = DEPRECATED_LABELS.iter().find(|(name, _)| *name == label)?;
    Some(format!("the node label {name} is {advice}"))
}

/// Warns of deprecated node labels in topology terms.
pub fn deprecated_topology_labels(
    terms: &Option<Vec<TopologySelectorTerm>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    for (index, term) in terms.iter().flatten().enumerate() {
        let at = at.index(index);
        let list = at.field("matchLabelExpressions");
        for (index, requirement) in
            term.match_label_expressions.iter().flatten().enumerate()
        {
            if let Some(message) = deprecated(&requirement.key) {
                to.warn(list.index(index).field("key"), message);
            }
        }
    }
}

/// Warns of deprecated node labels in a selector of nodes.
pub fn deprecated_selector_labels(
    selector: &Option<LabelSelector>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let Some(selector) = selector else { return };
    let list = at.field("matchExpressions");
    for (index, requirement) in selector.match_expressions.iter().flatten().enumerate() {
        if let Some(message) = deprecated(&requirement.key) {
            to.warn(list.index(index).field("key"), message);
        }
    }
    let labels = at.field("matchLabels");
    for label in selector.match_labels.iter().flat_map(|labels| labels.keys()) {
        if let Some(message) = deprecated(label) {
            to.warn(labels.key(label), message);
        }
    }
}
