//! Claims whose volume has to suit a node that the scheduler selects.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;
use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::ProvisionError;
use kubernetes_provisioner::names::SELECTED_NODE;
use storage_v1::{StorageClass, VolumeBindingMode};

use super::abandoned::killed_before_storing;
use super::fake::{Answer, Fake};
use super::storing::start_with_queue;
use super::world::{NAME, World, claim, refuse, until, waiting_class};

async fn world() -> World {
    let world = World::new().await;
    world.server.create(&waiting_class("waiting")).unwrap();
    world
}

fn selected(node: &str) -> core_v1::PersistentVolumeClaim {
    claim("data", "waiting").with_annotation(SELECTED_NODE, node)
}

impl World {
    fn selected_node(&self) -> Option<String> {
        self.read_claim("data")
            .metadata
            .annotations
            .unwrap()
            .remove(SELECTED_NODE)
    }

    fn lose_node(&self) {
        self.server.delete::<Node>(None, "node-1").unwrap();
    }

    fn select(&self, node: &str) {
        let claim = self.read_claim("data").with_annotation(SELECTED_NODE, node);
        self.server.update(&claim).unwrap();
    }
}

#[tokio::test]
async fn claim_without_a_selected_node_waits_for_one() {
    for node in [None, Some("")] {
        let world = world().await;
        world.node("node-1");
        let volume = match node {
            None => world.claim(&claim("data", "waiting")),
            Some(node) => world.claim(&selected(node)),
        };
        let running = world.start(Fake::default()).await;
        running.idle().await;
        assert_eq!(running.fake.provisions("data"), 0);
        world.select("node-1");
        until("the volume", || world.stored(&volume).is_some()).await;
    }
}

#[tokio::test]
async fn request_has_the_selected_node() {
    let world = world().await;
    world
        .server
        .create(&Node::default().with_name("node-1").with_label("zone", "a"))
        .unwrap();
    world.claim(&selected("node-1"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    let request = running.fake.requests("data").remove(0);
    assert_eq!(request.selected_node_name.as_deref(), Some("node-1"));
    let labels = request.selected_node.unwrap().metadata.labels.unwrap();
    assert_eq!(labels["zone"], "a");
}

#[tokio::test]
async fn request_has_only_the_name_of_the_node_if_nodes_are_not_read() {
    let world = world().await;
    let volume = world.claim(&selected("node-1"));
    let running = world
        .start_with(Fake::default(), |builder| builder.read_selected_node(false))
        .await;
    running.idle().await;
    assert!(world.stored(&volume).is_some());
    let request = running.fake.requests("data").remove(0);
    assert_eq!(request.selected_node_name.as_deref(), Some("node-1"));
    assert_eq!(request.selected_node, None);
    assert_eq!(world.server.count("get", "nodes"), 0);
}

#[tokio::test]
async fn claim_whose_selected_node_is_gone_is_scheduled_again() {
    let world = world().await;
    let volume = world.claim(&selected("node-1"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(world.selected_node(), None);
    assert_eq!(running.fake.provisions("data"), 0);
    let message = world.event("data", "ProvisioningFailed").await;
    assert_eq!(message, "the selected node \"node-1\" does not exist");
    // Once, not in a loop.
    assert_eq!(world.server.count("get", "nodes"), 1);

    world.node("node-2");
    world.select("node-2");
    until("the volume", || world.stored(&volume).is_some()).await;
}

/// Provisioning may go on there, so that nothing else may begin.
#[tokio::test]
async fn request_that_goes_on_is_repeated_after_its_node_is_gone() {
    let world = world().await;
    world.node("node-1");
    let volume = world.claim(&selected("node-1"));
    let server = Arc::clone(&world.server);
    let fake = Fake::provisioning(move |call, request| {
        match (call, request.claim.metadata.name.as_deref()) {
            (1, Some("data")) => {
                server.delete::<Node>(None, "node-1").unwrap();
                Answer::Error(ProvisionError::in_background("busy"))
            }
            (2, Some("data")) => Answer::Error(ProvisionError::no_change("no route")),
            (3, Some("data")) => Answer::Error(ProvisionError::failed("no such node")),
            _ => Answer::Volume,
        }
    });
    let running = world.start(fake).await;
    // The error is final, so the scheduler may select again.
    until("no node", || world.selected_node().is_none()).await;
    assert_eq!(running.fake.provisions("data"), 3);
    for request in running.fake.requests("data") {
        assert!(request.selected_node.is_some());
    }
    world.node("node-2");
    world.select("node-2");
    until("the volume", || world.stored(&volume).is_some()).await;
}

/// Provisions a claim for a node, and ends the process before the volume is stored.
async fn killed_on_node(world: &World, policy: &str) -> (Arc<Fake>, String) {
    let class = StorageClass::new("kept", NAME)
        .with_reclaim_policy(policy)
        .with_volume_binding_mode(VolumeBindingMode::WaitForFirstConsumer);
    world.server.create(&class).unwrap();
    world.node("node-1");
    let claim = claim("data", "kept").with_annotation(SELECTED_NODE, "node-1");
    killed_before_storing(world, &claim).await
}

#[tokio::test]
async fn storage_that_an_earlier_process_left_is_deleted_before_the_scheduler_selects_again() {
    let world = world().await;
    let (fake, volume) = killed_on_node(&world, "Delete").await;
    world.lose_node();
    // As when the controller looks for abandoned storage, and twice for this claim.
    fake.refuse_listings(3);
    let running = world.launch(Arc::clone(&fake), |builder| builder);
    let message = world.event("data", "ProvisioningFailed").await;
    assert!(
        message.ends_with("is still there: out of order"),
        "{message}"
    );
    assert_eq!(world.selected_node().as_deref(), Some("node-1"));
    until("no node", || world.selected_node().is_none()).await;
    assert!(!fake.has_storage(&volume));
    assert_eq!((fake.deletions(&volume), fake.provisions("data")), (1, 1));
    world.node("node-2");
    world.select("node-2");
    until("the volume", || world.stored(&volume).is_some()).await;
    running.idle().await;
    assert_eq!(fake.deletions(&volume), 1);
}

#[tokio::test]
async fn retained_storage_of_a_node_that_is_gone_is_kept() {
    let world = world().await;
    let (fake, volume) = killed_on_node(&world, "Retain").await;
    world.lose_node();
    let _running = world.launch(Arc::clone(&fake), |builder| builder);
    until("no node", || world.selected_node().is_none()).await;
    assert!(fake.has_storage(&volume));
}

#[tokio::test]
async fn claim_whose_volume_exists_keeps_its_node() {
    let world = world().await;
    world.node("node-1");
    let volume = world.claim(&selected("node-1"));
    let first = world.start(Fake::default()).await;
    until("the volume", || world.stored(&volume).is_some()).await;
    first.stop().await.unwrap();
    world.lose_node();
    let second = world.start(Fake::default()).await;
    second.idle().await;
    assert!(world.server.count("get", "nodes") >= 2);
    assert_eq!(world.selected_node().as_deref(), Some("node-1"));
    assert_eq!(second.fake.provisions("data"), 0);
}

#[tokio::test]
async fn claim_whose_volume_waits_to_be_stored_keeps_its_node() {
    let world = world().await;
    world.node("node-1");
    let volume = world.claim(&selected("node-1"));
    world
        .server
        .inject(refuse("create", "persistentvolumes").name(&*volume));
    let running = start_with_queue(&world, Fake::default()).await;
    until("two attempts", || {
        world.server.count("create", "persistentvolumes") > 1
    })
    .await;
    world.lose_node();
    let looks =
        || running.metric("controller_workqueue_work_duration_seconds_count{name=\"claims\"}");
    let seen = looks();
    let claim = world
        .read_claim("data")
        .with_annotation("example.org/a", "b");
    world.server.update(&claim).unwrap();
    until("another look", || looks() > seen).await;
    world.server.clear_faults();
    until("the volume", || world.stored(&volume).is_some()).await;
    running.idle().await;
    assert_eq!(world.selected_node().as_deref(), Some("node-1"));
    assert_eq!(running.fake.provisions("data"), 1);
}

#[tokio::test]
async fn claim_whose_selected_node_cannot_be_read_is_retried() {
    let world = world().await;
    world.node("node-1");
    world.server.inject(refuse("get", "nodes").times(1));
    let volume = world.claim(&selected("node-1"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert!(world.stored(&volume).is_some());
    assert_eq!(world.selected_node().as_deref(), Some("node-1"));
    let message = world.event("data", "ProvisioningFailed").await;
    assert!(
        message.starts_with("the selected node \"node-1\" can't be read: "),
        "{message}"
    );
    assert_eq!(running.provisioned(), (0, 0));
}

fn rescheduling() -> Fake {
    Fake::provisioning(
        |call, request| match (call, request.claim.metadata.name.as_deref()) {
            (1, Some("data")) => Answer::Error(ProvisionError::reschedule("no room there")),
            _ => Answer::Volume,
        },
    )
}

#[tokio::test]
async fn provisioner_can_have_a_claim_scheduled_again() {
    let world = world().await;
    world.node("node-1");
    let volume = world.claim(&selected("node-1"));
    let running = world.start(rescheduling()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 1);
    assert_eq!(world.selected_node(), None);
    assert_eq!(
        world.event("data", "ProvisioningFailed").await,
        "no room there"
    );

    world.select("node-1");
    until("the volume", || world.stored(&volume).is_some()).await;
}

#[tokio::test]
async fn claim_that_cannot_be_scheduled_again_is_retried() {
    let world = world().await;
    world.node("node-1");
    world
        .server
        .inject(refuse("update", "persistentvolumeclaims").times(1));
    let volume = world.claim(&selected("node-1"));
    let running = world.start(rescheduling()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 2);
    assert!(world.stored(&volume).is_some());
}

#[tokio::test]
async fn reschedule_without_a_selected_node_is_a_failure() {
    let world = world().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world.start(rescheduling()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 2);
    assert!(world.stored(&volume).is_some());
}
