//! The plugins of Kubernetes: those that need no driver, FlexVolumes and CSI.
//!
//! | plugin | name | content | metrics |
//! |---|---|---|---|
//! | [`EmptyDirPlugin`] | `kubernetes.io/empty-dir` | a directory, a tmpfs, or huge pages | its files, or its file system |
//! | [`HostPathPlugin`] | `kubernetes.io/host-path` | a path of the node | – |
//! | [`LocalPlugin`] | `kubernetes.io/local-volume` | a directory or a block device of the node | its file system |
//! | [`NfsPlugin`] | `kubernetes.io/nfs` | a directory of an NFS server | its file system |
//! | [`ImagePlugin`] | `kubernetes.io/image` | an image, which the container runtime mounts | – |
//! | [`FilesPlugin::config_map`] | `kubernetes.io/configmap` | a ConfigMap | its files, once |
//! | [`FilesPlugin::secret`] | `kubernetes.io/secret` | a Secret, in memory | its files, once |
//! | [`FilesPlugin::downward_api`] | `kubernetes.io/downward-api` | fields of the Pod, in memory | its files, once |
//! | [`FilesPlugin::projected`] | `kubernetes.io/projected` | several of these and tokens, in memory | its files, once |
//! | [`FlexVolumePlugin`] | that of its driver | what a program mounts | its file system, if the driver says so |
//! | [`CsiPlugin`] | `kubernetes.io/csi` | what a CSI driver mounts | what the driver measures |
//!
//! [`all`] returns them for a [manager](crate::manager), but for FlexVolumes, which [a prober
//! finds](FlexVolumePlugin::prober), and for [CSI](csi), whose drivers a program registers. Every
//! step can be repeated, also after a crash: an emptyDir counts as set up only once a marker says
//! so, under the Pod's `plugins/kubernetes.io~empty-dir`, and is renamed to `NAME.deleting~` before
//! it is removed.
//!
//! The files of a Pod are removed by directory descriptors: no link is followed, and a mount inside
//! is an error that names it. Nothing of the volume was removed then.

pub mod csi;
pub(crate) mod downward_api;
mod empty_dir;
mod files;
mod flex_volume;
mod host_path;
mod image;
mod keyed;
mod kind;
mod list;
mod local;
mod nfs;
mod projected;
mod shared;

pub use csi::CsiPlugin;
pub use empty_dir::EmptyDirPlugin;
pub use files::FilesPlugin;
pub use flex_volume::FlexVolumePlugin;
pub use host_path::HostPathPlugin;
pub use image::ImagePlugin;
pub use list::all;
pub use local::LocalPlugin;
pub use nfs::NfsPlugin;
pub use shared::names::DELETING;
pub(crate) use shared::{dirs, names};

/// The name of the plugin of CSI volumes.
pub const CSI: &str = "kubernetes.io/csi";
/// The name of the plugin of emptyDir.
pub const EMPTY_DIR: &str = "kubernetes.io/empty-dir";
/// The name of the plugin of hostPath.
pub const HOST_PATH: &str = "kubernetes.io/host-path";
/// The name of the plugin of local PersistentVolumes.
pub const LOCAL: &str = "kubernetes.io/local-volume";
/// The name of the plugin of NFS.
pub const NFS: &str = "kubernetes.io/nfs";
/// The name of the plugin of images.
pub const IMAGE: &str = "kubernetes.io/image";
/// The name of the plugin of ConfigMaps.
pub const CONFIG_MAP: &str = "kubernetes.io/configmap";
/// The name of the plugin of Secrets.
pub const SECRET: &str = "kubernetes.io/secret";
/// The name of the plugin of the downward API.
pub const DOWNWARD_API: &str = "kubernetes.io/downward-api";
/// The name of the plugin of projected volumes.
pub const PROJECTED: &str = "kubernetes.io/projected";
