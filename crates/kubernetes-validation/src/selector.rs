//! Labels and label selectors.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::selectors::{self, SelectorError};

use crate::{Checker, Path, Semantic};

/// Checks a label selector, including its values, as servers do since 1.27.
pub fn label_selector(selector: &Option<LabelSelector>, at: Path<'_>, to: &mut Checker<'_>) {
    for error in selector.iter().flat_map(selectors::check) {
        selector_error(&error, &at, to);
    }
}

/// Checks a label selector of an update: if the stored one has errors, values are not checked.
#[inline]
pub fn label_selector_of_update(
    selector: &Option<LabelSelector>,
    stored: &Option<LabelSelector>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let is_value = |error: &SelectorError| {
        matches!(
            error,
            SelectorError::Value { .. } | SelectorError::LabelValue { .. }
        )
    };
    let had_errors = stored
        .iter()
        .any(|stored| !selectors::check(stored).is_empty());
    for error in selector.iter().flat_map(selectors::check) {
        if !(had_errors && is_value(&error)) {
            selector_error(&error, &at, to);
        }
    }
}

/// Checks labels, reporting errors at the map.
pub(super) fn labels(labels: &BTreeMap<String, String>, at: &Path<'_>, to: &mut Checker<'_>) {
    for error in selectors::check_labels(labels) {
        label_error(&error, at, to);
    }
}

#[cold]
fn label_error(error: &SelectorError, at: &Path<'_>, to: &mut Checker<'_>) {
    let detail = error.message();
    match error {
        SelectorError::LabelKey { key } => {
            to.invalid(at.key(key).reported_above(1), "label.key", key, detail);
        }
        SelectorError::LabelValue { key, value } => {
            to.invalid(at.key(key).reported_above(1), "label.value", value, detail);
        }
        // The crates are released together, and labels have no other errors.
        error => to.invalid(*at, "selector", &error.path().to_string(), detail),
    }
}

/// Adds the error as the server reports it.
#[cold]
fn selector_error(error: &SelectorError, at: &Path<'_>, to: &mut Checker<'_>) {
    let list = at.field("matchExpressions");
    let message = error.message();
    match error {
        SelectorError::NoValues { requirement } => {
            let at = list.index(*requirement);
            to.required(at.field("values"), "selector.values", message);
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
        error => label_error(error, &at.field("matchLabels"), to),
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
