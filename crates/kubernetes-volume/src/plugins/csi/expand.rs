//! Growing volumes on the node.

use super::mounter::file_system;
use super::node::Node;
use super::source::{Persistent, Source};
use super::{AccessType, NodeCapability, NodeExpandVolumeRequest};
use crate::{Error, NodeResizeOptions, Result};

/// Grows a volume. Returns true: what a driver says of the size is not compared.
pub(super) fn expand(node: &Node, options: &NodeResizeOptions) -> Result<bool> {
    let source = Persistent::of(&options.volume_spec)?;
    let csi = source.csi;
    let driver = node.driver(&csi.driver)?;
    let capabilities = driver.capabilities()?;
    if !capabilities.contains(&NodeCapability::ExpandVolume) {
        let name = &csi.driver;
        return Err(Error::NotSupported(format!(
            "growing volumes on the node by the CSI driver {name}"
        )));
    }
    let (access_type, path) = if source.is_block() {
        (AccessType::Block, &options.device_path)
    } else {
        // The driver applies no group now, and needs no label.
        let access_type = file_system(Source::Persistent(source), None, None, &capabilities);
        (access_type, &options.device_mount_path)
    };
    if path.as_os_str().is_empty() {
        return Err(Error::invalid(format!(
            "the path of the volume {:?} that is to grow is empty",
            csi.volume_handle
        )));
    }
    let request = NodeExpandVolumeRequest {
        volume_id: csi.volume_handle.clone(),
        volume_path: path.clone(),
        required_bytes: options.new_size,
        staging_target_path: options.device_stage_path.clone(),
        volume_capability: Source::Persistent(source).capability(access_type, &capabilities),
        secrets: node.secrets(csi.node_expand_secret_ref.as_ref())?,
    };
    let answer = driver.client.node_expand_volume(&request);
    driver.done("NodeExpandVolume", answer)?;
    Ok(true)
}
