//! The driver and the kubelet find each other.

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::api::storage::v1::{CSINode, CSINodeDriver};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use rustix::process::Signal;
use serde_json::json;

use super::node::{DRIVER, NODE_ID, Node};
use super::on_node;

/// The key of the driver's places.
const KEY: &str = "topology.hostpath.csi/node";

/// Returns the drivers of the node, nothing if it has no CSINode.
async fn drivers(node: &Node) -> Vec<CSINodeDriver> {
    let nodes = Api::<CSINode>::all(node.client.clone());
    let found = nodes.get_opt("kubelet").await.unwrap();
    found.map(|node| node.spec.drivers).unwrap_or_default()
}

/// Returns the place in the labels of the Node.
async fn place(node: &Node) -> Option<String> {
    let nodes = Api::<core::Node>::all(node.client.clone());
    let labels = nodes.get("kubelet").await.unwrap().metadata.labels;
    labels.unwrap().remove(KEY)
}

async fn is_registered(node: &Node) {
    let found = async || Some(drivers(node).await).filter(|drivers| !drivers.is_empty());
    let drivers = node.eventually("a driver in the CSINode", found).await;
    let [driver] = &drivers[..] else {
        panic!("{drivers:?}");
    };
    assert_eq!(
        (driver.name.as_str(), driver.node_id.as_str()),
        (DRIVER, NODE_ID)
    );
    assert_eq!(driver.topology_keys, Some(vec![KEY.to_owned()]));
    let labeled = async || place(node).await;
    let place = node.eventually("a place in the labels", labeled).await;
    assert_eq!(place, NODE_ID);
}

/// Removes what the kubelet has written of the driver.
async fn forget(node: &Node) {
    let nodes = Api::<CSINode>::all(node.client.clone());
    let deleted = nodes.delete("kubelet", &DeleteParams::default()).await;
    deleted.unwrap();
    let nodes = Api::<core::Node>::all(node.client.clone());
    let unlabeled = Patch::Merge(json!({"metadata": {"labels": {KEY: null}}}));
    let patched = nodes
        .patch("kubelet", &PatchParams::default(), &unlabeled)
        .await;
    patched.unwrap();
}

/// Waits until the driver has been told once more that it is registered.
async fn is_told(node: &Node, before: usize) {
    let told = async || (node.registrations() > before).then_some(());
    node.eventually("an answer of the kubelet", told).await;
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn it_is_registered_after_each_restart() {
    on_node(async |node| {
        is_registered(node).await;

        let before = node.registrations();
        node.kill_kubelet();
        forget(node).await;
        node.start_kubelet();
        is_registered(node).await;
        is_told(node, before).await;

        // The socket stays, until another driver replaces it.
        let before = node.registrations();
        node.end_driver(Signal::KILL);
        forget(node).await;
        node.start_driver();
        is_registered(node).await;
        is_told(node, before).await;

        let before = node.registrations();
        node.end_driver(Signal::TERM);
        let gone = async || drivers(node).await.is_empty().then_some(());
        node.eventually("a CSINode without drivers", gone).await;
        node.start_driver();
        is_registered(node).await;
        is_told(node, before).await;
    });
}
