//! A controller that ends at any moment leaves nothing behind that the next one doesn't finish.

use std::sync::Arc;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use kubernetes_kinds::WithMetadata;
use provisioner::controller::names::FINALIZER;
use provisioner::testing::{Fault, FaultRule};

use crate::fake::{Answer, Fake};
use crate::world::{NAMESPACE, World, claim, released, until};

/// Requests take longer than a test.
fn delay(verb: &str, resource: &str) -> FaultRule {
    FaultRule::new(Fault::Delay(Duration::from_secs(3600))).verb(verb).resource(resource)
}

#[tokio::test]
async fn crash_during_provision_calls_it_again_with_the_same_name() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let fake = Fake::provisioning(|call, request| {
        match (call, request.claim.metadata.name.as_deref()) {
            (1, Some("data")) => Answer::Hang,
            _ => Answer::Volume,
        }
    });
    let fake = Arc::new(fake);
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the call", || fake.provisions("data") == 1).await;
    running.kill().await;
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the volume", || world.stored(&volume).is_some()).await;
    let requests = fake.requests("data");
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].volume_name, requests[1].volume_name);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn crash_before_storing_calls_provision_again_with_the_same_name() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.server.inject(delay("create", "persistentvolumes").times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || world.server.count("create", "persistentvolumes") == 1)
        .await;
    running.kill().await;
    assert!(world.stored(&volume).is_none());
    assert!(fake.has_storage(&volume));
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the volume", || world.stored(&volume).is_some()).await;
    running.idle().await;
    assert_eq!(fake.provisions("data"), 2);
    assert_eq!(fake.deletions(&volume), 0);
}

#[tokio::test]
async fn crash_after_storing_calls_nothing_again() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    // The answer never comes, but the volume does.
    world.server.inject(
        FaultRule::new(Fault::BreakAfter)
            .verb("create")
            .resource("persistentvolumes")
            .times(1),
    );
    world.server.inject(delay("create", "persistentvolumes").skip(1).times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the second request", || {
        world.server.count("create", "persistentvolumes") == 2
    })
    .await;
    assert!(world.stored(&volume).is_some());
    running.kill().await;
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    running.idle().await;
    assert_eq!(fake.provisions("data"), 1);
}

#[tokio::test]
async fn crash_after_the_storage_was_deleted_deletes_it_again_and_then_the_volume() {
    let world = World::new().await;
    world.volume(&released("volume-1").with_finalizer(FINALIZER));
    world.server.inject(delay("delete", "persistentvolumes").times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || world.server.count("delete", "persistentvolumes") == 1)
        .await;
    running.kill().await;
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    running.idle().await;
    assert!(world.stored("volume-1").is_none());
    assert_eq!(fake.deletions("volume-1"), 2);
}

#[tokio::test]
async fn crash_before_the_finalizer_was_removed_leaves_a_volume_that_is_deleted() {
    let world = World::new().await;
    world.volume(&released("volume-1").with_finalizer(FINALIZER));
    world.server.inject(delay("patch", "persistentvolumes").times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || world.server.count("patch", "persistentvolumes") == 1).await;
    running.kill().await;
    let kept = world.stored("volume-1").unwrap();
    assert!(kept.metadata.deletion_timestamp.is_some());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    running.idle().await;
    assert!(world.stored("volume-1").is_none());
}

#[tokio::test]
async fn lost_answer_to_the_deletion_does_not_delete_the_storage_again() {
    let world = World::new().await;
    world.volume(&released("volume-1").with_finalizer(FINALIZER));
    let lose =
        FaultRule::new(Fault::BreakAfter).verb("delete").name("volume-1").times(1);
    world.server.inject(lose);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored("volume-1").is_none());
    assert_eq!(running.fake.deletions("volume-1"), 1);
}

#[tokio::test]
async fn claim_that_was_deleted_while_the_cache_is_behind_is_not_provisioned() {
    let world = World::new().await;
    let server = Arc::clone(&world.server);
    // One worker: the second claim waits until the first call has returned, and is deleted in
    // that call, when the controller has no chance to see it.
    world.claim(&claim("data-1", "fast"));
    world.claim(&claim("data-2", "fast"));
    let fake = Fake::provisioning(move |_, request| {
        let other = match request.claim.metadata.name.as_deref() {
            Some("data-1") => "data-2",
            Some("data-2") => "data-1",
            _ => return Answer::Volume,
        };
        server.delete::<PersistentVolumeClaim>(Some(NAMESPACE), other).unwrap();
        Answer::Volume
    });
    let running = world.start(fake).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data-1") + running.fake.provisions("data-2"), 1);
}

#[tokio::test]
async fn server_that_goes_away_and_comes_back_loses_nothing() {
    let world = World::new().await;
    let first = world.claim(&claim("data-1", "fast"));
    let running = world.start(Fake::default()).await;
    until("the first volume", || world.stored(&first).is_some()).await;
    world.server.pause();
    let second = world.claim(&claim("data-2", "fast"));
    world.server.compact();
    world.server.delete::<PersistentVolume>(None, &first).unwrap();
    world.server.resume().unwrap();
    until("the second volume", || world.stored(&second).is_some()).await;
    assert_eq!(running.fake.provisions("data-1"), 1);
    assert_eq!(running.fake.provisions("data-2"), 1);
}
