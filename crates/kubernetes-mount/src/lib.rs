//! The node's part of a CSI driver or a node agent, on Linux: `k8s.io/mount-utils` and the parts
//! of `k8s.io/kubernetes/pkg/volume/util` that work on files.
//!
//! | module | content |
//! |---|---|
//! | [`mount`] | mounting, the table of mounts, cleaning up |
//! | [`filesystem`] | formatting, checking and growing file systems; loop devices |
//! | [`ownership`] | `fsGroup` |
//! | [`metrics`] | the space and the inodes of a volume |
//! | [`subpath`] | a part of a volume, safe against symbolic links |
//! | [`atomic_writer`] | files that change all at once |
//! | [`remove`] | removing a tree without leaving the volume |
//! | [`exec`] | commands with a time limit |
//! | [`masking`] | keeping secrets out of messages |
//! | [`from_go`] | the counterpart of each item of the Go packages |
//! | `testing`, with the feature `testing` | a mounter and a runner of commands for tests |
//!
//! Everything here blocks: these are system calls. An asynchronous program calls them in
//! `spawn_blocking`.
//!
//! The volume plugins of the kubelet are in the crate `kubernetes-volume`, which uses this one.
//!
//! Features:
//!
//! * `testing`: a mounter and a runner of commands that record what they are asked to do.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg(target_os = "linux")]

pub mod atomic_writer;
mod error;
pub mod exec;
pub mod filesystem;
pub mod from_go;
pub mod masking;
pub mod metrics;
pub mod mount;
pub mod ownership;
pub mod remove;
pub mod subpath;
#[cfg(feature = "testing")]
pub mod testing;
mod walk;

#[doc(inline)]
pub use error::{Error, Result};

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
