//! Rules of volumes, which PersistentVolumes and the volumes inside VolumeAttachments share.
//!
//! They are those of `k8s_openapi`'s types, to which types of other crates are converted. They are
//! `#[inline]`, so that only crates that call them carry them.

mod access_modes;
mod fields;
mod iscsi;
mod same;
mod sources;

pub use access_modes::access_modes;
pub use same::is_same;
pub use sources::source;
