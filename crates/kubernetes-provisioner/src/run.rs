//! Running a controller: its tasks, their order, and how they end.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::abandoned::Abandoned;
use crate::builder::{Builder, Streams};
use crate::cache::Cache;
use crate::claims::{Claims, Deletions};
use crate::core::Core;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::options::{ElectionSettings, Settings, StoreMode};
use crate::permissions;
use crate::provisioner::Provisioner;
use crate::store::Unsaved;
use crate::watch::Watches;
use kubernetes_controller_utils::leaderelection::{
    self, Config, ConfigError, Elector, Leadership, Loss, Outcome,
};
use kubernetes_controller_utils::workqueue::Queue;

/// How long the last attempts to store volumes may take when the controller stops.
const LAST_ATTEMPTS: Duration = Duration::from_secs(2);
/// How long the events that wait may take to be written.
const LAST_EVENTS: Duration = Duration::from_secs(2);

/// Why a controller stopped by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Another process may be the leader now. The process should end, and be started again.
    #[error("the controller stopped because it is no longer the leader")]
    LeadershipLost(#[from] Loss),
    /// The options of the election are invalid.
    #[error("the leader election can't begin")]
    Election(#[from] ConfigError),
    /// The server for metrics and health can't listen.
    #[error("the server for metrics and health can't listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// A stream that was given to the builder ended.
    #[error("the stream of {0} ended; it has to go on as long as the controller runs")]
    StreamEnded(&'static str),
}

/// What a controller does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunState {
    /// It has not been started.
    #[default]
    Idle,
    /// It waits for the leadership.
    Standby,
    /// It reads all claims, volumes and classes.
    Syncing,
    /// It provisions and deletes volumes.
    Running,
    /// It ends its work in hand.
    Stopping,
    /// It has ended.
    Stopped,
}

impl RunState {
    /// Whether a process in this state should be kept.
    #[must_use]
    pub fn is_healthy(self) -> bool {
        self != Self::Stopped
    }

    /// Whether the controller works, or waits for the leadership.
    #[must_use]
    pub fn is_ready(self) -> bool {
        matches!(self, Self::Running | Self::Standby)
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "idle",
            Self::Standby => "waiting for the leadership",
            Self::Syncing => "reading claims, volumes and classes",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
        })
    }
}

/// A provision controller. [`run`](Self::run) consumes it, so that it runs once and can't be
/// changed after that.
#[must_use = "a controller does nothing until it is run"]
pub struct Controller<P> {
    client: Client,
    provisioner: P,
    settings: Settings,
    streams: Streams,
    metrics: Metrics,
    state: watch::Sender<RunState>,
}

impl<P: Provisioner> Controller<P> {
    /// Returns a builder of a controller for claims whose provisioner is `name`, such as
    /// `example.com/nfs`.
    pub fn builder(client: Client, name: impl Into<String>, provisioner: P) -> Builder<P> {
        Builder::new(client, name.into(), provisioner)
    }

    pub(crate) fn new(
        client: Client,
        provisioner: P,
        settings: Settings,
        streams: Streams,
    ) -> Self {
        Self {
            client,
            provisioner,
            settings,
            streams,
            metrics: Metrics::new(),
            state: watch::Sender::default(),
        }
    }

    /// Returns the metrics, for programs that have a server of their own.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Returns a channel with what the controller does.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<RunState> {
        self.state.subscribe()
    }

    /// Waits for the leadership, then provisions and deletes volumes until `stop` is cancelled.
    ///
    /// Then nothing new is begun, and work in hand may take the
    /// [drain timeout](Builder::drain_timeout) to end. Volumes that wait to be stored are tried
    /// once more. The lease is renewed until that is over, and then released.
    ///
    /// # Errors
    ///
    /// The leadership is lost, or the controller can't be started. Errors of the API server and
    /// of the provisioner don't end it.
    pub async fn run(self, stop: CancellationToken) -> Result<(), RunError> {
        let Self {
            client,
            provisioner,
            settings,
            streams,
            metrics,
            state,
        } = self;
        let stopped = state.clone();
        let mut server = JoinSet::new();
        listen(&mut server, &settings, &metrics, &state).await?;
        let identity = leaderelection::identity();
        let name = settings.names.primary.clone();
        let (events, writer) = Events::new(client.clone(), name.clone(), identity.clone());
        let mut writers = JoinSet::new();
        writers.spawn(writer);
        let watches = Watches::new(&client, streams);
        let election = settings.election.clone();
        let drain = settings.drain_timeout;
        let core = core(client.clone(), provisioner, settings, events, metrics);
        let result = match election {
            None => work(core, watches, None, stop, state).await,
            Some(election) => {
                state.send_replace(RunState::Standby);
                let config = election_config(&election, &name, identity, drain);
                let mut elector = Elector::new(client, config)?;
                let outcome = elector
                    .run(stop, async move |leadership| {
                        let stop = leadership.token().clone();
                        work(core, watches, Some(leadership), stop, state).await
                    })
                    .await;
                match outcome {
                    Outcome::NotElected | Outcome::Dropped => Ok(()),
                    Outcome::Completed(result) => result,
                    Outcome::Lost { loss, .. } => Err(loss.into()),
                }
            }
        };
        // Nothing publishes events any more, so the writer ends with those that wait.
        if timeout(LAST_EVENTS, writers.join_next()).await.is_err() {
            warn!("events that waited are not written");
        }
        stopped.send_replace(RunState::Stopped);
        result
    }
}

fn core<P: Provisioner>(
    client: Client,
    provisioner: P,
    settings: Settings,
    events: Events,
    metrics: Metrics,
) -> Arc<Core<P>> {
    let limiter = || Arc::clone(&settings.limiter);
    let claims = Queue::observed(limiter(), metrics.observer("claims"));
    let volumes = Queue::observed(limiter(), metrics.observer("volumes"));
    metrics.watch_queues(&claims, &volumes);
    let unsaved = match &settings.store {
        StoreMode::Queue(limiter) => Some(Unsaved::new(Arc::clone(limiter))),
        StoreMode::Backoff(_) => None,
    };
    let turns = settings.threads.min(Semaphore::MAX_PERMITS);
    Arc::new(Core {
        client,
        provisioner,
        settings,
        cache: Cache::new(),
        claims,
        volumes,
        turns: Semaphore::new(turns),
        attempts: Claims::default(),
        deletions: Deletions::default(),
        unsaved,
        abandoned: Abandoned::default(),
        events,
        metrics,
    })
}

fn election_config(
    election: &ElectionSettings,
    name: &str,
    identity: String,
    drain: Duration,
) -> Config {
    let namespace = election
        .namespace
        .clone()
        .unwrap_or_else(leaderelection::namespace);
    Config::new(namespace, leaderelection::lock_name(name), identity)
        .with_lease_duration(election.lease_duration)
        .with_renew_deadline(election.renew_deadline)
        .with_retry_period(election.retry_period)
        // The work ends earlier by itself.
        .with_stop_timeout(drain + LAST_ATTEMPTS * 2)
}

#[cfg(feature = "http")]
async fn listen(
    tasks: &mut JoinSet<()>,
    settings: &Settings,
    metrics: &Metrics,
    state: &watch::Sender<RunState>,
) -> Result<(), RunError> {
    if settings.metrics_port == 0 {
        return Ok(());
    }
    let address = SocketAddr::new(settings.metrics_address, settings.metrics_port);
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .map_err(|source| RunError::Listen { address, source })?;
    let path = settings.metrics_path.clone();
    tasks.spawn(crate::http::serve(
        listener,
        path,
        metrics.clone(),
        state.subscribe(),
    ));
    info!(%address, "serving metrics and health");
    Ok(())
}

#[cfg(not(feature = "http"))]
#[expect(clippy::unused_async, reason = "it is like the one with a server")]
async fn listen(
    _: &mut JoinSet<()>,
    _: &Settings,
    _: &Metrics,
    _: &watch::Sender<RunState>,
) -> Result<(), RunError> {
    Ok(())
}

/// Works as the leader until `stop` is cancelled. Dropping the future aborts all tasks.
async fn work<P: Provisioner>(
    core: Arc<Core<P>>,
    watches: Watches,
    leadership: Option<Leadership>,
    stop: CancellationToken,
    state: watch::Sender<RunState>,
) -> Result<(), RunError> {
    state.send_replace(RunState::Syncing);
    let mut watching = JoinSet::new();
    let (client, read_node) = (core.client.clone(), core.settings.read_node);
    let mut checking = JoinSet::new();
    checking.spawn(async move { permissions::check(&client, read_node).await });
    let Watches {
        claims,
        volumes,
        classes,
    } = watches;
    let watcher = Arc::clone(&core);
    watching.spawn(async move {
        watcher.watch_claims(claims).await;
        "claims"
    });
    let watcher = Arc::clone(&core);
    watching.spawn(async move {
        watcher.watch_volumes(volumes).await;
        "volumes"
    });
    let watcher = Arc::clone(&core);
    watching.spawn(async move {
        watcher.watch_classes(classes).await;
        "classes"
    });
    let mut synced = core.cache.synced();
    tokio::select! {
        () = stop.cancelled() => return Ok(()),
        ended = ended(&mut watching) => return Err(ended),
        _ = synced.wait_for(|synced| synced.all()) => {}
    }
    state.send_replace(RunState::Running);
    info!(
        name = core.settings.names.primary,
        "the provision controller works"
    );
    let mut workers = start(&core, leadership.as_ref());
    let resync = Arc::clone(&core);
    checking.spawn(async move {
        resync.find_abandoned().await;
        resync.resync().await;
    });
    let result = tokio::select! {
        () = stop.cancelled() => Ok(()),
        ended = ended(&mut watching) => Err(ended),
    };
    state.send_replace(RunState::Stopping);
    drain(&core, &mut workers).await;
    result
}

/// Waits until a watch ends.
async fn ended(watching: &mut JoinSet<&'static str>) -> RunError {
    match watching.join_next().await {
        Some(Ok(what)) => RunError::StreamEnded(what),
        _ => RunError::StreamEnded("a watch that panicked"),
    }
}

fn start<P: Provisioner>(core: &Arc<Core<P>>, leadership: Option<&Leadership>) -> JoinSet<()> {
    let mut workers = JoinSet::new();
    for _ in 0..core.settings.threads {
        // One provisions, and one reads what comes next.
        spawn(&mut workers, leadership, Arc::clone(core).work_on_claims());
        spawn(&mut workers, leadership, Arc::clone(core).work_on_claims());
        spawn(&mut workers, leadership, Arc::clone(core).work_on_volumes());
        if core.unsaved.is_some() {
            spawn(&mut workers, leadership, Arc::clone(core).work_on_unsaved());
        }
    }
    workers
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

/// Begins nothing new, and waits for what is in hand.
async fn drain<P: Provisioner>(core: &Arc<Core<P>>, workers: &mut JoinSet<()>) {
    core.claims.shut_down();
    core.turns.close();
    core.volumes.shut_down();
    let limit = core.settings.drain_timeout;
    let in_hand = async { tokio::join!(core.claims.drained(), core.volumes.drained()) };
    if timeout(limit, in_hand).await.is_err() {
        let claims = core.claims.snapshot().working;
        let volumes = core.volumes.snapshot().working;
        warn!(
            claims,
            volumes,
            ?limit,
            "work in hand did not end in time, and is cut off"
        );
    }
    if let Some(unsaved) = &core.unsaved {
        let _ = timeout(LAST_ATTEMPTS, unsaved.shut_down()).await;
    }
    workers.shutdown().await;
    core.store_unsaved(LAST_ATTEMPTS).await;
}
