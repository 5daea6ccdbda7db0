//! Hand-written rules for what keywords of the schemas can't express.
//!
//! The overlays name these functions in `x-check`, `x-prepare`, `x-warn`, `x-set-defaults` and
//! others, and generated code calls them. The rules of volume sources are in
//! [`kubernetes_storage_rules::sources`].

mod claim;
mod claim_update;
mod data_source;
mod defaults;
mod node_affinity;
mod resources;
mod volume;
mod volume_update;

pub(crate) use claim::{persistent_volume_claim, persistent_volume_claim_warnings};
pub(crate) use data_source::data_sources;
pub(crate) use defaults::{
    persistent_volume_claim_spec, persistent_volume_claim_status, persistent_volume_spec,
    persistent_volume_status,
};
pub(crate) use resources::{
    allocated_resources, capacity, claim_resources, resource_statuses, status_capacity,
    status_quantities,
};
pub(crate) use volume::{
    access_modes, class_name, persistent_volume, persistent_volume_warnings, phase_transition,
};

use std::borrow::Cow;

use kubernetes_kinds::Release;
use kubernetes_validation::{Feature, Target};

kubernetes_storage_rules::implement_volume_sources!(crate::PersistentVolumeSpec);

/// VolumeAttributesClasses, which PersistentVolumes and claims name.
const VOLUME_ATTRIBUTES_CLASS: Feature = Feature {
    gate: "VolumeAttributesClass",
    introduced: Release::new(1, 29),
    beta: Some(Release::new(1, 31)),
    on: Some(Release::new(1, 34)),
    stable: Some(Release::new(1, 34)),
};

/// The annotation that named a StorageClass before there was a field.
const STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns true if a server of the target knows VolumeAttributesClasses.
fn has_attributes_class(target: &Target) -> bool {
    target.has(&VOLUME_ATTRIBUTES_CLASS)
}

/// A part of an object that Go has in any case, even if it is unset here.
fn given<T: Clone + Default>(part: &Option<T>) -> Cow<'_, T> {
    part.as_ref()
        .map_or_else(|| Cow::Owned(T::default()), Cow::Borrowed)
}
