//! Messages of events, and that they never hinder the work.

use k8s_openapi::api::core::v1::Event;
use kubernetes_provisioner::ProvisionError;

use super::fake::{Answer, Fake};
use super::world::{NAME, NAMESPACE, World, claim, refuse, until};

impl World {
    fn full_events(&self, object: &str) -> Vec<Event> {
        let mut events: Vec<Event> = self.server.list(Some(NAMESPACE)).unwrap();
        events.retain(|event| event.involved_object.name.as_deref() == Some(object));
        events
    }
}

fn failing(text: &'static str, calls: usize) -> Fake {
    Fake::provisioning(
        move |call, request| match request.claim.metadata.name.as_deref() {
            Some("data") if call <= calls => Answer::Error(ProvisionError::failed(text)),
            _ => Answer::Volume,
        },
    )
}

#[tokio::test]
async fn success_is_two_normal_events_about_the_claim() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world.start(Fake::default()).await;
    let message = world.event("data", "ProvisioningSucceeded").await;
    assert_eq!(message, format!("Successfully provisioned volume {volume}"));
    running.stop().await.unwrap();

    assert_eq!(
        world.reasons("data"),
        ["Provisioning", "ProvisioningSucceeded"]
    );
    let claim = world.read_claim("data");
    for event in world.full_events("data") {
        let about = event.involved_object;
        assert_eq!(event.type_.as_deref(), Some("Normal"));
        assert_eq!(about.kind.as_deref(), Some("PersistentVolumeClaim"));
        assert_eq!(about.api_version.as_deref(), Some("v1"));
        assert_eq!(about.namespace.as_deref(), Some(NAMESPACE));
        assert_eq!(about.uid, claim.metadata.uid);
        assert_eq!(about.resource_version, claim.metadata.resource_version);
        assert_eq!(event.reporting_component.as_deref(), Some(NAME));
    }
}

#[tokio::test]
async fn repeated_failure_is_one_warning_that_is_counted() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let running = world.start(failing("the pool is full", 3)).await;
    until("the volume", || world.stored(&volume).is_some()).await;
    running.stop().await.unwrap();
    let mut events = world.full_events("data");
    events.retain(|event| event.reason.as_deref() == Some("ProvisioningFailed"));
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].count, Some(3));
    assert_eq!(events[0].type_.as_deref(), Some("Warning"));
}

#[tokio::test]
async fn long_message_is_cut_between_characters() {
    let text: &'static str = Box::leak("Ü".repeat(2000).into_boxed_str());
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let _running = world.start(failing(text, 1)).await;
    let message = world.event("data", "ProvisioningFailed").await;
    assert_eq!(message, "Ü".repeat(512));
}

#[tokio::test]
async fn events_about_a_long_name_have_names_of_their_own() {
    let world = World::new().await;
    // With the time it would be too long, and what is left of it would end in `-`.
    let name = format!("{}-{}", "a".repeat(235), "b".repeat(17));
    assert_eq!(name.len(), 253);
    let volume = world.claim(&claim(&name, "fast"));
    let running = world.start(Fake::default()).await;
    until("the volume", || world.stored(&volume).is_some()).await;
    running.stop().await.unwrap();
    let events = world.full_events(&name);
    assert_eq!(events.len(), 2);
    for event in events {
        let event = event.metadata.name.unwrap();
        let time = event.strip_prefix(&format!("{}.", "a".repeat(235)));
        assert!(time.is_some_and(|time| time.len() == 16), "{event}");
    }
}

#[tokio::test]
async fn events_that_are_refused_do_not_hinder_the_work() {
    let world = World::new().await;
    world.server.inject(refuse("create", "events"));
    let volume = world.claim(&claim("data", "fast"));
    let running = world.start(failing("the pool is full", 1)).await;
    until("the volume", || world.stored(&volume).is_some()).await;
    running.stop().await.unwrap();
    assert!(world.reasons("data").is_empty());
}

#[tokio::test]
async fn event_that_expired_is_published_again() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let server = std::sync::Arc::clone(&world.server);
    let fake = Fake::provisioning(move |call, request| {
        if call == 2 && request.claim.metadata.name.as_deref() == Some("data") {
            for event in server.list::<Event>(Some(NAMESPACE)).unwrap() {
                let name = event.metadata.name.unwrap();
                server.delete::<Event>(Some(NAMESPACE), &name).unwrap();
            }
        }
        match call {
            ..=3 => Answer::Error(ProvisionError::failed("the pool is full")),
            _ => Answer::Volume,
        }
    });
    let running = world.start(fake).await;
    until("the calls", || running.fake.provisions("data") == 4).await;
    running.stop().await.unwrap();
    let mut events = world.full_events("data");
    events.retain(|event| event.reason.as_deref() == Some("ProvisioningFailed"));
    assert_eq!(events.len(), 1);
}
