//! Preparing the request for a claim.

use std::sync::Arc;

use core_v1::PersistentVolumeClaim;
use kubernetes_kinds::names::NameFormat;
use storage_v1::StorageClass;
use tracing::{Span, debug, info, warn};

use crate::abandoned::Abandoned;
use crate::api::Cluster;
use crate::attempts::Provisions;
use crate::backlog::Next;
use crate::cache::Cache;
use crate::calls::Calls;
use crate::error::report;
use crate::options::Settings;
use crate::provisioner::Provisioner;
use crate::reports::Reports;
use crate::request::ProvisionRequest;
use crate::rules;
use crate::store::Store;

/// The value to go on with, or the next step for the claim instead.
pub(crate) type Step<T> = Result<T, Next>;

/// Reads the objects that a request needs, and checks that the claim can be provisioned.
pub(crate) struct Preparation<P> {
    pub(crate) cluster: Cluster,
    pub(crate) settings: Arc<Settings>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) provisions: Arc<Provisions>,
    pub(crate) calls: Arc<Calls<P>>,
    pub(crate) store: Arc<Store<P>>,
    pub(crate) abandoned: Arc<Abandoned<P>>,
    pub(crate) reports: Reports,
}

impl<P: Provisioner> Preparation<P> {
    /// Returns the request for a claim, which is read if the last attempt for it failed: it may
    /// have been deleted because of that.
    pub(crate) async fn request(&self, uid: &str, is_retried: bool) -> Step<ProvisionRequest> {
        let Some(pending) = self.cache.claim(uid) else {
            debug!("the claim is gone or has a volume");
            return Err(Next::Done);
        };
        let known = &pending.claim;
        Span::current()
            .record("namespace", name_of(&known.metadata.namespace))
            .record("name", name_of(&known.metadata.name));
        // First, and without a request: what the provisioner refuses is somebody else's.
        self.ask(known).await?;
        let class = self.ready_class(uid, known)?;
        let claim = match is_retried || !self.cache.has_fresh_claims() {
            true => self.read_claim(uid, known).await?,
            false => self.cached_claim(uid)?,
        };
        let class = if demands(&claim) == demands(known) {
            class
        } else {
            self.ready_class(uid, &claim)?
        };
        if claim.metadata.resource_version != known.metadata.resource_version {
            self.ask(&claim).await?;
        }
        self.check_claim(&claim)?;
        let mut request = ProvisionRequest::new(claim, StorageClass::clone(&class));
        request.volume_name = self.volume_name(uid, &request.claim).await?;
        self.read_node(&mut request).await?;
        Ok(request)
    }

    /// Returns the class if a claim of it can be provisioned now.
    fn ready_class(&self, uid: &str, claim: &PersistentVolumeClaim) -> Step<Arc<StorageClass>> {
        let (name, has_node) = demands(claim);
        let Some(class) = self.cache.class(name) else {
            self.reports.class_missing(claim, name);
            return Err(Next::Retry);
        };
        if let Some(delay) = self.provisions.delay(uid, class.metadata.uid.as_deref()) {
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
            self.reports.provision_stopped(claim);
            return Err(Next::Done);
        }
        Ok(class)
    }

    /// Returns the claim as the cache has it now.
    fn cached_claim(&self, uid: &str) -> Step<PersistentVolumeClaim> {
        let pending = self.cache.claim(uid);
        pending
            .map(|pending| pending.claim.clone())
            .ok_or_else(not_wanted)
    }

    /// Reads the claim, because the cache may be behind.
    async fn read_claim(
        &self,
        uid: &str,
        known: &PersistentVolumeClaim,
    ) -> Step<PersistentVolumeClaim> {
        let metadata = &known.metadata;
        let (namespace, name) = (name_of(&metadata.namespace), name_of(&metadata.name));
        let claim = match self.cluster.claim(namespace, name).await {
            Ok(claim) => claim,
            Err(error) => {
                warn!(error = report(&error), "can't read the claim");
                return Err(Next::Retry);
            }
        };
        let same = |claim: &PersistentVolumeClaim| claim.metadata.uid.as_deref() == Some(uid);
        match claim.filter(same) {
            Some(claim) if rules::wants_volume(&self.settings.names, &claim) => Ok(claim),
            _ => Err(not_wanted()),
        }
    }

    /// Asks the provisioner if it is to provision the claim.
    async fn ask(&self, claim: &PersistentVolumeClaim) -> Step<()> {
        match self.calls.should_provision(claim).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Next::Done),
            Err(error) => {
                self.reports.provision_failed(claim, &report(&error));
                Err(Next::Retry)
            }
        }
    }

    /// Checks that the provisioner can provision the claim.
    fn check_claim(&self, claim: &PersistentVolumeClaim) -> Step<()> {
        if rules::wants_block(claim) && !self.calls.supports_block() {
            let name = &self.settings.names.primary;
            self.reports
                .provision_failed(claim, &format!("{name} has no raw block volumes"));
            return Err(Next::Done);
        }
        Ok(())
    }

    /// Returns the name of the volume of a claim, which no other claim can use meanwhile.
    async fn volume_name(&self, uid: &str, claim: &PersistentVolumeClaim) -> Step<String> {
        let refuse = |text: &str, next| {
            self.reports.provision_failed(claim, text);
            Err(next)
        };
        let name = match self.calls.volume_name(claim).await {
            Ok(Some(name)) => name,
            Ok(None) => rules::volume_name(&self.settings.volume_name_prefix, uid),
            Err(error) => return refuse(&report(&error), Next::Retry),
        };
        if !NameFormat::DnsSubdomain.matches(&name) {
            let format = NameFormat::DnsSubdomain.description();
            let text = format!("\"{name}\" can't be the name of the volume: it is not {format}");
            return refuse(&text, Next::Done);
        }
        let unsaved = self.store.unsaved(&name);
        let is_own = |request: &ProvisionRequest| request.claim.metadata.uid == claim.metadata.uid;
        if unsaved.as_deref().is_some_and(is_own) {
            debug!(volume = name, "the volume waits to be stored");
            return Err(Next::Done);
        }
        if unsaved.is_some() || !self.provisions.reserve_name(uid, &name) {
            let text = format!(
                "\"{name}\" can't be the name of the volume: another claim that is provisioned has it"
            );
            return refuse(&text, Next::Retry);
        }
        Ok(name)
    }

    async fn read_node(&self, request: &mut ProvisionRequest) -> Step<()> {
        let Some(name) = request.selected_node_name.clone() else {
            return Ok(());
        };
        if !self.settings.read_node {
            return Ok(());
        }
        match self.cluster.node(&name).await {
            Ok(Some(node)) => {
                request.selected_node = Some(node);
                Ok(())
            }
            Ok(None) => Err(self.node_is_gone(request, &name).await),
            Err(error) => {
                let error = report(&error);
                let text = format!("the selected node \"{name}\" can't be read: {error}");
                self.reports.provision_failed(&request.claim, &text);
                Err(Next::Retry)
            }
        }
    }

    /// Lets the scheduler select another node, unless there is a volume already.
    async fn node_is_gone(&self, request: &ProvisionRequest, node: &str) -> Next {
        let (claim, volume) = (&request.claim, &request.volume_name);
        match self.store.is_stored(request).await {
            Ok(false) => {}
            Ok(true) => {
                self.reports.provision_stopped(claim);
                return Next::Done;
            }
            Err(error) => {
                self.reports.provision_failed(claim, &report(&error));
                return Next::Retry;
            }
        }
        // An earlier process may have provisioned for that node, where another one doesn't find it.
        if let Err(error) = self.abandoned.delete_unstored(volume).await {
            let text = format!(
                "the selected node \"{node}\" does not exist, and the storage that may be left of \
                 it is still there: {error}"
            );
            self.reports.provision_failed(claim, &text);
            return Next::Retry;
        }
        let text = format!("the selected node \"{node}\" does not exist");
        self.reports.provision_failed(claim, &text);
        self.reschedule(claim).await
    }

    /// Returns true if the claim doesn't exist or wants no volume, as far as the cache has it.
    pub(crate) fn is_gone(&self, uid: &str) -> bool {
        self.cache.claim(uid).is_none()
    }

    /// Lets the scheduler select another node.
    pub(crate) async fn reschedule(&self, claim: &PersistentVolumeClaim) -> Next {
        match self.cluster.unselect_node(claim).await {
            Ok(()) => {
                info!("the scheduler has to select another node");
                Next::Done
            }
            Err(error) => {
                let error = report(&error);
                warn!(error, "can't remove the selected node from the claim");
                Next::Retry
            }
        }
    }
}

fn not_wanted() -> Next {
    debug!("the claim is gone, bound or being deleted");
    Next::Done
}

/// Returns the class of a claim, and true if the scheduler selected a node.
fn demands(claim: &PersistentVolumeClaim) -> (&str, bool) {
    let has_node = rules::selected_node(claim).is_some();
    (rules::class_name(claim), has_node)
}

fn name_of(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or_default()
}
