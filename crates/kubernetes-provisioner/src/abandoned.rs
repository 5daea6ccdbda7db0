//! Storage without a volume or claim: its claim was deleted between the call that provisioned it
//! and the creation of its volume, while no process was running.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use core_v1::{PersistentVolume, PersistentVolumeReclaimPolicy};
use tracing::{debug, info, warn};

use crate::api::Cluster;
use crate::attempts::Provisions;
use crate::backlog::{Backlog, Next};
use crate::cache::Cache;
use crate::calls::Calls;
use crate::error::{BoxError, DeleteError, report};
use crate::provisioner::Provisioner;
use crate::rules;
use crate::store::Store;

/// The storage for which a listing found neither a volume nor a claim, by the UID of the claim.
#[derive(Default)]
struct Found(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: HashMap<String, PersistentVolume>,
    /// The UIDs that were settled since the last listing began, which may still return them.
    settled: HashSet<String>,
}

impl Found {
    /// Forgets what was settled before: a listing that begins now doesn't return it.
    fn begin_listing(&self) {
        self.0.lock().settled.clear();
    }

    /// Returns true if the storage has to be checked.
    fn add(&self, uid: &str, volume: PersistentVolume) -> bool {
        let mut state = self.0.lock();
        if state.settled.contains(uid) {
            return false;
        }
        state.waiting.insert(uid.to_owned(), volume);
        true
    }

    fn get(&self, uid: &str) -> Option<PersistentVolume> {
        self.0.lock().waiting.get(uid).cloned()
    }

    fn settle(&self, uid: &str) {
        let mut state = self.0.lock();
        state.waiting.remove(uid);
        state.settled.insert(uid.to_owned());
    }
}

/// The storage that the provisioner listed and that has no volume.
struct Unstored {
    /// Storage without a claim that waits for it, by the UID of the claim.
    candidates: HashMap<String, PersistentVolume>,
    /// True if there is storage besides for which a claim waits.
    waited: bool,
}

/// Finds abandoned storage and deletes it.
pub(crate) struct Abandoned<P> {
    found: Found,
    cluster: Cluster,
    volume_name_prefix: String,
    cache: Arc<Cache>,
    /// The queue of claims: one worker at a time works on a UID, be it on the claim or on its
    /// abandoned storage.
    claims: Arc<Backlog>,
    calls: Arc<Calls<P>>,
    provisions: Arc<Provisions>,
    store: Arc<Store<P>>,
}

impl<P: Provisioner> Abandoned<P> {
    pub(crate) fn new(
        cluster: Cluster,
        volume_name_prefix: String,
        cache: Arc<Cache>,
        claims: Arc<Backlog>,
        calls: Arc<Calls<P>>,
        provisions: Arc<Provisions>,
        store: Arc<Store<P>>,
    ) -> Self {
        Self {
            found: Found::default(),
            cluster,
            volume_name_prefix,
            cache,
            claims,
            calls,
            provisions,
            store,
        }
    }

    /// Lists the storage whose volume is not known to be stored, and queues the UIDs of claims that
    /// don't exist.
    ///
    /// One worker at a time works on a UID, so that nobody provisions the claim meanwhile. Returns
    /// false if another look is needed soon: a request failed, or there is a claim, which may go.
    pub(crate) async fn find(&self) -> bool {
        self.found.begin_listing();
        let Unstored { candidates, waited } = match self.unstored().await {
            Ok(unstored) => unstored,
            Err(error) => {
                let error = report(&*error);
                warn!(error, "can't list the storage that is not stored");
                return false;
            }
        };
        if candidates.is_empty() {
            return !waited;
        }
        // A claim is older than its storage, so a missing claim will not appear later.
        let claims = match self.cluster.claim_uids().await {
            Ok(claims) => claims,
            Err(error) => {
                let error = report(&error);
                warn!(error, "can't list the claims");
                return false;
            }
        };
        let mut all_gone = !waited;
        for (uid, volume) in candidates {
            if claims.contains(&uid) {
                // It is being deleted, for example.
                all_gone = false;
            } else if self.found.add(&uid, volume) {
                self.claims.add(uid);
            }
        }
        all_gone
    }

    async fn unstored(&self) -> Result<Unstored, BoxError> {
        let mut candidates = HashMap::new();
        let mut waited = false;
        for volume in self.calls.unstored().await? {
            let name = volume.metadata.name.as_deref().unwrap_or_default();
            if self.cache.has_volume(name) {
                self.calls.confirm(name).await;
                continue;
            }
            match rules::claim_uid(&self.volume_name_prefix, &volume).map(str::to_owned) {
                None => debug!(name, "the storage is not that of a claim"),
                Some(uid) if self.cache.claim(&uid).is_some() => waited = true,
                Some(uid) => _ = candidates.insert(uid, volume),
            }
        }
        Ok(Unstored { candidates, waited })
    }

    /// Deletes the storage of a claim that is gone, if a listing found some, and no volume has it.
    pub(crate) async fn delete(&self, uid: &str) -> Next {
        let Some(volume) = self.found.get(uid) else {
            return Next::Done;
        };
        let name = volume.metadata.name.clone().unwrap_or_default();
        if !self.provisions.reserve_name(uid, &name) {
            debug!(
                volume = name,
                "a claim of the same volume name is provisioned"
            );
            return Next::Retry;
        }
        match self.try_delete(&name, &volume).await {
            Ok(()) => {
                self.found.settle(uid);
                Next::Done
            }
            Err(error) => {
                warn!(volume = name, error, "abandoned storage is still there");
                Next::Retry
            }
        }
    }

    /// Deletes the storage of a volume that is not stored, if the provisioner has some. One worker
    /// at a time may call it for a claim.
    pub(crate) async fn delete_unstored(&self, name: &str) -> Result<(), String> {
        let unstored = self.calls.unstored().await;
        let unstored = unstored.map_err(|error| report(&*error))?;
        let named = |volume: &&PersistentVolume| volume.metadata.name.as_deref() == Some(name);
        match unstored.iter().find(named) {
            Some(volume) => self.try_delete(name, volume).await,
            None => Ok(()),
        }
    }

    async fn try_delete(&self, name: &str, volume: &PersistentVolume) -> Result<(), String> {
        // The cache may be behind.
        let stored = self.cluster.volume(name).await;
        if stored.map_err(|error| report(&error))?.is_some() {
            self.calls.confirm(name).await;
            return Ok(());
        }
        if self.store.unsaved(name).is_some() {
            return Ok(());
        }
        let spec = volume.spec.as_ref();
        let policy = spec.and_then(|spec| spec.persistent_volume_reclaim_policy.as_ref());
        if policy != Some(&PersistentVolumeReclaimPolicy::Delete) {
            warn!(
                volume = name,
                "no volume has this storage; it is kept, because its reclaim policy is not Delete"
            );
            return Ok(());
        }
        info!(
            volume = name,
            "it was never stored, and its claim or node is gone; its storage is deleted"
        );
        match self.calls.delete(volume).await {
            Ok(()) | Err(DeleteError::Ignored { .. }) => Ok(()),
            Err(error) => Err(report(&error)),
        }
    }
}
