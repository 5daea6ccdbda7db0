//! The permissions that a controller needs, and messages about missing ones.

use std::fmt::Write;

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::Client;
use kube::api::{Api, PostParams};
use kube::runtime::watcher;
use tracing::{debug, error};

/// The verbs that are needed on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    group: &'static str,
    resource: &'static str,
    verbs: Vec<&'static str>,
}

const RULES: [(&str, &str, &[&str]); 5] = [
    (
        "",
        "persistentvolumes",
        &["get", "list", "watch", "create", "patch", "delete"],
    ),
    (
        "",
        "persistentvolumeclaims",
        &["get", "list", "watch", "update"],
    ),
    ("storage.k8s.io", "storageclasses", &["list", "watch"]),
    ("", "nodes", &["get"]),
    ("", "events", &["create", "patch"]),
];

/// Returns true if the API server refused a watch because a permission is missing.
pub(crate) fn refused_watch(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => refused(error),
        watcher::Error::WatchError(status) => status.is_forbidden(),
        watcher::Error::NoResourceVersion => false,
    }
}

/// Returns true if the API server refused a request because a permission is missing.
pub(crate) fn refused(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_forbidden())
}

/// Logs the missing rule of a ClusterRole.
pub(crate) fn explain(group: &str, resource: &str, error: &str) {
    let verbs = RULES
        .iter()
        .find(|rule| (rule.0, rule.1) == (group, resource));
    let verbs = verbs.map(|(_, _, verbs)| *verbs).unwrap_or_default();
    let rule = yaml(group, resource, verbs);
    error!(
        resource,
        error, "missing permission; retrying until it is granted. The ClusterRole needs:\n{rule}"
    );
}

fn yaml(group: &str, resource: &str, verbs: &[&str]) -> String {
    let verbs = verbs.join(", ");
    format!("- apiGroups: [\"{group}\"]\n  resources: [{resource}]\n  verbs: [{verbs}]\n")
}

/// Asks the API server for each permission, and logs those that are missing all at once. Nothing is
/// logged if the server doesn't answer: the requests of the controller will fail too.
pub(crate) async fn check(client: &Client, read_node: bool) {
    let missing = missing(client, read_node).await;
    if missing.is_empty() {
        return;
    }
    let mut rules = String::new();
    for Rule {
        group,
        resource,
        verbs,
    } in &missing
    {
        // Writing to a string can't fail.
        let _ = rules.write_str(&yaml(group, resource, verbs));
    }
    error!("missing permissions; the ClusterRole of the controller needs:\n{rules}");
}

async fn missing(client: &Client, read_node: bool) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (group, resource, wanted) in RULES {
        if resource == "nodes" && !read_node {
            continue;
        }
        let mut verbs = Vec::new();
        for &verb in wanted {
            if is_denied(client, group, resource, verb).await {
                verbs.push(verb);
            }
        }
        if !verbs.is_empty() {
            rules.push(Rule {
                group,
                resource,
                verbs,
            });
        }
    }
    rules
}

async fn is_denied(client: &Client, group: &str, resource: &str, verb: &str) -> bool {
    let attributes = ResourceAttributes {
        group: Some(group.to_owned()),
        resource: Some(resource.to_owned()),
        verb: Some(verb.to_owned()),
        ..ResourceAttributes::default()
    };
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(attributes),
            non_resource_attributes: None,
        },
        ..SelfSubjectAccessReview::default()
    };
    let api = Api::<SelfSubjectAccessReview>::all(client.clone());
    match api.create(&PostParams::default(), &review).await {
        Ok(review) => review.status.is_some_and(|status| !status.allowed),
        Err(error) => {
            debug!(resource, verb, %error, "a permission can't be checked");
            false
        }
    }
}
