//! Watches, which keep the cache up to date and queue claims and volumes that need work.

use std::pin::pin;
use std::sync::Arc;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::{Stream, StreamExt};
use k8s_openapi::Resource;
use kube::runtime::watcher::Event;
use kubernetes_kinds::Lean;
use storage_v1::StorageClass;
use tracing::{info, warn};

use crate::attempts::{Deletions, Provisions};
use crate::backlog::Backlog;
use crate::cache::{Cache, Change, PendingClaim};
use crate::error::report;
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
    pub(crate) async fn watch_claims(
        &self,
        stream: impl Stream<Item = WatchItem<PersistentVolumeClaim>>,
    ) {
        follow(stream, |event| self.claim_event(event)).await;
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

    fn claim_event(&self, event: Event<Lean<PersistentVolumeClaim>>) {
        match event {
            Event::Init => self.cache.change_claims(Change::Begin),
            Event::InitApply(claim) => {
                if let Some(uid) = claim.metadata.uid.as_deref() {
                    let change = Change::Listed(uid.into(), self.pending(&claim));
                    self.cache.change_claims(change);
                }
            }
            // Not before: a worker would not find them in the cache.
            Event::InitDone => {
                self.cache.change_claims(Change::Complete);
                self.claims.enqueue_all(self.cache.claims());
            }
            Event::Apply(claim) => {
                let Some(uid) = claim.metadata.uid.clone() else {
                    return;
                };
                let pending = self.pending(&claim);
                let wants_volume = pending.is_some();
                self.cache
                    .change_claims(Change::Set(uid.as_str().into(), pending));
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
                    self.claims.forget(&uid);
                }
            }
        }
    }

    fn volume_event(&self, event: Event<Lean<PersistentVolume>>) {
        match event {
            Event::Init => self.cache.change_volumes(Change::Begin),
            Event::InitApply(volume) => {
                if let Some(name) = volume.metadata.name.as_deref() {
                    let change = Change::Listed(name.into(), self.needs_work(&volume));
                    self.cache.change_volumes(change);
                }
            }
            Event::InitDone => {
                self.cache.change_volumes(Change::Complete);
                self.volumes.enqueue_all(self.cache.volumes_to_work_on());
            }
            Event::Apply(volume) => {
                let Some(name) = volume.metadata.name.clone() else {
                    return;
                };
                let needs_work = self.needs_work(&volume);
                self.cache
                    .change_volumes(Change::Set(name.as_str().into(), needs_work));
                self.volumes.resume(&name);
                if needs_work {
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
            }
        }
    }

    fn class_event(&self, event: Event<Lean<StorageClass>>) {
        let named = |class: Lean<StorageClass>| {
            let class = class.into_inner();
            class.metadata.name.clone().map(|name| (name, class))
        };
        match event {
            Event::Init => self.cache.change_classes(Change::Begin),
            Event::InitApply(class) => {
                if let Some((name, class)) = named(class) {
                    self.cache.change_classes(Change::Listed(name, class));
                }
            }
            Event::InitDone => self.cache.change_classes(Change::Complete),
            Event::Apply(class) => {
                let Some((name, class)) = named(class) else {
                    return;
                };
                let known = self.cache.class(&name);
                let same = known.is_some_and(|known| known.metadata.uid == class.metadata.uid);
                self.cache.change_classes(Change::Set(name.clone(), class));
                if !same {
                    self.class_replaced(&name);
                }
            }
            Event::Delete(class) => {
                if let Some((name, _)) = named(class) {
                    self.cache.change_classes(Change::Remove(name));
                }
            }
        }
    }

    /// Queues the claims that may have failed for want of a class, or because of the previous
    /// one of its name.
    fn class_replaced(&self, class: &str) {
        for uid in self.cache.claims_of_class(class) {
            self.claims.resume(&uid);
            self.claims.add(uid);
        }
    }

    /// Returns the entry of the cache for a claim that wants a volume.
    fn pending(&self, claim: &PersistentVolumeClaim) -> Option<PendingClaim> {
        let metadata = &claim.metadata;
        rules::wants_volume(&self.settings.names, claim).then(|| PendingClaim {
            namespace: metadata.namespace.as_deref().unwrap_or_default().into(),
            name: metadata.name.as_deref().unwrap_or_default().into(),
            class: rules::class_name(claim).into(),
            has_node: rules::selected_node(claim).is_some(),
        })
    }

    fn needs_work(&self, volume: &PersistentVolume) -> bool {
        let settings = &self.settings;
        rules::needs_work(
            &settings.names,
            settings.ownership,
            settings.finalizer,
            volume,
        )
    }

    /// Queues everything that needs work.
    pub(crate) fn resync(&self) {
        self.claims.enqueue_all(self.cache.claims());
        self.volumes.enqueue_all(self.cache.volumes_to_work_on());
    }
}
