//! The sources of a volume, which PersistentVolumes and the volumes inside VolumeAttachments share.
//!
//! The rules read a volume through [`VolumeSources`], which `k8s_openapi`'s type and that of
//! `core-v1` implement, so that neither is converted.

mod check;
mod fields;
#[doc(hidden)]
pub mod implement;
mod iscsi;
mod same;
pub mod view;

pub use check::check;
pub use same::is_same;
pub use view::VolumeSources;
