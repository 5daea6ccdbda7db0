//! Watches, which keep the cache up to date and queue claims and volumes that need work.

use std::pin::pin;
use std::sync::Arc;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::{Stream, StreamExt};
use k8s_openapi::Resource;
use kube::runtime::watcher::Event;
use kubernetes_kinds::Lean;
use storage_v1::StorageClass;
use tokio::time::Instant;
use tracing::{info, warn};

use crate::attempts::{Deletions, Provisions};
use crate::backlog::Backlog;
use crate::cache::{Cache, Change, KnownVolume, PendingClaim};
use crate::error::report;
use crate::fingerprint::Fingerprint;
use crate::options::Settings;
use crate::streams::WatchItem;
use crate::{permissions, rules};

/// Follows a stream until it ends. A watch of the controller never does.
async fn follow<K: Resource>(
    stream: impl Stream<Item = WatchItem<K>>,
    mut handle: impl FnMut(Event<Lean<K>>),
) {
    let mut stream = pin!(stream);
    let mut refused = false;
    while let Some(item) = stream.next().await {
        match item {
            Ok(event) => {
                // A watcher begins each attempt with this.
                let begins = matches!(event, Event::Init);
                if refused && !begins {
                    info!(kind = K::KIND, "the permission to watch is granted now");
                    refused = false;
                }
                handle(event);
            }
            Err(error) if permissions::refused_watch(&error) => {
                if !std::mem::replace(&mut refused, true) {
                    permissions::explain(K::GROUP, K::URL_PATH_SEGMENT, &report(&error));
                }
            }
            Err(error) => {
                warn!(
                    kind = K::KIND,
                    error = report(&error),
                    "watch failed; retrying"
                );
            }
        }
    }
}

/// Keeps the cache up to date, and queues claims and volumes that need work.
pub(crate) struct Tracker {
    pub(crate) settings: Arc<Settings>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) claims: Arc<Backlog>,
    pub(crate) provisions: Arc<Provisions>,
    pub(crate) volumes: Arc<Backlog>,
    pub(crate) deletions: Arc<Deletions>,
}

impl Tracker {
    /// Follows a stream of claims. The lists of the controller's own are never older than the
    /// request for them; those of another one may be.
    pub(crate) async fn watch_claims(
        &self,
        stream: impl Stream<Item = WatchItem<PersistentVolumeClaim>>,
        is_own: bool,
    ) {
        follow(stream, |event| self.claim_event(event, is_own)).await;
    }

    pub(crate) async fn watch_volumes(
        &self,
        stream: impl Stream<Item = WatchItem<PersistentVolume>>,
    ) {
        follow(stream, |event| self.volume_event(event)).await;
    }

    pub(crate) async fn watch_classes(&self, stream: impl Stream<Item = WatchItem<StorageClass>>) {
        follow(stream, |event| self.class_event(event)).await;
    }

    fn claim_event(&self, event: Event<Lean<PersistentVolumeClaim>>, is_own: bool) {
        match event {
            Event::Init => {
                let current = is_own.then(Instant::now);
                self.cache.change_claims(Change::Begin(current));
            }
            Event::InitApply(claim) => {
                if let Some(uid) = claim.metadata.uid.as_deref() {
                    let change = Change::Listed(uid.into(), self.pending(&claim));
                    self.cache.change_claims(change);
                }
            }
            // Not before: a worker would not find them in the cache.
            Event::InitDone => {
                let changed = self.cache.change_claims(Change::Complete);
                self.end_back_off(&changed);
                self.claims.enqueue_all(self.cache.claims());
            }
            Event::Apply(claim) => {
                let Some(uid) = claim.metadata.uid.clone() else {
                    return;
                };
                let pending = self.pending(&claim);
                let wants_volume = pending.is_some();
                let change = Change::Set(uid.as_str().into(), pending);
                let changed = self.cache.change_claims(change);
                self.end_back_off(&changed);
                self.claims.resume(&uid);
                if wants_volume {
                    self.claims.enqueue(uid);
                }
            }
            Event::Delete(claim) => {
                let Some(uid) = claim.metadata.uid.clone() else {
                    return;
                };
                self.cache
                    .change_claims(Change::Remove(uid.as_str().into()));
                self.provisions.forget_delay(&uid);
                // Provisioning that goes on is still retried, and counted.
                if self.provisions.in_progress(&uid).is_none() {
                    self.claims.end(uid);
                }
            }
        }
    }

    fn volume_event(&self, event: Event<Lean<PersistentVolume>>) {
        match event {
            Event::Init => {
                self.cache.change_volumes(Change::Begin(None));
            }
            Event::InitApply(volume) => {
                if let Some(name) = volume.metadata.name.as_deref() {
                    let change = Change::Listed(name.into(), self.known(&volume));
                    self.cache.change_volumes(change);
                }
            }
            Event::InitDone => {
                let changed = self.cache.change_volumes(Change::Complete);
                self.end_back_off_of_volumes(&changed);
                self.volumes.enqueue_all(self.cache.volumes_to_work_on());
            }
            Event::Apply(volume) => {
                let Some(name) = volume.metadata.name.clone() else {
                    return;
                };
                let known = self.known(&volume);
                let change = Change::Set(name.as_str().into(), known);
                let changed = self.cache.change_volumes(change);
                self.end_back_off_of_volumes(&changed);
                self.volumes.resume(&name);
                if known.needs_work {
                    self.volumes.enqueue(name);
                }
            }
            Event::Delete(volume) => {
                let Some(name) = volume.metadata.name.clone() else {
                    return;
                };
                self.cache
                    .change_volumes(Change::Remove(name.as_str().into()));
                self.deletions.forget(&name);
                self.volumes.forget(&name);
                for uid in self.cache.take_waiting(&name) {
                    self.wake(&uid);
                }
            }
        }
    }

    fn class_event(&self, event: Event<Lean<StorageClass>>) {
        let named = |class: Lean<StorageClass>| {
            let class = class.into_inner();
            class.metadata.name.clone().map(|name| (name, class))
        };
        match event {
            Event::Init => {
                self.cache.change_classes(Change::Begin(None));
            }
            Event::InitApply(class) => {
                if let Some((name, class)) = named(class) {
                    self.cache.change_classes(Change::Listed(name, class));
                }
            }
            Event::InitDone => {
                let changed = self.cache.change_classes(Change::Complete);
                self.wake_claims_of(changed);
            }
            Event::Apply(class) => {
                if let Some((name, class)) = named(class) {
                    let changed = self.cache.change_classes(Change::Set(name, class));
                    self.wake_claims_of(changed);
                }
            }
            Event::Delete(class) => {
                if let Some((name, _)) = named(class) {
                    self.cache.change_classes(Change::Remove(name));
                }
            }
        }
    }

    /// Queues the claims that may have failed because of these classes, or for want of them.
    fn wake_claims_of(&self, classes: Vec<String>) {
        for class in classes {
            for uid in self.cache.claims_of_class(&class) {
                self.wake(&uid);
            }
        }
    }

    /// Queues a claim, even if it waits for a retry.
    fn wake(&self, uid: &str) {
        if self.cache.claim(uid).is_some() {
            self.end_back_off(&[uid.to_owned()]);
            self.claims.enqueue(uid.to_owned());
        }
    }

    /// Lets claims be queued as if they had never failed: what matters for them has changed.
    fn end_back_off(&self, claims: &[String]) {
        for uid in claims {
            self.provisions.forget_delay(uid);
            self.claims.forget(uid);
        }
    }

    /// Does for volumes what [`end_back_off`](Self::end_back_off) does for claims.
    fn end_back_off_of_volumes(&self, volumes: &[String]) {
        volumes.iter().for_each(|name| self.volumes.forget(name));
    }

    /// Returns the entry of the cache for a claim that wants a volume.
    fn pending(&self, claim: &PersistentVolumeClaim) -> Option<PendingClaim> {
        rules::wants_volume(&self.settings.names, claim).then(|| PendingClaim {
            claim: claim.clone(),
            fingerprint: Fingerprint::of_claim(claim, &self.settings.claim_annotations),
        })
    }

    /// Returns the entry of the cache for a volume.
    fn known(&self, volume: &PersistentVolume) -> KnownVolume {
        let settings = &self.settings;
        let needs_work = rules::needs_work(
            &settings.names,
            settings.ownership,
            settings.finalizer,
            volume,
        );
        let fingerprint = if needs_work {
            Fingerprint::of_volume(volume)
        } else {
            Fingerprint::default()
        };
        KnownVolume {
            needs_work,
            fingerprint,
        }
    }

    /// Queues everything that needs work.
    pub(crate) fn resync(&self) {
        self.claims.enqueue_all(self.cache.claims());
        self.volumes.enqueue_all(self.cache.volumes_to_work_on());
    }
}
