//! Provisioners that name volumes.

use std::sync::Arc;
use std::time::Duration;

use core_v1::PersistentVolumeClaim;
use kubernetes_provisioner::ProvisionError;
use kubernetes_test_apiserver::{Fault, FaultRule, binder};

use super::fake::{Answer, Fake};
use super::storing::start_with_queue;
use super::world::{World, claim, refuse, until};

/// Names each volume, but those of the claims of `idle`.
fn naming(name: impl Fn(&PersistentVolumeClaim) -> String + Send + Sync + 'static) -> Fake {
    answering(name, |_, _| Answer::Volume)
}

/// Names each volume, and answers the calls for a claim.
fn answering(
    name: impl Fn(&PersistentVolumeClaim) -> String + Send + Sync + 'static,
    answer: impl Fn(usize, &str) -> Answer + Send + Sync + 'static,
) -> Fake {
    Fake {
        volume_name: Box::new(move |claim| {
            let is_own = !name_of(claim).starts_with("last-");
            is_own.then(|| name(claim))
        }),
        ..Fake::provisioning(move |call, request| answer(call, name_of(&request.claim)))
    }
}

fn name_of(claim: &PersistentVolumeClaim) -> &str {
    claim.metadata.name.as_deref().unwrap()
}

fn all_alike(_: &PersistentVolumeClaim) -> String {
    "shared".to_owned()
}

#[tokio::test]
async fn volume_has_the_name_that_the_provisioner_gives() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let named = |claim: &PersistentVolumeClaim| {
        let uid = claim.metadata.uid.as_deref().unwrap();
        format!("fast-{}.{uid}", name_of(claim))
    };
    let expected = named(&world.read_claim("data"));
    let running = world.start(naming(named)).await;
    running.idle().await;
    assert_eq!(running.fake.requests("data")[0].volume_name, expected);
    let volume = world.stored(&expected).unwrap();
    let reference = volume.spec.unwrap().claim_ref.unwrap();
    assert_eq!(reference.uid, world.read_claim("data").metadata.uid);
    assert_eq!(running.fake.unstored(), [""; 0]);
}

#[tokio::test]
async fn names_that_no_volume_can_have_are_refused_once() {
    let names = [String::new(), "Data_1".to_owned(), "a".repeat(254)];
    for name in names {
        let world = World::new().await;
        world.claim(&claim("data", "fast"));
        let given = name.clone();
        let running = world.start(naming(move |_| given.clone())).await;
        running.idle().await;
        let message = world.event("data", "ProvisioningFailed").await;
        let start =
            format!("\"{name}\" can't be the name of the volume: it is not a DNS subdomain");
        assert!(message.starts_with(&start), "{message}");
        assert_eq!(running.fake.provisions("data"), 0);
        assert_eq!(running.provisioned(), (0, 1));
    }
}

#[tokio::test]
async fn name_that_panics_is_a_failure_that_is_retried() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let running = world.start(naming(|_| panic!("no name"))).await;
    until("retries", || running.provisioned().1 > 2).await;
    let message = world.event("data", "ProvisioningFailed").await;
    assert_eq!(message, "the provisioner panicked: no name");
}

#[tokio::test]
async fn second_claim_of_a_name_waits_until_the_volume_is_gone() {
    let world = World::new().await;
    let running = world.start(naming(all_alike)).await;
    world.claim(&claim("one", "fast"));
    until("the volume", || world.stored("shared").is_some()).await;
    world.claim(&claim("two", "fast"));
    let message = world.event("two", "ProvisioningFailed").await;
    assert!(
        message.starts_with("the PersistentVolume \"shared\" exists and belongs to the claim"),
        "{message}"
    );
    assert_eq!(running.fake.provisions("two"), 0);
    assert!(running.fake.has_storage("shared"));
    world.delete_claim("one");
    binder::release(&world.server, "shared").unwrap();
    until("the call", || running.fake.provisions("two") == 1).await;
    assert_eq!(running.fake.deletions("shared"), 1);
}

/// What the second one fails to store would be the storage of the first one.
#[tokio::test]
async fn second_claim_of_a_name_waits_while_the_first_is_in_progress() {
    let world = World::new().await;
    let (sender, done) = tokio::sync::watch::channel(false);
    let fake = answering(all_alike, move |_, claim| match claim {
        "one" if !*done.borrow() => Answer::Error(ProvisionError::in_background("busy")),
        _ => Answer::Volume,
    });
    world.claim(&claim("one", "fast"));
    let running = world
        .start_with(fake, |builder| builder.failed_provision_threshold(0))
        .await;
    until("two calls", || running.fake.provisions("one") > 1).await;
    world.claim(&claim("two", "fast"));
    let message = world.event("two", "ProvisioningFailed").await;
    let expected = "\"shared\" can't be the name of the volume: another claim that is provisioned \
                    has it";
    assert_eq!(message, expected);
    sender.send(true).unwrap();
    until("the volume", || world.stored("shared").is_some()).await;
    let reference = world.stored("shared").unwrap().spec.unwrap().claim_ref;
    assert_eq!(reference.unwrap().name.as_deref(), Some("one"));
    assert_eq!(running.fake.provisions("two"), 0);
    assert_eq!(running.fake.deletions("shared"), 0);
}

#[tokio::test]
async fn second_claim_of_a_name_waits_while_the_volume_of_the_first_is_not_stored() {
    let world = World::new().await;
    world
        .server
        .inject(refuse("create", "persistentvolumes").name("shared"));
    world.claim(&claim("one", "fast"));
    let running = start_with_queue(&world, naming(all_alike)).await;
    until("the call", || running.provisioned() == (1, 0)).await;
    world.claim(&claim("two", "fast"));
    let message = world.event("two", "ProvisioningFailed").await;
    assert!(
        message.ends_with("another claim that is provisioned has it"),
        "{message}"
    );
    world.server.clear_faults();
    until("the volume", || world.stored("shared").is_some()).await;
    assert_eq!(running.fake.provisions("two"), 0);
}

/// Provisions the storage of the claim `data`, deletes the claim, and ends the process before the
/// volume is stored.
async fn left(world: &World, fake: Fake) -> Arc<Fake> {
    world.claim(&claim("data", "fast"));
    let hold = FaultRule::new(Fault::Delay(Duration::from_secs(3600)));
    world
        .server
        .inject(hold.verb("create").resource("persistentvolumes").times(1));
    let fake = Arc::new(fake);
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the request", || {
        world.server.count("create", "persistentvolumes") == 1
    })
    .await;
    running.kill().await;
    world.delete_claim("data");
    assert!(fake.has_storage("shared") && world.stored("shared").is_none());
    fake
}

#[tokio::test]
async fn storage_of_any_name_is_deleted_if_its_claim_was_deleted_before_it_was_stored() {
    let world = World::new().await;
    let fake = left(&world, naming(all_alike)).await;
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    until("the deletion", || !fake.has_storage("shared")).await;
    running.idle().await;
    assert_eq!(fake.deletions("shared"), 1);
}

#[tokio::test]
async fn storage_that_another_claim_of_the_name_has_got_is_kept() {
    let world = World::new().await;
    let (sender, done) = tokio::sync::watch::channel(false);
    let fake = answering(all_alike, move |_, claim| match claim {
        "two" if !*done.borrow() => Answer::Error(ProvisionError::in_background("busy")),
        _ => Answer::Volume,
    });
    let fake = left(&world, fake).await;
    world.claim(&claim("two", "fast"));
    let running = world.launch(Arc::clone(&fake), |builder| {
        builder
            .resync_period(Duration::from_millis(50))
            .failed_provision_threshold(0)
    });
    until("a call, and some looks", || {
        fake.provisions("two") > 0 && fake.listings() > 4
    })
    .await;
    let before = fake.deletions("shared");
    let listings = fake.listings();
    until("more looks", || fake.listings() > listings + 4).await;
    assert_eq!(fake.deletions("shared"), before);
    sender.send(true).unwrap();
    until("the volume", || world.stored("shared").is_some()).await;
    running.idle().await;
    assert_eq!(fake.deletions("shared"), before);
    assert!(fake.has_storage("shared"));
}
