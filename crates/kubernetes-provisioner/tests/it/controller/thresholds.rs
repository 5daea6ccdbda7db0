//! Claims and volumes that fail too often are given up until they change.

use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::{DeleteError, ProvisionError};

use super::fake::{Answer, Fake};
use super::world::{World, claim, class, released, until};

/// Fails this often for the claim `data`.
fn failing(calls: usize) -> Fake {
    Fake::provisioning(
        move |call, request| match request.claim.metadata.name.as_deref() {
            Some("data") if call <= calls => {
                Answer::Error(ProvisionError::failed("the pool is full"))
            }
            _ => Answer::Volume,
        },
    )
}

#[tokio::test]
async fn claim_is_given_up_after_the_threshold_until_it_changes() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world
        .start_with(failing(5), |builder| {
            builder
                .failed_provision_threshold(2)
                .resync_period(std::time::Duration::from_millis(10))
        })
        .await;
    until("three calls", || running.fake.provisions("data") == 3).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 3);

    let changed = world
        .read_claim("data")
        .with_annotation("example.com/try", "again");
    world.server.update(&changed).unwrap();
    until("the volume", || world.stored(&volume).is_some()).await;
    assert_eq!(running.fake.provisions("data"), 6);
}

#[tokio::test]
async fn claim_that_was_given_up_is_tried_again_with_a_new_class() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world
        .start_with(failing(2), |builder| builder.failed_provision_threshold(1))
        .await;
    until("two calls", || running.fake.provisions("data") == 2).await;
    running.idle().await;
    world
        .server
        .delete::<storage_v1::StorageClass>(None, "fast")
        .unwrap();
    world.server.create(&class("fast")).unwrap();
    until("the volume", || world.stored(&volume).is_some()).await;
}

#[tokio::test]
async fn without_a_threshold_a_claim_is_never_given_up() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world
        .start_with(failing(20), |builder| builder.failed_provision_threshold(0))
        .await;
    until("the volume", || world.stored(&volume).is_some()).await;
    assert_eq!(running.fake.provisions("data"), 21);
}

#[tokio::test]
async fn claim_that_is_given_up_is_no_longer_in_progress() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let fake = Fake::provisioning(|_, request| match request.claim.metadata.name.as_deref() {
        Some("data") => Answer::Error(ProvisionError::in_background("busy")),
        _ => Answer::Volume,
    });
    let running = world
        .start_with(fake, |builder| builder.failed_provision_threshold(1))
        .await;
    until("two calls", || running.fake.provisions("data") == 2).await;
    world.delete_claim("data");
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 2);
}

#[tokio::test]
async fn volume_is_given_up_after_the_threshold_until_it_changes() {
    let world = World::new().await;
    world.volume(&released("volume-1"));
    let fake = Fake::deleting(|call, volume| match volume.metadata.name.as_deref() {
        Some("volume-1") if call <= 2 => Err(DeleteError::failed("the disk is attached")),
        _ => Ok(()),
    });
    let running = world
        .start_with(fake, |builder| {
            builder
                .failed_delete_threshold(1)
                .resync_period(std::time::Duration::from_millis(10))
        })
        .await;
    until("two calls", || running.fake.deletions("volume-1") == 2).await;
    running.idle().await;
    assert_eq!(running.fake.deletions("volume-1"), 2);

    let changed = world.stored("volume-1").unwrap();
    world
        .server
        .update(&changed.with_annotation("example.com/try", "again"))
        .unwrap();
    until("the deletion", || world.stored("volume-1").is_none()).await;
}
