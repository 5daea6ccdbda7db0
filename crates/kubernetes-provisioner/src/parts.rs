//! The parts of a controller, and how they are connected.

use std::sync::Arc;

use kubernetes_controller_utils::workqueue::Queue;
use tokio::sync::Semaphore;

use crate::abandoned::Abandoned;
use crate::api::Cluster;
use crate::attempts::{Deletions, Provisions};
use crate::backlog::Backlog;
use crate::cache::Cache;
use crate::calls::Calls;
use crate::delete::VolumeWorker;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::options::Settings;
use crate::prepare::Preparation;
use crate::provision::ClaimWorker;
use crate::provisioner::Provisioner;
use crate::reports::Reports;
use crate::store::Store;
use crate::watch::Tracker;

/// The parts that several others use, and from which those are made.
pub(crate) struct Parts<P> {
    pub(crate) cluster: Cluster,
    pub(crate) settings: Arc<Settings>,
    pub(crate) cache: Arc<Cache>,
    claims: Arc<Backlog>,
    provisions: Arc<Provisions>,
    volumes: Arc<Backlog>,
    deletions: Arc<Deletions>,
    calls: Arc<Calls<P>>,
    reports: Reports,
}

impl<P: Provisioner> Parts<P> {
    pub(crate) fn new(
        cluster: Cluster,
        provisioner: P,
        settings: Settings,
        events: Events,
        metrics: Metrics,
    ) -> Self {
        let (claims, volumes) = backlogs(&settings, &metrics);
        Self {
            cluster,
            cache: Arc::new(Cache::new()),
            claims,
            provisions: Arc::default(),
            volumes,
            deletions: Arc::default(),
            calls: Arc::new(Calls::new(provisioner, &settings)),
            reports: Reports::new(events, metrics),
            settings: Arc::new(settings),
        }
    }

    pub(crate) fn tracker(&self) -> Tracker {
        Tracker {
            settings: Arc::clone(&self.settings),
            cache: Arc::clone(&self.cache),
            claims: Arc::clone(&self.claims),
            provisions: Arc::clone(&self.provisions),
            volumes: Arc::clone(&self.volumes),
            deletions: Arc::clone(&self.deletions),
        }
    }

    pub(crate) fn store(&self) -> Store<P> {
        Store::new(
            self.cluster.clone(),
            &self.settings.store,
            Arc::clone(&self.cache),
            Arc::clone(&self.calls),
            self.reports.clone(),
        )
    }

    pub(crate) fn abandoned(&self, store: Arc<Store<P>>) -> Abandoned<P> {
        Abandoned::new(
            self.cluster.clone(),
            self.settings.volume_name_prefix.clone(),
            Arc::clone(&self.cache),
            Arc::clone(&self.claims),
            Arc::clone(&self.calls),
            Arc::clone(&self.provisions),
            store,
        )
    }

    pub(crate) fn claim_worker(
        &self,
        store: Arc<Store<P>>,
        abandoned: Arc<Abandoned<P>>,
    ) -> ClaimWorker<P> {
        ClaimWorker {
            settings: Arc::clone(&self.settings),
            backlog: Arc::clone(&self.claims),
            provisions: Arc::clone(&self.provisions),
            permits: Semaphore::new(self.settings.threads.min(Semaphore::MAX_PERMITS)),
            preparation: self.preparation(&store, &abandoned),
            calls: Arc::clone(&self.calls),
            store,
            abandoned,
            reports: self.reports.clone(),
        }
    }

    fn preparation(&self, store: &Arc<Store<P>>, abandoned: &Arc<Abandoned<P>>) -> Preparation<P> {
        Preparation {
            cluster: self.cluster.clone(),
            settings: Arc::clone(&self.settings),
            cache: Arc::clone(&self.cache),
            provisions: Arc::clone(&self.provisions),
            calls: Arc::clone(&self.calls),
            store: Arc::clone(store),
            abandoned: Arc::clone(abandoned),
            reports: self.reports.clone(),
        }
    }

    pub(crate) fn volume_worker(&self) -> VolumeWorker<P> {
        VolumeWorker {
            cluster: self.cluster.clone(),
            settings: Arc::clone(&self.settings),
            cache: Arc::clone(&self.cache),
            backlog: Arc::clone(&self.volumes),
            deletions: Arc::clone(&self.deletions),
            calls: Arc::clone(&self.calls),
            reports: self.reports.clone(),
        }
    }
}

/// Returns the backlogs of claims and volumes.
fn backlogs(settings: &Settings, metrics: &Metrics) -> (Arc<Backlog>, Arc<Backlog>) {
    let limiter = || Arc::clone(&settings.limiter);
    let claims = Queue::observed(limiter(), metrics.observer("claims"));
    let volumes = Queue::observed(limiter(), metrics.observer("volumes"));
    metrics.watch_queues(&claims, &volumes);
    (
        Arc::new(Backlog::new(claims, settings.provision_threshold)),
        Arc::new(Backlog::new(volumes, settings.delete_threshold)),
    )
}
