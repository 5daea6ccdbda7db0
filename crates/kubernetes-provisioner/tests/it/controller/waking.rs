//! A change that matters ends a back-off at once; any other change is none.

use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use kubernetes_controller_utils::workqueue::Constant;
use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::{DeleteError, ProvisionError, names};
use storage_v1::StorageClass;

use super::fake::{Answer, Fake};
use super::world::{Running, World, claim, class, released, until};

/// A back-off that no test waits for.
const LONG: Duration = Duration::from_secs(3600);

/// Fails once for the claim `data`, and once for the volume `volume-1`.
fn failing_once(error: fn() -> ProvisionError) -> Fake {
    let fake = Fake::provisioning(move |call, request| {
        match (call, request.claim.metadata.name.as_deref()) {
            (1, Some("data")) => Answer::Error(error()),
            _ => Answer::Volume,
        }
    });
    fake.and_deleting(|call, volume| match volume.metadata.name.as_deref() {
        Some("volume-1") if call == 1 => Err(DeleteError::failed("the disk is attached")),
        _ => Ok(()),
    })
}

fn full() -> ProvisionError {
    ProvisionError::failed("the pool is full")
}

async fn start(world: &World, fake: Fake) -> Running {
    world
        .start_with(fake, |builder| {
            builder
                .rate_limiter(Constant::new(LONG).unwrap())
                .infeasible_delay(LONG)
                .claim_annotations(["example.com/pool"])
        })
        .await
}

/// Starts with a claim that failed once.
async fn failed(error: fn() -> ProvisionError) -> (World, Running, String) {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast").with_annotation(names::SELECTED_NODE, "one"));
    for node in ["one", "two"] {
        world.node(node);
    }
    let running = start(&world, failing_once(error)).await;
    world.event("data", "ProvisioningFailed").await;
    (world, running, volume)
}

fn change(world: &World, change: impl FnOnce(&mut PersistentVolumeClaim)) {
    let mut claim = world.read_claim("data");
    change(&mut claim);
    world.server.update(&claim).unwrap();
}

/// Waits until the controller has seen all changes of claims so far.
async fn seen(world: &World, running: &Running, name: &str) {
    let last = world.claim(&claim(name, "fast"));
    until("the last volume", || world.stored(&last).is_some()).await;
    assert_eq!(running.fake.provisions(name), 1);
}

#[tokio::test]
async fn changes_of_a_claim() {
    type Edit = fn(&mut PersistentVolumeClaim);
    let edits: [Edit; 5] = [
        |claim| {
            let annotations = claim.metadata.annotations.get_or_insert_default();
            annotations.insert(names::SELECTED_NODE.to_owned(), "two".to_owned());
        },
        |claim| {
            let annotations = claim.metadata.annotations.get_or_insert_default();
            annotations.remove(names::SELECTED_NODE);
        },
        |claim| {
            let annotations = claim.metadata.annotations.get_or_insert_default();
            annotations.insert("example.com/pool".to_owned(), "ssd".to_owned());
        },
        |claim| {
            let spec = claim.spec.get_or_insert_default();
            spec.volume_attributes_class_name = Some("gold".to_owned());
        },
        |claim| {
            let requests = &mut claim.spec.get_or_insert_default().resources;
            let requests = requests.get_or_insert_default().requests.as_mut().unwrap();
            requests.insert("storage".to_owned(), core_v1::Quantity("2Gi".to_owned()));
        },
    ];
    for error in [full, || ProvisionError::infeasible("no such pool")] {
        for edit in edits {
            let (world, running, volume) = failed(error).await;
            change(&world, edit);
            until("the volume", || world.stored(&volume).is_some()).await;
            assert_eq!(running.fake.provisions("data"), 2);
        }
    }
}

#[tokio::test]
async fn noise_of_a_claim() {
    let (world, running, _) = failed(full).await;
    for round in 0..20 {
        change(&world, |claim| {
            let annotations = claim.metadata.annotations.get_or_insert_default();
            annotations.insert("example.org/seen".to_owned(), round.to_string());
            let labels = claim.metadata.labels.get_or_insert_default();
            labels.insert("round".to_owned(), round.to_string());
        });
    }
    seen(&world, &running, "last").await;
    assert_eq!(running.fake.provisions("data"), 1);
}

#[tokio::test]
async fn changes_of_a_class() {
    type Edit = fn(&World, StorageClass);
    let edits: [Edit; 2] = [
        |world, mut class| {
            class.mount_options = Some(vec!["noatime".to_owned()]);
            world.server.update(&class).unwrap();
        },
        |world, _| {
            world.server.delete::<StorageClass>(None, "fast").unwrap();
            world.server.create(&class("fast")).unwrap();
        },
    ];
    for edit in edits {
        let (world, running, volume) = failed(full).await;
        edit(&world, world.server.get(None, "fast").unwrap());
        until("the volume", || world.stored(&volume).is_some()).await;
        assert_eq!(running.fake.provisions("data"), 2);
    }
    // Labels of a class are no parameters.
    let (world, running, _) = failed(full).await;
    let class: StorageClass = world.server.get(None, "fast").unwrap();
    world
        .server
        .update(&class.with_label("team", "storage"))
        .unwrap();
    seen(&world, &running, "last").await;
    assert_eq!(running.fake.provisions("data"), 1);
}

/// The name of the volume was taken.
#[tokio::test]
async fn a_volume_that_goes() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.volume(&released(&volume).with_annotation(names::PROVISIONED_BY, "example.org/other"));
    let running = start(&world, Fake::default()).await;
    world.event("data", "ProvisioningFailed").await;
    assert_eq!(running.fake.provisions("data"), 0);
    world
        .server
        .delete::<PersistentVolume>(None, &volume)
        .unwrap();
    until("the call", || running.fake.provisions("data") == 1).await;
}

#[tokio::test]
async fn changes_of_a_volume() {
    let world = World::new().await;
    world.volume(&released("volume-1").with_finalizer("example.com/attached"));
    let running = start(&world, failing_once(full)).await;
    until("the first call", || running.fake.deletions("volume-1") == 1).await;
    world.event("volume-1", "VolumeFailedDelete").await;
    let stored = world.stored("volume-1").unwrap();
    let noisy = stored.with_annotation("example.org/seen", "1");
    world.server.update(&noisy).unwrap();
    seen(&world, &running, "last").await;
    assert_eq!(running.fake.deletions("volume-1"), 1);

    let mut detached = world.stored("volume-1").unwrap();
    detached.metadata.finalizers = detached.metadata.finalizers.map(|mut all| {
        all.retain(|finalizer| finalizer != "example.com/attached");
        all
    });
    world.server.update(&detached).unwrap();
    until("the deletion", || world.stored("volume-1").is_none()).await;
    assert_eq!(running.fake.deletions("volume-1"), 2);
}

/// Changes that came while the server was away are found in the list.
#[tokio::test]
async fn changes_in_a_list() {
    let (world, running, volume) = failed(full).await;
    world.server.pause();
    change(&world, |claim| {
        let spec = claim.spec.get_or_insert_default();
        spec.volume_attributes_class_name = Some("gold".to_owned());
    });
    world.server.compact();
    world.server.resume().unwrap();
    until("the volume", || world.stored(&volume).is_some()).await;
    assert_eq!(running.fake.provisions("data"), 2);
}
