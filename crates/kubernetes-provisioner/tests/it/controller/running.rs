//! Leadership, stopping, resyncing, the server for metrics, and streams of the user.

use std::sync::Arc;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::Api;
use kube::runtime::watcher;
use kubernetes_kinds::{Lean, WithMetadata};
use kubernetes_provisioner::prometheus_client::metrics::counter::Counter;
use kubernetes_provisioner::prometheus_client::{encoding, registry::Registry};
use kubernetes_provisioner::{Builder, RunError, RunState};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::fake::{Answer, Fake};
use super::world::{NAMESPACE, World, claim, released, until};

/// Elects quickly.
fn electing(builder: Builder<Arc<Fake>>) -> Builder<Arc<Fake>> {
    builder
        .leader_election(true)
        .leader_election_namespace(NAMESPACE)
        .lease_duration(Duration::from_millis(900))
        .renew_deadline(Duration::from_millis(500))
        .retry_period(Duration::from_millis(50))
}

fn holder(world: &World) -> Option<String> {
    let lease: Lease = world
        .server
        .get(Some(NAMESPACE), "example.com-disks")
        .ok()?;
    lease
        .spec?
        .holder_identity
        .filter(|holder| !holder.is_empty())
}

#[tokio::test]
async fn only_the_leader_works_and_the_next_one_takes_over_at_once() {
    let world = World::new().await;
    let first = world.start_with(Fake::default(), electing).await;
    let second = world.launch(Arc::new(Fake::default()), electing);
    let mut state = second.state.clone();
    state
        .wait_for(|state| *state == RunState::Standby)
        .await
        .unwrap();
    assert!(RunState::Standby.is_ready());
    let volume = world.claim(&claim("data-1", "fast"));
    until("the first volume", || world.stored(&volume).is_some()).await;
    assert!(holder(&world).is_some());
    first.stop().await.unwrap();
    state
        .wait_for(|state| *state == RunState::Running)
        .await
        .unwrap();
    let volume = world.claim(&claim("data-2", "fast"));
    until("the second volume", || world.stored(&volume).is_some()).await;
    assert_eq!(second.fake.provisions("data-1"), 0);
    second.stop().await.unwrap();
    assert_eq!(holder(&world), None);
}

#[tokio::test]
async fn leader_that_cannot_renew_its_lease_stops_working() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let hanging = Fake::provisioning(|_, _| Answer::Hang);
    let running = world.start_with(hanging, electing).await;
    until("the call", || running.fake.provisions("data") == 1).await;
    world.server.forbid("*", "leases");
    let result = running.task.await.unwrap();
    assert!(
        matches!(result, Err(RunError::LeadershipLost(_))),
        "{result:?}"
    );
    assert_eq!(*running.state.borrow(), RunState::Stopped);
}

#[tokio::test]
async fn work_in_hand_ends_before_the_controller_stops_and_nothing_new_begins() {
    let world = World::new().await;
    let release = Arc::new(Notify::new());
    let fake = Arc::new(Slow {
        fake: Fake::default(),
        release: Arc::clone(&release),
    });
    let first = world.claim(&claim("data-1", "fast"));
    let builder = kubernetes_provisioner::Controller::builder(
        world.server.client(),
        super::world::NAME,
        Arc::clone(&fake),
    );
    let controller = electing_any(builder).threadiness(1).build().unwrap();
    let mut state = controller.state();
    let stop = tokio_util::sync::CancellationToken::new();
    let task = tokio::spawn(controller.run(stop.clone()));
    until("the call", || fake.fake.provisions("data-1") == 1).await;
    let second = world.claim(&claim("data-2", "fast"));
    stop.cancel();
    state
        .wait_for(|state| *state == RunState::Stopping)
        .await
        .unwrap();
    // The lease is kept until the work has ended.
    assert!(holder(&world).is_some());
    release.notify_one();
    task.await.unwrap().unwrap();
    assert!(world.stored(&first).is_some());
    assert!(world.stored(&second).is_none());
    assert_eq!(holder(&world), None);
    assert_eq!(
        world.reasons("data-1"),
        ["Provisioning", "ProvisioningSucceeded"]
    );
}

#[tokio::test]
async fn claim_that_is_deleted_while_it_waits_for_its_turn_is_not_provisioned() {
    let world = World::new().await;
    let release = Arc::new(Notify::new());
    let fake = Arc::new(Slow {
        fake: Fake::default(),
        release: Arc::clone(&release),
    });
    let first = world.claim(&claim("data-1", "fast"));
    let builder = kubernetes_provisioner::Controller::builder(
        world.server.client(),
        super::world::NAME,
        Arc::clone(&fake),
    );
    let controller = builder
        .leader_election(false)
        .threadiness(1)
        .build()
        .unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let task = tokio::spawn(controller.run(stop.clone()));
    until("the call", || fake.fake.provisions("data-1") == 1).await;

    let second = world.claim(&claim("data-2", "fast"));
    let third = world.claim(&claim("data-3", "fast"));
    // The next one waits for its turn.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(fake.fake.provisions("data-2"), 0);
    world.delete_claim("data-2");
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    release.notify_one();
    until("the last call", || fake.fake.provisions("data-3") == 1).await;
    release.notify_one();
    until("its volume", || world.stored(&third).is_some()).await;
    assert!(world.stored(&first).is_some());
    assert!(world.stored(&second).is_none());
    assert_eq!(fake.fake.provisions("data-2"), 0);
    stop.cancel();
    task.await.unwrap().unwrap();
}

fn electing_any<P: kubernetes_provisioner::Provisioner>(builder: Builder<P>) -> Builder<P> {
    builder.leader_election_namespace(NAMESPACE)
}

/// Provisions when a test lets it.
struct Slow {
    fake: Fake,
    release: Arc<Notify>,
}

impl kubernetes_provisioner::Provisioner for Slow {
    async fn provision(
        &self,
        request: &kubernetes_provisioner::ProvisionRequest,
    ) -> Result<PersistentVolume, kubernetes_provisioner::ProvisionError> {
        let volume = self.fake.provision(request).await;
        self.release.notified().await;
        volume
    }

    async fn delete(
        &self,
        volume: &PersistentVolume,
    ) -> Result<(), kubernetes_provisioner::DeleteError> {
        self.fake.delete(volume).await
    }
}

#[tokio::test]
async fn work_that_does_not_end_is_cut_off() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let hanging = Fake::provisioning(|_, _| Answer::Hang);
    let running = world
        .start_with(hanging, |builder| {
            builder.drain_timeout(Duration::from_millis(20))
        })
        .await;
    until("the call", || running.fake.provisions("data") == 1).await;
    running.stop().await.unwrap();
}

#[tokio::test]
async fn controller_that_waits_for_the_leadership_can_be_stopped() {
    let world = World::new().await;
    let first = world.start_with(Fake::default(), electing).await;
    let second = world.launch(Arc::new(Fake::default()), electing);
    second
        .state
        .clone()
        .wait_for(|state| *state == RunState::Standby)
        .await
        .unwrap();
    second.stop().await.unwrap();
    first.stop().await.unwrap();
}

#[tokio::test]
async fn resync_looks_again_at_claims_that_nothing_has_changed() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let fake =
        Fake::provisioning(
            |call, request| match (call, request.claim.metadata.name.as_deref()) {
                (1, Some("data")) => {
                    Answer::Error(kubernetes_provisioner::ProvisionError::ignored("not yet"))
                }
                _ => Answer::Volume,
            },
        );
    let period = Duration::from_millis(50);
    let _running = world
        .start_with(fake, |builder| builder.resync_period(period))
        .await;
    until("the volume", || world.stored(&volume).is_some()).await;
}

async fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

#[tokio::test]
async fn metrics_and_health_are_served_on_the_port() {
    let world = World::new().await;
    world.server.forbid("list", "storageclasses");
    let port = free_port();
    let running = world.launch(Arc::new(Fake::default()), |builder| {
        builder
            .metrics_port(port)
            .metrics_address([127, 0, 0, 1].into())
            .metrics_path("/m")
    });
    let mut state = running.state.clone();
    state
        .wait_for(|state| *state == RunState::Syncing)
        .await
        .unwrap();
    assert!(get(port, "/healthz").await.starts_with("HTTP/1.1 200 "));
    let ready = get(port, "/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    assert!(
        ready.ends_with("reading claims, volumes and classes\n"),
        "{ready}"
    );
    world.server.allow("list", "storageclasses");
    state
        .wait_for(|state| *state == RunState::Running)
        .await
        .unwrap();
    assert!(get(port, "/readyz").await.starts_with("HTTP/1.1 200 "));
    let metrics = get(port, "/m").await;
    let kind = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n";
    assert!(metrics.contains(kind), "{metrics}");
    assert!(
        metrics.contains("controller_workqueue_depth{name=\"claims\"} 0\n"),
        "{metrics}"
    );
    assert!(get(port, "/metrics").await.starts_with("HTTP/1.1 404 "));
    running.stop().await.unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

/// A program has one port for its own metrics and those of a provisioner.
#[tokio::test]
async fn metrics_of_the_user_are_served_on_the_port() {
    let world = World::new().await;
    world.claim(&claim("data", "fast"));
    let port = free_port();
    let uploads: Counter = Counter::default();
    let mut registry = Registry::with_prefix("backup");
    registry.register("uploads", "Uploads", uploads.clone());
    let running = world
        .start_with(Fake::default(), |builder| {
            builder
                .metrics_port(port)
                .metrics_address([127, 0, 0, 1].into())
                .metrics_registry(registry)
        })
        .await;
    uploads.inc_by(3);
    until("a volume", || {
        let text = running.metrics.encode();
        text.contains("backup_controller_persistentvolumeclaim_provision_total{class=\"fast\"")
    })
    .await;
    let served = get(port, "/metrics").await;
    for line in [
        "backup_uploads_total 3\n",
        "backup_controller_persistentvolumeclaim_provision_total{class=\"fast\",source=\"\"} 1\n",
        "backup_controller_workqueue_depth{name=\"claims\"} 0\n",
        "# EOF",
    ] {
        assert_eq!(served.matches(line).count(), 1, "{line}: {served}");
    }

    // The other way round: the program serves them.
    let mut registry = Registry::default();
    registry.register("uploads", "Uploads", uploads);
    running.metrics.register(&mut registry);
    let mut text = String::new();
    encoding::text::encode(&mut text, &registry).unwrap();
    for line in [
        "\nuploads_total 3\n",
        "\ncontroller_persistentvolumeclaim_provision_total{class=\"fast\",source=\"\"} 1\n",
        "\ncontroller_workqueue_depth{name=\"claims\"} 0\n",
        "# TYPE controller_workqueue_work_duration_seconds histogram\n",
    ] {
        assert_eq!(text.matches(line).count(), 1, "{line}: {text}");
    }
    running.stop().await.unwrap();
}

#[tokio::test]
async fn port_that_is_taken_is_an_error() {
    let world = World::new().await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let running = world.launch(Arc::new(Fake::default()), |builder| {
        builder
            .metrics_port(port)
            .metrics_address([127, 0, 0, 1].into())
    });
    let error = running.task.await.unwrap().unwrap_err();
    let start = format!("the server for metrics and health can't listen on 127.0.0.1:{port}");
    assert_eq!(error.to_string(), start);
}

#[tokio::test]
async fn streams_of_the_user_are_used_instead_of_own_watches() {
    let world = World::new().await;
    let seen = claim("seen", "fast").with_label("see", "yes");
    let seen = world.claim(&seen);
    let unseen = world.claim(&claim("unseen", "fast"));
    let api = Api::<Lean<PersistentVolumeClaim>>::all(world.server.client());
    let claims = watcher(api, watcher::Config::default().labels("see=yes"));
    let running = world
        .start_with(Fake::default(), |builder| builder.claims(claims))
        .await;
    until("the volume", || world.stored(&seen).is_some()).await;
    assert!(world.stored(&unseen).is_none());
    assert_eq!(running.fake.provisions("unseen"), 0);
    // One watch each of volumes and classes, and the one of the user.
    assert_eq!(world.server.count("list", "persistentvolumeclaims"), 1);
    // The list of the user's watch may be old.
    assert_eq!(world.server.count("get", "persistentvolumeclaims"), 1);
}

#[tokio::test]
async fn volumes_of_a_stream_of_the_user_are_deleted() {
    let world = World::new().await;
    world.volume(&released("seen").with_label("see", "yes"));
    world.volume(&released("unseen"));
    let api = Api::<Lean<PersistentVolume>>::all(world.server.client());
    let volumes = watcher(api, watcher::Config::default().labels("see=yes"));
    let running = world
        .start_with(Fake::default(), |builder| builder.volumes(volumes))
        .await;
    until("the deletion", || world.stored("seen").is_none()).await;
    assert_eq!(running.fake.deletions("seen"), 1);
    assert!(world.stored("unseen").is_some());
}

#[tokio::test]
async fn stream_that_ends_ends_the_controller() {
    let world = World::new().await;
    let running = world.launch(Arc::new(Fake::default()), |builder| {
        builder.volumes(stream::empty().chain(async {}.into_stream().filter_map(async |()| None)))
    });
    let error = running.task.await.unwrap().unwrap_err();
    let expected = "the stream of volumes ended; it must not end while the controller runs";
    assert_eq!(error.to_string(), expected);
}
