//! Labels of nodes that are deprecated.

/// Deprecated labels that another one replaces, since a release.
const REPLACED: [(&str, &str, &str); 5] = [
    ("beta.kubernetes.io/arch", "kubernetes.io/arch", "1.14"),
    ("beta.kubernetes.io/os", "kubernetes.io/os", "1.14"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/region",
        "1.17",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "topology.kubernetes.io/zone",
        "1.17",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
        "1.17",
    ),
];

/// Other deprecated labels, with the server's advice.
const DEPRECATED: [(&str, &str); 3] = [
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

/// Returns the server's warning about a selector that uses a deprecated node label.
#[must_use]
#[inline]
pub fn deprecated_node_label(label: &str) -> Option<String> {
    let advice = match REPLACED.iter().find(|(old, ..)| *old == label) {
        Some((_, new, since)) => format!("deprecated since {since}: use {new}"),
        None => {
            let (_, advice) = DEPRECATED.iter().find(|(old, _)| *old == label)?;
            (*advice).to_owned()
        }
    };
    Some(format!("the node label {label} is {advice}"))
}

/// Returns true if the first label is deprecated and the second one replaces it.
#[must_use]
#[inline]
pub fn is_replaced_by(old: &str, new: &str) -> bool {
    REPLACED.iter().any(|pair| (pair.0, pair.1) == (old, new))
}
