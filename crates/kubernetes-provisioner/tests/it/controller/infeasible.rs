//! Requests that can't be fulfilled are rarely repeated.

use std::time::Duration;

use kubernetes_provisioner::ProvisionError;

use super::fake::{Answer, Fake};
use super::world::{World, claim, class, until};

fn infeasible_once() -> Fake {
    Fake::provisioning(
        |call, request| match (call, request.claim.metadata.name.as_deref()) {
            (1, Some("data")) => Answer::Error(ProvisionError::infeasible("no such parameter")),
            _ => Answer::Volume,
        },
    )
}

const LONG: Duration = Duration::from_secs(300);

#[tokio::test]
async fn infeasible_claim_is_called_once_before_the_delay_is_over() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let running = world
        .start_with(infeasible_once(), |builder| builder.infeasible_delay(LONG))
        .await;
    assert_eq!(
        world.event("data", "ProvisioningFailed").await,
        "no such parameter"
    );
    // The retry finds that the delay is not over.
    let delayed = "controller_workqueue_delayed{name=\"claims\"}";
    let adds = "controller_workqueue_adds_total{name=\"claims\"}";
    until("the retry", || {
        running.metric(adds) >= 2 && running.metric(delayed) == 1
    })
    .await;
    assert_eq!(running.fake.provisions("data"), 1);
    // Nothing waits for a claim that is gone.
    world.delete_claim("data");
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 1);
}

#[tokio::test]
async fn infeasible_claim_is_called_twice_after_the_delay() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let delay = Duration::from_millis(50);
    let running = world
        .start_with(infeasible_once(), |builder| builder.infeasible_delay(delay))
        .await;
    until("the volume", || world.stored(&volume).is_some()).await;
    assert_eq!(running.fake.provisions("data"), 2);
}

#[tokio::test]
async fn infeasible_claim_is_called_twice_once_the_class_is_replaced() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world
        .start_with(infeasible_once(), |builder| builder.infeasible_delay(LONG))
        .await;
    until("the first call", || running.fake.provisions("data") == 1).await;
    world
        .server
        .delete::<storage_v1::StorageClass>(None, "fast")
        .unwrap();
    let replaced = class("fast").with_parameters([("tier", "gold")]);
    world.server.create(&replaced).unwrap();
    until("the volume", || world.stored(&volume).is_some()).await;
    let requests = running.fake.requests("data");
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[1].parameters()["tier"], "gold");
}
