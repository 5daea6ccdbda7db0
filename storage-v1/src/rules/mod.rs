//! Hand-written rules for what keywords of the schemas can't express; `storage-v1beta1` and
//! `storage-v1alpha1` share them.
//!
//! The overlays name these functions in `x-check`, `x-warn`, `x-set-defaults` and `x-same`, and
//! generated code calls them.

mod persistent_volume;
mod tokens;
mod topology;

pub use persistent_volume::{
    inline_volume_quantities, inline_volume_spec, is_same_volume_spec, volume_source_defaults,
};
pub use tokens::tokens_in_secrets;
pub use topology::{deprecated_selector_labels, deprecated_topology_labels, topology_terms};
