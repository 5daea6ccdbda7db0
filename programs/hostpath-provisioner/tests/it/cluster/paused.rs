//! The leader of two replicas is suspended, as a virtual machine is, and goes on when the other one
//! leads and has done its work.

use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::control_plane::{CLASS, Cluster, stop};
use super::proxy::{Point, Proxy};

const LEASE: &str = "--lease-duration=2";

async fn signal(program: &Child, name: &str) {
    let id = program.id().unwrap().to_string();
    let sent = Command::new("kill")
        .args([name, &id])
        .status()
        .await
        .unwrap();
    assert!(sent.success());
}

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
    let mut leader = cluster.run(&[LEASE, "--log=warn"]);
    cluster.add_claim("first", CLASS).await;
    cluster.bound("first").await;
    for (round, point) in POINTS.into_iter().enumerate() {
        let mut other = cluster.run(&[LEASE, "--log=warn"]);
        proxy.plan(0, Some(point));
        let name = format!("claim-{round}");
        let claim = cluster.add_claim(&name, CLASS).await;
        let volume = format!("pvc-{}", claim.metadata.uid.unwrap());
        let reached = timeout(Duration::from_secs(20), proxy.reached.notified()).await;
        reached.expect("it works on the claim");
        signal(&leader, "-STOP").await;
        // The answer to its request is there when it goes on.
        proxy.released.notify_one();

        assert_eq!(
            cluster.bound(&name).await.metadata.name.as_ref(),
            Some(&volume)
        );
        // Another claim is proof that the other one leads.
        let later = format!("later-{round}");
        cluster.add_claim(&later, CLASS).await;
        cluster.bound(&later).await;
        for name in [&name, &later] {
            cluster.delete_claim(name).await;
        }
        cluster
            .server
            .object(&cluster.volumes, &volume)
            .until_gone()
            .await
            .unwrap();

        signal(&leader, "-CONT").await;
        let ended = timeout(Duration::from_secs(20), leader.wait()).await;
        let ended = ended.expect("it ends").unwrap();
        assert_eq!(ended.code(), Some(1), "{ended}");
        assert_eq!(proxy.created(&volume), 1, "at {point:?}");
        std::mem::swap(&mut leader, &mut other);
    }
    cluster.delete_claim("first").await;
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    while !cluster.folders().is_empty() || !cluster.notes().is_empty() {
        assert!(
            tokio::time::Instant::now() < deadline,
            "{:?}",
            cluster.folders()
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    stop(leader).await;
}
