//! Watches, which keep the cache up to date and queue what has to be worked on.

use std::pin::pin;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::{Stream, StreamExt};
use k8s_openapi::Resource;
use kube::Client;
use kube::api::Api;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event, watcher};
use kubernetes_kinds::Lean;
use storage_v1::StorageClass;
use tracing::{info, warn};

use crate::builder::{Streams, WatchItem, WatchStream};
use crate::cache::{Change, PendingClaim};
use crate::core::Core;
use crate::error::report;
use crate::permissions;
use crate::provisioner::Provisioner;
use crate::rules;

/// The watches of a controller: those that it was given, or its own.
pub(crate) struct Watches {
    pub(crate) claims: WatchStream<PersistentVolumeClaim>,
    pub(crate) volumes: WatchStream<PersistentVolume>,
    pub(crate) classes: WatchStream<StorageClass>,
}

impl Watches {
    pub(crate) fn new(client: &Client, streams: Streams) -> Self {
        let Streams {
            claims,
            volumes,
            classes,
        } = streams;
        Self {
            claims: claims.unwrap_or_else(|| own(Api::all(client.clone()))),
            volumes: volumes.unwrap_or_else(|| own(Api::all(client.clone()))),
            classes: classes.unwrap_or_else(|| own(Api::all(client.clone()))),
        }
    }
}

fn own<K>(api: Api<Lean<K>>) -> WatchStream<K>
where
    Lean<K>: kube::Resource + serde::de::DeserializeOwned + Clone + Send + std::fmt::Debug,
    K: 'static,
{
    watcher(api, watcher::Config::default())
        .default_backoff()
        .boxed()
}

/// Follows a stream until it ends, which only one that the user made does.
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
                    info!(kind = K::KIND, "the permission to watch is there now");
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
                    "a watch failed; it goes on"
                );
            }
        }
    }
}

impl<P: Provisioner> Core<P> {
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
                self.enqueue_claims();
            }
            Event::Apply(claim) => {
                let Some(uid) = claim.metadata.uid.clone() else {
                    return;
                };
                let pending = self.pending(&claim);
                let wants_volume = pending.is_some();
                self.cache
                    .change_claims(Change::Set(uid.as_str().into(), pending));
                if self.attempts.resume(&uid) {
                    self.claims.forget(&uid);
                }
                if wants_volume {
                    self.enqueue_claim(uid);
                }
            }
            Event::Delete(claim) => {
                let Some(uid) = claim.metadata.uid.clone() else {
                    return;
                };
                self.cache
                    .change_claims(Change::Remove(uid.as_str().into()));
                self.attempts.forget(&uid);
                // Provisioning that goes on is still retried, and counted.
                if self.attempts.in_progress(&uid).is_none() {
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
                self.enqueue_volumes();
            }
            Event::Apply(volume) => {
                let Some(name) = volume.metadata.name.clone() else {
                    return;
                };
                let needs_work = self.needs_work(&volume);
                self.cache
                    .change_volumes(Change::Set(name.as_str().into(), needs_work));
                if self.deletions.resume(&name) {
                    self.volumes.forget(&name);
                }
                if needs_work {
                    self.enqueue_volume(name);
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
            if self.attempts.resume(&uid) {
                self.claims.forget(&uid);
            }
            self.claims.add(uid);
        }
    }

    /// Returns what to remember of a claim that wants a volume.
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

    /// Queues a claim, unless it waits for a retry.
    fn enqueue_claim(&self, uid: String) {
        if self.claims.retries(&uid) == 0 {
            self.claims.add(uid);
        }
    }

    /// Queues a volume, unless it waits for a retry.
    fn enqueue_volume(&self, name: String) {
        if self.volumes.retries(&name) == 0 {
            self.volumes.add(name);
        }
    }

    fn enqueue_claims(&self) {
        self.cache
            .claims()
            .into_iter()
            .for_each(|uid| self.enqueue_claim(uid));
    }

    fn enqueue_volumes(&self) {
        let volumes = self.cache.volumes_to_work_on();
        volumes
            .into_iter()
            .for_each(|name| self.enqueue_volume(name));
    }

    /// Queues everything that needs work, from time to time.
    pub(crate) async fn resync(&self) {
        loop {
            tokio::time::sleep(self.settings.resync).await;
            self.enqueue_claims();
            self.enqueue_volumes();
            self.find_abandoned().await;
        }
    }
}
