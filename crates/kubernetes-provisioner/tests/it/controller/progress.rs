//! Claims whose provisioning may go on in the background.
//!
//! Such a claim is provisioned again even if it is deleted, which shows whether it is one.

use std::sync::Arc;

use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::names::SELECTED_NODE;
use kubernetes_provisioner::{ProvisionError, ProvisionRequest};
use kubernetes_test_apiserver::{Server, binder};

use super::fake::{Answer, Fake};
use super::world::{World, claim, until, waiting_class};

type Error = fn(&'static str) -> ProvisionError;

/// Returns how often a claim is provisioned that is deleted during the call that returns the
/// last of these errors, and whether it has got a volume.
async fn calls(errors: &'static [Error]) -> (usize, bool) {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let server = Arc::clone(&world.server);
    let fake = Fake::provisioning(move |call, request| {
        if request.claim.metadata.name.as_deref() != Some("data") {
            return Answer::Volume;
        }
        if call == errors.len() {
            delete(&server, request);
        }
        match errors.get(call - 1) {
            Some(error) => Answer::Error(error("busy")),
            None => Answer::Volume,
        }
    });
    let running = world.start(fake).await;
    running.idle().await;
    (
        running.fake.provisions("data"),
        world.stored(&volume).is_some(),
    )
}

fn delete(server: &Server, request: &ProvisionRequest) {
    let metadata = &request.claim.metadata;
    let (namespace, name) = (metadata.namespace.as_deref(), metadata.name.as_deref());
    server
        .delete::<core_v1::PersistentVolumeClaim>(namespace, name.unwrap())
        .unwrap();
}

const FINAL: Error = |text| ProvisionError::failed(text);
const IN_BACKGROUND: Error = |text| ProvisionError::in_background(text);
const NO_CHANGE: Error = |text| ProvisionError::no_change(text);
const IGNORED: Error = |text| ProvisionError::ignored(text);
const INFEASIBLE: Error = |text| ProvisionError::infeasible(text);
const RESCHEDULE: Error = |text| ProvisionError::reschedule(text);

#[tokio::test]
async fn success_needs_no_progress() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored(&volume).is_some());
    assert_eq!(running.fake.provisions("data"), 1);
}

#[tokio::test]
async fn finished_leaves_a_fresh_claim_fresh() {
    assert_eq!(calls(&[FINAL]).await, (1, false));
}

#[tokio::test]
async fn in_background_makes_a_fresh_claim_in_progress() {
    assert_eq!(calls(&[IN_BACKGROUND]).await, (2, true));
}

#[tokio::test]
async fn no_change_leaves_a_fresh_claim_fresh() {
    assert_eq!(calls(&[NO_CHANGE]).await, (1, false));
}

#[tokio::test]
async fn finished_ends_the_progress() {
    assert_eq!(calls(&[IN_BACKGROUND, FINAL]).await, (2, false));
}

#[tokio::test]
async fn in_background_leaves_a_claim_in_progress() {
    assert_eq!(calls(&[IN_BACKGROUND, IN_BACKGROUND]).await, (3, true));
}

#[tokio::test]
async fn no_change_leaves_a_claim_in_progress() {
    assert_eq!(calls(&[IN_BACKGROUND, NO_CHANGE]).await, (3, true));
}

#[tokio::test]
async fn errors_that_are_final_end_the_progress() {
    assert_eq!(calls(&[IN_BACKGROUND, IGNORED]).await, (2, false));
    assert_eq!(calls(&[IN_BACKGROUND, INFEASIBLE]).await, (2, false));
    assert_eq!(calls(&[IN_BACKGROUND, RESCHEDULE]).await, (2, false));
}

#[tokio::test]
async fn errors_other_than_reschedule_leave_the_selected_node() {
    for (errors, is_rescheduled) in [
        ([FINAL; 2], false),
        ([NO_CHANGE; 2], false),
        ([IN_BACKGROUND; 2], false),
        ([IN_BACKGROUND, RESCHEDULE], true),
    ] {
        let world = World::new().await;
        world.server.create(&waiting_class("waiting")).unwrap();
        world.node("node-1");
        let selected = claim("data", "waiting").with_annotation(SELECTED_NODE, "node-1");
        let volume = world.claim(&selected);
        let fake = Fake::provisioning(move |call, request| {
            let is_data = request.claim.metadata.name.as_deref() == Some("data");
            match errors.get(call - 1).filter(|_| is_data) {
                Some(error) => Answer::Error(error("busy")),
                None => Answer::Volume,
            }
        });
        let running = world.start(fake).await;
        running.idle().await;
        let node = world
            .read_claim("data")
            .metadata
            .annotations
            .unwrap()
            .remove(SELECTED_NODE);
        assert_eq!(node.is_none(), is_rescheduled);
        assert_eq!(world.stored(&volume).is_none(), is_rescheduled);
        // Each error is a failure.
        let failed = "controller_persistentvolumeclaim_provision_failed_total\
                      {class=\"waiting\",source=\"\"}";
        assert_eq!(running.metric(failed), 2);
    }
}

#[tokio::test]
async fn deleted_claim_in_progress_gets_the_volume_of_its_first_request() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let server = Arc::clone(&world.server);
    let fake = Fake::provisioning(move |call, request| match call {
        1 if request.class.metadata.name.as_deref() == Some("fast") => {
            delete(&server, request);
            server
                .delete::<storage_v1::StorageClass>(None, "fast")
                .unwrap();
            Answer::Error(ProvisionError::in_background("busy"))
        }
        _ => Answer::Volume,
    });
    let running = world.start(fake).await;
    until("the volume", || world.stored(&volume).is_some()).await;
    let requests = running.fake.requests("data");
    let [first, second] = requests.as_slice() else {
        panic!("two calls")
    };
    assert_eq!(second.volume_name, first.volume_name);
    assert_eq!(second.class, first.class);
    let reference = world
        .stored(&volume)
        .unwrap()
        .spec
        .unwrap()
        .claim_ref
        .unwrap();
    assert_eq!(reference.uid, first.claim.metadata.uid);

    // The control plane releases it, and its storage is deleted.
    binder::release(&world.server, &volume).unwrap();
    running.idle().await;
    assert!(world.stored(&volume).is_none());
    assert!(!running.fake.has_storage(&volume));
}
