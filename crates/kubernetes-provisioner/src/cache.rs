//! The cache of claims, volumes and classes.
//!
//! It has the namespace and name of a claim, only while the claim wants a volume, and the name of a
//! volume with a flag if it needs work. A worker reads the object itself before it does something.
//! So a cluster with many claims takes little memory, and a cache that is behind never decides
//! alone.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use storage_v1::StorageClass;
use tokio::sync::watch;

/// A claim that wants a volume of this provisioner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingClaim {
    pub(crate) namespace: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) class: Box<str>,
    /// True if the scheduler selected a node.
    pub(crate) has_node: bool,
}

/// A table that a watch keeps.
#[derive(Debug)]
pub(crate) struct Table<K, V> {
    live: HashMap<K, V>,
    /// The objects of a list, until it is complete.
    listed: Option<HashMap<K, V>>,
}

impl<K: Eq + Hash, V> Table<K, V> {
    fn new() -> Self {
        Self {
            live: HashMap::new(),
            listed: None,
        }
    }
}

/// A change of a table.
pub(crate) enum Change<K, V> {
    /// A list begins.
    Begin,
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
    /// The volumes by name; true if the volume needs work.
    volumes: Mutex<Table<Box<str>, bool>>,
    classes: Mutex<Table<String, Arc<StorageClass>>>,
    synced: watch::Sender<Synced>,
}

impl Cache {
    pub(crate) fn new() -> Self {
        Self {
            claims: Mutex::new(Table::new()),
            volumes: Mutex::new(Table::new()),
            classes: Mutex::new(Table::new()),
            synced: watch::Sender::new(Synced::default()),
        }
    }

    pub(crate) fn synced(&self) -> watch::Receiver<Synced> {
        self.synced.subscribe()
    }

    /// Changes the claims. A claim that wants no volume is `None`.
    pub(crate) fn change_claims(&self, change: Change<Box<str>, Option<PendingClaim>>) {
        let complete = apply(&self.claims, change, |pending| pending.map(Arc::new));
        if complete {
            self.synced.send_modify(|synced| synced.claims = true);
        }
    }

    pub(crate) fn change_volumes(&self, change: Change<Box<str>, bool>) {
        if apply(&self.volumes, change, Some) {
            self.synced.send_modify(|synced| synced.volumes = true);
        }
    }

    pub(crate) fn change_classes(&self, change: Change<String, StorageClass>) {
        if apply(&self.classes, change, |class| Some(Arc::new(class))) {
            self.synced.send_modify(|synced| synced.classes = true);
        }
    }

    pub(crate) fn claim(&self, uid: &str) -> Option<Arc<PendingClaim>> {
        self.claims.lock().live.get(uid).cloned()
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
            .filter(|(_, claim)| *claim.class == *class);
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
            .copied()
            .unwrap_or_default()
    }

    /// The names of all volumes that need work.
    pub(crate) fn volumes_to_work_on(&self) -> Vec<String> {
        let volumes = self.volumes.lock();
        let to_work_on = volumes.live.iter().filter(|(_, needs_work)| **needs_work);
        to_work_on.map(|(name, _)| name.to_string()).collect()
    }

    /// Remembers a volume before the watch shows it, or a list that began earlier.
    pub(crate) fn add_volume(&self, name: &str) {
        let mut volumes = self.volumes.lock();
        volumes.live.entry(name.into()).or_default();
        if let Some(listed) = &mut volumes.listed {
            listed.entry(name.into()).or_default();
        }
    }

    /// Forgets a volume that turned out to be gone.
    pub(crate) fn remove_volume(&self, name: &str) {
        self.volumes.lock().live.remove(name);
    }

    pub(crate) fn class(&self, name: &str) -> Option<Arc<StorageClass>> {
        self.classes.lock().live.get(name).cloned()
    }
}

/// Changes a table, which keeps the values that `keep` returns. Returns true if a list is complete.
fn apply<K: Eq + Hash, V, T>(
    table: &Mutex<Table<K, T>>,
    change: Change<K, V>,
    keep: impl FnOnce(V) -> Option<T>,
) -> bool {
    let mut table = table.lock();
    match change {
        Change::Begin => table.listed = Some(HashMap::new()),
        Change::Listed(key, value) => {
            if let Some(value) = keep(value) {
                table.listed.get_or_insert_default().insert(key, value);
            }
        }
        Change::Complete => {
            table.live = table.listed.take().unwrap_or_default();
            return true;
        }
        Change::Set(key, value) => {
            match keep(value) {
                Some(value) => table.live.insert(key, value),
                None => table.live.remove(&key),
            };
        }
        Change::Remove(key) => {
            table.live.remove(&key);
        }
    }
    false
}
