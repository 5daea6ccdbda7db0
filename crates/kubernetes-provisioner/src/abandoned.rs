//! Storage that nothing in the cluster names: its claim was deleted between the call that provisioned
//! it and the store of its volume, and no process was there to see it.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};

use core_v1::{PersistentVolume, PersistentVolumeReclaimPolicy};
use tracing::{debug, info, warn};

use crate::core::{Core, Next, call, try_call};
use crate::error::{BoxError, DeleteError, report};
use crate::provisioner::Provisioner;
use crate::{api, rules};

/// The storage of which a listing found neither a volume nor a claim, by the UID of the claim.
#[derive(Default)]
pub(crate) struct Abandoned(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: HashMap<String, PersistentVolume>,
    /// What was settled since the last listing began, which may still have it.
    settled: HashSet<String>,
}

impl Abandoned {
    /// A listing that begins now has nothing of what was settled before.
    fn begin_listing(&self) {
        self.0.lock().settled.clear();
    }

    /// Returns whether the storage has to be looked at.
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

impl<P: Provisioner> Core<P> {
    /// Tells the provisioner that a volume is stored.
    pub(crate) async fn confirm(&self, name: &str) {
        let stored = async { self.provisioner.stored(name).await };
        let timeout = self.settings.provision_timeout;
        if let Err(error) = try_call(stored, timeout, |error| error).await {
            let error = report(&*error);
            warn!(
                volume = name,
                error, "the provisioner can't note that it is stored"
            );
        }
    }

    /// Asks for the storage whose volume is not known to be stored, and queues what nothing in the
    /// cluster names.
    ///
    /// A claim is worked on by one worker at a time, so what is queued is looked at while nobody
    /// provisions it.
    pub(crate) async fn find_abandoned(&self) {
        self.abandoned.begin_listing();
        let candidates = match self.unstored().await {
            Ok(candidates) => candidates,
            Err(error) => {
                let error = report(&*error);
                warn!(error, "what is not stored can't be listed");
                return;
            }
        };
        if candidates.is_empty() {
            return;
        }
        // A claim is older than its storage: one that isn't there now never will be.
        let claims = match api::claim_uids(&self.client).await {
            Ok(claims) => claims,
            Err(error) => {
                let error = report(&error);
                warn!(error, "the claims can't be listed");
                return;
            }
        };
        for (uid, volume) in candidates {
            if !claims.contains(&uid) && self.abandoned.add(&uid, volume) {
                self.claims.add(uid);
            }
        }
    }

    /// Returns storage without a claim that waits for it, by the UID of the claim.
    async fn unstored(&self) -> Result<HashMap<String, PersistentVolume>, BoxError> {
        let unstored = async { self.provisioner.unstored().await };
        let listed = call(unstored, self.settings.provision_timeout).await??;
        let mut candidates = HashMap::new();
        for volume in listed {
            let name = volume.metadata.name.as_deref().unwrap_or_default();
            if self.cache.has_volume(name) {
                self.confirm(name).await;
                continue;
            }
            match rules::claim_uid(&self.settings.volume_name_prefix, name) {
                None => debug!(name, "no claim can have asked for this storage"),
                Some(uid) if self.cache.claim(uid).is_some() => {}
                Some(uid) => _ = candidates.insert(uid.to_owned(), volume),
            }
        }
        Ok(candidates)
    }

    /// Deletes the storage of a claim that is gone, if a listing found some, and no volume has it.
    pub(crate) async fn delete_abandoned(&self, uid: &str) -> Next {
        let Some(volume) = self.abandoned.get(uid) else {
            return Next::Done;
        };
        let name = volume.metadata.name.clone().unwrap_or_default();
        match self.try_delete_abandoned(&name, &volume).await {
            Ok(()) => {
                self.abandoned.settle(uid);
                Next::Done
            }
            Err(error) => {
                warn!(volume = name, error, "abandoned storage is still there");
                Next::Retry
            }
        }
    }

    async fn try_delete_abandoned(
        &self,
        name: &str,
        volume: &PersistentVolume,
    ) -> Result<(), String> {
        // The cache may be behind.
        let stored = api::volume(&self.client, name).await;
        if stored.map_err(|error| report(&error))?.is_some() {
            self.confirm(name).await;
            return Ok(());
        }
        if self.is_unsaved(name) {
            return Ok(());
        }
        let spec = volume.spec.as_ref();
        let policy = spec.and_then(|spec| spec.persistent_volume_reclaim_policy.as_ref());
        if policy != Some(&PersistentVolumeReclaimPolicy::Delete) {
            warn!(
                volume = name,
                "nothing in the cluster names this storage; it is kept, because its reclaim \
                 policy is not Delete"
            );
            return Ok(());
        }
        info!(
            volume = name,
            "its claim is gone and it was never stored; its storage is deleted"
        );
        let delete = async { self.provisioner.delete(volume).await };
        let timeout = self.settings.delete_timeout;
        match try_call(delete, timeout, DeleteError::Failed).await {
            Ok(()) | Err(DeleteError::Ignored { .. }) => Ok(()),
            Err(error) => Err(report(&error)),
        }
    }
}
