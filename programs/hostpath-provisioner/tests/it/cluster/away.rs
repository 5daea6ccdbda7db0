//! An API server that goes away for a while.
//!
//! `AWAY_SECONDS` is how long, 20 without it.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::control_plane::{CLASS, Cluster, number, stop};
use super::proxy::{Proxy, Requests};

/// After minutes of failures a watch pauses for 30 s and a random part of that again, as those of
/// client-go do.
const RESUMES: Duration = Duration::from_secs(90);

/// Returns the most requests that a program may send: some to find out, and then one a second.
fn most(seconds: u64) -> usize {
    30 + usize::try_from(seconds).unwrap()
}

fn total(requests: &Requests) -> usize {
    requests.values().sum()
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_server_that_goes_away_is_asked_seldom_and_nothing_is_lost() {
    let seconds = number("AWAY_SECONDS", 20);
    let cluster = Cluster::start(&["rbac.yaml", "shared.yaml"]).await;
    let (proxy, address) = Proxy::start(cluster.account().await, 1).await;
    cluster.use_server(&address);
    // Long enough for the leader to stay one.
    let lease = format!("--lease-duration={}", 10 * seconds);
    let program = cluster.run(&[&lease, "--log=error"]);
    for name in ["kept", "deleted"] {
        cluster.add_claim(name, CLASS).await;
        cluster.bound(name).await;
    }
    let deleted = cluster.bound("deleted").await.metadata.name.unwrap();
    proxy.take_requests();

    proxy.go_away(true);
    let mut claims = vec![];
    for at in 0..10 {
        claims.push(cluster.add_claim(&format!("claim-{at}"), CLASS).await);
    }
    cluster.delete_claim("deleted").await;
    sleep(Duration::from_secs(seconds)).await;
    let requests = proxy.take_requests();
    println!("{seconds} s without a server: {requests:#?}");
    assert!(total(&requests) <= most(seconds), "{requests:#?}");

    proxy.go_away(false);
    let back = Instant::now();
    for (at, claim) in claims.iter().enumerate() {
        let volume = cluster.bound_within(&format!("claim-{at}"), RESUMES).await;
        let volume = volume.metadata.name.unwrap();
        assert_eq!(
            volume,
            format!("pvc-{}", claim.metadata.uid.as_deref().unwrap())
        );
        assert_eq!(proxy.created(&volume), 1, "{volume}");
    }
    let deleted = cluster
        .server
        .object(&cluster.volumes, &deleted)
        .within(RESUMES);
    deleted.until_gone().await.unwrap();
    println!(
        "everything is done {:.1?} after the server is back",
        back.elapsed()
    );
    assert_eq!(cluster.folders().len(), 11);
    stop(program).await;
}
