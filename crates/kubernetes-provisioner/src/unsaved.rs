//! Volumes that wait in a queue until they are stored.

use std::collections::HashMap;
use std::sync::Arc;

use core_v1::PersistentVolume;
use kubernetes_controller_utils::workqueue::{Item, Queue};
use parking_lot::Mutex;

use crate::options::Limiter;
use crate::request::ProvisionRequest;

/// The volumes that are not stored yet, by name.
pub(crate) struct Unsaved {
    queue: Queue<String>,
    volumes: Mutex<HashMap<String, Arc<Entry>>>,
}

/// A volume to store, and the request that it was provisioned for.
pub(crate) struct Entry {
    pub(crate) request: Arc<ProvisionRequest>,
    pub(crate) volume: PersistentVolume,
}

impl Unsaved {
    pub(crate) fn new(limiter: Limiter) -> Self {
        Self {
            queue: Queue::new(limiter),
            volumes: Mutex::default(),
        }
    }

    /// Adds a volume, which is tried after the delay of the limiter.
    pub(crate) fn add(&self, request: Arc<ProvisionRequest>, volume: PersistentVolume) {
        let name = request.volume_name.clone();
        let entry = Arc::new(Entry { request, volume });
        self.volumes.lock().insert(name.clone(), entry);
        self.queue.add_rate_limited(name);
    }

    /// Returns the request of a volume that waits.
    pub(crate) fn request(&self, name: &str) -> Option<Arc<ProvisionRequest>> {
        let volumes = self.volumes.lock();
        Some(Arc::clone(&volumes.get(name)?.request))
    }

    /// Returns the next volume to store, with the item that keeps other workers from it.
    pub(crate) async fn next(&self) -> Option<(Item<String>, Arc<Entry>)> {
        loop {
            let item = self.queue.next().await?;
            if let Some(entry) = self.volumes.lock().get(&*item).cloned() {
                return Some((item, entry));
            }
        }
    }

    pub(crate) fn retry(&self, name: &str) {
        self.queue.add_rate_limited(name.to_owned());
    }

    /// Removes a volume that is stored or never will be.
    pub(crate) fn remove(&self, name: &str) {
        self.volumes.lock().remove(name);
        self.queue.forget(&name.to_owned());
    }

    /// Returns the volumes that are left.
    pub(crate) fn left(&self) -> Vec<Arc<Entry>> {
        self.volumes.lock().values().cloned().collect()
    }

    /// Lets the workers end, and waits for them.
    pub(crate) async fn shut_down(&self) {
        self.queue.shut_down();
        self.queue.drained().await;
    }
}
