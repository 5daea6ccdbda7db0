//! The health of volumes and of the storage of a node.

use kubernetes_validation::{Checker, Path};

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

fn is_reason(text: &[u8]) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.first().is_some_and(u8::is_ascii_alphabetic)
        && text.last().is_some_and(is_end)
        && text
            .iter()
            .all(|byte| is_end(byte) || matches!(byte, b',' | b':'))
}
