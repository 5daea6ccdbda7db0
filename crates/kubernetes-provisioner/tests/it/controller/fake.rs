//! A provisioner whose storage is a set of names, and which does what a test wants.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use core_v1::{
    HostPathVolumeSource, ObjectReference, PersistentVolume, PersistentVolumeClaim,
    PersistentVolumeReclaimPolicy, PersistentVolumeSpec,
};
use kubernetes_provisioner::BoxError;
use kubernetes_provisioner::{DeleteError, ProvisionError, ProvisionRequest, Provisioner};

/// The result of a call of `provision`.
pub(crate) enum Answer {
    /// The storage is there.
    Volume,
    /// The storage is there, but the volume has been changed.
    Changed(fn(&mut PersistentVolume)),
    Error(ProvisionError),
    Panic,
    /// Never returns.
    Hang,
}

type ProvisionScript = dyn Fn(usize, &ProvisionRequest) -> Answer + Send + Sync;
type DeleteScript = dyn Fn(usize, &PersistentVolume) -> Result<(), DeleteError> + Send + Sync;

type VolumeName = dyn Fn(&PersistentVolumeClaim) -> Option<String> + Send + Sync;

pub(crate) struct Fake {
    pub(crate) provision: Box<ProvisionScript>,
    pub(crate) delete: Box<DeleteScript>,
    pub(crate) block: bool,
    pub(crate) volume_name: Box<VolumeName>,
    /// The claim that the qualifier refuses.
    pub(crate) refused_claim: &'static str,
    /// The volume that the deletion guard protects.
    pub(crate) guarded_volume: &'static str,
    pub(crate) state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    storage: BTreeSet<String>,
    /// The volumes that are not known to be stored, with the policies of their classes.
    unstored: BTreeMap<String, PersistentVolumeReclaimPolicy>,
    /// The claims of volumes that are not named after them.
    claims: BTreeMap<String, ObjectReference>,
    /// The number of calls of `unstored`, and of its calls that are still to fail.
    listings: usize,
    refused_listings: usize,
    requests: Vec<ProvisionRequest>,
    deletions: Vec<String>,
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            provision: Box::new(|_, _| Answer::Volume),
            delete: Box::new(|_, _| Ok(())),
            block: false,
            volume_name: Box::new(|_| None),
            refused_claim: "",
            guarded_volume: "",
            state: Mutex::default(),
        }
    }
}

impl Fake {
    /// Answers the calls, which are counted from 1 on for each claim.
    pub(crate) fn provisioning(
        script: impl Fn(usize, &ProvisionRequest) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            provision: Box::new(script),
            ..Self::default()
        }
    }

    /// Answers the calls, which are counted from 1 on for each volume.
    pub(crate) fn deleting(
        script: impl Fn(usize, &PersistentVolume) -> Result<(), DeleteError> + Send + Sync + 'static,
    ) -> Self {
        Self::default().and_deleting(script)
    }

    pub(crate) fn and_deleting(
        self,
        script: impl Fn(usize, &PersistentVolume) -> Result<(), DeleteError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            delete: Box::new(script),
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the requests for a claim.
    pub(crate) fn requests(&self, claim: &str) -> Vec<ProvisionRequest> {
        let named =
            |request: &&ProvisionRequest| request.claim.metadata.name.as_deref() == Some(claim);
        self.state()
            .requests
            .iter()
            .filter(named)
            .cloned()
            .collect()
    }

    /// Returns how often `provision` was called for a claim.
    pub(crate) fn provisions(&self, claim: &str) -> usize {
        self.requests(claim).len()
    }

    /// Returns how often `delete` was called for a volume.
    pub(crate) fn deletions(&self, volume: &str) -> usize {
        self.state()
            .deletions
            .iter()
            .filter(|name| *name == volume)
            .count()
    }

    /// Returns the names of the storage that is not known to be stored.
    pub(crate) fn unstored(&self) -> Vec<String> {
        self.state().unstored.keys().cloned().collect()
    }

    /// Returns the reclaim policy of storage that is not known to be stored.
    pub(crate) fn policy(&self, volume: &str) -> PersistentVolumeReclaimPolicy {
        self.state().unstored[volume].clone()
    }

    /// Adds storage for which there never was a claim.
    pub(crate) fn add_unstored(&self, name: &str) {
        let policy = PersistentVolumeReclaimPolicy::Delete;
        self.state().unstored.insert(name.to_owned(), policy);
    }

    /// Lets the next calls of `unstored` fail.
    pub(crate) fn refuse_listings(&self, count: usize) {
        self.state().refused_listings = count;
    }

    /// Returns how often `unstored` was called.
    pub(crate) fn listings(&self) -> usize {
        self.state().listings
    }

    /// Returns whether there is storage of this name.
    pub(crate) fn has_storage(&self, volume: &str) -> bool {
        self.state().storage.contains(volume)
    }
}

impl Provisioner for Fake {
    async fn provision(
        &self,
        request: &ProvisionRequest,
    ) -> Result<PersistentVolume, ProvisionError> {
        let claim = request.claim.metadata.name.clone().unwrap_or_default();
        self.state().requests.push(request.clone());
        let answer = (self.provision)(self.provisions(&claim), request);
        if let Answer::Volume | Answer::Changed(_) = answer {
            let mut state = self.state();
            state.storage.insert(request.volume_name.clone());
            state
                .unstored
                .insert(request.volume_name.clone(), request.reclaim_policy());
            if (self.volume_name)(&request.claim).is_some() {
                let claim = request.volume().spec.and_then(|spec| spec.claim_ref);
                state
                    .claims
                    .insert(request.volume_name.clone(), *claim.unwrap());
            }
        }
        let mut volume = request.volume();
        let path = format!("/srv/{}", request.volume_name);
        volume.spec.get_or_insert_default().host_path =
            Some(HostPathVolumeSource::new(path).into());
        match answer {
            Answer::Volume => Ok(volume),
            Answer::Changed(change) => {
                change(&mut volume);
                Ok(volume)
            }
            Answer::Error(error) => Err(error),
            Answer::Panic => panic!("out of paper"),
            Answer::Hang => std::future::pending().await,
        }
    }

    async fn delete(&self, volume: &PersistentVolume) -> Result<(), DeleteError> {
        let name = volume.metadata.name.clone().unwrap_or_default();
        self.state().deletions.push(name.clone());
        (self.delete)(self.deletions(&name), volume)?;
        let mut state = self.state();
        state.storage.remove(&name);
        state.unstored.remove(&name);
        Ok(())
    }

    async fn stored(&self, volume_name: &str) -> Result<(), BoxError> {
        self.state().unstored.remove(volume_name);
        Ok(())
    }

    async fn unstored(&self) -> Result<Vec<PersistentVolume>, BoxError> {
        let mut state = self.state();
        state.listings += 1;
        if state.refused_listings > 0 {
            state.refused_listings -= 1;
            return Err("out of order".into());
        }
        let volumes = state.unstored.iter().map(|(name, policy)| {
            let mut spec =
                PersistentVolumeSpec::new().with_persistent_volume_reclaim_policy(policy.clone());
            spec.claim_ref = state.claims.get(name).cloned().map(Box::new);
            PersistentVolume::new(name).with_spec(spec)
        });
        Ok(volumes.collect())
    }

    fn volume_name(&self, claim: &PersistentVolumeClaim) -> Option<String> {
        (self.volume_name)(claim)
    }

    fn supports_block(&self) -> bool {
        self.block
    }

    async fn should_provision(&self, claim: &PersistentVolumeClaim) -> bool {
        claim.metadata.name.as_deref() != Some(self.refused_claim)
    }

    async fn should_delete(&self, volume: &PersistentVolume) -> bool {
        volume.metadata.name.as_deref() != Some(self.guarded_volume)
    }
}
