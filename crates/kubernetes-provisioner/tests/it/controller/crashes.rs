//! A controller that ends at any moment leaves nothing behind that the next one doesn't finish.

use std::sync::Arc;
use std::time::Duration;

use core_v1::PersistentVolume;
use futures::{StreamExt, stream};
use kube::runtime::watcher::Event;
use kubernetes_kinds::{Lean, WithMetadata};
use kubernetes_provisioner::names::FINALIZER;
use kubernetes_test_apiserver::{Fault, FaultRule};

use super::fake::{Answer, Fake};
use super::world::{World, claim, released, until};

/// Requests take longer than a test.
fn delay(verb: &str, resource: &str) -> FaultRule {
    FaultRule::new(Fault::Delay(Duration::from_secs(3600)))
        .verb(verb)
        .resource(resource)
}

#[tokio::test]
async fn crash_during_provision_calls_it_again_with_the_same_name() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let fake =
        Fake::provisioning(
            |call, request| match (call, request.claim.metadata.name.as_deref()) {
                (1, Some("data")) => Answer::Hang,
                _ => Answer::Volume,
            },
        );
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
    world
        .server
        .inject(delay("create", "persistentvolumes").times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || {
        world.server.count("create", "persistentvolumes") == 1
    })
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
    world
        .server
        .inject(delay("create", "persistentvolumes").skip(1).times(1));
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
    world
        .server
        .inject(delay("delete", "persistentvolumes").times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || {
        world.server.count("delete", "persistentvolumes") == 1
    })
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
    world
        .server
        .inject(delay("patch", "persistentvolumes").times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || {
        world.server.count("patch", "persistentvolumes") == 1
    })
    .await;
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
    let lose = FaultRule::new(Fault::BreakAfter)
        .verb("delete")
        .name("volume-1")
        .times(1);
    world.server.inject(lose);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored("volume-1").is_none());
    assert_eq!(running.fake.deletions("volume-1"), 1);
}

/// Returns how often `data` is provisioned by a controller that sees the claim as it was before
/// a change.
async fn provisions_behind(change: impl FnOnce(&World)) -> usize {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    world.claim(&claim("next", "fast"));
    let event = |name| Ok(Event::InitApply(Lean::from(world.read_claim(name))));
    let events = [
        Ok(Event::Init),
        event("data"),
        event("next"),
        Ok(Event::InitDone),
    ];
    change(&world);
    let behind = stream::iter(events).chain(stream::pending());
    let running = world
        .start_with(Fake::default(), |builder| builder.claims(behind))
        .await;
    until("both are looked at", || {
        running.metric("controller_workqueue_work_duration_seconds_count{name=\"claims\"}") == 2
    })
    .await;
    assert_eq!(running.fake.provisions("next"), 1);
    running.fake.provisions("data")
}

#[tokio::test]
async fn claim_that_was_changed_while_the_cache_is_behind_is_not_provisioned() {
    let deleted = |world: &World| world.delete_claim("data");
    assert_eq!(provisions_behind(deleted).await, 0);

    let made_again = |world: &World| {
        world.delete_claim("data");
        world.claim(&claim("data", "fast"));
    };
    assert_eq!(provisions_behind(made_again).await, 0);

    let bound = |world: &World| {
        let mut claim = world.read_claim("data");
        claim.spec.as_mut().unwrap().volume_name = Some("volume-1".to_owned());
        world.server.update(&claim).unwrap();
    };
    assert_eq!(provisions_behind(bound).await, 0);

    assert_eq!(provisions_behind(|_| ()).await, 1);
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
    world
        .server
        .delete::<PersistentVolume>(None, &first)
        .unwrap();
    world.server.resume().unwrap();
    until("the second volume", || world.stored(&second).is_some()).await;
    assert_eq!(running.fake.provisions("data-1"), 1);
    assert_eq!(running.fake.provisions("data-2"), 1);
}
