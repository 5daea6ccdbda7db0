//! What the controller remembers of the attempts on claims and volumes, until it stops.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::request::ProvisionRequest;
use crate::lock::lock;

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
        lock(&self.in_progress).get(uid).cloned()
    }

    pub(crate) fn begin(&self, uid: &str, request: Arc<ProvisionRequest>) {
        lock(&self.in_progress).insert(uid.to_owned(), request);
    }

    /// Provisioning doesn't go on.
    pub(crate) fn end(&self, uid: &str) {
        lock(&self.in_progress).remove(uid);
    }

    pub(crate) fn slow_down(&self, uid: &str, class_uid: Option<String>, delay: Duration) {
        let until = Instant::now() + delay;
        lock(&self.slow).insert(uid.to_owned(), Slow { class_uid, until });
    }

    /// How long a claim has to wait because its last request was infeasible. A new class of the
    /// same name may make it feasible.
    pub(crate) fn delay(&self, uid: &str, class_uid: Option<&str>) -> Option<Duration> {
        let mut slow = lock(&self.slow);
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
        lock(&self.given_up).insert(uid.to_owned());
    }

    /// Whether a claim had been given up, which it no longer is.
    pub(crate) fn resume(&self, uid: &str) -> bool {
        lock(&self.given_up).remove(uid)
    }

    /// The claim is deleted. Provisioning that goes on is not forgotten.
    pub(crate) fn forget(&self, uid: &str) {
        lock(&self.slow).remove(uid);
        lock(&self.given_up).remove(uid);
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
        lock(&self.storage_deleted)
            .get(name)
            .is_some_and(|known| known.as_deref() == uid)
    }

    pub(crate) fn set_storage_deleted(&self, name: &str, uid: Option<&str>) {
        let uid = uid.map(str::to_owned);
        lock(&self.storage_deleted).insert(name.to_owned(), uid);
    }

    pub(crate) fn give_up(&self, name: &str) {
        lock(&self.given_up).insert(name.to_owned());
    }

    /// Whether a volume had been given up, which it no longer is.
    pub(crate) fn resume(&self, name: &str) -> bool {
        lock(&self.given_up).remove(name)
    }

    /// The volume is gone.
    pub(crate) fn forget(&self, name: &str) {
        lock(&self.storage_deleted).remove(name);
        lock(&self.given_up).remove(name);
    }
}
