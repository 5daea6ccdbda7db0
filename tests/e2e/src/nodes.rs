//! Nodes without machines, and Pods for them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Container, Node, NodeCondition, NodeStatus, PersistentVolumeClaimVolumeSource, Pod, PodSpec,
    Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::ObjectMeta;
use kube::{Api, Client};
use serde_json::json;

/// Adds a Node that the scheduler assigns Pods to: ready, with resources for 110 Pods, and labeled
/// with its name as `kubernetes.io/hostname` and with a `topology.kubernetes.io/zone`.
///
/// Returns the Node as stored. There is no kubelet: Pods that are assigned to it don't start.
///
/// # Errors
///
/// Those of the requests, such as a conflict with a Node of the same name.
pub async fn add_node(client: &Client, name: &str, zone: &str) -> kube::Result<Node> {
    let labels = [
        ("kubernetes.io/hostname", name),
        ("topology.kubernetes.io/zone", zone),
    ];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let resources = [("cpu", "8"), ("memory", "16Gi"), ("pods", "110")];
    let resources =
        resources.map(|(resource, amount)| (resource.to_owned(), Quantity(amount.to_owned())));
    let resources = BTreeMap::from(resources);
    let ready = NodeCondition {
        type_: "Ready".to_owned(),
        status: "True".to_owned(),
        reason: Some("KubeletReady".to_owned()),
        ..NodeCondition::default()
    };
    let node = Node {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(labels.into()),
            ..ObjectMeta::default()
        },
        status: Some(NodeStatus {
            allocatable: Some(resources.clone()),
            capacity: Some(resources),
            conditions: Some(vec![ready]),
            ..NodeStatus::default()
        }),
        ..Node::default()
    };
    let nodes: Api<Node> = Api::all(client.clone());
    nodes.create(&PostParams::default(), &node).await?;
    untaint(client, name).await
}

/// Removes the taints of a Node: the server taints every new one as not ready, and a controller
/// that isn't there would remove that once a kubelet has said otherwise.
pub(crate) async fn untaint(client: &Client, name: &str) -> kube::Result<Node> {
    let nodes: Api<Node> = Api::all(client.clone());
    let untainted = Patch::Merge(json!({"spec": {"taints": null}}));
    nodes.patch(name, &PatchParams::default(), &untainted).await
}

/// Returns a Pod that mounts a claim of its namespace.
///
/// Deleting it takes effect at once, although no kubelet confirms that it has stopped.
#[must_use]
pub fn pod_with_claim(name: &str, claim: &str) -> Pod {
    let volume = "data";
    let container = Container {
        name: "idle".to_owned(),
        image: Some("registry.k8s.io/pause:3.10".to_owned()),
        volume_mounts: Some(vec![VolumeMount {
            name: volume.to_owned(),
            mount_path: "/data".to_owned(),
            ..VolumeMount::default()
        }]),
        ..Container::default()
    };
    let source = PersistentVolumeClaimVolumeSource {
        claim_name: claim.to_owned(),
        ..PersistentVolumeClaimVolumeSource::default()
    };
    Pod {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            containers: vec![container],
            termination_grace_period_seconds: Some(0),
            volumes: Some(vec![Volume {
                name: volume.to_owned(),
                persistent_volume_claim: Some(source),
                ..Volume::default()
            }]),
            ..PodSpec::default()
        }),
        ..Pod::default()
    }
}
