//! Storing volumes: with a limited number of attempts, or in a queue until it succeeds.

use std::sync::Arc;
use std::time::Duration;

use core_v1::PersistentVolume;
use futures::{StreamExt, stream};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::{error, warn};

use crate::api::{ApiError, Cluster};
use crate::cache::Cache;
use crate::calls::Calls;
use crate::error::report;
use crate::options::{Backoff, StoreMode};
use crate::provisioner::Provisioner;
use crate::reports::Reports;
use crate::request::ProvisionRequest;
use crate::rules;
use crate::unsaved::{Entry, Unsaved};

/// The volumes that are stored at a time when the controller stops.
const LAST_ATTEMPTS: usize = 8;

/// The reason why a volume was not created.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CreateError {
    #[error(
        "the PersistentVolume \"{name}\" exists and belongs to {owner}; the storage is kept. \
         Delete that volume, or set its spec.claimRef to this claim"
    )]
    Foreign { name: String, owner: String },
    #[error(transparent)]
    Api(#[from] ApiError),
}

/// The reason why a volume is not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// Its storage is deleted, or belongs to the volume of another claim and is kept.
    #[error("{0}")]
    Settled(String),
    /// Its storage may still be there.
    #[error("{0}")]
    StorageLeft(String),
}

/// The outcome for the storage of a volume that could not be stored.
#[derive(Debug)]
enum Cleanup {
    /// It is kept: the volume is stored after all, by a request without an answer.
    VolumeStored,
    /// It is kept: the volume exists for another claim, for the reason given.
    Foreign(CreateError),
    /// It is deleted.
    StorageDeleted,
    /// It couldn't be deleted.
    StorageLeft,
}

/// Stores the volumes that the provisioner returns.
pub(crate) struct Store<P> {
    cluster: Cluster,
    /// The retries of storing a volume and of deleting its storage.
    backoff: Backoff,
    /// The volumes that wait to be stored; absent if their storage is deleted instead.
    unsaved: Option<Unsaved>,
    cache: Arc<Cache>,
    calls: Arc<Calls<P>>,
    reports: Reports,
}

impl<P: Provisioner> Store<P> {
    pub(crate) fn new(
        cluster: Cluster,
        mode: &StoreMode,
        cache: Arc<Cache>,
        calls: Arc<Calls<P>>,
        reports: Reports,
    ) -> Self {
        let (backoff, unsaved) = match mode {
            StoreMode::Backoff(backoff) => (*backoff, None),
            StoreMode::Queue(limiter) => {
                let unsaved = Unsaved::new(Arc::clone(limiter));
                (Backoff::default(), Some(unsaved))
            }
        };
        Self {
            cluster,
            backoff,
            unsaved,
            cache,
            calls,
            reports,
        }
    }

    /// Returns true if volumes wait in a queue, which needs workers.
    pub(crate) fn has_queue(&self) -> bool {
        self.unsaved.is_some()
    }

    /// Returns the request of a volume that waits in the queue to be stored.
    pub(crate) fn unsaved(&self, name: &str) -> Option<Arc<ProvisionRequest>> {
        self.unsaved.as_ref()?.request(name)
    }

    /// Returns true if a volume of this name was seen. It may be deleted meanwhile.
    pub(crate) fn has_seen(&self, name: &str) -> bool {
        self.cache.has_volume(name)
    }

    /// Returns true if the volume of a request exists.
    ///
    /// # Errors
    ///
    /// It exists and belongs to another claim, or the request to the API server failed.
    pub(crate) async fn is_stored(&self, request: &ProvisionRequest) -> Result<bool, CreateError> {
        let name = &request.volume_name;
        match self.cluster.volume(name).await? {
            None => {
                self.cache.remove_volume(name);
                Ok(false)
            }
            Some(existing) if rules::belongs_to(&existing, &request.claim) => Ok(true),
            Some(existing) => {
                self.cache.wait_for_name(name, &request.claim);
                Err(CreateError::Foreign {
                    name: name.clone(),
                    owner: rules::owner(&existing),
                })
            }
        }
    }

    /// Stores a volume, or puts it into the queue of those that are stored later.
    pub(crate) async fn store(
        &self,
        request: &Arc<ProvisionRequest>,
        volume: PersistentVolume,
    ) -> Result<(), StoreError> {
        match &self.unsaved {
            Some(unsaved) => self.store_or_queue(request, volume, unsaved).await,
            None => self.store_or_delete(request, &volume).await,
        }
    }

    /// Deletes the storage of a volume that the claim can't use, for the reason in `problem`.
    ///
    /// Returns `Ok` if a volume is stored after all.
    pub(crate) async fn discard(
        &self,
        request: &ProvisionRequest,
        volume: &PersistentVolume,
        problem: String,
    ) -> Result<(), StoreError> {
        self.reports.not_stored(&request.claim, problem.clone());
        match self.delete_storage(request, volume).await {
            Cleanup::VolumeStored => Ok(()),
            Cleanup::Foreign(error) => Err(self.foreign(request, &error)),
            Cleanup::StorageDeleted => Err(StoreError::Settled(problem)),
            Cleanup::StorageLeft => Err(StoreError::StorageLeft(problem)),
        }
    }

    /// Creates a volume. If one of the same name exists for the same claim, an earlier request
    /// created it, whose answer was lost.
    async fn create(
        &self,
        request: &ProvisionRequest,
        volume: &PersistentVolume,
    ) -> Result<(), CreateError> {
        match self.cluster.create_volume(volume).await {
            Ok(()) => {}
            Err(error) if error.is_already_exists() => {
                if !self.is_stored(request).await? {
                    // It was deleted in between.
                    return Err(error.into());
                }
            }
            Err(error) => return Err(error.into()),
        }
        self.stored(request).await;
        Ok(())
    }

    async fn stored(&self, request: &ProvisionRequest) {
        let name = &request.volume_name;
        self.cache.add_volume(name);
        self.reports.stored(&request.claim, name);
        self.calls.confirm(name).await;
    }

    async fn store_or_delete(
        &self,
        request: &ProvisionRequest,
        volume: &PersistentVolume,
    ) -> Result<(), StoreError> {
        let mut attempts = 0;
        let error = loop {
            let error = match self.create(request, volume).await {
                Ok(()) => return Ok(()),
                Err(error @ CreateError::Foreign { .. }) => {
                    return Err(self.foreign(request, &error));
                }
                Err(CreateError::Api(error)) => error,
            };
            attempts += 1;
            let (name, text) = (&request.volume_name, report(&error));
            warn!(volume = name, attempts, error = text, "storing failed");
            // Another attempt with the same volume has the same result.
            if attempts >= self.backoff.attempts() || error.is_invalid() {
                break text;
            }
            sleep(self.backoff.interval(attempts)).await;
        };
        let text = format!(
            "storing the volume {} failed, attempts: {attempts}; its storage is deleted: {error}",
            request.volume_name
        );
        self.discard(request, volume, text).await
    }

    /// Reports a volume that belongs to another claim. Its storage may be what the provisioner
    /// returned for this claim too, so it is never deleted.
    fn foreign(&self, request: &ProvisionRequest, error: &CreateError) -> StoreError {
        let text = report(error);
        self.reports.not_stored(&request.claim, text.clone());
        StoreError::Settled(text)
    }

    /// Deletes the storage of a volume that can't be stored, unless it is stored after all.
    async fn delete_storage(
        &self,
        request: &ProvisionRequest,
        volume: &PersistentVolume,
    ) -> Cleanup {
        let name = &request.volume_name;
        let mut attempts = 0;
        let error = loop {
            let error = match self.try_delete_storage(request, volume).await {
                Ok(cleanup) => return cleanup,
                Err(error) => error,
            };
            attempts += 1;
            warn!(volume = name, attempts, error, "cleaning up failed");
            if attempts >= self.backoff.attempts() {
                break error;
            }
            sleep(self.backoff.interval(attempts)).await;
        };
        error!(volume = name, error, "the storage is still there");
        let text = format!(
            "the storage of the volume {name} can't be deleted, attempts: {attempts}: {error}"
        );
        self.reports.cleanup_failed(&request.claim, text);
        Cleanup::StorageLeft
    }

    /// Tries once to delete the storage of a volume. An error is one to try again after.
    async fn try_delete_storage(
        &self,
        request: &ProvisionRequest,
        volume: &PersistentVolume,
    ) -> Result<Cleanup, String> {
        // A request without an answer may have created the volume, and a Pod may use it.
        match self.is_stored(request).await {
            Ok(true) => {
                self.stored(request).await;
                return Ok(Cleanup::VolumeStored);
            }
            Ok(false) => {}
            Err(error @ CreateError::Foreign { .. }) => return Ok(Cleanup::Foreign(error)),
            Err(CreateError::Api(error)) => return Err(report(&error)),
        }
        match self.calls.delete(volume).await {
            Ok(()) => Ok(Cleanup::StorageDeleted),
            Err(error) => Err(report(&error)),
        }
    }

    async fn store_or_queue(
        &self,
        request: &Arc<ProvisionRequest>,
        volume: PersistentVolume,
        unsaved: &Unsaved,
    ) -> Result<(), StoreError> {
        match self.create(request, &volume).await {
            Ok(()) => Ok(()),
            Err(error @ CreateError::Foreign { .. }) => Err(self.foreign(request, &error)),
            Err(CreateError::Api(error)) => {
                self.not_stored_yet(request, &error);
                unsaved.add(Arc::clone(request), volume);
                Ok(())
            }
        }
    }

    fn not_stored_yet(&self, request: &ProvisionRequest, error: &ApiError) {
        let (name, error) = (&request.volume_name, report(error));
        warn!(volume = name, error, "the volume is not stored yet");
        let text = format!("the volume {name} is not stored yet, and will be: {error}");
        self.reports.not_stored(&request.claim, text);
    }

    /// Stores volumes that wait in the queue, until it is shut down.
    pub(crate) async fn work_on_unsaved(self: Arc<Self>) {
        let Some(unsaved) = &self.unsaved else { return };
        while let Some((name, entry)) = unsaved.next().await {
            let Entry { request, volume } = &*entry;
            match self.create(request, volume).await {
                Ok(()) => unsaved.remove(&name),
                Err(error @ CreateError::Foreign { .. }) => {
                    let error = self.foreign(request, &error);
                    error!(volume = *name, %error, "the volume can't be stored");
                    unsaved.remove(&name);
                }
                Err(CreateError::Api(error)) => {
                    self.not_stored_yet(request, &error);
                    unsaved.retry(&name);
                }
            }
        }
    }

    /// Lets the workers of the queue end, and waits for them at most this long.
    pub(crate) async fn drain_unsaved(&self, time: Duration) {
        if let Some(unsaved) = &self.unsaved {
            let _ = timeout(time, unsaved.shut_down()).await;
        }
    }

    /// Tries once more to store each volume that waits, for at most this long, and logs those that
    /// are left.
    pub(crate) async fn store_unsaved(&self, time: Duration) {
        let Some(unsaved) = &self.unsaved else { return };
        let deadline = Instant::now() + time;
        let attempts = unsaved.left().into_iter().map(|entry| async move {
            let Entry { request, volume } = &*entry;
            if let Ok(Ok(())) = timeout_at(deadline, self.create(request, volume)).await {
                unsaved.remove(&request.volume_name);
            }
        });
        stream::iter(attempts)
            .buffer_unordered(LAST_ATTEMPTS)
            .collect::<()>()
            .await;
        for entry in unsaved.left() {
            let request = &entry.request;
            let claim = &request.claim.metadata;
            error!(
                volume = request.volume_name,
                namespace = claim.namespace,
                claim = claim.name,
                "a provisioned volume is not stored; its storage is kept, and found again when \
                 the claim is provisioned after the next start"
            );
        }
    }
}
