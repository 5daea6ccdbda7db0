//! Deleting volumes, and the finalizer that keeps them until their storage is deleted.

use core_v1::PersistentVolume;
use tokio::time::Instant;
use tracing::{debug, info, warn};

use crate::api::{self, ApiError};
use crate::core::{Core, Next, call, try_call};
use crate::error::{DeleteError, report};
use crate::events::Reason;
use crate::provisioner::Provisioner;
use crate::rules::{self, FinalizerChange};

impl<P: Provisioner> Core<P> {
    /// Does what a volume needs: its storage is deleted, or its finalizer changed.
    pub(crate) async fn sync_volume(&self, name: &str) -> Next {
        if !self.cache.volume_needs_work(name) {
            return Next::Done;
        }
        // The cache may be behind: a volume whose storage was just deleted looks as before.
        let volume = match api::volume(&self.client, name).await {
            Ok(Some(volume)) => volume,
            Ok(None) => {
                self.deletions.forget(name);
                return Next::Done;
            }
            Err(error) => {
                warn!(error = report(&error), "the volume can't be read");
                return Next::Retry;
            }
        };
        let settings = &self.settings;
        if !rules::owns(&settings.names, settings.ownership, &volume) {
            return Next::Done;
        }
        if rules::is_deletable(&volume) {
            let allowed = async { self.provisioner.should_delete(&volume).await };
            match call(allowed, settings.delete_timeout).await {
                Ok(true) => return self.delete(name, &volume).await,
                Ok(false) => debug!("the provisioner does not want it deleted"),
                Err(error) => {
                    self.delete_failed(&volume, &report(&error));
                    return Next::Retry;
                }
            }
        }
        let wanted = match rules::finalizer_change(settings.finalizer, &volume) {
            FinalizerChange::Keep => return Next::Done,
            FinalizerChange::Add => true,
            FinalizerChange::Remove => false,
        };
        match api::change_finalizer(&self.client, &volume, wanted).await {
            Ok(()) => Next::Done,
            Err(error) => {
                warn!(error = report(&error), "the finalizer can't be changed");
                Next::Retry
            }
        }
    }

    async fn delete(&self, name: &str, volume: &PersistentVolume) -> Next {
        let started = Instant::now();
        let uid = volume.metadata.uid.as_deref();
        if !self.deletions.storage_deleted(name, uid) {
            let delete = async { self.provisioner.delete(volume).await };
            let timeout = self.settings.delete_timeout;
            match try_call(delete, timeout, DeleteError::Failed).await {
                Ok(()) => self.deletions.set_storage_deleted(name, uid),
                Err(DeleteError::Ignored { reason }) => {
                    info!(reason, "the provisioner ignores the volume");
                    return Next::Done;
                }
                Err(error) => {
                    self.delete_failed(volume, &report(&error));
                    return Next::Retry;
                }
            }
        }
        match self.delete_object(volume).await {
            Ok(()) => {
                info!("the volume is deleted");
                self.metrics.deleted(volume, started.elapsed());
                Next::Done
            }
            Err(error) => {
                let error = report(&error);
                warn!(error, "the storage is deleted, but the volume can't be");
                self.metrics.delete_failed(volume);
                Next::Retry
            }
        }
    }

    /// Deletes the object, and removes the finalizer that kept it.
    async fn delete_object(&self, volume: &PersistentVolume) -> Result<(), ApiError> {
        let Some(kept) = api::delete_volume(&self.client, volume).await? else {
            return Ok(());
        };
        match api::change_finalizer(&self.client, &kept, false).await {
            Err(error) if error.is_conflict() => {}
            result => return result,
        }
        // Somebody else changed it, such as the control plane its own finalizer.
        let name = volume.metadata.name.as_deref().unwrap_or_default();
        match api::volume(&self.client, name).await? {
            Some(kept) if kept.metadata.uid == volume.metadata.uid => {
                api::change_finalizer(&self.client, &kept, false).await
            }
            _ => Ok(()),
        }
    }

    fn delete_failed(&self, volume: &PersistentVolume, text: &str) {
        warn!(error = text, "deleting the storage failed");
        self.events.volume(volume, Reason::VolumeFailedDelete, text);
        self.metrics.delete_failed(volume);
    }
}
