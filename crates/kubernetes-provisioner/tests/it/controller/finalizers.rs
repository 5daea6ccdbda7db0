//! The finalizer that keeps a volume until its storage is deleted.

use core_v1::{
    CSIPersistentVolumeSource, PersistentVolume, PersistentVolumePhase,
    PersistentVolumeReclaimPolicy,
};
use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::DeleteError;
use kubernetes_provisioner::names::{self, FINALIZER};

use super::fake::Fake;
use super::world::{NAME, World, claim, refuse, released, until, volume};

const OTHER: &str = "example.org/others";

/// Returns the finalizers of a volume after a controller has seen it; `None` if it is gone.
async fn finalizers(
    protect: bool,
    volume: PersistentVolume,
    deleting: bool,
) -> Option<Vec<String>> {
    let world = World::new().await;
    world.volume(&volume);
    if deleting {
        world
            .server
            .delete::<PersistentVolume>(None, "volume-1")
            .unwrap();
    }
    let running = world
        .start_with(Fake::default(), |builder| {
            builder.protection_finalizer(protect)
        })
        .await;
    running.idle().await;
    let stored = world.stored("volume-1")?;
    Some(stored.metadata.finalizers.unwrap_or_default())
}

fn bound() -> PersistentVolume {
    volume("volume-1", PersistentVolumePhase::Bound)
}

fn with_policy(
    mut volume: PersistentVolume,
    policy: PersistentVolumeReclaimPolicy,
) -> PersistentVolume {
    volume
        .spec
        .as_mut()
        .unwrap()
        .persistent_volume_reclaim_policy = Some(policy);
    volume
}

fn some(finalizers: &[&str]) -> Option<Vec<String>> {
    Some(finalizers.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn bound_volume_gets_the_finalizer() {
    assert_eq!(finalizers(true, bound(), false).await, some(&[FINALIZER]));
}

#[tokio::test]
async fn bound_volume_keeps_the_finalizer() {
    let protected = bound().with_finalizer(FINALIZER);
    assert_eq!(finalizers(true, protected, false).await, some(&[FINALIZER]));
}

#[tokio::test]
async fn volume_that_is_not_bound_gets_no_finalizer() {
    let available = volume("volume-1", PersistentVolumePhase::Available);
    assert_eq!(finalizers(true, available, false).await, some(&[]));
}

#[tokio::test]
async fn volumes_that_nobody_provisioned_get_the_finalizer_too() {
    let mut migrated = bound().with_annotation(names::MIGRATED_TO, NAME);
    let mut of_driver = bound();
    for volume in [&mut migrated, &mut of_driver] {
        let annotations = volume.metadata.annotations.as_mut().unwrap();
        annotations.remove(names::PROVISIONED_BY);
    }
    let source = CSIPersistentVolumeSource::new(NAME, "1");
    of_driver.spec.as_mut().unwrap().csi = Some(source.into());
    for volume in [migrated, of_driver] {
        assert_eq!(finalizers(true, volume, false).await, some(&[FINALIZER]));
    }
}

#[tokio::test]
async fn other_finalizers_stay_before_it() {
    let volume = bound().with_finalizer("example.org/other");
    let expected = some(&["example.org/other", FINALIZER]);
    assert_eq!(finalizers(true, volume, false).await, expected);
}

#[tokio::test]
async fn volume_whose_deletion_fails_keeps_the_finalizer() {
    for fails_in_storage in [true, false] {
        let world = World::new().await;
        world.volume(&released("volume-1").with_finalizer(FINALIZER));
        let fake = Fake::deleting(move |_, _| match fails_in_storage {
            true => Err(DeleteError::failed("the disk is attached")),
            false => Ok(()),
        });
        if !fails_in_storage {
            world.server.inject(refuse("delete", "persistentvolumes"));
        }
        let running = world.start(fake).await;
        until("two failures", || running.deleted().1 >= 2).await;
        let finalizers = world.stored("volume-1").unwrap().metadata.finalizers;
        assert_eq!(finalizers.unwrap(), [FINALIZER]);
    }
}

#[tokio::test]
async fn volume_that_is_being_deleted_gets_no_finalizer() {
    let other = bound().with_finalizer("example.org/other");
    assert_eq!(
        finalizers(true, other, true).await,
        some(&["example.org/other"])
    );
}

#[tokio::test]
async fn volume_with_the_policy_retain_loses_the_finalizer_and_no_other() {
    let retained = with_policy(bound(), PersistentVolumeReclaimPolicy::Retain)
        .with_finalizer(FINALIZER)
        .with_finalizer("example.org/other");
    assert_eq!(
        finalizers(true, retained, false).await,
        some(&["example.org/other"])
    );
}

#[tokio::test]
async fn volume_with_the_policy_recycle_loses_the_finalizer() {
    let recycled =
        with_policy(bound(), PersistentVolumeReclaimPolicy::Recycle).with_finalizer(FINALIZER);
    assert_eq!(finalizers(true, recycled, false).await, some(&[]));
}

#[tokio::test]
async fn volume_loses_the_finalizer_if_it_is_not_wanted() {
    let protected = bound().with_finalizer(FINALIZER);
    assert_eq!(finalizers(false, protected, false).await, some(&[]));
}

#[tokio::test]
async fn foreign_volume_keeps_its_finalizers() {
    let foreign = bound().with_annotation(names::PROVISIONED_BY, OTHER);
    let protected = foreign.clone().with_finalizer(FINALIZER);
    assert_eq!(finalizers(true, foreign, false).await, some(&[]));
    assert_eq!(
        finalizers(false, protected, false).await,
        some(&[FINALIZER])
    );
}

#[tokio::test]
async fn released_volume_is_deleted_with_its_storage_even_if_the_finalizer_is_not_wanted() {
    let protected = released("volume-1").with_finalizer(FINALIZER);
    assert_eq!(finalizers(false, protected.clone(), true).await, None);
    assert_eq!(finalizers(true, protected, true).await, None);
}

#[tokio::test]
async fn new_volume_has_no_finalizer_if_it_is_not_wanted() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world
        .start_with(Fake::default(), |builder| {
            builder.protection_finalizer(false)
        })
        .await;
    running.idle().await;
    assert_eq!(world.stored(&volume).unwrap().metadata.finalizers, None);
}

#[tokio::test]
async fn finalizer_that_cannot_be_added_is_retried() {
    let world = World::new().await;
    world.volume(&bound());
    world
        .server
        .inject(refuse("patch", "persistentvolumes").times(2));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(
        world
            .stored("volume-1")
            .unwrap()
            .metadata
            .finalizers
            .unwrap(),
        [FINALIZER]
    );
}
