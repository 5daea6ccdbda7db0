//! Conversion rules from csi.storage.k8s.io to storage.k8s.io and back, for fields without a
//! counterpart of the same type.
//!
//! Fields that the other version can't represent are left out here; [`kubernetes_kinds::convert`]
//! finds and reports them.

use std::collections::{BTreeMap, BTreeSet};

use kubernetes_kinds::FieldPath;
use kubernetes_kinds::convert::{self, ConversionError};
use storage_v1::{CSINode, CSINodeDriver, CSINodeSpec};

use super::{
    CSIDriverInfo, CSIDriverInfoSpec, CSIDriverInfoStatus, CSINodeInfo, CSINodeInfoSpec,
    CSINodeInfoStatus, VolumePluginMechanism,
};

/// The only value of `podInfoOnMountVersion` that ever had a meaning.
const POD_INFO_VERSION: &str = "v1";

/// Returns whether kubelets passed information about the Pod: for that one version only.
pub(super) fn pod_info_on_mount(version: Option<String>) -> Option<bool> {
    version.map(|version| version == POD_INFO_VERSION)
}

/// Returns the version for `true`; unset is the only way to express `false`.
pub(super) fn pod_info_on_mount_version(pod_info: Option<bool>) -> Option<String> {
    (pod_info == Some(true)).then(|| POD_INFO_VERSION.to_owned())
}

/// Returns the version; for an explicit `false` that of `like`, which meant `false`; unset had
/// none.
pub(super) fn pod_info_on_mount_version_like(
    pod_info: Option<bool>,
    like: &Option<String>,
) -> Option<String> {
    let other = like.as_ref().filter(|version| *version != POD_INFO_VERSION);
    match (pod_info, other) {
        (Some(false), Some(version)) => Some(version.clone()),
        (pod_info, _) => pod_info_on_mount_version(pod_info),
    }
}

/// A driver is in a CSINode while it is installed, so those with `available: false` are left
/// out, and those without a node ID, with which the API server would refuse the whole object.
pub(super) fn csi_node(info: CSINodeInfo) -> convert::Result<CSINode> {
    let drivers: Vec<_> = match info.csi_drivers {
        Some(_) if info.spec.is_some() || info.status.is_some() => {
            return Err(ConversionError::invalid(
                FieldPath::new("csiDrivers"),
                "the object has `csiDrivers`, the form of Kubernetes 1.12, beside `spec` or \
                 `status`, the form of 1.13: remove one of them",
            ));
        }
        Some(drivers) => {
            let names = drivers.iter().map(|driver| driver.driver.as_str());
            check_names(&FieldPath::new("csiDrivers"), "driver", names)?;
            drivers.into_iter().map(installed_1_12).collect()
        }
        None => {
            let drivers = info.spec.map(|spec| spec.drivers).unwrap_or_default();
            let states = info.status.map(|status| status.drivers).unwrap_or_default();
            let names = drivers.iter().map(|driver| driver.name.as_str());
            check_names(&FieldPath::new("spec").child("drivers"), "name", names)?;
            let names = states.iter().map(|state| state.name.as_str());
            check_names(&FieldPath::new("status").child("drivers"), "name", names)?;
            installed(drivers, &states)
        }
    };
    Ok(CSINode {
        metadata: info.metadata,
        spec: CSINodeSpec {
            drivers: drivers
                .into_iter()
                .filter(|d| !d.node_id.is_empty())
                .collect(),
        },
        status: None,
    })
}

fn installed_1_12(driver: CSIDriverInfo) -> CSINodeDriver {
    CSINodeDriver {
        name: driver.driver,
        node_id: driver.node_id,
        allocatable: None,
        topology_keys: non_empty(driver.topology_keys),
    }
}

/// A driver without a state counts as installed.
fn installed(
    drivers: Vec<CSIDriverInfoSpec>,
    states: &[CSIDriverInfoStatus],
) -> Vec<CSINodeDriver> {
    let states: BTreeMap<&str, bool> = states
        .iter()
        .map(|state| (state.name.as_str(), state.available))
        .collect();
    let is_gone = |driver: &CSIDriverInfoSpec| states.get(driver.name.as_str()) == Some(&false);
    let drivers = drivers.into_iter().filter(|driver| !is_gone(driver));
    let drivers = drivers.map(|driver| CSINodeDriver {
        name: driver.name,
        node_id: driver.node_id,
        allocatable: None,
        topology_keys: non_empty(driver.topology_keys),
    });
    drivers.collect()
}

fn non_empty(keys: Vec<String>) -> Option<Vec<String>> {
    (!keys.is_empty()).then_some(keys)
}

/// The newer form, in which kubelets of 1.13 wrote; a driver that is there is available, and
/// operated in-tree, which is where every driver began.
pub(super) fn csi_node_info(node: CSINode) -> convert::Result<CSINodeInfo> {
    check_node(&node)?;
    let states = node.spec.drivers.iter().map(|driver| CSIDriverInfoStatus {
        name: driver.name.clone(),
        available: true,
        volume_plugin_mechanism: VolumePluginMechanism::InTree,
    });
    let status = CSINodeInfoStatus {
        drivers: states.collect(),
    };
    let drivers = node
        .spec
        .drivers
        .into_iter()
        .map(|driver| CSIDriverInfoSpec {
            name: driver.name,
            node_id: driver.node_id,
            topology_keys: driver.topology_keys.unwrap_or_default(),
        });
    Ok(CSINodeInfo {
        metadata: node.metadata,
        spec: Some(CSINodeInfoSpec {
            drivers: drivers.collect(),
        }),
        csi_drivers: None,
        status: Some(status),
    })
}

/// The form that `like` has: an object that came in the older one goes back in it.
pub(super) fn csi_node_info_like(
    node: CSINode,
    like: &CSINodeInfo,
) -> convert::Result<CSINodeInfo> {
    if like.csi_drivers.is_none() {
        return csi_node_info(node);
    }
    check_node(&node)?;
    let drivers = node.spec.drivers.into_iter().map(|driver| CSIDriverInfo {
        driver: driver.name,
        node_id: driver.node_id,
        topology_keys: driver.topology_keys.unwrap_or_default(),
    });
    Ok(CSINodeInfo {
        metadata: node.metadata,
        spec: None,
        csi_drivers: Some(drivers.collect()),
        status: None,
    })
}

fn check_node(node: &CSINode) -> convert::Result<()> {
    let names = node.spec.drivers.iter().map(|driver| driver.name.as_str());
    check_names(&FieldPath::new("spec").child("drivers"), "name", names)
}

/// Drivers are known by their names, so no two may share one.
fn check_names<'a>(
    list: &FieldPath,
    field: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> convert::Result<()> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if !seen.insert(name) {
            return Err(ConversionError::invalid(
                list.clone().index(index).child(field),
                format!(
                    "a second driver `{}`: remove one of them",
                    name.escape_debug()
                ),
            ));
        }
    }
    Ok(())
}
