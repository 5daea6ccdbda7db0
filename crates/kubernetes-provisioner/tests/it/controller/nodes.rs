//! Claims whose volume has to suit a node that the scheduler selects.

use k8s_openapi::api::core::v1::Node;
use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::ProvisionError;
use kubernetes_provisioner::names::SELECTED_NODE;

use super::fake::{Answer, Fake};
use super::world::{World, claim, refuse, until, waiting_class};

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
