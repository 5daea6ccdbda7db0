//! Many claims at once, and how often the program asks the API server because of them.
//!
//! `LOAD_CLAIMS` is how many, 1,000 without it.

use std::time::Duration;

use core_v1::{PersistentVolumeClaim, PersistentVolumeClaimPhase};
use futures::{StreamExt, stream};
use kube::api::{DeleteParams, ListParams};
use kubernetes_kinds::protobuf::CONTENT_TYPE;
use tokio::time::{Instant, sleep};

use super::control_plane::{CLASS, Cluster, number, stop};
use super::proxy::{Proxy, Requests};

/// The number of requests of the test that are under way.
const PARALLEL: usize = 16;

fn is_bound(claim: &PersistentVolumeClaim) -> bool {
    let phase = claim
        .status
        .as_ref()
        .and_then(|status| status.phase.as_ref());
    phase == Some(&PersistentVolumeClaimPhase::Bound)
}

/// Waits for something that a list tells.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(600);
    while !is_so().await {
        assert!(Instant::now() < deadline, "{what}: not in time");
        sleep(Duration::from_millis(250)).await;
    }
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn many_claims_cost_no_more_calls_than_they_need() {
    let claims = usize::try_from(number("LOAD_CLAIMS", 1_000)).unwrap();
    let cluster = Cluster::start(&["rbac.yaml", "shared.yaml"]).await;
    let (proxy, address) = Proxy::start(cluster.account().await, 1).await;
    cluster.use_server(&address);
    let started = Instant::now();
    let program = cluster.run(&["--workers=16", "--log=warn"]);
    let names: Vec<_> = (0..claims).map(|at| format!("claim-{at}")).collect();
    let adding = names.iter().map(|name| cluster.add_claim(name, CLASS));
    let added: Vec<_> = stream::iter(adding)
        .buffer_unordered(PARALLEL)
        .collect()
        .await;
    let list = ListParams::default();
    until("all are bound", async || {
        let now = cluster.claims.list(&list).await.unwrap();
        now.items.len() == claims && now.iter().all(is_bound)
    })
    .await;
    let took = started.elapsed();
    println!("{claims} claims are bound after {took:.1?}");
    assert_eq!(cluster.folders().len(), claims);
    for claim in &added {
        let volume = format!("pvc-{}", claim.metadata.uid.as_deref().unwrap());
        assert_eq!(proxy.created(&volume), 1, "{volume}");
    }
    let requests = proxy.take_requests();
    println!("{requests:#?}");
    let count = |requests: &Requests, what: &str| requests.get(what).copied().unwrap_or(0);
    assert_eq!(count(&requests, "create persistentvolumes"), claims);
    // Other claims change all the time, by which the cache is known to be up to date.
    assert!(count(&requests, "get persistentvolumeclaims") <= claims / 10);
    assert!(count(&requests, "get persistentvolumes") <= claims);
    assert!(count(&requests, "create events") <= 2 * claims);

    sleep(Duration::from_secs(5)).await;
    let mut idle = proxy.take_requests();
    println!("nothing to do for 5 s: {idle:#?}");
    // Events are written behind the work, and the leader stays one.
    idle.retain(|what, _| what != "create events" && what != "update leases");
    assert!(idle.is_empty(), "{idle:#?}");

    let started = Instant::now();
    let deletion = DeleteParams::default();
    let deleting = names
        .iter()
        .map(|name| cluster.claims.delete(name, &deletion));
    let deleted: Vec<_> = stream::iter(deleting)
        .buffer_unordered(PARALLEL)
        .collect()
        .await;
    assert!(deleted.into_iter().all(|deleted| deleted.is_ok()));
    until("all are gone", async || {
        cluster.volumes.list(&list).await.unwrap().items.is_empty()
    })
    .await;
    println!("they are gone after {:.1?}", started.elapsed());
    assert_eq!(cluster.folders(), [""; 0]);
    assert_eq!(cluster.notes(), [""; 0]);
    let requests = proxy.take_requests();
    println!("{requests:#?}");
    assert_eq!(count(&requests, "delete persistentvolumes"), claims);
    // The control plane removes its finalizer at the same time as the provisioner.
    assert!(count(&requests, "get persistentvolumes") <= 4 * claims);
    assert!(count(&requests, "patch persistentvolumes") <= 2 * claims);
    stop(program).await;
    assert_formats(&proxy);
}

/// Asserts that claims, volumes and classes came and went in protobuf.
fn assert_formats(proxy: &Proxy) {
    let json = "application/json";
    for (what, sent, answered) in [
        ("list persistentvolumeclaims", "", CONTENT_TYPE),
        ("watch persistentvolumeclaims", "", CONTENT_TYPE),
        ("list persistentvolumes", "", CONTENT_TYPE),
        ("watch persistentvolumes", "", CONTENT_TYPE),
        ("get persistentvolumes", "", CONTENT_TYPE),
        ("create persistentvolumes", CONTENT_TYPE, CONTENT_TYPE),
        // These are always sent in JSON.
        (
            "patch persistentvolumes",
            "application/merge-patch+json",
            CONTENT_TYPE,
        ),
        ("delete persistentvolumes", json, CONTENT_TYPE),
        ("list storageclasses", "", CONTENT_TYPE),
        ("watch storageclasses", "", CONTENT_TYPE),
        ("create events", json, json),
    ] {
        let formats = [(sent.to_owned(), answered.to_owned())];
        assert_eq!(proxy.formats(what), formats.into(), "{what}");
    }
}
