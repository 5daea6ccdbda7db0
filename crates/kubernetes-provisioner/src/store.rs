//! Storing volumes: with a limited number of attempts, or in a queue until it succeeds.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use core_v1::PersistentVolume;
use futures::{StreamExt, stream};
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{error, info, warn};

use crate::api::{self, ApiError};
use crate::core::{Core, try_call};
use crate::error::{DeleteError, report};
use crate::events::Reason;
use crate::options::{Backoff, Limiter, StoreMode};
use crate::provisioner::Provisioner;
use crate::request::ProvisionRequest;
use crate::rules;
use kubernetes_controller_utils::workqueue::Queue;

/// How many volumes are stored at a time when the controller stops.
const LAST_ATTEMPTS: usize = 8;

/// Why a volume was not created.
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

/// Why a volume is not stored, and what became of its storage.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The storage is gone, or is not ours to delete.
    #[error("{0}")]
    Ended(String),
    /// Nobody knows, or it is still there.
    #[error("{0}")]
    Open(String),
}

/// The volumes that the queue has not stored yet.
pub(crate) struct Unsaved {
    queue: Queue<String>,
    volumes: Mutex<HashMap<String, Arc<Entry>>>,
}

struct Entry {
    request: Arc<ProvisionRequest>,
    volume: PersistentVolume,
}

impl Unsaved {
    pub(crate) fn new(limiter: Limiter) -> Self {
        Self {
            queue: Queue::new(limiter),
            volumes: Mutex::default(),
        }
    }

    fn get(&self, name: &str) -> Option<Arc<Entry>> {
        self.volumes.lock().get(name).cloned()
    }

    fn done(&self, name: &str) {
        self.volumes.lock().remove(name);
    }

    /// Lets the workers end, and waits for them.
    pub(crate) async fn shut_down(&self) {
        self.queue.shut_down();
        self.queue.drained().await;
    }
}

/// Whom a volume belongs to, for messages.
pub(crate) fn owner(volume: &PersistentVolume) -> String {
    match volume
        .spec
        .as_ref()
        .and_then(|spec| spec.claim_ref.as_ref())
    {
        Some(claim) => {
            let text = |field: &Option<String>| field.clone().unwrap_or_default();
            let (namespace, name) = (text(&claim.namespace), text(&claim.name));
            format!(
                "the claim {namespace}/{name} with the UID \"{}\"",
                text(&claim.uid)
            )
        }
        None => "no claim".to_owned(),
    }
}

impl<P: Provisioner> Core<P> {
    /// Whether a volume waits in the queue to be stored.
    pub(crate) fn is_unsaved(&self, name: &str) -> bool {
        self.unsaved
            .as_ref()
            .is_some_and(|unsaved| unsaved.get(name).is_some())
    }

    /// Stores a volume, or has it stored.
    pub(crate) async fn store(
        &self,
        request: &Arc<ProvisionRequest>,
        volume: PersistentVolume,
    ) -> Result<(), StoreError> {
        match (&self.settings.store, &self.unsaved) {
            (StoreMode::Queue(_), Some(unsaved)) => {
                self.store_or_queue(request, volume, unsaved).await
            }
            (StoreMode::Backoff(backoff), _) => {
                self.store_or_delete(request, &volume, *backoff).await
            }
            (StoreMode::Queue(_), None) => {
                self.store_or_delete(request, &volume, Backoff::default())
                    .await
            }
        }
    }

    /// Creates a volume. One of the same name for the same claim is the one that an earlier
    /// request created, whose answer was lost.
    async fn create(
        &self,
        request: &ProvisionRequest,
        volume: &PersistentVolume,
    ) -> Result<(), CreateError> {
        match api::create_volume(&self.client, volume).await {
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
        info!(volume = name, "the volume is stored");
        let text = format!("the volume {name} is provisioned");
        self.events
            .claim(&request.claim, Reason::ProvisioningSucceeded, text);
        self.confirm(name).await;
    }

    /// Whether the volume of a request exists.
    ///
    /// # Errors
    ///
    /// It exists and belongs to another claim, or the API server doesn't say.
    pub(crate) async fn is_stored(&self, request: &ProvisionRequest) -> Result<bool, CreateError> {
        let name = &request.volume_name;
        match api::volume(&self.client, name).await? {
            None => {
                self.cache.remove_volume(name);
                Ok(false)
            }
            Some(existing) if rules::belongs_to(&existing, &request.claim) => Ok(true),
            Some(existing) => Err(CreateError::Foreign {
                name: name.clone(),
                owner: owner(&existing),
            }),
        }
    }

    async fn store_or_delete(
        &self,
        request: &Arc<ProvisionRequest>,
        volume: &PersistentVolume,
        backoff: Backoff,
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
            let text = report(&error);
            warn!(
                volume = request.volume_name,
                attempts,
                error = text,
                "it is not stored"
            );
            // Another attempt with the same volume has the same result.
            if attempts >= backoff.attempts() || error.is_invalid() {
                break text;
            }
            sleep(backoff.interval(attempts)).await;
        };
        let text = format!(
            "storing the volume {} failed, attempts: {attempts}; its storage is deleted: {error}",
            request.volume_name
        );
        self.events
            .claim(&request.claim, Reason::ProvisioningFailed, text.clone());
        self.delete_storage(request, volume, backoff, text).await
    }

    /// Reports a volume that belongs to another claim. Its storage may be what the provisioner
    /// returned for this claim too, so it is never deleted.
    pub(crate) fn foreign(&self, request: &ProvisionRequest, error: &CreateError) -> StoreError {
        let text = report(error);
        self.events
            .claim(&request.claim, Reason::ProvisioningFailed, text.clone());
        StoreError::Ended(text)
    }

    /// Deletes the storage of a volume that can't be stored, unless it is stored after all.
    ///
    /// Returns why it can't, `cause`, and what became of the storage.
    pub(crate) async fn delete_storage(
        &self,
        request: &Arc<ProvisionRequest>,
        volume: &PersistentVolume,
        backoff: Backoff,
        cause: String,
    ) -> Result<(), StoreError> {
        let mut attempts = 0;
        let error = loop {
            match self.try_delete_storage(request, volume).await {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(StoreError::Ended(cause)),
                Err(Cleanup::Foreign(error)) => {
                    return Err(self.foreign(request, &error));
                }
                Err(Cleanup::Failed(error)) => {
                    attempts += 1;
                    warn!(
                        volume = request.volume_name,
                        attempts, error, "cleaning up failed"
                    );
                    if attempts >= backoff.attempts() {
                        break error;
                    }
                }
            }
            sleep(backoff.interval(attempts)).await;
        };
        let text = format!(
            "the storage of the volume {} can't be deleted, attempts: {attempts}: {error}",
            request.volume_name
        );
        error!(
            volume = request.volume_name,
            error, "the storage is still there"
        );
        self.events
            .claim(&request.claim, Reason::ProvisioningCleanupFailed, text);
        Err(StoreError::Open(cause))
    }

    /// Returns whether the volume is stored after all; otherwise its storage is deleted.
    async fn try_delete_storage(
        &self,
        request: &ProvisionRequest,
        volume: &PersistentVolume,
    ) -> Result<bool, Cleanup> {
        // A request without an answer may have created the volume, and a Pod may use it.
        match self.is_stored(request).await {
            Ok(true) => {
                self.stored(request).await;
                return Ok(true);
            }
            Ok(false) => {}
            Err(error @ CreateError::Foreign { .. }) => {
                return Err(Cleanup::Foreign(error));
            }
            Err(CreateError::Api(error)) => return Err(Cleanup::Failed(report(&error))),
        }
        let delete = async { self.provisioner.delete(volume).await };
        try_call(delete, self.settings.delete_timeout, DeleteError::Failed)
            .await
            .map(|()| false)
            .map_err(|error| Cleanup::Failed(report(&error)))
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
                self.unsaved_event(request, &error);
                let name = request.volume_name.clone();
                let request = Arc::clone(request);
                let entry = Arc::new(Entry { request, volume });
                unsaved.volumes.lock().insert(name.clone(), entry);
                unsaved.queue.add_rate_limited(name);
                Ok(())
            }
        }
    }

    fn unsaved_event(&self, request: &ProvisionRequest, error: &ApiError) {
        let (name, error) = (&request.volume_name, report(error));
        warn!(volume = name, error, "the volume is not stored yet");
        let text = format!("the volume {name} is not stored yet, and will be: {error}");
        self.events
            .claim(&request.claim, Reason::ProvisioningFailed, text);
    }

    /// Stores volumes that wait in the queue, until it is shut down.
    pub(crate) async fn work_on_unsaved(self: Arc<Self>) {
        let Some(unsaved) = &self.unsaved else { return };
        while let Some(name) = unsaved.queue.next().await {
            let Some(entry) = unsaved.get(&name) else {
                continue;
            };
            let Entry { request, volume } = &*entry;
            match self.create(request, volume).await {
                Ok(()) => unsaved.done(&name),
                Err(error @ CreateError::Foreign { .. }) => {
                    let error = self.foreign(request, &error);
                    error!(volume = *name, %error, "the volume can't be stored");
                    unsaved.done(&name);
                }
                Err(CreateError::Api(error)) => {
                    self.unsaved_event(request, &error);
                    unsaved.queue.add_rate_limited(name.clone());
                    continue;
                }
            }
            unsaved.queue.forget(&name);
        }
    }

    /// Tries once more to store each volume that waits, and names those that are left.
    pub(crate) async fn store_unsaved(&self, time: Duration) {
        let Some(unsaved) = &self.unsaved else { return };
        let left: Vec<_> = unsaved.volumes.lock().values().cloned().collect();
        if left.is_empty() {
            return;
        }
        let deadline = Instant::now() + time;
        let attempts = left.into_iter().map(|entry| async move {
            let Entry { request, volume } = &*entry;
            if let Ok(Ok(())) = timeout_at(deadline, self.create(request, volume)).await {
                unsaved.done(&request.volume_name);
            }
        });
        stream::iter(attempts)
            .buffer_unordered(LAST_ATTEMPTS)
            .collect::<()>()
            .await;
        for entry in unsaved.volumes.lock().values() {
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

enum Cleanup {
    /// The storage must not be deleted.
    Foreign(CreateError),
    Failed(String),
}
