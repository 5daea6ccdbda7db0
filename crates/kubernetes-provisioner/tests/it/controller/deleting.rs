//! The volumes that are deleted, and what happens if that fails.

use core_v1::{CSIPersistentVolumeSource, PersistentVolumePhase, PersistentVolumeReclaimPolicy};
use k8s_openapi::api::core::v1::Event;
use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::DeleteError;
use kubernetes_provisioner::{Ownership, names};
use kubernetes_test_apiserver::binder;

use super::fake::Fake;
use super::world::{NAME, World, refuse, released, until, volume};

#[tokio::test]
async fn own_volume_is_deleted_and_foreign_volume_is_not() {
    let world = World::new().await;
    world.volume(&released("own"));
    let foreign = released("foreign");
    world.volume(&foreign.with_annotation(names::PROVISIONED_BY, "example.org/others"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored("own").is_none());
    assert!(world.stored("foreign").is_some());
    assert_eq!(running.fake.deletions("own"), 1);
    assert_eq!(running.fake.deletions("foreign"), 0);
    assert_eq!(running.deleted(), (1, 0));
}

#[tokio::test]
async fn bound_volume_is_not_deleted() {
    let world = World::new().await;
    world.volume(&volume("volume-1", PersistentVolumePhase::Bound));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored("volume-1").is_some());
    assert_eq!(running.fake.deletions("volume-1"), 0);
}

#[tokio::test]
async fn volume_with_the_policy_retain_is_not_deleted() {
    let world = World::new().await;
    let mut retained = released("volume-1");
    retained
        .spec
        .as_mut()
        .unwrap()
        .persistent_volume_reclaim_policy = Some(PersistentVolumeReclaimPolicy::Retain);
    world.volume(&retained);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored("volume-1").is_some());
    assert_eq!(running.fake.deletions("volume-1"), 0);
}

#[tokio::test]
async fn volume_that_is_guarded_is_not_deleted() {
    let world = World::new().await;
    world.volume(&released("volume-1"));
    let fake = Fake {
        guarded_volume: "volume-1",
        ..Fake::default()
    };
    let running = world.start(fake).await;
    running.idle().await;
    assert!(world.stored("volume-1").is_some());
    assert_eq!(running.fake.deletions("volume-1"), 0);
}

#[tokio::test]
async fn failing_deletion_is_reported_and_retried() {
    let world = World::new().await;
    world.volume(&released("volume-1"));
    let fake = Fake::deleting(|call, _| match call {
        1 => Err(DeleteError::failed("the disk is attached")),
        _ => Ok(()),
    });
    let running = world.start(fake).await;
    let message = world.event("volume-1", "VolumeFailedDelete").await;
    assert_eq!(message, "the disk is attached");
    running.idle().await;
    assert!(world.stored("volume-1").is_none());
    assert_eq!(running.deleted(), (1, 1));
}

#[tokio::test]
async fn volume_in_use_is_deleted_later_without_a_failure() {
    let world = World::new().await;
    world.volume(&released("volume-1"));
    let fake = Fake::deleting(|call, volume| match volume.metadata.name.as_deref() {
        Some("volume-1") if call <= 2 => Err(DeleteError::in_use("mounted on node-1")),
        _ => Ok(()),
    });
    let running = world.start(fake).await;
    let message = world.event("volume-1", "VolumeDelete").await;
    assert_eq!(message, "in use: mounted on node-1");
    until("the deletion", || world.stored("volume-1").is_none()).await;
    until("it is counted", || running.deleted() == (1, 0)).await;
    assert_eq!(running.fake.deletions("volume-1"), 3);
    let events: Vec<Event> = world.server.list(Some("default")).unwrap();
    let postponed = events
        .iter()
        .find(|event| event.reason.as_deref() == Some("VolumeDelete"));
    assert_eq!(postponed.unwrap().type_.as_deref(), Some("Normal"));
}

#[tokio::test]
async fn volume_whose_object_cannot_be_deleted_keeps_it_but_its_storage_is_deleted_once() {
    let world = World::new().await;
    world.volume(&released("volume-1"));
    world
        .server
        .inject(refuse("delete", "persistentvolumes").times(3));
    let running = world.start(Fake::default()).await;
    until("three failures", || running.deleted() == (1, 3)).await;
    assert!(world.stored("volume-1").is_none());
    assert_eq!(running.fake.deletions("volume-1"), 1);
}

#[tokio::test]
async fn deletion_of_a_volume_without_a_class_is_counted_without_one() {
    let world = World::new().await;
    let mut classless = released("volume-1");
    classless.spec.as_mut().unwrap().storage_class_name = None;
    world.volume(&classless);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    let count = running.metric("controller_persistentvolume_delete_total{class=\"\"}");
    assert_eq!(count, 1);
}

#[tokio::test]
async fn ignored_deletion_is_neither_reported_nor_retried() {
    let world = World::new().await;
    world.volume(&released("volume-1"));
    let fake = Fake::deleting(|_, volume| match volume.metadata.name.as_deref() {
        Some("volume-1") => Err(DeleteError::ignored("not mine")),
        _ => Ok(()),
    });
    let running = world.start(fake).await;
    running.idle().await;
    assert!(world.stored("volume-1").is_some());
    assert_eq!(running.fake.deletions("volume-1"), 1);
    assert!(world.reasons("volume-1").is_empty());
    // As the Go library counts it.
    assert_eq!(running.deleted(), (1, 0));
}

#[tokio::test]
async fn volumes_that_were_migrated_or_made_by_hand_are_deleted() {
    let world = World::new().await;
    let migrated = released("migrated")
        .with_annotation(names::PROVISIONED_BY, "kubernetes.io/disks")
        .with_annotation(names::MIGRATED_TO, NAME);
    world.volume(&migrated);
    let mut by_hand = released("by-hand");
    by_hand.metadata.annotations = None;
    by_hand.spec.as_mut().unwrap().csi = Some(CSIPersistentVolumeSource::new(NAME, "1").into());
    world.volume(&by_hand);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored("migrated").is_none());
    assert!(world.stored("by-hand").is_none());
}

#[tokio::test]
async fn volumes_that_were_migrated_are_left_if_only_the_primary_name_counts() {
    let world = World::new().await;
    let migrated = released("migrated")
        .with_annotation(names::PROVISIONED_BY, "kubernetes.io/disks")
        .with_annotation(names::MIGRATED_TO, NAME);
    world.volume(&migrated);
    let running = world
        .start_with(Fake::default(), |builder| {
            builder.volume_ownership(Ownership::PrimaryName)
        })
        .await;
    running.idle().await;
    assert!(world.stored("migrated").is_some());
}

#[tokio::test]
async fn volume_that_a_user_deletes_after_its_release_is_deleted_with_its_storage() {
    let world = World::new().await;
    world
        .volume(&volume("volume-1", PersistentVolumePhase::Bound).with_finalizer(names::FINALIZER));
    let running = world.start(Fake::default()).await;
    world
        .server
        .delete::<core_v1::PersistentVolume>(None, "volume-1")
        .unwrap();
    running.idle().await;
    assert_eq!(running.fake.deletions("volume-1"), 0);
    binder::release(&world.server, "volume-1").unwrap();
    running.idle().await;
    assert_eq!(running.fake.deletions("volume-1"), 1);
    assert!(world.stored("volume-1").is_none());
}

#[tokio::test]
async fn volume_that_another_finalizer_keeps_is_deleted_once() {
    let world = World::new().await;
    let kept = released("volume-1")
        .with_finalizer(names::FINALIZER)
        .with_finalizer("kubernetes.io/pv-protection");
    world.volume(&kept);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.deletions("volume-1"), 1);
    let stored = world.stored("volume-1").unwrap();
    assert_eq!(
        stored.metadata.finalizers.unwrap(),
        ["kubernetes.io/pv-protection"]
    );
}
