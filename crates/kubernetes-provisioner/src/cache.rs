//! The cache of claims, volumes and classes.
//!
//! It has claims only while they want a volume, and the name of a volume with a flag if it needs
//! work; of both a hash of what decides about them, by which a change that matters is told from
//! noise. So a cluster with many claims takes little memory. A worker reads the object itself
//! before it does something, but for a claim of which the cache is known to be up to date: a cache
//! that is behind never decides alone.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use core_v1::PersistentVolumeClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use storage_v1::StorageClass;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::fingerprint::Fingerprint;
use crate::rules;

/// The age from which on the cache is too old to provision a volume by it: as long as a leader
/// goes on that doesn't hear of its Lease.
const FRESH: Duration = Duration::from_secs(10);

/// A claim that wants a volume of this provisioner.
#[derive(Clone, Debug)]
pub(crate) struct PendingClaim {
    /// The claim as the watch has it.
    pub(crate) claim: PersistentVolumeClaim,
    /// A hash of what decides how it is provisioned.
    pub(crate) fingerprint: Fingerprint,
}

/// A volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownVolume {
    pub(crate) needs_work: bool,
    /// A hash of what decides about that work.
    pub(crate) fingerprint: Fingerprint,
}

/// A table that a watch keeps.
#[derive(Debug)]
pub(crate) struct Table<K, V> {
    live: HashMap<K, V>,
    /// The time before which all changes are in the table, if that is known. A server sends changes
    /// in their order, so that it is the time of the last one.
    current: Option<Instant>,
    /// The objects of a list until it is complete, and the time that it has of `current` then.
    listed: Option<(HashMap<K, V>, Option<Instant>)>,
}

impl<K: Eq + Hash, V> Table<K, V> {
    fn new() -> Self {
        Self {
            live: HashMap::new(),
            listed: None,
            current: None,
        }
    }
}

/// A change of a table.
pub(crate) enum Change<K, V> {
    /// A list begins. It has all changes that were made before this time.
    Begin(Option<Instant>),
    /// The list has this.
    Listed(K, V),
    /// The list is complete: objects that it didn't have are gone.
    Complete,
    Set(K, V),
    Remove(K),
}

/// The tables that have been listed once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Synced {
    pub(crate) claims: bool,
    pub(crate) volumes: bool,
    pub(crate) classes: bool,
}

impl Synced {
    pub(crate) const fn all(self) -> bool {
        self.claims && self.volumes && self.classes
    }
}

#[derive(Debug)]
pub(crate) struct Cache {
    /// The pending claims by UID.
    claims: Mutex<Table<Box<str>, Arc<PendingClaim>>>,
    /// The volumes by name.
    volumes: Mutex<Table<Box<str>, KnownVolume>>,
    classes: Mutex<Table<String, Arc<StorageClass>>>,
    /// The UIDs of the claims that wait until the volume of a name is deleted.
    waiting: Mutex<HashMap<Box<str>, HashSet<String>>>,
    synced: watch::Sender<Synced>,
}

impl Cache {
    pub(crate) fn new() -> Self {
        Self {
            claims: Mutex::new(Table::new()),
            volumes: Mutex::new(Table::new()),
            classes: Mutex::new(Table::new()),
            waiting: Mutex::default(),
            synced: watch::Sender::new(Synced::default()),
        }
    }

    pub(crate) fn synced(&self) -> watch::Receiver<Synced> {
        self.synced.subscribe()
    }

    /// Changes the claims. A claim that wants no volume is `None`. Returns the UIDs of those that
    /// changed in a way that matters.
    pub(crate) fn change_claims(
        &self,
        change: Change<Box<str>, Option<PendingClaim>>,
    ) -> Vec<String> {
        let applied = apply(&self.claims, change, |pending| pending.map(Arc::new));
        if applied.completed {
            self.synced.send_modify(|synced| synced.claims = true);
        }
        applied.changed
    }

    /// Changes the volumes. Returns the names of those that changed in a way that matters.
    pub(crate) fn change_volumes(&self, change: Change<Box<str>, KnownVolume>) -> Vec<String> {
        let applied = apply(&self.volumes, change, Some);
        if applied.completed {
            self.synced.send_modify(|synced| synced.volumes = true);
        }
        applied.changed
    }

    /// Changes the classes. Returns the names of those that are new or changed, but for their
    /// metadata.
    pub(crate) fn change_classes(&self, change: Change<String, StorageClass>) -> Vec<String> {
        let applied = apply(&self.classes, change, |class| Some(Arc::new(class)));
        if applied.completed {
            self.synced.send_modify(|synced| synced.classes = true);
        }
        applied.changed
    }

    pub(crate) fn claim(&self, uid: &str) -> Option<Arc<PendingClaim>> {
        self.claims.lock().live.get(uid).cloned()
    }

    /// Returns true if a change or a list shows that the cache of claims isn't far behind the API
    /// server. Silence doesn't: the stream may be at its end without knowing it.
    pub(crate) fn has_fresh_claims(&self) -> bool {
        let current = self.claims.lock().current;
        current.is_some_and(|current| current.elapsed() < FRESH)
    }

    /// The UIDs of all claims that want a volume.
    pub(crate) fn claims(&self) -> Vec<String> {
        self.claims
            .lock()
            .live
            .keys()
            .map(ToString::to_string)
            .collect()
    }

    /// The UIDs of the claims of a class that want a volume.
    pub(crate) fn claims_of_class(&self, class: &str) -> Vec<String> {
        let claims = self.claims.lock();
        let of_class = claims
            .live
            .iter()
            .filter(|(_, pending)| rules::class_name(&pending.claim) == class);
        of_class.map(|(uid, _)| uid.to_string()).collect()
    }

    pub(crate) fn has_volume(&self, name: &str) -> bool {
        self.volumes.lock().live.contains_key(name)
    }

    /// Returns true if a volume needs work.
    pub(crate) fn volume_needs_work(&self, name: &str) -> bool {
        self.volumes
            .lock()
            .live
            .get(name)
            .is_some_and(|volume| volume.needs_work)
    }

    /// The names of all volumes that need work.
    pub(crate) fn volumes_to_work_on(&self) -> Vec<String> {
        let volumes = self.volumes.lock();
        let to_work_on = volumes.live.iter().filter(|(_, volume)| volume.needs_work);
        to_work_on.map(|(name, _)| name.to_string()).collect()
    }

    /// Remembers a volume before the watch shows it, or a list that began earlier.
    pub(crate) fn add_volume(&self, name: &str) {
        let mut volumes = self.volumes.lock();
        volumes.live.entry(name.into()).or_default();
        if let Some((listed, _)) = &mut volumes.listed {
            listed.entry(name.into()).or_default();
        }
    }

    /// Forgets a volume that turned out to be gone.
    pub(crate) fn remove_volume(&self, name: &str) {
        self.volumes.lock().live.remove(name);
    }

    /// Remembers that the volume of another claim, or of none, has the name that a claim needs.
    pub(crate) fn wait_for_name(&self, name: &str, claim: &PersistentVolumeClaim) {
        let mut waiting = self.waiting.lock();
        let claims = waiting.entry(name.into()).or_default();
        claims.extend(claim.metadata.uid.clone());
    }

    /// Returns the UIDs of the claims that wait for the name of a volume, and forgets them.
    pub(crate) fn take_waiting(&self, name: &str) -> HashSet<String> {
        self.waiting.lock().remove(name).unwrap_or_default()
    }

    pub(crate) fn class(&self, name: &str) -> Option<Arc<StorageClass>> {
        self.classes.lock().live.get(name).cloned()
    }
}

/// A value of a table.
trait Entry {
    /// Returns true if it differs from another one in what matters.
    fn differs(&self, other: &Self) -> bool;
}

impl Entry for Arc<PendingClaim> {
    fn differs(&self, other: &Self) -> bool {
        self.fingerprint != other.fingerprint
    }
}

impl Entry for KnownVolume {
    fn differs(&self, other: &Self) -> bool {
        self != other
    }
}

impl Entry for Arc<StorageClass> {
    fn differs(&self, other: &Self) -> bool {
        let uid = |class: &Self| class.metadata.uid.clone();
        let rest = |class: &Self| StorageClass {
            metadata: ObjectMeta::default(),
            ..StorageClass::clone(class)
        };
        uid(self) != uid(other) || rest(self) != rest(other)
    }
}

/// The effect of a change.
struct Applied {
    /// True if a list is complete.
    completed: bool,
    /// The keys of values that are new or different now.
    changed: Vec<String>,
}

/// Changes a table, which keeps the values that `keep` returns.
fn apply<K: Eq + Hash + ToString, V, T: Entry>(
    table: &Mutex<Table<K, T>>,
    change: Change<K, V>,
    keep: impl FnOnce(V) -> Option<T>,
) -> Applied {
    let mut table = table.lock();
    let mut applied = Applied {
        completed: false,
        changed: Vec::new(),
    };
    match change {
        Change::Begin(current) => table.listed = Some((HashMap::new(), current)),
        Change::Listed(key, value) => {
            if let Some(value) = keep(value) {
                let (listed, _) = table.listed.get_or_insert_default();
                listed.insert(key, value);
            }
        }
        Change::Complete => {
            let (listed, current) = table.listed.take().unwrap_or_default();
            table.current = current;
            let before = std::mem::replace(&mut table.live, listed);
            let is_changed = |(key, value): &(&K, &T)| {
                before.get(*key).is_none_or(|before| value.differs(before))
            };
            let changed = table.live.iter().filter(is_changed);
            applied.changed = changed.map(|(key, _)| key.to_string()).collect();
            applied.completed = true;
        }
        Change::Set(key, value) => {
            table.current = Some(Instant::now());
            if let Some(value) = keep(value) {
                let before = table.live.get(&key);
                if before.is_none_or(|before| value.differs(before)) {
                    applied.changed.push(key.to_string());
                }
                table.live.insert(key, value);
            } else {
                table.live.remove(&key);
            }
        }
        Change::Remove(key) => {
            table.current = Some(Instant::now());
            table.live.remove(&key);
        }
    }
    applied
}
