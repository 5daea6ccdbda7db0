//! What all tasks of a controller share, and the workers.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::Client;
use tokio::sync::Semaphore;
use tracing::field::Empty;
use tracing::{Instrument, error, info_span, warn};

use crate::abandoned::Abandoned;
use crate::cache::Cache;
use crate::claims::{Claims, Deletions};
use crate::error::BoxError;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::options::Settings;
use crate::provisioner::Provisioner;
use crate::store::Unsaved;
use kubernetes_controller_utils::workqueue::Queue;

pub(crate) struct Core<P> {
    pub(crate) client: Client,
    pub(crate) provisioner: P,
    pub(crate) settings: Settings,
    pub(crate) cache: Cache,
    /// Claims to work on, by UID.
    pub(crate) claims: Queue<String>,
    /// Volumes to work on, by name.
    pub(crate) volumes: Queue<String>,
    /// How many claims can be provisioned at a time. Others are read meanwhile, so that a turn isn't spent
    /// on waiting for them.
    pub(crate) turns: Semaphore,
    pub(crate) attempts: Claims,
    pub(crate) deletions: Deletions,
    pub(crate) unsaved: Option<Unsaved>,
    pub(crate) abandoned: Abandoned,
    pub(crate) events: Events,
    pub(crate) metrics: Metrics,
}

/// What becomes of a key that was worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing is left to do until the object changes.
    Done,
    /// It failed.
    Retry,
    /// It must not be tried for some time.
    After(Duration),
}

/// What a call of the provisioner didn't return.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Abnormal {
    #[error("the provisioner panicked: {0}")]
    Panic(String),
    #[error("the provisioner did not return within {0:?}")]
    Timeout(Duration),
}

/// Calls a method of the provisioner, whose panics and whose time are limited to this call.
pub(crate) async fn call<T>(
    future: impl Future<Output = T>,
    timeout: Option<Duration>,
) -> Result<T, Abnormal> {
    let caught = AssertUnwindSafe(future).catch_unwind();
    let result = match timeout {
        Some(timeout) => tokio::time::timeout(timeout, caught)
            .await
            .map_err(|_| Abnormal::Timeout(timeout))?,
        None => caught.await,
    };
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Abnormal::Panic(text.unwrap_or_else(|| "no message".to_owned()))
    })
}

/// Calls a method that returns its own errors.
pub(crate) async fn try_call<T, E>(
    future: impl Future<Output = Result<T, E>>,
    timeout: Option<Duration>,
    abnormal: impl FnOnce(BoxError) -> E,
) -> Result<T, E> {
    match call(future, timeout).await {
        Ok(result) => result,
        Err(error) => Err(abnormal(error.into())),
    }
}

impl<P: Provisioner> Core<P> {
    /// Works on claims until the queue is shut down.
    pub(crate) async fn work_on_claims(self: Arc<Self>) {
        while let Some(uid) = self.claims.next().await {
            let span = info_span!("claim", uid = %*uid, namespace = Empty, name = Empty);
            let next = self.sync_claim(&uid).instrument(span).await;
            let threshold = self.settings.provision_threshold;
            if self.settle(&self.claims, &uid, next, threshold) {
                error!(uid = %*uid, threshold, "a claim failed too often; it is given up until it changes");
                self.attempts.give_up(&uid);
            }
        }
    }

    /// Works on volumes until the queue is shut down.
    pub(crate) async fn work_on_volumes(self: Arc<Self>) {
        while let Some(name) = self.volumes.next().await {
            let span = info_span!("volume", name = %*name);
            let next = self.sync_volume(&name).instrument(span).await;
            let threshold = self.settings.delete_threshold;
            if self.settle(&self.volumes, &name, next, threshold) {
                error!(name = %*name, threshold, "a volume failed too often; it is given up until it changes");
                self.deletions.give_up(&name);
            }
        }
    }

    /// Queues a key again if it has to be. Returns whether it is given up: its retries stay
    /// counted, so that it isn't queued again before it changes.
    fn settle(&self, queue: &Queue<String>, key: &str, next: Next, threshold: u32) -> bool {
        let key = key.to_owned();
        match next {
            Next::Done => queue.forget(&key),
            Next::After(delay) => queue.add_after(key, delay),
            Next::Retry if threshold > 0 && queue.retries(&key) >= threshold => {
                return true;
            }
            Next::Retry => {
                warn!(key, retries = queue.retries(&key), "it will be retried");
                queue.add_rate_limited(key);
            }
        }
        false
    }
}
