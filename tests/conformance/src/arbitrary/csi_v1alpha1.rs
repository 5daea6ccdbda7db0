//! Random objects of csi.storage.k8s.io/v1alpha1 that don't contradict themselves.

use std::collections::BTreeMap;

use proptest::option::{of, weighted};
use proptest::prelude::*;
use storage_v1alpha1::csi::{
    CSIDriver, CSIDriverInfo, CSIDriverInfoSpec, CSIDriverInfoStatus, CSIDriverSpec, CSINodeInfo,
    CSINodeInfoSpec, CSINodeInfoStatus, VolumePluginMechanism,
};

use super::{list, object_meta, open_enum, text};

/// Random drivers.
pub fn csi_driver() -> BoxedStrategy<CSIDriver> {
    let version = prop_oneof![2 => Just("v1".to_owned()), 1 => text()];
    (object_meta(), of(any::<bool>()), of(version))
        .prop_map(
            |(metadata, attach_required, pod_info_on_mount_version)| CSIDriver {
                metadata,
                spec: CSIDriverSpec {
                    attach_required,
                    pod_info_on_mount_version,
                },
            },
        )
        .boxed()
}

/// Random nodes in either form, or in neither.
pub fn csi_node_info() -> BoxedStrategy<CSINodeInfo> {
    let neither = object_meta().prop_map(|metadata| CSINodeInfo {
        metadata,
        ..CSINodeInfo::default()
    });
    prop_oneof![1 => neither, 6 => form_1_12(), 18 => form_1_13()].boxed()
}

/// The names of drivers on a node, no two alike, and something random for each.
fn named<S>(value: S) -> impl Strategy<Value = Vec<(String, S::Value)>>
where
    S: Strategy,
    S::Value: Clone,
{
    list((text(), value)).prop_map(|named| {
        let mut seen = Vec::new();
        let mut unique = named;
        unique.retain(|(name, _)| {
            let is_new = !seen.contains(name);
            seen.push(name.clone());
            is_new
        });
        unique
    })
}

/// The node ID, which may be empty, and the topology keys.
fn driver() -> impl Strategy<Value = (String, Vec<String>)> {
    (text(), list(text()))
}

fn form_1_12() -> BoxedStrategy<CSINodeInfo> {
    (object_meta(), named(driver()))
        .prop_map(|(metadata, drivers)| {
            let drivers = drivers
                .into_iter()
                .map(|(name, (node_id, keys))| CSIDriverInfo::new(name, node_id, keys));
            CSINodeInfo {
                metadata,
                csi_drivers: Some(drivers.collect()),
                ..CSINodeInfo::default()
            }
        })
        .boxed()
}

/// Availability and mechanism; most drivers are there and in-tree, so that there are objects in
/// which nothing is lost but the order.
fn state() -> impl Strategy<Value = (bool, VolumePluginMechanism)> {
    let mechanism = prop_oneof![
        3 => Just(VolumePluginMechanism::InTree),
        2 => open_enum(VolumePluginMechanism::known_values()),
        1 => Just(VolumePluginMechanism::from("csi-plugin")),
    ];
    (prop::bool::weighted(0.8), mechanism)
}

/// Drivers with their states or without, states without a driver, in any order, and either
/// list missing.
fn form_1_13() -> BoxedStrategy<CSINodeInfo> {
    let drivers = named((driver(), weighted(0.85, state())));
    let strays = prop_oneof![2 => Just(Vec::new()), 1 => named(state())];
    let has = (prop::bool::weighted(0.9), prop::bool::weighted(0.9));
    (object_meta(), drivers, strays, any::<(bool, u8)>(), has)
        .prop_map(
            |(metadata, drivers, strays, (reverse, turn), (spec, status))| {
                let mut infos = Vec::new();
                let mut states = BTreeMap::new();
                let mut names = Vec::new();
                for (name, ((node_id, keys), state)) in drivers {
                    names.push(name.clone());
                    states.extend(state.map(|state| (name.clone(), state)));
                    infos.push(CSIDriverInfoSpec::new(name, node_id, keys));
                }
                for (name, state) in strays {
                    if !names.contains(&name) {
                        names.push(name.clone());
                        states.insert(name, state);
                    }
                }
                let mut states: Vec<_> = names
                    .into_iter()
                    .filter_map(|name| {
                        let (available, mechanism) = states.remove(&name)?;
                        Some(CSIDriverInfoStatus::new(available, name, mechanism))
                    })
                    .collect();
                if reverse {
                    states.reverse();
                }
                let turn = usize::from(turn) % states.len().max(1);
                states.rotate_left(turn);
                CSINodeInfo {
                    metadata,
                    spec: spec.then_some(CSINodeInfoSpec { drivers: infos }),
                    csi_drivers: None,
                    status: status.then_some(CSINodeInfoStatus { drivers: states }),
                }
            },
        )
        .boxed()
}
