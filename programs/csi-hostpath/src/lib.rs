//! A CSI driver whose volumes are folders and files of one node, for tests and as an example; see
//! README.md.

mod blocks;
mod controller;
mod copies;
mod data;
mod groups;
mod health;
mod image;
mod manifests;
mod node;
mod options;
mod pools;
mod records;
mod snapshots;
mod state;

use std::collections::BTreeSet;
use std::sync::Arc;

use kubernetes_csi_driver::model::AccessMode;
use kubernetes_csi_driver::{DeclarationError, Driver, Growth, Services};

pub use options::{Command, Declaration, Options};
pub use pools::Pool;
pub use state::StateError;

use pools::Pools;
use state::State;

/// The driver can't start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The state folder can't be used.
    #[error("the state folder can't be used")]
    State(#[from] StateError),
    /// What an earlier process has left on the node can't be put right.
    #[error("what an earlier process has left can't be put right")]
    Node(#[from] kubernetes_csi_driver::Error),
}

/// The driver.
pub struct HostPath {
    node_id: String,
    max_volumes: Option<u32>,
    has_attach: bool,
    accepted_parameters: BTreeSet<String>,
    max_volume_size: u64,
    pools: Pools,
    state: Arc<State>,
}

/// The topology key of nodes.
const NODE: &str = "topology.hostpath.csi/node";

impl HostPath {
    /// Opens the state folder, and removes what an earlier process has left half done.
    ///
    /// # Errors
    ///
    /// When the folder can't be read or written, or has files that this version doesn't know, or a
    /// device that is no longer needed can't be detached.
    pub fn open(options: &Options) -> Result<Self, OpenError> {
        let state = State::open(&options.state_dir)?;
        image::recover(&state)?;
        Ok(Self {
            node_id: options.node_id.clone(),
            max_volumes: options.max_volumes_per_node,
            has_attach: options.declaration.enable_attach,
            accepted_parameters: options
                .accepted_mutable_parameter_names
                .iter()
                .cloned()
                .collect(),
            max_volume_size: options.max_volume_size,
            pools: Pools::new(&options.capacity),
            state: Arc::new(state),
        })
    }

    /// Returns the services of the driver.
    ///
    /// # Errors
    ///
    /// When the name isn't one of a driver.
    pub fn services(self, name: &str) -> Result<Services, DeclarationError> {
        let hostpath = Arc::new(self);
        let all = [
            AccessMode::SingleNodeWriter,
            AccessMode::SingleNodeReaderOnly,
            AccessMode::SingleNodeSingleWriter,
            AccessMode::SingleNodeMultiWriter,
            AccessMode::MultiNodeReaderOnly,
            AccessMode::MultiNodeSingleWriter,
            AccessMode::MultiNodeMultiWriter,
        ];
        let driver = Driver::new(name, env!("CARGO_PKG_VERSION"))
            .access_modes(all)
            .block_volumes()
            .topology()
            .snapshot_topology()
            .growth(Growth::Online)
            .controller(hostpath.clone())
            .volumes(hostpath.clone())
            .list_volumes(hostpath.clone())
            .get_volume(hostpath.clone())
            .capacity(hostpath.clone())
            .expansion(hostpath.clone())
            .snapshots(hostpath.clone())
            .list_snapshots(hostpath.clone())
            .get_snapshot(hostpath.clone())
            .volume_health(hostpath.clone())
            .list_volume_health(hostpath.clone())
            .group_snapshots(hostpath.clone())
            .metadata(hostpath.clone())
            .node(hostpath.clone())
            .staging(hostpath.clone())
            .stats(hostpath.clone())
            .node_expansion(hostpath.clone())
            .node_volume_health(hostpath.clone())
            .storage_health(hostpath.clone());
        let driver = match hostpath.accepted_parameters.is_empty() {
            true => driver,
            false => driver.modification(hostpath.clone()),
        };
        let driver = match hostpath.has_attach {
            true => driver.attachments(hostpath),
            false => driver,
        };
        driver.build()
    }
}
