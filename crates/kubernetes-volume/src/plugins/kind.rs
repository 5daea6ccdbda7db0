//! A kind of volume whose files are written by the node.

use k8s_openapi::api::core::v1::{Pod, Volume as PodVolume};

use super::shared::payload::Payload;
use crate::interfaces::VolumeHost;
use crate::{MounterArgs, Result};

/// The differences of the plugins whose volumes are files.
pub(super) struct Kind {
    /// The name of the plugin.
    pub(super) name: &'static str,
    /// The field of the volume.
    pub(super) field: &'static str,
    /// Set if the files are in memory rather than on disk.
    pub(super) in_memory: bool,
    /// Returns true if the volume has that field.
    pub(super) supports: fn(&PodVolume) -> bool,
    /// Reads the content of the files.
    pub(super) payload: fn(&Inputs<'_>) -> Result<Payload>,
    /// Returns the name of what is behind the volume, which has that field.
    pub(super) volume_name: fn(&PodVolume) -> String,
    /// Sets the field of a volume of which only the name is known.
    pub(super) reconstruct: fn(&mut PodVolume),
}

/// The objects from which files are made.
pub(super) struct Inputs<'a> {
    pub(super) host: &'a dyn VolumeHost,
    pub(super) volume: &'a PodVolume,
    pub(super) pod: &'a Pod,
    pub(super) args: &'a MounterArgs,
}
