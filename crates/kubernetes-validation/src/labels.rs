//! Labels of nodes that Kubernetes sets.

/// Deprecated node labels, with the newer name if there is one.
const DEPRECATED_LABELS: [(&str, &str); 8] = [
    (
        "beta.kubernetes.io/arch",
        "deprecated since 1.14: use kubernetes.io/arch",
    ),
    (
        "beta.kubernetes.io/os",
        "deprecated since 1.14: use kubernetes.io/os",
    ),
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

/// Returns the warning of a server for a deprecated node label in a selector of nodes.
#[must_use]
#[inline]
pub fn deprecated_node_label(label: &str) -> Option<String> {
    let (name, advice) = DEPRECATED_LABELS.iter().find(|(name, _)| *name == label)?;
    Some(format!("the node label {name} is {advice}"))
}
