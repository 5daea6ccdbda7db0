//! Provisioners that panic, hang, or return volumes that nobody can use.

use std::sync::Arc;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim, Quantity};
use kubernetes_provisioner::{DeleteError, ProvisionRequest};
use kubernetes_test_apiserver::Server;

use super::fake::{Answer, Fake};
use super::world::{NAMESPACE, World, claim, released, until};

/// The first call for the claim `data` gives that answer.
fn first(answer: impl Fn(&ProvisionRequest) -> Answer + Send + Sync + 'static) -> Fake {
    Fake::provisioning(
        move |call, request| match (call, request.claim.metadata.name.as_deref()) {
            (1, Some("data")) => answer(request),
            _ => Answer::Volume,
        },
    )
}

fn delete_claim(server: &Server) {
    server
        .delete::<PersistentVolumeClaim>(Some(NAMESPACE), "data")
        .unwrap();
}

#[tokio::test]
async fn panic_is_reported_and_the_claim_is_in_progress() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let server = Arc::clone(&world.server);
    let fake = first(move |_| {
        delete_claim(&server);
        Answer::Panic
    });
    let _running = world.start(fake).await;
    let message = world.event("data", "ProvisioningFailed").await;
    assert_eq!(message, "the provisioner panicked: out of paper");
    until("the volume", || world.stored(&volume).is_some()).await;
}

#[tokio::test]
async fn call_that_hangs_ends_at_the_timeout_and_the_claim_is_in_progress() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let server = Arc::clone(&world.server);
    let fake = first(move |_| {
        delete_claim(&server);
        Answer::Hang
    });
    let timeout = Duration::from_millis(50);
    let _running = world
        .start_with(fake, |builder| builder.provision_timeout(timeout))
        .await;
    let message = world.event("data", "ProvisioningFailed").await;
    assert_eq!(message, "the provisioner did not return within 50ms");
    until("the volume", || world.stored(&volume).is_some()).await;
}

#[tokio::test]
async fn panic_while_deleting_is_reported_and_retried() {
    let world = World::new().await;
    world.volume(&released("volume-1"));
    let fake = Fake::deleting(|call, volume| {
        let ours = volume.metadata.name.as_deref() == Some("volume-1");
        assert!(!ours || call > 1, "out of paper");
        Ok(())
    });
    let running = world.start(fake).await;
    let message = world.event("volume-1", "VolumeFailedDelete").await;
    assert_eq!(message, "the provisioner panicked: out of paper");
    running.idle().await;
    assert!(world.stored("volume-1").is_none());
}

/// Returns the message about a volume that was changed, and checks that its storage is deleted.
async fn complaint(change: fn(&mut PersistentVolume)) -> String {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let fake = Fake::provisioning(move |call, request| {
        match (call, request.claim.metadata.name.as_deref()) {
            (1, Some("data")) => Answer::Changed(change),
            _ => Answer::Volume,
        }
    });
    let running = world.start(fake).await;
    let message = world.event("data", "ProvisioningFailed").await;
    until("the volume", || world.stored(&volume).is_some()).await;
    assert_eq!(running.fake.deletions(&volume), 1);
    assert_eq!(running.fake.provisions("data"), 2);
    message
}

#[tokio::test]
async fn volume_that_the_claim_cannot_use_is_deleted_and_reported_with_the_field() {
    let start = "the provisioner returned a volume that the claim can't use: ";
    let message = complaint(|volume| {
        let half = Quantity("500Mi".to_owned());
        volume.spec.as_mut().unwrap().capacity = Some([("storage".to_owned(), half)].into());
    })
    .await;
    let problem = "spec.capacity[storage]: 500Mi is less than the requested 1Gi";
    assert_eq!(message, format!("{start}{problem}"));

    let message = complaint(|volume| {
        volume.spec.as_mut().unwrap().host_path = None;
    })
    .await;
    let problem = "spec: a volume source is required, such as spec.csi";
    assert_eq!(message, format!("{start}{problem}"));

    let message = complaint(|volume| {
        volume.spec.as_mut().unwrap().access_modes = None;
    })
    .await;
    let problem = "spec.accessModes: the requested ReadWriteOnce is not in it";
    assert_eq!(message, format!("{start}{problem}"));
}

#[tokio::test]
async fn storage_of_such_a_volume_that_cannot_be_deleted_is_reported() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let fake = Fake::provisioning(|call, _| match call {
        1 => Answer::Changed(|volume| volume.spec = None),
        _ => Answer::Volume,
    })
    .and_deleting(|_, _| Err(DeleteError::failed("the disk is attached")));
    let running = world.start(fake).await;
    let message = world.event("data", "ProvisioningCleanupFailed").await;
    assert_eq!(
        message,
        format!(
            "the storage of the volume {volume} can't be deleted, attempts: 3: the disk is \
             attached"
        )
    );
    until("the volume", || world.stored(&volume).is_some()).await;
    assert_eq!(running.fake.deletions(&volume), 3);
}
