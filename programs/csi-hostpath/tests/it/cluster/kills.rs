//! Volumes of Pods while the kubelet or the driver is killed.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::Pod;
use rustix::process::Signal;
use tokio::time::sleep;
use tonic::Code;

use super::node::Node;
use super::objects::{inline, of_claim};
use super::on_node;

/// Two Pods with one volume and an inline volume each.
struct Pods {
    /// The name of the volume.
    volume: &'static str,
    leaving: Pod,
    staying: Pod,
    /// The mounts of the Pod that stays.
    mounts: BTreeMap<String, Vec<u64>>,
}

impl Pods {
    async fn start(node: &Node, volume: &'static str) -> Self {
        let mut storage = node.storage().await;
        let created = storage.create(volume, None).await;
        node.bind(volume, &created).await;
        for pod in ["leaving", "staying"] {
            let volumes = [("v", of_claim(volume)), ("own", inline())];
            node.create_pod(pod, &volumes).await;
        }
        let pods = [node.running("leaving").await, node.running("staying").await];
        let [leaving, staying] = pods;
        for name in [volume, "own"] {
            let file = node.mounted(&staying, name).join("file");
            fs::write(file, name).unwrap();
        }
        let mounts = node.mounts_of(&staying);
        assert_eq!(mounts.len(), 2, "{mounts:?}");
        Self {
            volume,
            leaving,
            staying,
            mounts,
        }
    }

    /// Waits until one Pod has left, and looks at the other one: its volumes are mounted as they
    /// were, and the driver knows that they are in use.
    async fn assert_stays(&self, node: &Node) {
        let left = async || node.mounts_of(&self.leaving).is_empty().then_some(());
        node.eventually("a Pod that has left", left).await;
        assert_eq!(node.mounts_of(&self.staying), self.mounts);
        let mut storage = node.storage().await;
        let ids = storage.volumes().await;
        for name in [self.volume, "own"] {
            let place = node.mounted(&self.staying, name);
            let deleted = storage.delete(&node.id_of(&ids, &place)).await;
            assert_eq!(deleted, Err(Code::FailedPrecondition), "{name}");
            assert_eq!(fs::read_to_string(place.join("file")).unwrap(), name);
        }
        let now = node.running("staying").await;
        assert_eq!(now.metadata.uid, self.staying.metadata.uid);
    }
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn the_kubelet_is_killed() {
    on_node(async |node| {
        let pods = Pods::start(node, "kubelets").await;
        node.kill_kubelet();
        assert_eq!(node.mounts_of(&pods.staying), pods.mounts);
        // The kubelet then finds mounts of a Pod that nobody knows.
        node.forget_pod("leaving").await;
        node.start_kubelet();
        pods.assert_stays(node).await;
        node.create_pod("later", &[("v", of_claim("kubelets"))])
            .await;
        node.running("later").await;
        node.delete_pods(&["staying", "later"]).await;
        node.assert_clean().await;
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn the_driver_is_killed() {
    on_node(async |node| {
        let pods = Pods::start(node, "drivers").await;
        node.end_driver(Signal::KILL);
        assert_eq!(node.mounts_of(&pods.staying), pods.mounts);
        // Both wait for the driver.
        node.create_pod("later", &[("v", of_claim("drivers")), ("own", inline())])
            .await;
        node.forget_pod("leaving").await;
        node.start_driver();
        pods.assert_stays(node).await;
        node.running("later").await;
        node.delete_pods(&["staying", "later"]).await;
        node.assert_clean().await;
    });
}

/// Kills the driver as soon as a condition holds, and starts it again.
async fn kill_when(node: &mut Node, what: &str, is_time: impl Fn(&Node) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_time(node) {
        assert!(Instant::now() < deadline, "{what}\n{}", node.server.logs());
        // The call takes milliseconds.
        sleep(Duration::from_micros(200)).await;
    }
    node.end_driver(Signal::KILL);
    node.start_driver();
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn the_driver_is_killed_in_its_calls() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let created = storage.create("calls", None).await;
        node.bind("calls", &created).await;
        let volumes = [("v", of_claim("calls")), ("own", inline())];
        node.create_pod("pod", &volumes).await;
        kill_when(node, "a mount", |node| !node.mounts().is_empty()).await;
        let pod = node.running("pod").await;
        let mounts = node.mounts_of(&pod);
        let once = mounts.values().all(|ids| ids.len() == 1);
        assert!(once && mounts.len() == 2, "{mounts:?}");
        node.start_deletion("pod").await;
        kill_when(node, "an unmount", |node| node.mounts_of(&pod).len() < 2).await;
        node.deleted("pod").await;
        node.assert_clean().await;
    });
}
