//! Missing permissions are said once, with the rule that is missing, and waited for.

use std::io;
use std::sync::{Arc, Mutex};

use kubernetes_provisioner::RunState;
use tracing_subscriber::fmt::MakeWriter;

use super::fake::Fake;
use super::world::{World, claim, until};

/// The log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn missing_permission_is_logged_once_and_waited_for() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::ERROR)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    // The tasks of this test run in its thread.
    let _guard = tracing::subscriber::set_default(subscriber);
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.server.forbid("list", "persistentvolumes");
    let running = world.launch(Arc::new(Fake::default()), |builder| builder);
    until("two attempts", || {
        world.server.count("list", "persistentvolumes") == 2
    })
    .await;

    let text = log.text();
    assert_eq!(text.matches("missing permission;").count(), 1, "{text}");
    let rule = "- apiGroups: [\"\"]\n  resources: [persistentvolumes]\n  \
                verbs: [get, list, watch, create, patch, delete]\n";
    assert!(text.contains(rule), "{text}");
    assert_eq!(*running.state.borrow(), RunState::Syncing);
    assert!(!running.state.borrow().is_ready());
    assert_eq!(running.fake.provisions("data"), 0);

    world.server.allow("list", "persistentvolumes");
    until("the volume", || world.stored(&volume).is_some()).await;
}

#[tokio::test]
async fn volume_that_must_not_be_created_is_reported_at_the_claim() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    world.server.forbid("create", "persistentvolumes");
    let _running = world.start(Fake::default()).await;
    let message = world.event("data", "ProvisioningFailed").await;
    assert!(message.contains("forbidden"), "{message}");
    assert!(message.contains("persistentvolumes"), "{message}");
    world.server.allow("create", "persistentvolumes");
    until("the volume", || world.stored(&volume).is_some()).await;
}
