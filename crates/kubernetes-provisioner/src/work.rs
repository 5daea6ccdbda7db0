//! The work of a leader: its tasks, their order, and how they end.

use std::sync::Arc;
use std::time::Duration;

use kubernetes_controller_utils::leaderelection::Leadership;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::abandoned::Abandoned;
use crate::api::Cluster;
use crate::cache::Cache;
use crate::delete::VolumeWorker;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::options::Settings;
use crate::parts::Parts;
use crate::permissions;
use crate::provision::ClaimWorker;
use crate::provisioner::Provisioner;
use crate::state::{RunError, RunState};
use crate::store::Store;
use crate::streams::Watches;
use crate::watch::Tracker;

/// The time limit of the last attempts to store volumes when the controller stops.
pub(crate) const LAST_ATTEMPTS: Duration = Duration::from_secs(2);

/// The pause before another look for abandoned storage, which is doubled after each.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The tasks of a controller that works.
pub(crate) struct Work<P> {
    cluster: Cluster,
    settings: Arc<Settings>,
    cache: Arc<Cache>,
    tracker: Arc<Tracker>,
    claims: Arc<ClaimWorker<P>>,
    volumes: Arc<VolumeWorker<P>>,
    store: Arc<Store<P>>,
    abandoned: Arc<Abandoned<P>>,
}

impl<P: Provisioner> Work<P> {
    pub(crate) fn new(
        cluster: Cluster,
        provisioner: P,
        settings: Settings,
        events: Events,
        metrics: Metrics,
    ) -> Self {
        let parts = Parts::new(cluster, provisioner, settings, events, metrics);
        let store = Arc::new(parts.store());
        let abandoned = Arc::new(parts.abandoned(Arc::clone(&store)));
        let claims = parts.claim_worker(Arc::clone(&store), Arc::clone(&abandoned));
        Self {
            tracker: Arc::new(parts.tracker()),
            claims: Arc::new(claims),
            volumes: Arc::new(parts.volume_worker()),
            store,
            abandoned,
            cluster: parts.cluster,
            settings: parts.settings,
            cache: parts.cache,
        }
    }

    /// Works as the leader until `stop` is cancelled. Dropping the future aborts all tasks.
    pub(crate) async fn run(
        self,
        watches: Watches,
        leadership: Option<Leadership>,
        stop: CancellationToken,
        state: watch::Sender<RunState>,
    ) -> Result<(), RunError> {
        state.send_replace(RunState::Syncing);
        let mut background = JoinSet::new();
        let (client, read_node) = (self.cluster.client().clone(), self.settings.read_node);
        background.spawn(async move { permissions::check(&client, read_node).await });
        let mut watching = self.watch(watches);
        let mut synced = self.cache.synced();
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            ended = ended(&mut watching) => return Err(ended),
            _ = synced.wait_for(|synced| synced.all()) => {}
        }
        state.send_replace(RunState::Running);
        let name = &self.settings.names.primary;
        info!(name, "the provision controller is running");
        let mut workers = self.start(leadership.as_ref());
        background.spawn(self.resync());
        let result = tokio::select! {
            () = stop.cancelled() => Ok(()),
            ended = ended(&mut watching) => Err(ended),
        };
        state.send_replace(RunState::Stopping);
        self.drain(&mut workers).await;
        result
    }

    /// Starts the watches. A task returns the plural of its kind when its stream ends.
    fn watch(&self, watches: Watches) -> JoinSet<&'static str> {
        let Watches {
            has_own_claims,
            claims,
            volumes,
            classes,
        } = watches;
        let mut watching = JoinSet::new();
        let tracker = Arc::clone(&self.tracker);
        watching.spawn(async move {
            tracker.watch_claims(claims, has_own_claims).await;
            "claims"
        });
        let tracker = Arc::clone(&self.tracker);
        watching.spawn(async move {
            tracker.watch_volumes(volumes).await;
            "volumes"
        });
        let tracker = Arc::clone(&self.tracker);
        watching.spawn(async move {
            tracker.watch_classes(classes).await;
            "classes"
        });
        watching
    }

    fn start(&self, leadership: Option<&Leadership>) -> JoinSet<()> {
        let mut workers = JoinSet::new();
        for _ in 0..self.settings.threads {
            // One provisions, and one prepares the next request.
            spawn(&mut workers, leadership, Arc::clone(&self.claims).work());
            spawn(&mut workers, leadership, Arc::clone(&self.claims).work());
            spawn(&mut workers, leadership, Arc::clone(&self.volumes).work());
            if self.store.has_queue() {
                let store = Arc::clone(&self.store);
                spawn(&mut workers, leadership, store.work_on_unsaved());
            }
        }
        workers
    }

    /// Looks for abandoned storage, and queues everything that needs work, from time to time.
    fn resync(&self) -> impl Future<Output = ()> + Send + 'static {
        let (tracker, abandoned) = (Arc::clone(&self.tracker), Arc::clone(&self.abandoned));
        let period = self.settings.resync;
        async move {
            loop {
                let next = Instant::now() + period;
                let mut pause = FIRST_PAUSE;
                while !abandoned.find().await && Instant::now() + pause < next {
                    sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
                sleep_until(next).await;
                tracker.resync();
            }
        }
    }

    /// Begins nothing new, and waits for the work in hand.
    async fn drain(&self, workers: &mut JoinSet<()>) {
        let (claims, volumes) = (&self.claims.backlog, &self.volumes.backlog);
        claims.shut_down();
        self.claims.permits.close();
        volumes.shut_down();
        let limit = self.settings.drain_timeout;
        let in_hand = async { tokio::join!(claims.drained(), volumes.drained()) };
        if timeout(limit, in_hand).await.is_err() {
            warn!(
                claims = claims.working(),
                volumes = volumes.working(),
                ?limit,
                "work in hand did not end in time and is aborted"
            );
        }
        self.store.drain_unsaved(LAST_ATTEMPTS).await;
        workers.shutdown().await;
        self.store.store_unsaved(LAST_ATTEMPTS).await;
    }
}

/// Waits until a watch ends.
async fn ended(watching: &mut JoinSet<&'static str>) -> RunError {
    match watching.join_next().await {
        Some(Ok(what)) => RunError::StreamEnded(what),
        _ => RunError::StreamEnded("a watch that panicked"),
    }
}

/// Starts a worker, which must not go on in a process that was suspended while another one became
/// the leader: storage would be provisioned for a claim that is deleted meanwhile.
fn spawn(
    workers: &mut JoinSet<()>,
    leadership: Option<&Leadership>,
    worker: impl Future<Output = ()> + Send + 'static,
) {
    match leadership.cloned() {
        Some(leadership) => workers.spawn(async move {
            leadership.bound(worker).await;
        }),
        None => workers.spawn(worker),
    };
}
