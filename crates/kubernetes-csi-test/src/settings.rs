//! The settings of an author.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use kubernetes_csi::v1::VolumeCapability;
use kubernetes_csi::v1::volume_capability::access_mode::Mode;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, MountVolume};

type Parameters = BTreeMap<String, String>;

/// The settings of an author.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) volume_size: i64,
    pub(crate) expanded_size: i64,
    pub(crate) capability: VolumeCapability,
    pub(crate) parameters: Parameters,
    pub(crate) mutable_parameters: Parameters,
    pub(crate) snapshot_parameters: Parameters,
    pub(crate) group_snapshot_parameters: Parameters,
    pub(crate) secrets: Parameters,
    pub(crate) node_id: Option<String>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            volume_size: 1 << 30,
            expanded_size: 2 << 30,
            capability: mount(),
            parameters: Parameters::new(),
            mutable_parameters: Parameters::new(),
            snapshot_parameters: Parameters::new(),
            group_snapshot_parameters: Parameters::new(),
            secrets: Parameters::new(),
            node_id: None,
            folder: None,
            timeout: Duration::from_secs(60),
        }
    }
}

fn mount() -> VolumeCapability {
    VolumeCapability {
        access_mode: Some(AccessMode {
            mode: Mode::SingleNodeWriter.into(),
        }),
        access_type: Some(AccessType::Mount(MountVolume::default())),
    }
}
