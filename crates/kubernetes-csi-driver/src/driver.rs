//! The declaration of a driver: its name, and the traits that it implements.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::controller::{
    Attachments, Controller, Expansion, GetCapacity, GetSnapshot, GetVolume, ListSnapshots,
    ListVolumeHealth, ListVolumes, Modification, Snapshots, VolumeHealth, Volumes,
};
use crate::group::GroupSnapshots;
use crate::metadata::SnapshotMetadata;
use crate::model::{AccessMode, AccessType, VolumeCapability};
use crate::node::{Node, NodeExpansion, NodeVolumeHealth, Staging, StorageHealth, VolumeStats};
use crate::probe::Probe;

/// A driver: what it is called, and what it can do.
///
/// Each trait that it is given is a capability, so that what the driver announces is what it has.
/// One process may have all parts, or only the controller or the node part.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use kubernetes_csi_driver::{Driver, Endpoint, controller::{Controller, Volumes}, node::Node};
/// # type Done = Result<(), Box<dyn std::error::Error>>;
/// # async fn run<D: Controller + Volumes + Node>(disks: D) -> Done {
/// let disks = Arc::new(disks);
/// let endpoint: Endpoint = "unix:///csi/csi.sock".parse()?;
/// Driver::new("disk.csi.example.com", env!("CARGO_PKG_VERSION"))
///     .controller(disks.clone())
///     .volumes(disks.clone())
///     .node(disks)
///     .build()?
///     .serve(&endpoint, std::future::pending())
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Driver {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) manifest: BTreeMap<String, String>,
    pub(crate) access_modes: Option<BTreeSet<AccessMode>>,
    pub(crate) has_block: bool,
    pub(crate) has_no_mount: bool,
    pub(crate) has_topology: bool,
    pub(crate) has_snapshot_topology: bool,
    pub(crate) has_mount_group: bool,
    pub(crate) growth: Option<Growth>,
    pub(crate) most_calls: Option<usize>,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) probe: Option<Arc<dyn Probe>>,
    pub(crate) controller: Option<Arc<dyn Controller>>,
    pub(crate) volumes: Option<Arc<dyn Volumes>>,
    pub(crate) list_volumes: Option<Arc<dyn ListVolumes>>,
    pub(crate) get_volume: Option<Arc<dyn GetVolume>>,
    pub(crate) attachments: Option<Arc<dyn Attachments>>,
    pub(crate) capacity: Option<Arc<dyn GetCapacity>>,
    pub(crate) expansion: Option<Arc<dyn Expansion>>,
    pub(crate) modification: Option<Arc<dyn Modification>>,
    pub(crate) snapshots: Option<Arc<dyn Snapshots>>,
    pub(crate) list_snapshots: Option<Arc<dyn ListSnapshots>>,
    pub(crate) get_snapshot: Option<Arc<dyn GetSnapshot>>,
    pub(crate) volume_health: Option<Arc<dyn VolumeHealth>>,
    pub(crate) list_volume_health: Option<Arc<dyn ListVolumeHealth>>,
    pub(crate) group_snapshots: Option<Arc<dyn GroupSnapshots>>,
    pub(crate) metadata: Option<Arc<dyn SnapshotMetadata>>,
    pub(crate) node: Option<Arc<dyn Node>>,
    pub(crate) staging: Option<Arc<dyn Staging>>,
    pub(crate) stats: Option<Arc<dyn VolumeStats>>,
    pub(crate) node_expansion: Option<Arc<dyn NodeExpansion>>,
    pub(crate) node_volume_health: Option<Arc<dyn NodeVolumeHealth>>,
    pub(crate) storage_health: Option<Arc<dyn StorageHealth>>,
}

/// The times at which volumes can grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Always, also while Pods use them.
    Online,
    /// Only while no node has them.
    Offline,
}

/// A declaration that contradicts itself.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct DeclarationError {
    message: String,
}

/// Methods that take an implementation of a trait.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident: $part:path;)*) => {
        impl Driver {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, part: Arc<impl $part>) -> Self {
                    self.$name = Some(part);
                    self
                }
            )*
        }
    };
}

parts! {
    /// Says whether the driver is ready; without it, it always is.
    probe: Probe;
    /// Adds the controller part, which each of the next ones down to `get_snapshot` needs.
    controller: Controller;
    /// Creates and deletes volumes.
    volumes: Volumes;
    /// Lists volumes.
    list_volumes: ListVolumes;
    /// Returns single volumes.
    get_volume: GetVolume;
    /// Attaches volumes to nodes.
    attachments: Attachments;
    /// Measures free space.
    capacity: GetCapacity;
    /// Enlarges volumes in the controller part.
    expansion: Expansion;
    /// Changes parameters of volumes.
    modification: Modification;
    /// Creates and deletes snapshots.
    snapshots: Snapshots;
    /// Lists snapshots.
    list_snapshots: ListSnapshots;
    /// Returns single snapshots.
    get_snapshot: GetSnapshot;
    /// Returns problems of volumes in the controller part.
    volume_health: VolumeHealth;
    /// Lists volumes with problems.
    list_volume_health: ListVolumeHealth;
    /// Creates, returns and deletes group snapshots.
    group_snapshots: GroupSnapshots;
    /// Lists blocks of snapshots.
    metadata: SnapshotMetadata;
    /// Adds the node part, which each of the next ones needs.
    node: Node;
    /// Prepares volumes once for all Pods of a node.
    staging: Staging;
    /// Measures volumes.
    stats: VolumeStats;
    /// Enlarges volumes in the node part.
    node_expansion: NodeExpansion;
    /// Returns problems of volumes in the node part.
    node_volume_health: NodeVolumeHealth;
    /// Returns problems of the storage in the node part.
    storage_health: StorageHealth;
}

impl Driver {
    /// Returns a driver that can do nothing yet.
    ///
    /// The name is a domain name of at most 63 characters, such as `disk.csi.example.com`. It is
    /// the `provisioner` of a StorageClass and the name of the CSIDriver.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            ..Self::default()
        }
    }

    /// Adds a fact to those that `GetPluginInfo` returns.
    #[must_use]
    pub fn manifest(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.manifest.insert(key.into(), value.into());
        self
    }

    /// Sets the access modes that volumes can have; without it, those of one node. Requests with
    /// others are refused.
    ///
    /// [`SingleNodeSingleWriter`](AccessMode::SingleNodeSingleWriter) and `SingleNodeMultiWriter`
    /// need `SingleNodeWriter`, which older callers send. The first is for drivers that refuse to
    /// [publish](crate::node::Node::publish) a volume at a second path.
    #[must_use]
    pub fn access_modes(mut self, modes: impl IntoIterator<Item = AccessMode>) -> Self {
        self.access_modes = Some(modes.into_iter().collect());
        self
    }

    /// Allows volumes that are used as devices, `volumeMode: Block`.
    #[must_use]
    pub fn block_volumes(mut self) -> Self {
        self.has_block = true;
        self
    }

    /// Allows devices only, and no file systems.
    #[must_use]
    pub fn only_block_volumes(mut self) -> Self {
        self.has_block = true;
        self.has_no_mount = true;
        self
    }

    /// Says that volumes may be reachable from a part of the cluster only. Both parts say it.
    #[must_use]
    pub fn topology(mut self) -> Self {
        self.has_topology = true;
        self
    }

    /// Says that snapshots may be restorable in a part of the cluster only. Both parts say it.
    /// Alpha in CSI 1.13.
    #[must_use]
    pub fn snapshot_topology(mut self) -> Self {
        self.has_snapshot_topology = true;
        self
    }

    /// Says that the node part gives files the group in
    /// [`Mount::group`](crate::model::Mount::group), so that the kubelet doesn't change their
    /// owners.
    #[must_use]
    pub fn volume_mount_group(mut self) -> Self {
        self.has_mount_group = true;
        self
    }

    /// Says when volumes can grow. Drivers that enlarge volumes have to; both parts say the same.
    #[must_use]
    pub fn growth(mut self, growth: Growth) -> Self {
        self.growth = Some(growth);
        self
    }

    /// Sets how many calls run at a time; without it, there is no limit. Further ones wait until
    /// one ends, or until their callers go away.
    ///
    /// A call that waits keeps others for the same volume away, as one that runs. `Probe` and what
    /// the kit answers by itself don't wait. A list of blocks counts until its first message.
    #[must_use]
    pub fn most_calls(mut self, most: usize) -> Self {
        self.most_calls = Some(most);
        self
    }

    /// Sets the time after which a call is answered with `DEADLINE_EXCEEDED` if it still runs;
    /// without it, there is none but those that callers set.
    ///
    /// The call goes on to its end: until then, others for the same volume get `ABORTED`, so that
    /// Kubernetes tries again.
    #[must_use]
    pub fn call_timeout(mut self, time: Duration) -> Self {
        self.call_timeout = Some(time);
        self
    }

    /// Returns what contradicts itself.
    pub(crate) fn check(&self) -> Result<(), DeclarationError> {
        match self.fault() {
            Some(message) => Err(DeclarationError { message }),
            None => Ok(()),
        }
    }

    fn fault(&self) -> Option<String> {
        let name = &self.name;
        if !is_name(name) {
            return Some(format!(
                "the name {name:?} isn't a domain name of at most 63 characters, such as \
                 `disk.csi.example.com`"
            ));
        }
        if self.version.is_empty() || self.version.len() > 128 {
            return Some("the version has to have 1 to 128 bytes".to_owned());
        }
        let controller: [(bool, &str); 12] = [
            (self.volumes.is_some(), "volumes"),
            (self.list_volumes.is_some(), "list_volumes"),
            (self.get_volume.is_some(), "get_volume"),
            (self.attachments.is_some(), "attachments"),
            (self.capacity.is_some(), "capacity"),
            (self.expansion.is_some(), "expansion"),
            (self.modification.is_some(), "modification"),
            (self.snapshots.is_some(), "snapshots"),
            (self.list_snapshots.is_some(), "list_snapshots"),
            (self.get_snapshot.is_some(), "get_snapshot"),
            (self.volume_health.is_some(), "volume_health"),
            (self.list_volume_health.is_some(), "list_volume_health"),
        ];
        let node = [
            (self.staging.is_some(), "staging"),
            (self.stats.is_some(), "stats"),
            (self.node_expansion.is_some(), "node_expansion"),
            (self.node_volume_health.is_some(), "node_volume_health"),
            (self.storage_health.is_some(), "storage_health"),
            (self.has_mount_group, "volume_mount_group"),
        ];
        let first = |parts: &[(bool, &'static str)]| {
            let found = parts.iter().find(|(is_there, _)| *is_there);
            found.map(|(_, part)| *part)
        };
        if let (None, Some(part)) = (&self.controller, first(&controller)) {
            return Some(format!("`{part}` needs `controller`"));
        }
        if let (None, Some(part)) = (&self.node, first(&node)) {
            return Some(format!("`{part}` needs `node`"));
        }
        if self.snapshots.is_some() && self.volumes.is_none() {
            return Some("`snapshots` needs `volumes`, which restores them".to_owned());
        }
        let lists_nodes = self
            .list_volumes
            .as_ref()
            .is_some_and(|list| list.lists_nodes());
        if lists_nodes && self.attachments.is_none() {
            return Some("`lists_nodes` of `list_volumes` needs `attachments`".to_owned());
        }
        if self.list_volume_health.is_some() && self.volume_health.is_none() {
            return Some("`list_volume_health` needs `volume_health`".to_owned());
        }
        if self.has_snapshot_topology && self.snapshots.is_none() {
            return Some("`snapshot_topology` needs `snapshots`".to_owned());
        }
        let grows = self.expansion.is_some() || self.node_expansion.is_some();
        match (grows, self.growth) {
            (true, None) => Some("a driver that enlarges volumes needs `growth`".to_owned()),
            (false, Some(_)) => Some("`growth` needs `expansion` or `node_expansion`".to_owned()),
            _ if self.most_calls == Some(0) => Some("`most_calls` has to be positive".to_owned()),
            _ if self.call_timeout == Some(Duration::ZERO) => {
                Some("`call_timeout` has to be positive".to_owned())
            }
            _ if self.access_modes.as_ref().is_some_and(BTreeSet::is_empty) => {
                Some("`access_modes` has none".to_owned())
            }
            _ if self.has_modes_of_one_node() && !self.has_mode(AccessMode::SingleNodeWriter) => {
                let message = "`access_modes` has modes that replace `SingleNodeWriter`, and needs \
                               that for older callers";
                Some(message.to_owned())
            }
            _ => None,
        }
    }

    /// Returns true if volumes can have an access mode.
    fn has_mode(&self, mode: AccessMode) -> bool {
        match &self.access_modes {
            Some(modes) => modes.contains(&mode),
            None => !mode.is_multi_node(),
        }
    }

    /// Returns true if callers may use the access modes that replace `SINGLE_NODE_WRITER`.
    pub(crate) fn has_modes_of_one_node(&self) -> bool {
        let modes = [
            AccessMode::SingleNodeSingleWriter,
            AccessMode::SingleNodeMultiWriter,
        ];
        modes.into_iter().any(|mode| self.has_mode(mode))
    }

    /// Returns why volumes can't be used in a way, if they can't.
    pub(crate) fn refusal(&self, capability: &VolumeCapability) -> Option<String> {
        let mode = capability.access_mode;
        match capability.access_type {
            AccessType::Block if !self.has_block => {
                return Some("the driver has no block volumes".to_owned());
            }
            AccessType::Mount(_) if self.has_no_mount => {
                return Some("the driver has block volumes only".to_owned());
            }
            _ => {}
        }
        (!self.has_mode(mode)).then(|| format!("the driver has no {mode} volumes"))
    }
}

/// Returns true if a text is the name of a driver.
fn is_name(name: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        is_end(bytes.first()) && is_end(bytes.last()) && bytes.iter().all(is_inner)
    };
    name.len() <= 63 && name.split('.').all(is_label)
}
