//! Reports on claims and volumes: events, metrics and log messages.

use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use tracing::{info, warn};

use crate::events::{Events, Reason};
use crate::metrics::Metrics;

/// Publishes events and counts metrics. Clones report to the same places.
#[derive(Clone)]
pub(crate) struct Reports {
    events: Events,
    metrics: Metrics,
}

impl Reports {
    pub(crate) fn new(events: Events, metrics: Metrics) -> Self {
        Self { events, metrics }
    }

    /// Reports that the provisioner is called for a claim.
    pub(crate) fn provisioning(&self, claim: &PersistentVolumeClaim, volume: &str) {
        let text = format!("Provisioning volume {volume}");
        self.events.claim(claim, Reason::Provisioning, text);
    }

    /// Reports that the volume of a claim is stored.
    pub(crate) fn stored(&self, claim: &PersistentVolumeClaim, volume: &str) {
        info!(volume, "the volume is stored");
        let text = format!("Successfully provisioned volume {volume}");
        self.events
            .claim(claim, Reason::ProvisioningSucceeded, text);
    }

    /// Counts an attempt that succeeded.
    pub(crate) fn provisioned(&self, claim: &PersistentVolumeClaim, took: Duration) {
        self.metrics.provisioned(claim, took);
    }

    /// Reports an attempt that failed.
    pub(crate) fn provision_failed(&self, claim: &PersistentVolumeClaim, text: &str) {
        warn!(error = text, "provisioning failed");
        self.events.claim(claim, Reason::ProvisioningFailed, text);
        self.metrics.provision_failed(claim);
    }

    /// Counts an attempt that ended without a new volume, is not repeated, and has no event. The Go
    /// library counts it as a failure.
    pub(crate) fn provision_stopped(&self, claim: &PersistentVolumeClaim) {
        self.metrics.provision_failed(claim);
    }

    /// Reports that a volume is not stored. The attempt is counted once it ends.
    pub(crate) fn not_stored(&self, claim: &PersistentVolumeClaim, text: impl Into<String>) {
        self.events.claim(claim, Reason::ProvisioningFailed, text);
    }

    /// Counts an attempt that ended without a stored volume.
    pub(crate) fn ended_unstored(&self, claim: &PersistentVolumeClaim, error: &str) {
        warn!(error, "no volume was stored");
        self.metrics.provision_failed(claim);
    }

    /// Reports storage that can't be deleted after its volume could not be stored.
    pub(crate) fn cleanup_failed(&self, claim: &PersistentVolumeClaim, text: impl Into<String>) {
        self.events
            .claim(claim, Reason::ProvisioningCleanupFailed, text);
    }

    /// Reports a claim whose class doesn't exist.
    pub(crate) fn class_missing(&self, claim: &PersistentVolumeClaim, class: &str) {
        warn!(class, "the StorageClass of the claim does not exist");
        self.metrics.provision_failed(claim);
    }

    /// Counts a volume that is deleted.
    pub(crate) fn deleted(&self, volume: &PersistentVolume, took: Duration) {
        info!("the volume is deleted");
        self.metrics.deleted(volume, took);
    }

    /// Counts a volume that the provisioner ignores. The Go library counts it as deleted.
    pub(crate) fn delete_ignored(&self, volume: &PersistentVolume, reason: &str, took: Duration) {
        info!(reason, "the provisioner ignores the volume");
        self.metrics.deleted(volume, took);
    }

    /// Reports storage that can't be deleted yet, which is no failure.
    pub(crate) fn delete_postponed(&self, volume: &PersistentVolume, text: &str) {
        info!(reason = text, "deleting the storage is postponed");
        self.events.volume(volume, Reason::VolumeDelete, text);
    }

    /// Reports storage that can't be deleted.
    pub(crate) fn delete_failed(&self, volume: &PersistentVolume, text: &str) {
        warn!(error = text, "deleting the storage failed");
        self.events.volume(volume, Reason::VolumeFailedDelete, text);
        self.metrics.delete_failed(volume);
    }

    /// Counts a volume that can't be deleted, although its storage is.
    pub(crate) fn object_not_deleted(&self, volume: &PersistentVolume, error: &str) {
        warn!(
            error,
            "the storage is deleted, but deleting the volume failed"
        );
        self.metrics.delete_failed(volume);
    }
}
