//! Rules of provisioning and deleting, without I/O.

use core_v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeMode, PersistentVolumePhase,
    PersistentVolumeReclaimPolicy,
};
use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use storage_v1::{StorageClass, VolumeBindingMode};

use crate::names::{
    FINALIZER, MIGRATED_TO, PROVISIONED_BY, SELECTED_NODE, STORAGE_CLASS_BETA, STORAGE_PROVISIONER,
    STORAGE_PROVISIONER_BETA,
};
use crate::volume::{ClaimFields, ClassFields};

/// The names by which claims and classes ask for this provisioner.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) primary: String,
    pub(crate) additional: Vec<String>,
}

impl Names {
    pub(crate) fn known(&self, name: &str) -> bool {
        self.primary == name || self.additional.iter().any(|other| other == name)
    }
}

/// The volumes that a controller deletes and protects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ownership {
    /// Volumes of any of the controller's names, by `pv.kubernetes.io/provisioned-by` or
    /// `pv.kubernetes.io/migrated-to`, and volumes without the former whose CSI driver has one
    /// of these names.
    #[default]
    AnyName,
    /// Only volumes that were provisioned under the controller's own name, without the
    /// additional ones. Version 3 of the Go library does this.
    PrimaryName,
}

pub(crate) fn annotation<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.annotations.as_ref()?.get(key).map(String::as_str)
}

pub(crate) fn volume_name(prefix: &str, claim_uid: &str) -> String {
    format!("{prefix}-{claim_uid}")
}

/// Returns the UID of the claim that a volume refers to, or else is named after.
pub(crate) fn claim_uid<'v>(prefix: &str, volume: &'v PersistentVolume) -> Option<&'v str> {
    let claim = volume
        .spec
        .as_ref()
        .and_then(|spec| spec.claim_ref.as_ref());
    let named_after = || {
        let name = volume.metadata.name.as_deref()?;
        name.strip_prefix(prefix)?.strip_prefix('-')
    };
    let uid = claim.and_then(|claim| claim.uid.as_deref());
    uid.or_else(named_after).filter(|uid| !uid.is_empty())
}

/// Returns the class of a claim, or the empty string, which isn't the name of a class.
pub(crate) fn class_name(claim: &PersistentVolumeClaim) -> &str {
    annotation(&claim.metadata, STORAGE_CLASS_BETA)
        .or_else(|| claim.spec.as_ref()?.storage_class_name.as_deref())
        .unwrap_or_default()
}

/// Returns the node that the scheduler selected. An empty name is none.
pub(crate) fn selected_node(claim: &impl Metadata<Ty = ObjectMeta>) -> Option<&str> {
    annotation(claim.metadata(), SELECTED_NODE).filter(|name| !name.is_empty())
}

/// Returns true if a claim has no volume and asks for this provisioner.
pub(crate) fn wants_volume(names: &Names, claim: &PersistentVolumeClaim) -> bool {
    let bound = claim
        .spec
        .as_ref()
        .and_then(|spec| spec.volume_name.as_deref())
        .is_some_and(|name| !name.is_empty());
    let provisioner = annotation(&claim.metadata, STORAGE_PROVISIONER)
        .or_else(|| annotation(&claim.metadata, STORAGE_PROVISIONER_BETA));
    // Nobody could use the volume of a claim that is being deleted.
    let deleted = claim.metadata.deletion_timestamp.is_some();
    !bound && !deleted && provisioner.is_some_and(|name| names.known(name))
}

/// Returns true if the scheduler has to select a node before a claim of this class is provisioned.
pub(crate) fn waits_for_consumer(class: &StorageClass) -> bool {
    class.volume_binding_mode == Some(VolumeBindingMode::WaitForFirstConsumer)
}

pub(crate) fn wants_block(claim: &impl ClaimFields) -> bool {
    claim.volume_mode() == Some(PersistentVolumeMode::Block.as_str())
}

pub(crate) fn requested_storage(claim: &impl ClaimFields) -> Option<&Quantity> {
    claim.requests()?.get("storage")
}

/// Returns the name of the VolumeAttributesClass that a claim asks for. An empty name is none.
pub(crate) fn attributes_class(claim: &impl ClaimFields) -> Option<&str> {
    claim
        .volume_attributes_class_name()
        .filter(|name| !name.is_empty())
}

pub(crate) fn reclaim_policy(class: &impl ClassFields) -> PersistentVolumeReclaimPolicy {
    class.reclaim_policy().map_or(
        PersistentVolumeReclaimPolicy::Delete,
        PersistentVolumeReclaimPolicy::from,
    )
}

/// Returns true if this controller is responsible for a volume.
pub(crate) fn owns(names: &Names, ownership: Ownership, volume: &PersistentVolume) -> bool {
    let provisioned_by = annotation(&volume.metadata, PROVISIONED_BY);
    if ownership == Ownership::PrimaryName {
        return provisioned_by == Some(&names.primary);
    }
    let migrated = annotation(&volume.metadata, MIGRATED_TO);
    let driver = volume.spec.as_ref().and_then(|spec| spec.csi.as_ref());
    let by = provisioned_by.or_else(|| driver.map(|source| source.driver.as_str()));
    [by, migrated]
        .into_iter()
        .flatten()
        .any(|name| names.known(name))
}

pub(crate) fn has_finalizer(volume: &PersistentVolume) -> bool {
    let finalizers = volume.metadata.finalizers.as_deref().unwrap_or_default();
    finalizers.iter().any(|finalizer| finalizer == FINALIZER)
}

/// Returns true if the storage of a volume has to be deleted, provided that the controller owns it.
pub(crate) fn is_deletable(volume: &PersistentVolume) -> bool {
    // Without the finalizer, the storage of a volume that is being deleted is gone already.
    let gone = volume.metadata.deletion_timestamp.is_some() && !has_finalizer(volume);
    let phase = volume
        .status
        .as_ref()
        .and_then(|status| status.phase.as_ref());
    !gone
        && phase == Some(&PersistentVolumePhase::Released)
        && policy(volume) == Some(&PersistentVolumeReclaimPolicy::Delete)
}

fn policy(volume: &PersistentVolume) -> Option<&PersistentVolumeReclaimPolicy> {
    volume
        .spec
        .as_ref()?
        .persistent_volume_reclaim_policy
        .as_ref()
}

/// A change of the finalizer of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FinalizerChange {
    Keep,
    Add,
    Remove,
}

/// Returns the change of the finalizer for a volume that the controller owns and that is not to be
/// deleted. A volume to delete keeps its finalizer until the storage is gone.
pub(crate) fn finalizer_change(protect: bool, volume: &PersistentVolume) -> FinalizerChange {
    let kept = matches!(
        policy(volume),
        Some(PersistentVolumeReclaimPolicy::Retain | PersistentVolumeReclaimPolicy::Recycle)
    );
    let phase = volume
        .status
        .as_ref()
        .and_then(|status| status.phase.as_ref());
    if has_finalizer(volume) {
        if !protect || kept {
            return FinalizerChange::Remove;
        }
    } else if protect
        && policy(volume) == Some(&PersistentVolumeReclaimPolicy::Delete)
        && phase == Some(&PersistentVolumePhase::Bound)
        && volume.metadata.deletion_timestamp.is_none()
    {
        return FinalizerChange::Add;
    }
    FinalizerChange::Keep
}

/// Returns true if a volume needs work.
pub(crate) fn needs_work(
    names: &Names,
    ownership: Ownership,
    protect: bool,
    volume: &PersistentVolume,
) -> bool {
    owns(names, ownership, volume)
        && (is_deletable(volume) || finalizer_change(protect, volume) != FinalizerChange::Keep)
}

/// Describes the owner of a volume, for messages.
pub(crate) fn owner(volume: &PersistentVolume) -> String {
    let spec = volume.spec.as_ref();
    let Some(claim) = spec.and_then(|spec| spec.claim_ref.as_ref()) else {
        return "no claim".to_owned();
    };
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let (namespace, name) = (text(&claim.namespace), text(&claim.name));
    format!(
        "the claim {namespace}/{name} with the UID \"{}\"",
        text(&claim.uid)
    )
}

/// Returns true if a volume was made for a claim.
pub(crate) fn belongs_to(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let reference = volume
        .spec
        .as_ref()
        .and_then(|spec| spec.claim_ref.as_ref());
    let uid = reference.and_then(|reference| reference.uid.as_deref());
    uid.is_some() && uid == claim.metadata.uid.as_deref()
}

#[cfg(test)]
mod tests;
