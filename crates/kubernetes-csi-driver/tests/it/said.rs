//! What validation says about requests.

use std::collections::BTreeMap;

use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, BlockVolume};
use kubernetes_csi::v1::{CreateVolumeRequest, VolumeCapability};
use kubernetes_csi_driver::request::{Request, validate};

/// Returns what validation says about a request.
pub(crate) fn said(request: &impl Request) -> String {
    validate(request).map_or_else(|error| error.to_string(), |()| "valid".to_owned())
}

pub(crate) fn map<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    BTreeMap::from(entries.map(|(key, value)| (key.to_owned(), value.to_owned())))
}

pub(crate) fn capability(access_type: Option<AccessType>, mode: i32) -> VolumeCapability {
    VolumeCapability {
        access_type,
        access_mode: Some(AccessMode { mode }),
    }
}

/// Returns a valid request.
pub(crate) fn create() -> CreateVolumeRequest {
    let block = AccessType::Block(BlockVolume {});
    CreateVolumeRequest {
        name: "pvc-1".to_owned(),
        volume_capabilities: vec![capability(Some(block), 1)],
        ..Default::default()
    }
}
