//! One test for each rule by which a server refuses objects, on both sides of each limit, for
//! every version of a kind; and what must hold for all of them.
//!
//! Paths and types of errors are those of a Kubernetes 1.36 API server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod csi_crds;
mod csi_driver;
mod csi_node;
mod csi_storage_capacity;
mod defaults;
mod metadata;
mod properties;
mod storage_class;
mod valid;
mod volume_attachment;
mod volume_attributes_class;
mod volume_sources;
