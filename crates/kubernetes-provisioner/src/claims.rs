//! What the controller remembers of the attempts on claims and volumes, until it stops.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::request::ProvisionRequest;

/// A claim whose last request was infeasible.
struct Slow {
    class_uid: Option<String>,
    until: Instant,
}

#[derive(Default)]
pub(crate) struct Claims {
    /// The requests whose provisioning may go on in the background, by the UID of the claim.
    in_progress: Mutex<HashMap<String, Arc<ProvisionRequest>>>,
    slow: Mutex<HashMap<String, Slow>>,
    /// Those that were retried too often.
    given_up: Mutex<HashSet<String>>,
}

impl Claims {
    pub(crate) fn in_progress(&self, uid: &str) -> Option<Arc<ProvisionRequest>> {
        self.in_progress.lock().get(uid).cloned()
    }

    pub(crate) fn begin(&self, uid: &str, request: Arc<ProvisionRequest>) {
        self.in_progress.lock().insert(uid.to_owned(), request);
    }

    /// Provisioning doesn't go on.
    pub(crate) fn end(&self, uid: &str) {
        self.in_progress.lock().remove(uid);
    }

    pub(crate) fn slow_down(&self, uid: &str, class_uid: Option<String>, delay: Duration) {
        let until = Instant::now() + delay;
        self.slow
            .lock()
            .insert(uid.to_owned(), Slow { class_uid, until });
    }

    /// How long a claim has to wait because its last request was infeasible. A new class of the
    /// same name may make it feasible.
    pub(crate) fn delay(&self, uid: &str, class_uid: Option<&str>) -> Option<Duration> {
        let mut slow = self.slow.lock();
        let entry = slow.get(uid)?;
        let left = entry.until.saturating_duration_since(Instant::now());
        if entry.class_uid.as_deref() == class_uid && !left.is_zero() {
            return Some(left);
        }
        slow.remove(uid);
        None
    }

    pub(crate) fn give_up(&self, uid: &str) {
        self.end(uid);
        self.given_up.lock().insert(uid.to_owned());
    }

    /// Whether a claim had been given up, which it no longer is.
    pub(crate) fn resume(&self, uid: &str) -> bool {
        self.given_up.lock().remove(uid)
    }

    /// The claim is deleted. Provisioning that goes on is not forgotten.
    pub(crate) fn forget(&self, uid: &str) {
        self.slow.lock().remove(uid);
        self.given_up.lock().remove(uid);
    }
}

/// The attempts to delete volumes.
#[derive(Default)]
pub(crate) struct Deletions {
    /// The UIDs of volumes whose storage is deleted and whose object is not yet, by name.
    storage_deleted: Mutex<HashMap<String, Option<String>>>,
    given_up: Mutex<HashSet<String>>,
}

impl Deletions {
    pub(crate) fn storage_deleted(&self, name: &str, uid: Option<&str>) -> bool {
        self.storage_deleted
            .lock()
            .get(name)
            .is_some_and(|known| known.as_deref() == uid)
    }

    pub(crate) fn set_storage_deleted(&self, name: &str, uid: Option<&str>) {
        let uid = uid.map(str::to_owned);
        self.storage_deleted.lock().insert(name.to_owned(), uid);
    }

    pub(crate) fn give_up(&self, name: &str) {
        self.given_up.lock().insert(name.to_owned());
    }

    /// Whether a volume had been given up, which it no longer is.
    pub(crate) fn resume(&self, name: &str) -> bool {
        self.given_up.lock().remove(name)
    }

    /// The volume is gone.
    pub(crate) fn forget(&self, name: &str) {
        self.storage_deleted.lock().remove(name);
        self.given_up.lock().remove(name);
    }
}
