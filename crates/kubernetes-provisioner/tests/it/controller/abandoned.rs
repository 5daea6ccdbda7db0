//! Storage whose claim was deleted while no process was there to see it.

use std::sync::Arc;
use std::time::Duration;

use core_v1::{PersistentVolumeClaim, PersistentVolumeReclaimPolicy};
use kubernetes_kinds::WithMetadata;
use kubernetes_test_apiserver::{Fault, FaultRule};
use storage_v1::StorageClass;

use super::fake::Fake;
use super::world::{NAME, Running, World, claim, refuse, until};

/// Provisions the storage of a claim, and ends the process before its volume is stored.
pub(crate) async fn killed_before_storing(
    world: &World,
    claim: &PersistentVolumeClaim,
) -> (Arc<Fake>, String) {
    let volume = world.claim(claim);
    let hold = FaultRule::new(Fault::Delay(Duration::from_secs(3600)));
    world
        .server
        .inject(hold.verb("create").resource("persistentvolumes").times(1));
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || {
        world.server.count("create", "persistentvolumes") == 1
    })
    .await;
    running.kill().await;
    assert!(fake.has_storage(&volume) && world.stored(&volume).is_none());
    (fake, volume)
}

fn start_again(world: &World, fake: &Arc<Fake>) -> Running {
    world.launch(Arc::clone(fake), |builder| {
        builder.resync_period(Duration::from_millis(50))
    })
}

#[tokio::test]
async fn storage_is_deleted_whose_claim_was_deleted_before_it_was_stored() {
    let world = World::new().await;
    let (fake, volume) = killed_before_storing(&world, &claim("data", "fast")).await;
    world.delete_claim("data");
    let running = start_again(&world, &fake);
    until("the deletion", || !fake.has_storage(&volume)).await;
    running.idle().await;
    assert_eq!(fake.provisions("data"), 1);
    assert_eq!(fake.deletions(&volume), 1);
}

#[tokio::test]
async fn storage_whose_claim_is_there_is_stored() {
    let world = World::new().await;
    let (fake, volume) = killed_before_storing(&world, &claim("data", "fast")).await;
    assert_eq!(fake.unstored(), [volume.as_str()]);
    let running = start_again(&world, &fake);
    until("the volume", || world.stored(&volume).is_some()).await;
    running.idle().await;
    assert_eq!(fake.deletions(&volume), 0);
    assert_eq!(fake.unstored(), [""; 0]);
}

/// The volume was sent and stored, but its answer was lost with the process.
#[tokio::test]
async fn storage_is_confirmed_whose_volume_was_stored_unseen() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let lose = FaultRule::new(Fault::BreakAfter).verb("create");
    world
        .server
        .inject(lose.resource("persistentvolumes").times(1));
    let hold = FaultRule::new(Fault::Delay(Duration::from_secs(3600)));
    world.server.inject(
        hold.verb("create")
            .resource("persistentvolumes")
            .skip(1)
            .times(1),
    );
    let fake = Arc::new(Fake::default());
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("two requests", || {
        world.server.count("create", "persistentvolumes") == 2
    })
    .await;
    running.kill().await;
    assert!(world.stored(&volume).is_some());
    world.delete_claim("data");
    assert_eq!(fake.unstored(), [volume.as_str()]);
    let running = start_again(&world, &fake);
    until("it is confirmed", || fake.unstored().is_empty()).await;
    running.idle().await;
    assert_eq!(fake.deletions(&volume), 0);
}

/// An administrator may have deleted its volume, and wants the storage then.
#[tokio::test]
async fn storage_that_is_to_be_retained_is_kept() {
    let world = World::new().await;
    let retained = StorageClass::new("kept", NAME).with_reclaim_policy("Retain");
    world.server.create(&retained).unwrap();
    let (fake, volume) = killed_before_storing(&world, &claim("data", "kept")).await;
    assert_eq!(fake.policy(&volume), PersistentVolumeReclaimPolicy::Retain);
    world.delete_claim("data");
    let before = world.server.count("list", "persistentvolumeclaims");
    let running = start_again(&world, &fake);
    // The watch lists them, and so does each look at what is not stored.
    until("two looks", || {
        world.server.count("list", "persistentvolumeclaims") > before + 2
    })
    .await;
    running.idle().await;
    assert_eq!(fake.deletions(&volume), 0);
}

#[tokio::test]
async fn nothing_is_deleted_while_the_server_does_not_say_what_there_is() {
    for (verb, resource) in [
        ("list", "persistentvolumeclaims"),
        ("get", "persistentvolumes"),
    ] {
        let world = World::new().await;
        let (fake, volume) = killed_before_storing(&world, &claim("data", "fast")).await;
        world.delete_claim("data");
        let skipped = if verb == "list" { 1 } else { 0 };
        world
            .server
            .inject(refuse(verb, resource).skip(skipped).times(2));
        let before = world.server.count(verb, resource);
        let running = start_again(&world, &fake);
        until("two refusals", || {
            world.server.count(verb, resource) >= before + 2 + skipped
        })
        .await;
        until("the deletion", || !fake.has_storage(&volume)).await;
        assert_eq!(fake.deletions(&volume), 1, "{verb} {resource}");
        running.stop().await.unwrap();
    }
}

#[tokio::test]
async fn storage_that_can_not_be_listed_is_looked_at_later() {
    let world = World::new().await;
    let (fake, volume) = killed_before_storing(&world, &claim("data", "fast")).await;
    world.delete_claim("data");
    fake.refuse_listings(2);
    let running = start_again(&world, &fake);
    until("the deletion", || !fake.has_storage(&volume)).await;
    running.stop().await.unwrap();
}

/// The storage that other programs made is none of the controller's business.
#[tokio::test]
async fn storage_of_other_names_is_left_alone() {
    let world = World::new().await;
    let fake = Arc::new(Fake::default());
    for name in ["backup", "pvc-", "other-1234"] {
        fake.add_unstored(name);
    }
    let running = start_again(&world, &fake);
    until("three looks", || fake.listings() >= 3).await;
    running.idle().await;
    assert_eq!(fake.unstored(), ["backup", "other-1234", "pvc-"]);
}

/// A claim that is being deleted exists until its finalizers are gone, and a claim that waits may
/// be deleted before its turn.
#[tokio::test]
async fn storage_is_deleted_whose_claim_goes_after_the_first_look() {
    for finalizer in [Some("kubernetes.io/pvc-protection"), None] {
        let world = World::new().await;
        let (fake, volume) = killed_before_storing(&world, &claim("data", "fast")).await;
        if let Some(finalizer) = finalizer {
            let guarded = world.read_claim("data").with_finalizer(finalizer);
            world.server.update(&guarded).unwrap();
            world.delete_claim("data");
        } else {
            // The claim is not provisioned while its class is absent.
            world.server.delete::<StorageClass>(None, "fast").unwrap();
        }
        let running = world.launch(Arc::clone(&fake), |builder| builder);
        until("the first look", || fake.listings() == 1).await;
        if finalizer.is_some() {
            let mut freed = world.read_claim("data");
            freed.metadata.finalizers = None;
            world.server.update(&freed).unwrap();
        } else {
            world.delete_claim("data");
        }
        until("the deletion", || !fake.has_storage(&volume)).await;
        assert_eq!(fake.provisions("data"), 1);
        running.stop().await.unwrap();
    }
}

#[tokio::test]
async fn storage_that_can_not_be_listed_is_looked_at_soon() {
    let world = World::new().await;
    let (fake, volume) = killed_before_storing(&world, &claim("data", "fast")).await;
    world.delete_claim("data");
    fake.refuse_listings(1);
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the deletion", || !fake.has_storage(&volume)).await;
    running.stop().await.unwrap();
}
