//! The volume plugin framework of Kubernetes, and a node's tools around it, on Linux: what
//! `k8s.io/kubernetes/pkg/volume` is for Go.
//!
//! | module | what it has |
//! |---|---|
//! | [`interfaces`] | the traits of plugins, mounters, attachers and hosts |
//! | [`manager`] | finds the plugin of a volume |
//! | [`probe`] | plugins that appear while a program runs |
//! | [`host`] | a host for plugins outside of a kubelet |
//! | [`plugins`] | emptyDir, hostPath, local, configMap, secret, downwardAPI, projected, flexVolume |
//! | [`metrics`] | the space and the inodes of a volume |
//! | [`ownership`] | `fsGroup` |
//! | [`mount`] | mounting, the table of mounts, cleaning up |
//! | [`filesystem`] | formatting, checking and growing file systems |
//! | [`subpath`] | a part of a volume, safe against symbolic links |
//! | [`atomic_writer`] | files that change all at once |
//! | [`recycler`] | the Pod that empties a volume |
//! | [`from_go`] | the counterpart of each item of the Go package |
//! | `testing`, with the feature `testing` | a host and a mounter for tests |
//!
//! Everything here blocks: these are system calls. An asynchronous program calls them in
//! `spawn_blocking`.
//!
//! Features:
//!
//! * `kube`: a host can have a client, and kube's caches are [listers](interfaces::Lister).
//! * `testing`: a host and a mounter that record what plugins do.

#![cfg(target_os = "linux")]

pub mod atomic_writer;
mod error;
pub mod exec;
pub mod filesystem;
pub mod from_go;
pub mod host;
pub mod interfaces;
pub mod manager;
pub mod metrics;
pub mod mount;
mod options;
pub mod ownership;
pub mod plugins;
pub mod probe;
pub mod recycler;
mod spec;
pub mod subpath;
#[cfg(feature = "testing")]
pub mod testing;
mod walk;

#[doc(inline)]
pub use error::{Error, Result};
pub use options::{
    Attributes, CsiVolumePhase, MounterArgs, NodeResizeOptions, VOLUME_PARAMETER_FS_TYPE,
    VolumeConfig, VolumeOptions,
};
pub use spec::Spec;

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
