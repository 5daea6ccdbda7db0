//! Tests of `kubernetes-validation`, which are here because they need generated kinds.
//!
//! Each rule by which a server refuses objects has a test on both sides of its limit, for every
//! version of a kind. Properties hold for all kinds. Paths and types of errors are those of a
//! Kubernetes 1.37 API server, or that of the release that a test names.

mod admission;
mod csi_crds;
mod csi_driver;
mod csi_node;
mod csi_storage_capacity;
mod defaults;
mod metadata;
mod properties;
mod source_defaults;
mod storage_class;
mod valid;
mod volume_attachment;
mod volume_attributes_class;
mod volume_group_snapshot;
mod volume_sources;
