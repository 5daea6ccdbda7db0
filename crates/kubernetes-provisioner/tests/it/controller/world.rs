//! A server with a controller, and the objects that tests put there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use core_v1::{
    PersistentVolume, PersistentVolumeAccessMode, PersistentVolumeClaim, PersistentVolumeClaimSpec,
    PersistentVolumePhase, PersistentVolumeReclaimPolicy, PersistentVolumeSpec,
    PersistentVolumeStatus, Quantity, VolumeResourceRequirements,
};
use k8s_openapi::api::core::v1::{Event, Node};
use kubernetes_controller_utils::workqueue::Constant;
use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::{Builder, Controller, RunError, RunState};
use kubernetes_provisioner::{Metrics, names};
use kubernetes_test_apiserver::{Fault, FaultRule, Server, binder};
use storage_v1::{StorageClass, VolumeBindingMode};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fake::Fake;

/// The name of the provisioner.
pub(crate) const NAME: &str = "example.com/disks";
pub(crate) const NAMESPACE: &str = "default";
/// The longest that a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(10);
/// The delay after a failure in tests.
pub(crate) const DELAY: Duration = Duration::from_millis(20);

pub(crate) fn class(name: &str) -> StorageClass {
    StorageClass::new(name, NAME)
}

pub(crate) fn waiting_class(name: &str) -> StorageClass {
    class(name).with_volume_binding_mode(VolumeBindingMode::WaitForFirstConsumer)
}

/// A claim of a class, which asks for `NAME`.
pub(crate) fn claim(name: &str, class: &str) -> PersistentVolumeClaim {
    let size = [("storage", Quantity("1Gi".to_owned()))];
    PersistentVolumeClaim::new(name)
        .with_namespace(NAMESPACE)
        .with_annotation(names::STORAGE_PROVISIONER, NAME)
        .with_spec(
            PersistentVolumeClaimSpec::new()
                .with_storage_class_name(class)
                .with_access_modes([PersistentVolumeAccessMode::ReadWriteOnce])
                .with_resources(VolumeResourceRequirements::new().with_requests(size)),
        )
}

/// A volume of `NAME` in a phase.
pub(crate) fn volume(name: &str, phase: PersistentVolumePhase) -> PersistentVolume {
    let spec = PersistentVolumeSpec::new()
        .with_persistent_volume_reclaim_policy(PersistentVolumeReclaimPolicy::Delete)
        .with_storage_class_name("fast");
    PersistentVolume::new(name)
        .with_annotation(names::PROVISIONED_BY, NAME)
        .with_spec(spec)
        .with_status(PersistentVolumeStatus::new().with_phase(phase))
}

pub(crate) fn released(name: &str) -> PersistentVolume {
    volume(name, PersistentVolumePhase::Released)
}

/// A fault that refuses requests.
pub(crate) fn refuse(verb: &str, resource: &str) -> FaultRule {
    let fault = Fault::Refuse {
        status: 500,
        reason: "InternalError",
    };
    FaultRule::new(fault).verb(verb).resource(resource)
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .unwrap_or_else(|_| panic!("in vain: {what}"));
}

pub(crate) struct World {
    pub(crate) server: Arc<Server>,
}

impl World {
    /// A server with the class `fast`.
    pub(crate) async fn new() -> Self {
        let world = Self {
            server: Arc::new(Server::start().await.unwrap()),
        };
        world.server.create(&class("fast")).unwrap();
        world
    }

    /// Creates a claim, and returns the name of its volume.
    pub(crate) fn claim(&self, claim: &PersistentVolumeClaim) -> String {
        let claim = self.server.create(claim).unwrap();
        format!("pvc-{}", claim.metadata.uid.unwrap())
    }

    /// Creates a volume with its status.
    pub(crate) fn volume(&self, volume: &PersistentVolume) {
        let mut created = self.server.create(volume).unwrap();
        created.status = volume.status.clone();
        self.server.update(&created).unwrap();
    }

    pub(crate) fn node(&self, name: &str) {
        self.server
            .create(&Node::default().with_name(name))
            .unwrap();
    }

    pub(crate) fn stored(&self, volume: &str) -> Option<PersistentVolume> {
        self.server.get(None, volume).ok()
    }

    pub(crate) fn read_claim(&self, name: &str) -> PersistentVolumeClaim {
        self.server.get(Some(NAMESPACE), name).unwrap()
    }

    pub(crate) fn delete_claim(&self, name: &str) {
        self.server
            .delete::<PersistentVolumeClaim>(Some(NAMESPACE), name)
            .unwrap();
    }

    /// Returns reasons and messages of the events about an object.
    pub(crate) fn events(&self, object: &str) -> Vec<(String, String)> {
        let mut events: Vec<Event> = self.server.list(Some(NAMESPACE)).unwrap();
        events.retain(|event| event.involved_object.name.as_deref() == Some(object));
        events.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
        let text = |field: Option<String>| field.unwrap_or_default();
        events
            .into_iter()
            .map(|event| (text(event.reason), text(event.message)))
            .collect()
    }

    /// Returns the reasons of the events about an object.
    pub(crate) fn reasons(&self, object: &str) -> Vec<String> {
        self.events(object)
            .into_iter()
            .map(|(reason, _)| reason)
            .collect()
    }

    /// Waits for an event about an object, and returns its message.
    pub(crate) async fn event(&self, object: &str, reason: &str) -> String {
        let found = || {
            let events = self.events(object);
            events
                .into_iter()
                .find(|event| event.0 == reason)
                .map(|event| event.1)
        };
        until(&format!("the event {reason} about {object}"), || {
            found().is_some()
        })
        .await;
        found().unwrap()
    }

    /// Starts a controller that retries at once, with one worker.
    pub(crate) async fn start(&self, fake: Fake) -> Running {
        self.start_with(fake, |builder| builder).await
    }

    pub(crate) async fn start_with(
        &self,
        fake: Fake,
        change: impl FnOnce(Builder<Arc<Fake>>) -> Builder<Arc<Fake>>,
    ) -> Running {
        let mut running = self.launch(Arc::new(fake), change);
        running
            .state
            .wait_for(|state| *state == RunState::Running)
            .await
            .unwrap();
        running
    }

    /// Starts a controller, and doesn't wait until it works.
    pub(crate) fn launch(
        &self,
        fake: Arc<Fake>,
        change: impl FnOnce(Builder<Arc<Fake>>) -> Builder<Arc<Fake>>,
    ) -> Running {
        let builder = Controller::builder(self.server.client(), NAME, Arc::clone(&fake))
            .leader_election(false)
            .threadiness(1)
            .rate_limiter(Constant::new(DELAY).unwrap())
            .create_volume_interval(DELAY)
            .create_volume_retry_count(3);
        self.launch_builder(fake, change(builder))
    }

    pub(crate) fn launch_builder(&self, fake: Arc<Fake>, builder: Builder<Arc<Fake>>) -> Running {
        let controller = builder.build().unwrap();
        let (metrics, state) = (controller.metrics(), controller.state());
        let stop = CancellationToken::new();
        let task = tokio::spawn(controller.run(stop.clone()));
        Running {
            fake,
            metrics,
            state,
            stop,
            task,
            server: Arc::clone(&self.server),
        }
    }
}

/// A controller that runs.
pub(crate) struct Running {
    pub(crate) fake: Arc<Fake>,
    pub(crate) metrics: Metrics,
    pub(crate) state: watch::Receiver<RunState>,
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), RunError>>,
    server: Arc<Server>,
}

impl Running {
    /// Stops the controller as SIGTERM would.
    pub(crate) async fn stop(self) -> Result<(), RunError> {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .unwrap()
            .unwrap()
    }

    /// Ends the controller as SIGKILL would.
    pub(crate) async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }

    /// Returns the value of a metric by its name with labels; zero if it is absent.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        metric(&self.metrics.encode(), name)
    }

    /// Returns how many attempts to provision succeeded and failed, of the class `fast`.
    pub(crate) fn provisioned(&self) -> (u64, u64) {
        const NAME: &str = "controller_persistentvolumeclaim_provision";
        let count =
            |name: &str| self.metric(&format!("{NAME}{name}{{class=\"fast\",source=\"\"}}"));
        (count("_total"), count("_failed_total"))
    }

    /// Returns how many attempts to delete succeeded and failed, of the class `fast`.
    pub(crate) fn deleted(&self) -> (u64, u64) {
        const NAME: &str = "controller_persistentvolume_delete";
        let count = |name: &str| self.metric(&format!("{NAME}{name}{{class=\"fast\"}}"));
        (count("_total"), count("_failed_total"))
    }

    /// Waits until the controller has seen everything that the server has now, and has nothing
    /// left to do.
    pub(crate) async fn idle(&self) {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("last-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        // With a class of its own, so that the metrics of the others don't change.
        let _ = self.server.create(&class("idle"));
        let last = self.server.create(&claim(&name, "idle")).unwrap();
        let last_volume = format!("pvc-{}", last.metadata.uid.unwrap());
        let stored = || self.server.get::<PersistentVolume>(None, &last_volume).ok();
        until("the last volume", || stored().is_some()).await;
        self.server
            .delete::<PersistentVolumeClaim>(Some(NAMESPACE), &name)
            .unwrap();
        binder::release(&self.server, &last_volume).unwrap();
        until("the last deletion", || stored().is_none()).await;
        until("no work is left", || self.is_idle()).await;
    }

    fn is_idle(&self) -> bool {
        // All numbers are of the same moment: a key that is due moves from one to another.
        let text = self.metrics.encode();
        ["claims", "volumes"].iter().all(|queue| {
            ["depth", "delayed", "working"].iter().all(|gauge| {
                let name = format!("controller_workqueue_{gauge}{{name=\"{queue}\"}}");
                metric(&text, &name) == 0
            })
        })
    }
}

fn metric(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0, |value| value.trim().parse().unwrap())
}
