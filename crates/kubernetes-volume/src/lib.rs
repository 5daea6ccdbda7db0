//! The volume plugin framework of Kubernetes with the kubelet's plugins, on Linux:
//! `k8s.io/kubernetes/pkg/volume` for Rust.
//!
//! | module | content |
//! |---|---|
//! | [`interfaces`] | the traits of plugins, mounters, attachers and hosts |
//! | [`manager`] | finds the plugin of a volume |
//! | [`probe`] | plugins that appear while a program runs |
//! | [`host`] | a host for plugins outside of a kubelet |
//! | [`plugins`] | the plugins of the kubelet, such as emptyDir and CSI |
//! | [`containers`] | the mounts of a Pod's containers: `subPath`, read-only mounts, propagation |
//! | [`ownership`] | `fsGroup` of a volume that a plugin has mounted |
//! | [`recycler`] | the Pod that empties a volume |
//! | [`from_go`] | the counterpart of each item of the Go package |
//! | `testing`, with the feature `testing` | a host for tests |
//!
//! Plugins work with the node's tools of the crate [`kubernetes_mount`]. Its modules are
//! re-exported, so that a plugin needs no other dependency.
//!
//! Everything here blocks: these are system calls. An asynchronous program calls them in
//! `spawn_blocking`.
//!
//! Features:
//!
//! * `kube`: a host can have a client, and kube's caches are [listers](interfaces::Lister).
//! * `testing`: a host and a mounter that record what plugins do.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg(target_os = "linux")]

pub mod containers;
mod error;
pub mod from_go;
pub mod host;
pub mod interfaces;
pub mod manager;
mod options;
pub mod ownership;
pub mod plugins;
pub mod probe;
pub mod recycler;
mod spec;
#[cfg(feature = "testing")]
pub mod testing;

pub use kubernetes_mount::{
    atomic_writer, exec, filesystem, masking, metrics, mount, remove, subpath,
};

#[doc(inline)]
pub use error::{Error, Result};
pub use kubernetes_mount::Error as NodeError;
pub use options::{
    Attributes, CsiVolumePhase, DeviceMounterArgs, MounterArgs, NodeResizeOptions,
    VOLUME_PARAMETER_FS_TYPE, VolumeConfig, VolumeOptions,
};
pub use spec::{ReconstructedVolume, Spec};

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
