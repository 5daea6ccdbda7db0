//! Provisioning a volume for a claim.

use std::sync::Arc;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeReclaimPolicy};
use kubernetes_kinds::WithMetadata;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, debug, info, info_span};

use crate::abandoned::Abandoned;
use crate::attempts::Provisions;
use crate::backlog::{Backlog, Next};
use crate::calls::Calls;
use crate::error::{ProvisionError, report};
use crate::names::{FINALIZER, PROVISIONED_BY};
use crate::options::Settings;
use crate::prepare::{Preparation, Step};
use crate::provisioner::Provisioner;
use crate::reports::Reports;
use crate::request::{ProvisionRequest, claim_reference};
use crate::store::{Store, StoreError};
use crate::{check, rules};

/// The age from which on a request is made again before its provisioning begins.
const FRESH: Duration = Duration::from_secs(1);

/// Works on the claims of the backlog.
pub(crate) struct ClaimWorker<P> {
    pub(crate) settings: Arc<Settings>,
    pub(crate) backlog: Arc<Backlog>,
    pub(crate) provisions: Arc<Provisions>,
    /// The permits for concurrent provisioning: requests are prepared without one, so that no
    /// permit is held while a claim is read.
    pub(crate) permits: Semaphore,
    pub(crate) preparation: Preparation<P>,
    pub(crate) calls: Arc<Calls<P>>,
    pub(crate) store: Arc<Store<P>>,
    pub(crate) abandoned: Arc<Abandoned<P>>,
    pub(crate) reports: Reports,
}

impl<P: Provisioner> ClaimWorker<P> {
    /// Works until the backlog is shut down.
    pub(crate) async fn work(self: Arc<Self>) {
        while let Some(uid) = self.backlog.next().await {
            let span = info_span!("claim", uid = %*uid, namespace = Empty, name = Empty);
            let next = self.sync(&uid).instrument(span.clone()).await;
            let given_up = span.in_scope(|| self.backlog.settle(&uid, next));
            if given_up {
                self.provisions.end(&uid);
            }
            self.provisions.release_name(&uid);
        }
    }

    /// Provisions a volume for the claim with this UID, if it needs one.
    async fn sync(&self, uid: &str) -> Next {
        let mut request = match self.request(uid).await {
            Ok(request) => request,
            Err(next) => return next,
        };
        let read = Instant::now();
        let Ok(_permit) = self.permits.acquire().await else {
            debug!("the controller stops");
            return Next::Done;
        };
        if read.elapsed() > FRESH {
            request = match self.request(uid).await {
                Ok(request) => request,
                Err(next) => return next,
            };
        }
        if let Err(next) = self.check_existing(&request).await {
            if next == Next::Done {
                self.provisions.end(uid);
            }
            return next;
        }
        self.provision(uid, &request).await
    }

    /// Returns the request for a claim.
    async fn request(&self, uid: &str) -> Step<Arc<ProvisionRequest>> {
        // One that may go on in the background is repeated as it was, even if the claim or the
        // class is gone.
        if let Some(request) = self.provisions.in_progress(uid) {
            return Ok(request);
        }
        let is_retried = self.backlog.is_retried(uid);
        match self.preparation.request(uid, is_retried).await {
            Ok(request) => Ok(Arc::new(request)),
            Err(Next::Done) if self.preparation.is_gone(uid) => {
                Err(self.abandoned.delete(uid).await)
            }
            Err(next) => Err(next),
        }
    }

    /// Stops if the volume exists. A volume that was seen is read again: it may be deleted.
    async fn check_existing(&self, request: &ProvisionRequest) -> Step<()> {
        if !self.store.has_seen(&request.volume_name) {
            return Ok(());
        }
        match self.store.is_stored(request).await {
            Ok(false) => Ok(()),
            Ok(true) => {
                debug!(volume = request.volume_name, "the volume exists already");
                self.reports.provision_stopped(&request.claim);
                Err(Next::Done)
            }
            Err(error) => {
                self.reports
                    .provision_failed(&request.claim, &report(&error));
                Err(Next::Retry)
            }
        }
    }

    async fn provision(&self, uid: &str, request: &Arc<ProvisionRequest>) -> Next {
        self.reports
            .provisioning(&request.claim, &request.volume_name);
        let started = Instant::now();
        let stored = match self.calls.provision(request).await {
            Ok(volume) => self.finish(request, volume).await,
            Err(error) => return self.refused(uid, request, error).await,
        };
        match stored {
            Ok(()) => {
                self.provisions.end(uid);
                self.reports.provisioned(&request.claim, started.elapsed());
                Next::Done
            }
            Err(error) => {
                self.reports
                    .ended_unstored(&request.claim, &error.to_string());
                match error {
                    StoreError::Settled(_) => self.provisions.end(uid),
                    // Provisioning again returns the storage that is still there.
                    StoreError::StorageLeft(_) => self.provisions.begin(uid, Arc::clone(request)),
                }
                Next::Retry
            }
        }
    }

    /// Stores the volume that the provisioner returned.
    async fn finish(
        &self,
        request: &Arc<ProvisionRequest>,
        mut volume: PersistentVolume,
    ) -> Result<(), StoreError> {
        let checked = check::complete(request, &mut volume);
        let volume = self.decorate(request, volume);
        match checked {
            Ok(()) => self.store.store(request, volume).await,
            Err(mismatch) => {
                let problem = mismatch.to_string();
                self.store.discard(request, &volume, problem).await
            }
        }
    }

    /// Adds the fields that the control plane and this controller need in a volume.
    fn decorate(
        &self,
        request: &ProvisionRequest,
        mut volume: PersistentVolume,
    ) -> PersistentVolume {
        let claim = &request.claim;
        let spec = volume.spec.get_or_insert_default();
        spec.claim_ref = Some(Box::new(claim_reference(&claim.metadata)));
        spec.storage_class_name = Some(rules::class_name(claim).to_owned());
        let policy = spec.persistent_volume_reclaim_policy.as_ref();
        // Otherwise the storage is never deleted, and the finalizer would be removed again.
        if self.settings.finalizer && policy == Some(&PersistentVolumeReclaimPolicy::Delete) {
            volume = volume.with_finalizer(FINALIZER);
        }
        volume.with_annotation(PROVISIONED_BY, &request.class.provisioner)
    }

    /// Handles an error of the provisioner.
    async fn refused(
        &self,
        uid: &str,
        request: &Arc<ProvisionRequest>,
        error: ProvisionError,
    ) -> Next {
        let text = report(&error);
        let claim = &request.claim;
        if let ProvisionError::Ignored { reason } = error {
            info!(reason, "the provisioner ignores the claim");
            self.reports.provision_stopped(claim);
            self.provisions.end(uid);
            return Next::Done;
        }
        self.reports.provision_failed(claim, &text);
        match error {
            ProvisionError::InBackground(_) => {
                self.provisions.begin(uid, Arc::clone(request));
            }
            ProvisionError::NoChange(_) => {}
            ProvisionError::Reschedule(_) if request.selected_node_name.is_some() => {
                self.provisions.end(uid);
                return self.preparation.reschedule(claim).await;
            }
            ProvisionError::Infeasible(_) => {
                let class = request.class.metadata.uid.clone();
                let delay = self.settings.infeasible_delay;
                self.provisions.end(uid);
                self.provisions.slow_down(uid, class, delay);
            }
            _ => self.provisions.end(uid),
        }
        Next::Retry
    }
}
