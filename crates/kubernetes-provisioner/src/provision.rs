//! Provisioning a volume for a claim.

use std::sync::Arc;
use std::time::Duration;

use core_v1::{
    ObjectReference, PersistentVolume, PersistentVolumeClaim, PersistentVolumeReclaimPolicy,
};
use k8s_openapi::Resource;
use kubernetes_kinds::WithMetadata;
use storage_v1::StorageClass;
use tokio::time::Instant;
use tracing::{Span, debug, info, warn};

use crate::cache::PendingClaim;
use crate::core::{Core, Next, call, try_call};
use crate::error::{ProvisionError, report};
use crate::events::Reason;
use crate::names::{FINALIZER, PROVISIONED_BY};
use crate::options::{Backoff, StoreMode};
use crate::provisioner::Provisioner;
use crate::request::ProvisionRequest;
use crate::store::StoreError;
use crate::{api, check, rules};

/// How old may be what was read of a claim when its provisioning begins.
const FRESH: Duration = Duration::from_secs(1);

/// The next step, or what to do with the claim instead.
type Step<T> = Result<T, Next>;

impl<P: Provisioner> Core<P> {
    /// Provisions a volume for the claim with this UID, if it needs one.
    pub(crate) async fn sync_claim(&self, uid: &str) -> Next {
        let mut request = match self.request(uid).await {
            Ok(request) => request,
            Err(next) => return next,
        };
        let read = Instant::now();
        let Ok(_turn) = self.turns.acquire().await else {
            debug!("the controller stops");
            return Next::Done;
        };
        if read.elapsed() > FRESH {
            request = match self.request(uid).await {
                Ok(request) => request,
                Err(next) => return next,
            };
        }
        if self.is_unsaved(&request.volume_name) {
            return Next::Done;
        }
        if let Err(next) = self.check_existing(&request).await {
            if next == Next::Done {
                self.attempts.end(uid);
            }
            return next;
        }
        self.provision(uid, &request).await
    }

    /// Returns the request for a claim.
    async fn request(&self, uid: &str) -> Step<Arc<ProvisionRequest>> {
        // One that may go on in the background is repeated as it was, even if the claim or the
        // class is gone.
        if let Some(request) = self.attempts.in_progress(uid) {
            return Ok(request);
        }
        match self.prepare(uid).await {
            Ok(request) => Ok(Arc::new(request)),
            Err(Next::Done) if self.cache.claim(uid).is_none() => {
                Err(self.delete_abandoned(uid).await)
            }
            Err(next) => Err(next),
        }
    }

    /// Reads all that a request needs.
    async fn prepare(&self, uid: &str) -> Step<ProvisionRequest> {
        let Some(pending) = self.cache.claim(uid) else {
            debug!("the claim is gone or has a volume");
            return Err(Next::Done);
        };
        Span::current()
            .record("namespace", &*pending.namespace)
            .record("name", &*pending.name);
        let class = self.ready_class(uid, &pending.class, pending.has_node)?;
        let claim = self.read_claim(uid, &pending).await?;
        let has_node = rules::selected_node(&claim).is_some();
        let class = match rules::class_name(&claim) {
            name if *name == *pending.class && has_node == pending.has_node => class,
            name => self.ready_class(uid, name, has_node)?,
        };
        self.check_claim(&claim).await?;
        let mut request = ProvisionRequest::new(claim, StorageClass::clone(&class));
        request.volume_name = rules::volume_name(&self.settings.volume_name_prefix, uid);
        self.read_node(&mut request).await?;
        Ok(request)
    }

    /// Returns the class if a claim of it can be provisioned now.
    fn ready_class(&self, uid: &str, name: &str, has_node: bool) -> Step<Arc<StorageClass>> {
        let Some(class) = self.cache.class(name) else {
            warn!(class = name, "the StorageClass of the claim does not exist");
            self.metrics.class_missing(name);
            return Err(Next::Retry);
        };
        if let Some(delay) = self.attempts.delay(uid, class.metadata.uid.as_deref()) {
            debug!(?delay, "the last request was infeasible");
            return Err(Next::After(delay));
        }
        if rules::waits_for_consumer(&class) && !has_node {
            debug!("the scheduler has not selected a node yet");
            return Err(Next::Done);
        }
        if !self.settings.names.known(&class.provisioner) {
            let provisioner = &class.provisioner;
            info!(
                class = name,
                provisioner, "the StorageClass has another provisioner"
            );
            return Err(Next::Done);
        }
        Ok(class)
    }

    /// Reads the claim, because the cache may be behind.
    async fn read_claim(&self, uid: &str, pending: &PendingClaim) -> Step<PersistentVolumeClaim> {
        let (namespace, name) = (&pending.namespace, &pending.name);
        let claim = match api::claim(&self.client, namespace, name).await {
            Ok(claim) => claim,
            Err(error) => {
                warn!(error = report(&error), "the claim can't be read");
                return Err(Next::Retry);
            }
        };
        let same = |claim: &PersistentVolumeClaim| claim.metadata.uid.as_deref() == Some(uid);
        match claim.filter(same) {
            Some(claim) if rules::wants_volume(&self.settings.names, &claim) => Ok(claim),
            _ => {
                debug!("the claim is gone, bound or being deleted");
                Err(Next::Done)
            }
        }
    }

    /// Whether the provisioner can provision the claim.
    async fn check_claim(&self, claim: &PersistentVolumeClaim) -> Step<()> {
        let qualifies = async { self.provisioner.should_provision(claim).await };
        match call(qualifies, self.settings.provision_timeout).await {
            Ok(true) => {}
            Ok(false) => return Err(Next::Done),
            Err(error) => {
                self.failed(claim, &report(&error));
                return Err(Next::Retry);
            }
        }
        if rules::wants_block(claim) && !self.provisioner.supports_block() {
            let name = &self.settings.names.primary;
            self.failed(claim, &format!("{name} has no raw block volumes"));
            return Err(Next::Done);
        }
        Ok(())
    }

    async fn read_node(&self, request: &mut ProvisionRequest) -> Step<()> {
        let Some(name) = request.selected_node_name.clone() else {
            return Ok(());
        };
        if !self.settings.read_node {
            return Ok(());
        }
        match api::node(&self.client, &name).await {
            Ok(Some(node)) => {
                request.selected_node = Some(node);
                Ok(())
            }
            Ok(None) => {
                let text = format!("the selected node \"{name}\" does not exist");
                self.failed(&request.claim, &text);
                Err(self.reschedule(&request.claim).await)
            }
            Err(error) => {
                let error = report(&error);
                let text = format!("the selected node \"{name}\" can't be read: {error}");
                self.failed(&request.claim, &text);
                Err(Next::Retry)
            }
        }
    }

    /// Stops if the volume exists, which is verified: the cache may be behind.
    async fn check_existing(&self, request: &ProvisionRequest) -> Step<()> {
        if !self.cache.has_volume(&request.volume_name) {
            return Ok(());
        }
        match self.is_stored(request).await {
            Ok(false) => Ok(()),
            Ok(true) => {
                debug!(volume = request.volume_name, "the volume exists already");
                Err(Next::Done)
            }
            Err(error) => {
                self.failed(&request.claim, &report(&error));
                Err(Next::Retry)
            }
        }
    }

    async fn provision(&self, uid: &str, request: &Arc<ProvisionRequest>) -> Next {
        let text = format!("the volume {} is being provisioned", request.volume_name);
        self.events
            .claim(&request.claim, Reason::Provisioning, text);
        let started = Instant::now();
        let provision = async { self.provisioner.provision(request).await };
        let timeout = self.settings.provision_timeout;
        let result = try_call(provision, timeout, ProvisionError::InBackground).await;
        let stored = match result {
            Ok(volume) => self.finish(request, volume).await,
            Err(error) => return self.refused(uid, request, error).await,
        };
        match stored {
            Ok(()) => {
                self.attempts.end(uid);
                self.metrics.provisioned(&request.claim, started.elapsed());
                Next::Done
            }
            Err(error) => {
                warn!(%error, "no volume was stored");
                self.metrics.provision_failed(&request.claim);
                match error {
                    StoreError::Ended(_) => self.attempts.end(uid),
                    // Provisioning again returns the storage that is still there.
                    StoreError::Open(_) => self.attempts.begin(uid, Arc::clone(request)),
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
        let Err(mismatch) = checked else {
            return self.store(request, volume).await;
        };
        let text = mismatch.to_string();
        self.events
            .claim(&request.claim, Reason::ProvisioningFailed, text.clone());
        let backoff = match self.settings.store {
            StoreMode::Backoff(backoff) => backoff,
            StoreMode::Queue(_) => Backoff::default(),
        };
        self.delete_storage(request, &volume, backoff, text).await
    }

    /// Adds what the control plane and this controller need in a volume.
    fn decorate(
        &self,
        request: &ProvisionRequest,
        mut volume: PersistentVolume,
    ) -> PersistentVolume {
        let claim = &request.claim;
        let spec = volume.spec.get_or_insert_default();
        spec.claim_ref = Some(claim_reference(claim));
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
            self.attempts.end(uid);
            return Next::Done;
        }
        self.failed(claim, &text);
        match error {
            ProvisionError::InBackground(_) => {
                self.attempts.begin(uid, Arc::clone(request));
            }
            ProvisionError::NoChange(_) => {}
            ProvisionError::Reschedule(_) if request.selected_node_name.is_some() => {
                self.attempts.end(uid);
                return self.reschedule(claim).await;
            }
            ProvisionError::Infeasible(_) => {
                let class = request.class.metadata.uid.clone();
                let delay = self.settings.infeasible_delay;
                self.attempts.end(uid);
                self.attempts.slow_down(uid, class, delay);
            }
            _ => self.attempts.end(uid),
        }
        Next::Retry
    }

    /// Lets the scheduler select another node.
    async fn reschedule(&self, claim: &PersistentVolumeClaim) -> Next {
        match api::unselect_node(&self.client, claim).await {
            Ok(()) => {
                info!("the scheduler has to select another node");
                Next::Done
            }
            Err(error) => {
                let error = report(&error);
                warn!(error, "the selected node can't be removed from the claim");
                Next::Retry
            }
        }
    }

    /// Reports a failure.
    fn failed(&self, claim: &PersistentVolumeClaim, text: &str) {
        warn!(error = text, "provisioning failed");
        self.events.claim(claim, Reason::ProvisioningFailed, text);
        self.metrics.provision_failed(claim);
    }
}

/// The reference of a volume to its claim. The control plane compares the UID; the resource
/// version is that of the claim for which the volume was made.
fn claim_reference(claim: &PersistentVolumeClaim) -> ObjectReference {
    let metadata = &claim.metadata;
    let mut reference = ObjectReference::new()
        .with_api_version(PersistentVolumeClaim::API_VERSION)
        .with_kind(PersistentVolumeClaim::KIND);
    reference.namespace = metadata.namespace.clone();
    reference.name = metadata.name.clone();
    reference.uid = metadata.uid.clone();
    reference.resource_version = metadata.resource_version.clone();
    reference
}
