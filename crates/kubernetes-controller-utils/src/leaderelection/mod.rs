//! Leader election by a Lease of `coordination.k8s.io/v1`.
//!
//! Candidates write their identity into one Lease, and the holder renews it. [`Elector::run`] waits
//! until its candidate holds the Lease, runs the work, and stops the work before anybody else can
//! hold the Lease:
//!
//! | moment, with the default times | what happens |
//! |---|---|
//! | 0 s | the last renewal that succeeded was sent |
//! | from 2 s on | renewals are tried again, 2 s to 2.4 s apart |
//! | 10 s, the renew deadline | the work's token is cancelled |
//! | 12.5 s, halfway to the lease duration | the work's future is dropped |
//! | 15 s at the earliest, the lease duration | another candidate takes the Lease |
//!
//! # Guarantees
//! - Each update carries the resource version it is based on, so that one of two concurrent
//!   candidates gets a conflict.
//! - No decision depends on wall clocks. A candidate waits for the lease duration on its own
//!   monotonic clock, from the moment when it saw the Lease change; times in the Lease are for
//!   people, and no candidate writes one twice, however its clock is set.
//! - The renew deadline counts from the start of the last renewal that succeeded, and the work is
//!   not polled beyond it, even if the process was suspended meanwhile.
//! - An update whose answer was lost neither ends a leadership nor creates a second one: the Lease
//!   is read again, and an update that arrives late meets a newer resource version.
//!
//! # Limits
//! - The clocks of candidates may run at different rates, but must differ by less than the time
//!   between dropping the work and the lease duration.
//! - Dropping the work's future must end the work. Work that it moved elsewhere, such as spawned
//!   tasks and blocking threads, must follow [`Leadership`] by itself; [`Leadership::bound`] does
//!   it for a task.
//! - A process that is suspended in the middle of a poll goes on with it, and a request that was
//!   sent arrives when it arrives. The work has to tolerate that, as creating an object does.
//! - Two live processes must never share an identity: the later one takes the Lease at once, as
//!   after a restart, and the earlier one leads until its next renewal. [`identity`] is unique.
//! - A process that restarts under the identity of the last one knows only the times that it finds
//!   in the Lease. If its clock is set back to the very microsecond of an earlier renewal, a
//!   candidate that got no answer since then doesn't see the change.
//! - A leader creates the Lease again if somebody deletes it. Candidates that had seen the Lease
//!   wait for it; one that starts just then can create the Lease first, and the earlier leader
//!   leads until its next renewal.
//! - Editing the Lease of a live leader elects a second one: the first leader notices that at its
//!   next renewal.
//! - All candidates must keep the lease duration that is written in the Lease. Those of client-go
//!   do, and can compete for the same Lease.
//!
//! # Permissions
//! The service account needs `get`, `create` and `update` of `leases` in the group
//! `coordination.k8s.io`, in the namespace of the Lease.
//!
//! # Example
//! ```no_run
//! use kubernetes_controller_utils::leaderelection::{self, Config, Elector, Outcome};
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let name = leaderelection::lock_name("example.com/nfs");
//! let config = Config::new(leaderelection::namespace(), name, leaderelection::identity());
//! let stop = CancellationToken::new(); // Cancelled by the handler of SIGTERM.
//! let outcome = Elector::new(client, config)?
//!     .run(stop, |leadership| async move {
//!         // Work here until the leadership ends.
//!         leadership.ended().await;
//!     })
//!     .await;
//! if let Outcome::Lost { loss, .. } = outcome {
//!     return Err(loss.into());
//! }
//! # Ok(())
//! # }
//! ```

mod config;
mod failure;
mod leading;
mod lock;
mod outcome;
mod record;

use std::fmt;

use kube::Client;
use tokio::select;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

pub use self::config::{Config, ConfigError, identity, lock_name, namespace};
pub use self::leading::Leadership;
pub use self::outcome::{Loss, Outcome};

use self::leading::Ended;
use self::lock::Lock;
use self::record::Written;

/// A candidate for the leadership.
pub struct Elector {
    client: Client,
    config: Config,
    leader: watch::Sender<Option<String>>,
    written: Written,
}

impl fmt::Debug for Elector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elector")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Elector {
    /// Returns a candidate, which takes no part in an election before [`Elector::run`].
    ///
    /// # Errors
    /// If [`Config::validate`] refuses the configuration.
    pub fn new(client: Client, config: Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            client,
            config,
            leader: watch::Sender::new(None),
            written: Written::default(),
        })
    }

    /// Returns a channel with the holder of the Lease as this candidate last saw it, itself
    /// included.
    ///
    /// The value is `None` while the holder is unknown or the Lease is free. A holder that stopped
    /// renewing is the value until another one replaces it. Only [`Elector::run`] updates it.
    #[must_use]
    pub fn leader(&self) -> watch::Receiver<Option<String>> {
        self.leader.subscribe()
    }

    /// Waits until this candidate leads, runs the work that `lead` returns, and returns when the
    /// work has ended or its future was dropped.
    ///
    /// - When the work ends, the Lease is released.
    /// - When `stop` is cancelled, so is the work's token. The Lease is renewed until the work
    ///   ends, or until its future is dropped after [`Config::with_stop_timeout`], and is then
    ///   released.
    /// - When no renewal succeeds before the renew deadline, the work's token is cancelled. The
    ///   work has half of the time until the lease duration to end, then its future is dropped.
    /// - When somebody else changes the Lease, the work's token is cancelled and its future is
    ///   dropped at once, because another candidate may lead already.
    ///
    /// Errors of the API server are logged and never end the election. Calling it again after a
    /// loss competes again. If the returned future is dropped, so is the work, and the Lease
    /// expires without a release.
    ///
    /// A separate task renews the Lease, so that work that occupies its thread for a while
    /// doesn't prevent them on a runtime with several threads.
    pub async fn run<F, Fut>(&mut self, stop: CancellationToken, lead: F) -> Outcome<Fut::Output>
    where
        F: FnOnce(Leadership) -> Fut,
        Fut: Future,
    {
        let config = &self.config;
        let mut lock = Lock::new(
            self.client.clone(),
            config.clone(),
            self.leader.clone(),
            self.written.clone(),
        );
        let acquired = select! {
            biased;
            () = stop.cancelled() => None,
            since = lock.acquire() => Some(since),
        };
        let Some(since) = acquired else {
            // A request that was given up may have taken the Lease.
            lock.release().await;
            return Outcome::NotElected;
        };
        info!(
            lease = config.lease(),
            identity = config.identity,
            "leading"
        );
        let (renewed, valid_until) = watch::channel(since + config.renew_deadline);
        let leadership = Leadership::new(stop.child_token(), valid_until, config.grace());
        // However this ends, tasks that the work has spawned are asked to end.
        let _ended = leadership.token().clone().drop_guard();
        let resign = CancellationToken::new();
        let mut keeper = JoinSet::new();
        keeper.spawn(lock.keep(renewed, resign.clone()));
        let ended =
            leading::supervise(lead, &leadership, &stop, &mut keeper, config.stop_timeout).await;
        let outcome = match ended {
            Ended::Lost(loss, result) => {
                warn!(lease = config.lease(), %loss, "the leadership is lost");
                if loss == Loss::NotRenewed {
                    self.leader
                        .send_if_modified(|leader| leader.take().is_some());
                }
                return Outcome::Lost { loss, result };
            }
            Ended::Completed(result) => Outcome::Completed(result),
            Ended::Dropped => {
                let timeout = config.stop_timeout;
                warn!(
                    lease = config.lease(),
                    ?timeout,
                    "the work was stopped and dropped"
                );
                Outcome::Dropped
            }
        };
        resign.cancel();
        keeper.join_next().await;
        outcome
    }
}
