//! Validation rules that the kinds of Kubernetes' core and storage groups share, and that keywords
//! of a schema can't express.
//!
//! | module | group | rules |
//! |---|---|---|
//! | [`sources`] | core | the sources of a volume, and their equality |
//! | [`access_modes`] | core | the access modes of a volume or a claim |
//! | [`health`] | core, storage | the reasons of conditions |
//! | [`node_labels`] | core | node labels that are deprecated |
//! | [`storage`] | storage | topology terms, tokens of a CSIDriver, attacher and volume of a VolumeAttachment |
//!
//! The overlays of the storage group name the functions of [`storage`] in `x-check`, `x-warn`,
//! `x-set-defaults` and `x-same`, and generated code of all versions calls them. The hand-written
//! rules of `core-v1` call the others.
//!
//! The functions are `#[inline]`, so that a crate compiles those that it calls.

pub mod access_modes;
mod attacher;
pub mod health;
mod inline_volume;
pub mod node_labels;
pub mod sources;
mod tokens;
mod topology;

/// The rules of storage.k8s.io, for all of its versions.
pub mod storage {
    pub use crate::attacher::attacher;
    pub use crate::health::condition_reason;
    pub use crate::inline_volume::{
        inline_volume_quantities, inline_volume_spec, is_same_volume_spec, volume_source_defaults,
    };
    pub use crate::tokens::tokens_in_secrets;
    pub use crate::topology::{
        deprecated_selector_labels, deprecated_topology_labels, topology_terms,
    };
}
