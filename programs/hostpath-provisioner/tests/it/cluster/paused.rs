//! The leader of two replicas is suspended, as a virtual machine is, and goes on when the other one
//! leads and has done its work.

use std::time::Duration;

use core_v1::PersistentVolumeClaim;
use kubernetes_kinds::WithMetadata;
use storage_v1::StorageClass;
use tokio::time::{sleep, timeout};

use super::control_plane::{CLASS, Cluster, PROVISIONER, claim};
use super::proxy::{Point, Proxy};
use super::replica::Replica;

const ARGUMENTS: &[&str] = &["--lease-duration=6", "--log=warn"];

/// The time limit of each step, some Lease durations.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time for which nothing of claims changes before a program reads one that it knows.
const SILENCE: Duration = Duration::from_secs(11);

/// Each moment at which the leader holds what it needs for its next step: the claim that it has
/// read, before it makes a folder, and the answer that its volume is stored.
const POINTS: [Point; 2] = [
    Point {
        method: "GET",
        path: "/persistentvolumeclaims/",
        is_done: true,
    },
    Point {
        method: "POST",
        path: "/persistentvolumes",
        is_done: true,
    },
];

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_leader_that_was_suspended_makes_nothing_a_second_time() {
    let cluster = Cluster::start(&["rbac.yaml", "shared.yaml"]).await;
    let (proxy, address) = Proxy::start(cluster.account().await, 1).await;
    cluster.use_server(&address);
    let mut leader = Replica::start(&cluster, ARGUMENTS);
    cluster.add_claim("first", CLASS).await;
    leader.until(cluster.bound_within("first", PATIENCE)).await;
    for (round, point) in POINTS.into_iter().enumerate() {
        let mut other = Replica::start(&cluster, ARGUMENTS);
        proxy.plan(0, Some(point));
        let name = format!("claim-{round}");
        let claim = match point.method {
            "GET" => add_silent_claim(&cluster, &name).await,
            _ => cluster.add_claim(&name, CLASS).await,
        };
        let volume = format!("pvc-{}", claim.metadata.uid.unwrap());
        let reached = timeout(PATIENCE, other.until(proxy.reached.notified())).await;
        reached.expect("it works on the claim");
        if leader.has_ended() {
            // It lost its Lease before, so that the other one has come to that point.
            leader = std::mem::replace(&mut other, Replica::start(&cluster, ARGUMENTS));
        }
        leader.signal("-STOP").await;
        // The answer to its request is there when it goes on.
        proxy.released.notify_one();

        let bound = other.until(cluster.bound_within(&name, PATIENCE)).await;
        assert_eq!(bound.metadata.name.as_ref(), Some(&volume));
        // Another claim is proof that the other one leads.
        let later = format!("later-{round}");
        cluster.add_claim(&later, CLASS).await;
        other.until(cluster.bound_within(&later, PATIENCE)).await;
        let gone = async {
            for name in [&name, &later] {
                cluster.delete_claim(name).await;
            }
            let volume = cluster.server.object(&cluster.volumes, &volume);
            volume.within(PATIENCE).until_gone().await.unwrap();
        };
        other.until(gone).await;

        leader.signal("-CONT").await;
        let ended = timeout(PATIENCE, leader.ended()).await;
        ended.expect("it ends");
        assert_eq!(proxy.created(&volume), 1, "at {point:?}");
        leader = other;
    }
    let emptied = async {
        cluster.delete_claim("first").await;
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while !cluster.folders().is_empty() || !cluster.notes().is_empty() {
            let folders = cluster.folders();
            assert!(tokio::time::Instant::now() < deadline, "{folders:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    leader.until(emptied).await;
    leader.stop().await;
}

/// Adds a claim that a program reads before it makes a folder: when its class comes, the watch has
/// sent no change of claims for [`SILENCE`].
async fn add_silent_claim(cluster: &Cluster, name: &str) -> PersistentVolumeClaim {
    let mut claim = claim(name, name, "1Gi");
    // The annotations that kube-controller-manager would write once there is a class.
    for annotation in [
        "volume.kubernetes.io/storage-provisioner",
        "volume.beta.kubernetes.io/storage-provisioner",
    ] {
        claim = claim.with_annotation(annotation, PROVISIONER);
    }
    let claim = cluster.create_claim(&claim).await;
    sleep(SILENCE).await;
    let class = StorageClass::new(name, PROVISIONER);
    cluster.create_class(&class).await;
    claim
}
