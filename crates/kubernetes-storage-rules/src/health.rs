//! The health of volumes and of the storage of a node.

use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json::Value;
use kubernetes_validation::{Checker, Path, to_value};

/// Checks the form of the reason of a condition: letters, digits, `_`, `,` and `:`, first a letter,
/// last a letter, a digit or `_`. An empty one is missing, which is another rule.
///
/// The rule is that of Kubernetes 1.37, `IsValidConditionReason` of `k8s.io/apimachinery`.
#[inline]
pub fn condition_reason(reason: &String, at: Path<'_>, to: &mut Checker<'_>) {
    if !reason.is_empty() && !is_reason(reason.as_bytes()) {
        let message = "it must be letters, digits, `_`, `,` and `:`, with a letter at the start \
                       and a letter, a digit or `_` at the end";
        to.invalid(at, "pattern", reason, message);
    }
}

/// Checks the form of the reasons of a volume's health, which has `healthConditions`. A server does
/// so even if it reports that there are too many.
// As JSON, because the types of releases before 1.37 have no such part.
#[inline]
pub fn condition_reasons<T: Serialize>(health: &Option<T>, at: Path<'_>, to: &mut Checker<'_>) {
    let Some(Value::Object(health)) = health.as_ref().and_then(to_value) else {
        return;
    };
    let list = at.field("healthConditions");
    let conditions = health.get("healthConditions").and_then(Value::as_array);
    for (index, condition) in conditions.into_iter().flatten().enumerate() {
        if let Some(Value::String(reason)) = condition.get("reason") {
            condition_reason(reason, list.index(index).field("reason"), to);
        }
    }
}

fn is_reason(text: &[u8]) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.first().is_some_and(u8::is_ascii_alphabetic)
        && text.last().is_some_and(is_end)
        && text
            .iter()
            .all(|byte| is_end(byte) || matches!(byte, b',' | b':'))
}
