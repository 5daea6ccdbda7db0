//! Deleting volumes, and the finalizer that keeps them until their storage is deleted.

use std::sync::Arc;

use core_v1::PersistentVolume;
use tokio::time::Instant;
use tracing::{Instrument, debug, info_span, warn};

use crate::api::{ApiError, Cluster};
use crate::attempts::Deletions;
use crate::backlog::{Backlog, Next};
use crate::cache::Cache;
use crate::calls::Calls;
use crate::error::{DeleteError, report};
use crate::options::Settings;
use crate::provisioner::Provisioner;
use crate::reports::Reports;
use crate::rules::{self, FinalizerChange};

/// Works on the volumes of the backlog.
pub(crate) struct VolumeWorker<P> {
    pub(crate) cluster: Cluster,
    pub(crate) settings: Arc<Settings>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) backlog: Arc<Backlog>,
    pub(crate) deletions: Arc<Deletions>,
    pub(crate) calls: Arc<Calls<P>>,
    pub(crate) reports: Reports,
}

impl<P: Provisioner> VolumeWorker<P> {
    /// Works until the backlog is shut down.
    pub(crate) async fn work(self: Arc<Self>) {
        while let Some(name) = self.backlog.next().await {
            let span = info_span!("volume", name = %*name);
            let next = self.sync(&name).instrument(span.clone()).await;
            span.in_scope(|| self.backlog.settle(&name, next));
        }
    }

    /// Deletes the storage of a volume, or changes its finalizer, if it needs to be.
    async fn sync(&self, name: &str) -> Next {
        if !self.cache.volume_needs_work(name) {
            return Next::Done;
        }
        // The cache may be behind: a volume whose storage was just deleted looks as before.
        let volume = match self.cluster.volume(name).await {
            Ok(Some(volume)) => volume,
            Ok(None) => {
                self.deletions.forget(name);
                return Next::Done;
            }
            Err(error) => {
                warn!(error = report(&error), "can't read the volume");
                return Next::Retry;
            }
        };
        let settings = &self.settings;
        if !rules::owns(&settings.names, settings.ownership, &volume) {
            return Next::Done;
        }
        if rules::is_deletable(&volume) {
            match self.calls.should_delete(&volume).await {
                Ok(true) => return self.delete(name, &volume).await,
                Ok(false) => debug!("the provisioner refuses to delete the volume"),
                Err(error) => {
                    self.reports.delete_failed(&volume, &report(&error));
                    return Next::Retry;
                }
            }
        }
        let wanted = match rules::finalizer_change(settings.finalizer, &volume) {
            FinalizerChange::Keep => return Next::Done,
            FinalizerChange::Add => true,
            FinalizerChange::Remove => false,
        };
        match self.cluster.change_finalizer(&volume, wanted).await {
            Ok(()) => Next::Done,
            Err(error) => {
                warn!(error = report(&error), "can't change the finalizer");
                Next::Retry
            }
        }
    }

    async fn delete(&self, name: &str, volume: &PersistentVolume) -> Next {
        let started = Instant::now();
        let uid = volume.metadata.uid.as_deref();
        if !self.deletions.is_storage_deleted(name, uid) {
            match self.calls.delete(volume).await {
                Ok(()) => self.deletions.storage_deleted(name, uid),
                Err(DeleteError::Ignored { reason }) => {
                    let took = started.elapsed();
                    self.reports.delete_ignored(volume, &reason, took);
                    return Next::Done;
                }
                Err(error @ DeleteError::InUse { .. }) => {
                    self.reports.delete_postponed(volume, &report(&error));
                    return Next::Retry;
                }
                Err(error) => {
                    self.reports.delete_failed(volume, &report(&error));
                    return Next::Retry;
                }
            }
        }
        match self.delete_object(volume).await {
            Ok(()) => {
                self.reports.deleted(volume, started.elapsed());
                Next::Done
            }
            Err(error) => {
                self.reports.object_not_deleted(volume, &report(&error));
                Next::Retry
            }
        }
    }

    /// Deletes the object, and removes the finalizer that kept it.
    async fn delete_object(&self, volume: &PersistentVolume) -> Result<(), ApiError> {
        let Some(kept) = self.cluster.delete_volume(volume).await? else {
            return Ok(());
        };
        match self.cluster.change_finalizer(&kept, false).await {
            Err(error) if error.is_conflict() => {}
            result => return result,
        }
        // It was changed meanwhile: the control plane removes a finalizer of its own, for example.
        let name = volume.metadata.name.as_deref().unwrap_or_default();
        match self.cluster.volume(name).await? {
            Some(kept) if kept.metadata.uid == volume.metadata.uid => {
                self.cluster.change_finalizer(&kept, false).await
            }
            _ => Ok(()),
        }
    }
}
