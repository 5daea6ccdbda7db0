//! The traits of plugins, of what they make, and of the host that they run in.
//!
//! The names are those of `k8s.io/kubernetes/pkg/volume`. Where Go asserts a type, there is a
//! method such as [`VolumePlugin::as_attachable`] that returns nothing unless it is overridden.
//! All traits can be used as `dyn`.

mod attach;
mod block;
mod host;
mod mounter;
mod plugin;

pub use attach::{Attacher, BulkVolumeVerifier, Detacher, DeviceMounter, DeviceUnmounter};
pub use block::{
    BlockVolume, BlockVolumeMapper, BlockVolumeUnmapper, CustomBlockVolumeMapper,
    CustomBlockVolumeUnmapper, PodDeviceMapPath,
};
pub use host::{
    CredentialBundle, Event, EventRecorder, EventType, KubeletVolumeHost, Lister, VolumeHost,
};
pub use mounter::{Deleter, Mounter, Unmounter, Volume, VolumeProvisioner};
pub use plugin::{
    AttachableVolumePlugin, BlockVolumePlugin, DeletableVolumePlugin, DeviceMountableVolumePlugin,
    ExpandableVolumePlugin, NodeExpandableVolumePlugin, PersistentVolumePlugin,
    ProvisionableVolumePlugin, RecyclableVolumePlugin, VolumePlugin, VolumePluginWithAttachLimits,
};
