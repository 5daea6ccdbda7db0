//! Attempts on claims and volumes, which the controller remembers until it stops.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::request::ProvisionRequest;

/// A claim whose last request was infeasible.
struct Slow {
    class_uid: Option<String>,
    until: Instant,
}

/// The attempts to provision claims, by UID.
#[derive(Default)]
pub(crate) struct Provisions {
    /// The requests whose provisioning may go on in the background.
    in_progress: Mutex<HashMap<String, Arc<ProvisionRequest>>>,
    slow: Mutex<HashMap<String, Slow>>,
    names: Mutex<VolumeNames>,
}

/// The names of the volumes of the claims that are worked on or in progress. No name is that of two
/// claims: the storage of one would be deleted for the other.
#[derive(Default)]
struct VolumeNames {
    /// The UID of the claim of a name.
    claims: HashMap<String, String>,
    /// The name of the UID of a claim.
    names: HashMap<String, String>,
}

impl VolumeNames {
    fn release(&mut self, uid: &str) {
        if let Some(name) = self.names.remove(uid) {
            self.claims.remove(&name);
        }
    }
}

impl Provisions {
    pub(crate) fn in_progress(&self, uid: &str) -> Option<Arc<ProvisionRequest>> {
        self.in_progress.lock().get(uid).cloned()
    }

    pub(crate) fn begin(&self, uid: &str, request: Arc<ProvisionRequest>) {
        self.in_progress.lock().insert(uid.to_owned(), request);
    }

    /// Notes that provisioning doesn't go on.
    pub(crate) fn end(&self, uid: &str) {
        self.in_progress.lock().remove(uid);
    }

    /// Reserves the name of a volume for a claim. Returns false if another claim has it.
    pub(crate) fn reserve_name(&self, uid: &str, name: &str) -> bool {
        let mut names = self.names.lock();
        match names.claims.get(name) {
            Some(owner) => owner == uid,
            None => {
                names.release(uid);
                names.claims.insert(name.to_owned(), uid.to_owned());
                names.names.insert(uid.to_owned(), name.to_owned());
                true
            }
        }
    }

    /// Gives up the name of a claim, unless its provisioning may go on.
    pub(crate) fn release_name(&self, uid: &str) {
        if self.in_progress(uid).is_none() {
            self.names.lock().release(uid);
        }
    }

    pub(crate) fn slow_down(&self, uid: &str, class_uid: Option<String>, delay: Duration) {
        let until = Instant::now() + delay;
        self.slow
            .lock()
            .insert(uid.to_owned(), Slow { class_uid, until });
    }

    /// Returns how long a claim has to wait because its last request was infeasible. A new class of
    /// the same name may make it feasible.
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

    /// Forgets the delay of a claim that is deleted. Provisioning that goes on is not forgotten.
    pub(crate) fn forget_delay(&self, uid: &str) {
        self.slow.lock().remove(uid);
    }
}

/// The attempts to delete volumes: the UIDs of those whose storage is deleted and whose object is
/// not yet, by name.
#[derive(Default)]
pub(crate) struct Deletions(Mutex<HashMap<String, Option<String>>>);

impl Deletions {
    pub(crate) fn is_storage_deleted(&self, name: &str, uid: Option<&str>) -> bool {
        let deleted = self.0.lock();
        deleted
            .get(name)
            .is_some_and(|known| known.as_deref() == uid)
    }

    pub(crate) fn storage_deleted(&self, name: &str, uid: Option<&str>) {
        let uid = uid.map(str::to_owned);
        self.0.lock().insert(name.to_owned(), uid);
    }

    /// Forgets a volume that is gone.
    pub(crate) fn forget(&self, name: &str) {
        self.0.lock().remove(name);
    }
}
