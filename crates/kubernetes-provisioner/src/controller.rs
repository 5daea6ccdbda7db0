//! The controller: the server for metrics, the election, and the work of the leader.

use std::time::Duration;

use core_v1::PersistentVolume;
use kube::Client;
use kubernetes_controller_utils::leaderelection::{self, Config, Elector, Outcome};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::adapter::Adapter;
use crate::api::Cluster;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::options::{ElectionSettings, Settings};
use crate::provisioner::Provisioner;
use crate::state::{RunError, RunState};
use crate::streams::{Streams, Watches};
use crate::volume::Volume;
use crate::work::{LAST_ATTEMPTS, Work};

/// The time limit for writing the events that wait.
const LAST_EVENTS: Duration = Duration::from_secs(2);

/// A provision controller. [`run`](Self::run) consumes it, so that it runs once and can't be
/// changed after that.
#[must_use = "a controller does nothing until it is run"]
pub struct Controller<P, V = PersistentVolume> {
    client: Client,
    provisioner: Adapter<P, V>,
    settings: Settings,
    streams: Streams,
    metrics: Metrics,
    state: watch::Sender<RunState>,
}

impl<V: Volume, P: Provisioner<V>> Controller<P, V> {
    pub(crate) fn new(
        client: Client,
        provisioner: Adapter<P, V>,
        settings: Settings,
        streams: Streams,
        metrics: Metrics,
    ) -> Self {
        Self {
            client,
            provisioner,
            settings,
            streams,
            metrics,
            state: watch::Sender::default(),
        }
    }

    /// Returns the metrics, for programs that serve them themselves.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Returns a channel with the state of the controller.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<RunState> {
        self.state.subscribe()
    }

    /// Waits for the leadership, then provisions and deletes volumes until `stop` is cancelled.
    ///
    /// Then nothing new is begun, and work in hand may take the [drain
    /// timeout](crate::Builder::drain_timeout) to end. Volumes that wait to be stored are tried
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
        #[cfg(feature = "http")]
        let _server = crate::http::listen(&settings, &metrics, &state).await?;
        let identity = leaderelection::identity();
        let name = settings.names.primary.clone();
        let (events, writer) = Events::new(client.clone(), name.clone(), identity.clone());
        let mut writers = JoinSet::new();
        writers.spawn(writer);
        let cluster = Cluster::new(client.clone());
        let watches = Watches::new(&cluster, streams);
        let election = settings.election.clone();
        let drain = settings.drain_timeout;
        let work = Work::new(cluster, provisioner, settings, events, metrics);
        let result = match election {
            None => work.run(watches, None, stop, state).await,
            Some(election) => {
                state.send_replace(RunState::Standby);
                let config = election_config(&election, &name, identity, drain);
                let mut elector = Elector::new(client, config)?;
                let outcome = elector
                    .run(stop, async move |leadership| {
                        let stop = leadership.token().clone();
                        work.run(watches, Some(leadership), stop, state).await
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
            warn!("pending events were not written");
        }
        stopped.send_replace(RunState::Stopped);
        result
    }
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
