//! Storing volumes: with a limited number of attempts, or in a queue.

use std::sync::Arc;

use core_v1::{ObjectReference, PersistentVolume, PersistentVolumeSpec};
use kubernetes_controller_utils::workqueue::Constant;
use kubernetes_provisioner::{Controller, DeleteError};
use kubernetes_test_apiserver::{Fault, FaultRule};

use super::fake::Fake;
use super::world::{DELAY, NAME, Running, World, claim, refuse, until};

fn lose_answers() -> FaultRule {
    FaultRule::new(Fault::BreakAfter)
        .verb("create")
        .resource("persistentvolumes")
}

pub(crate) async fn start_with_queue(world: &World, fake: Fake) -> Running {
    let fake = Arc::new(fake);
    let builder = Controller::builder(world.server.client(), NAME, Arc::clone(&fake))
        .leader_election(false)
        .threadiness(1)
        .rate_limiter(Constant::new(DELAY).unwrap())
        .create_volume_limiter(Constant::new(DELAY).unwrap());
    world.launch_builder(fake, builder)
}

#[tokio::test]
async fn volume_that_is_not_stored_at_once_is_tried_again() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world
        .server
        .inject(refuse("create", "persistentvolumes").times(2));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored(&volume).is_some());
    assert_eq!(running.fake.provisions("data"), 1);
    assert_eq!(running.fake.deletions(&volume), 0);
    assert_eq!(running.provisioned(), (1, 0));
}

#[tokio::test]
async fn storage_is_deleted_if_the_volume_cannot_be_stored() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    // The three attempts of the first call.
    world.server.inject(
        refuse("create", "persistentvolumes")
            .name(&*volume)
            .times(3),
    );
    let running = world.start(Fake::default()).await;
    let message = world.event("data", "ProvisioningFailed").await;
    let start =
        format!("storing the volume {volume} failed, attempts: 3; its storage is deleted: ");
    assert!(message.starts_with(&start), "{message}");
    running.idle().await;
    assert_eq!(running.fake.deletions(&volume), 1);
    // Provisioned again from the beginning.
    assert_eq!(running.fake.provisions("data"), 2);
    assert!(world.stored(&volume).is_some());
    assert_eq!(running.provisioned(), (1, 1));
}

#[tokio::test]
async fn volume_that_is_never_accepted_is_not_sent_again() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let invalid = Fault::Refuse {
        status: 422,
        reason: "Invalid",
    };
    let rule = FaultRule::new(invalid)
        .verb("create")
        .name(&*volume)
        .times(1);
    world.server.inject(rule);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.deletions(&volume), 1);
    assert_eq!(running.fake.provisions("data"), 2);
}

#[tokio::test]
async fn storage_that_cannot_be_deleted_is_reported_and_found_again() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.server.inject(
        refuse("create", "persistentvolumes")
            .name(&*volume)
            .times(3),
    );
    let server = Arc::clone(&world.server);
    let fake = Fake::deleting(move |call, volume| {
        if call == 1 && volume.metadata.name.as_deref().unwrap().starts_with("pvc-") {
            // Even a deleted claim is provisioned until that ends.
            let _ = server.delete::<core_v1::PersistentVolumeClaim>(Some("default"), "data");
        }
        Err(DeleteError::failed("the disk is attached"))
    });
    let running = world.start(fake).await;
    world.event("data", "ProvisioningCleanupFailed").await;
    until("the volume", || world.stored(&volume).is_some()).await;
    assert_eq!(running.fake.deletions(&volume), 3);
    assert_eq!(running.fake.provisions("data"), 2);
}

#[tokio::test]
async fn volume_whose_answer_was_lost_is_the_one_that_was_sent() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.server.inject(lose_answers().name(&*volume).times(1));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 1);
    assert!(running.fake.has_storage(&volume));
    assert_eq!(running.provisioned(), (1, 0));
    world.event("data", "ProvisioningSucceeded").await;
}

#[tokio::test]
async fn storage_of_a_volume_that_was_stored_after_all_is_never_deleted() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    // The first attempt stores it, but each answer is lost or an error.
    world.server.inject(lose_answers().name(&*volume).times(1));
    world
        .server
        .inject(refuse("create", "persistentvolumes").name(&*volume));
    let running = world.start(Fake::default()).await;
    world.event("data", "ProvisioningSucceeded").await;
    running.idle().await;
    assert_eq!(running.fake.deletions(&volume), 0);
    assert_eq!(running.fake.provisions("data"), 1);
    assert_eq!(running.provisioned(), (1, 0));
}

/// A volume of the same name as that of a claim, which belongs to another claim.
fn foreign(name: &str) -> PersistentVolume {
    let reference = ObjectReference::new()
        .with_namespace("default")
        .with_name("other")
        .with_uid("not-this-one");
    PersistentVolume::new(name).with_spec(PersistentVolumeSpec::new().with_claim_ref(reference))
}

#[tokio::test]
async fn claim_whose_volume_belongs_to_another_claim_is_refused() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.volume(&foreign(&volume));
    let running = world.start(Fake::default()).await;
    let message = world.event("data", "ProvisioningFailed").await;
    let expected = format!(
        "the PersistentVolume \"{volume}\" exists and belongs to the claim default/other with \
         the UID \"not-this-one\"; the storage is kept. Delete that volume, or set its \
         spec.claimRef to this claim"
    );
    assert_eq!(message, expected);
    assert_eq!(running.fake.provisions("data"), 0);
    assert_eq!(running.fake.deletions(&volume), 0);

    world
        .server
        .delete::<PersistentVolume>(None, &volume)
        .unwrap();
    until("the volume", || running.fake.provisions("data") == 1).await;
}

#[tokio::test]
async fn storage_is_kept_if_the_volume_belongs_to_another_claim_by_then() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let (server, name) = (Arc::clone(&world.server), volume.clone());
    let fake = Fake::provisioning(move |call, request| {
        if call == 1 && request.volume_name == name {
            server.create(&foreign(&name)).unwrap();
        }
        super::fake::Answer::Volume
    });
    let running = world.start(fake).await;
    world.event("data", "ProvisioningFailed").await;
    assert_eq!(running.fake.deletions(&volume), 0);
    assert!(running.fake.has_storage(&volume));
}

#[tokio::test]
async fn queue_stores_a_volume_at_once() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = start_with_queue(&world, Fake::default()).await;
    running.idle().await;
    assert!(world.stored(&volume).is_some());
    world.event("data", "ProvisioningSucceeded").await;
}

#[tokio::test]
async fn queue_stores_a_volume_however_long_it_takes() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.server.inject(
        refuse("create", "persistentvolumes")
            .name(&*volume)
            .times(10),
    );
    let running = start_with_queue(&world, Fake::default()).await;
    until("the volume", || world.stored(&volume).is_some()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 1);
    assert_eq!(running.fake.deletions(&volume), 0);
    assert_eq!(running.provisioned(), (1, 0));
    world.event("data", "ProvisioningSucceeded").await;
}

#[tokio::test]
async fn claim_whose_volume_waits_in_the_queue_is_not_provisioned_again() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world
        .server
        .inject(refuse("create", "persistentvolumes").name(&*volume));
    let running = start_with_queue(&world, Fake::default()).await;
    until("the call", || running.fake.provisions("data") == 1).await;
    let changed = world.read_claim("data");
    let changed = kubernetes_kinds::WithMetadata::with_label(changed, "a", "b");
    world.server.update(&changed).unwrap();
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 1);
    world.server.clear_faults();
    until("the volume", || world.stored(&volume).is_some()).await;
}

#[tokio::test]
async fn queue_is_emptied_when_the_controller_stops() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.server.inject(
        refuse("create", "persistentvolumes")
            .name(&*volume)
            .times(1),
    );
    let fake = Arc::new(Fake::default());
    let hour = std::time::Duration::from_secs(3600);
    let builder = Controller::builder(world.server.client(), NAME, Arc::clone(&fake))
        .leader_election(false)
        .create_volume_limiter(Constant::new(hour).unwrap());
    let running = world.launch_builder(fake, builder);
    until("the call", || running.provisioned() == (1, 0)).await;
    assert!(world.stored(&volume).is_none());
    running.stop().await.unwrap();
    assert!(world.stored(&volume).is_some());
}
