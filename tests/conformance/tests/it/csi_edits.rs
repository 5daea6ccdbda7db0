//! Objects that are changed after a conversion that kept something: the change wins, and the
//! rest of what was kept comes back.

use std::collections::BTreeMap;

use conformance::arbitrary::{check_many, list, text};
use conformance::kind::Kind;
use kubernetes_kinds::convert::{CONVERSION_DATA_ANNOTATION, Convert, Converted};
use proptest::option::of;
use proptest::prelude::*;
use storage_v1::{CSIDriver, CSINode, CSINodeDriver, CSINodeStatus, VolumeNodeResources};
use storage_v1alpha1::csi::{self, CSINodeInfo, CSINodeInfoStatus, VolumePluginMechanism};

fn keep<A: Convert<B>, B>(source: A) -> Result<B, TestCaseError> {
    let converted: Result<Converted<B>, _> = source.convert_preserving();
    converted
        .map(|c| c.object)
        .map_err(|error| TestCaseError::fail(error.to_string()))
}

/// The contents: without metadata, in which the annotation is.
fn contents<K: Kind>(mut object: K) -> K {
    *object.metadata_mut() = Default::default();
    object
}

/// However it was changed: what has been converted goes back to itself.
fn goes_back<A, B>(changed: &A, target: &B) -> Result<(), TestCaseError>
where
    A: Kind,
    B: Kind + Convert<A>,
{
    // The annotation that the change was made under is used up.
    let back = contents(keep::<B, A>(target.clone())?);
    prop_assert_eq!(back, contents(changed.clone()));
    Ok(())
}

/// Drivers by name, with node ID and topology keys: what both versions can say.
type View = BTreeMap<String, (String, Vec<String>)>;

fn view_new(node: &CSINode) -> View {
    let drivers = node
        .spec
        .drivers
        .iter()
        .filter(|driver| !driver.node_id.is_empty());
    let view = drivers.map(|driver| {
        let keys = driver.topology_keys.clone().unwrap_or_default();
        (driver.name.clone(), (driver.node_id.clone(), keys))
    });
    view.collect()
}

/// All drivers of the list of either form, installed or not.
fn listed(info: &CSINodeInfo) -> View {
    let old = info.csi_drivers.iter().flatten();
    let old = old.map(|d| (&d.driver, (&d.node_id, &d.topology_keys)));
    let new = info.spec.iter().flat_map(|spec| &spec.drivers);
    let new = new.map(|d| (&d.name, (&d.node_id, &d.topology_keys)));
    old.chain(new)
        .map(|(name, (id, keys))| (name.clone(), (id.clone(), keys.clone())))
        .collect()
}

type States = BTreeMap<String, (bool, VolumePluginMechanism)>;

fn states(info: &CSINodeInfo) -> States {
    let states = info.status.iter().flat_map(|status| &status.drivers);
    states
        .map(|s| {
            (
                s.name.clone(),
                (s.available, s.volume_plugin_mechanism.clone()),
            )
        })
        .collect()
}

fn view_old(info: &CSINodeInfo) -> View {
    let states = states(info);
    let mut view = listed(info);
    view.retain(|name, (id, _)| {
        !id.is_empty() && states.get(name).is_none_or(|(available, _)| *available)
    });
    view
}

/// A change of a CSINode; a driver is chosen by a number, whatever their count.
#[derive(Clone, Debug)]
enum Edit {
    NodeId(usize, String),
    Keys(usize, Option<Vec<String>>),
    Allocatable(usize, i32),
    Remove(usize),
    /// Adds one of a new name, or of a name that only the kept object has.
    Add(usize, String),
    Status,
}

fn edit() -> impl Strategy<Value = Edit> {
    let id = || "[a-z]{1,5}";
    prop_oneof![
        (any::<usize>(), id()).prop_map(|(at, id)| Edit::NodeId(at, id)),
        (any::<usize>(), of(list(text()))).prop_map(|(at, keys)| Edit::Keys(at, keys)),
        (any::<usize>(), any::<i32>()).prop_map(|(at, n)| Edit::Allocatable(at, n)),
        any::<usize>().prop_map(Edit::Remove),
        (any::<usize>(), id()).prop_map(|(at, id)| Edit::Add(at, id)),
        Just(Edit::Status),
    ]
}

/// Applies the change and gives the name of the driver that it touched.
fn apply(node: &mut CSINode, edit: Edit, known: &View) -> Option<String> {
    let drivers = &mut node.spec.drivers;
    let count = drivers.len();
    let at = |at: usize| (count > 0).then(|| at % count);
    match edit {
        Edit::NodeId(index, id) => {
            let driver = &mut drivers[at(index)?];
            driver.node_id = id;
            Some(driver.name.clone())
        }
        Edit::Keys(index, keys) => {
            let driver = &mut drivers[at(index)?];
            driver.topology_keys = keys;
            Some(driver.name.clone())
        }
        Edit::Allocatable(index, count) => {
            let driver = &mut drivers[at(index)?];
            driver.allocatable = Some(VolumeNodeResources { count: Some(count) });
            None
        }
        Edit::Remove(index) => Some(drivers.remove(at(index)?).name),
        Edit::Add(index, id) => {
            let taken = |name: &String| drivers.iter().any(|driver| driver.name == *name);
            let mut names: Vec<_> = known.keys().filter(|name| !taken(name)).collect();
            let new = "new.example.com".to_owned();
            names.push(&new);
            let name = names[index % names.len()].clone();
            drivers.push(CSINodeDriver::new(name.clone(), id));
            Some(name)
        }
        Edit::Status => {
            node.status = Some(CSINodeStatus::new());
            None
        }
    }
}

#[test]
fn changed_csi_node() {
    check_many(&(CSINodeInfo::arbitrary(), edit()), |(source, edit)| {
        let mut node: CSINode = keep(source.clone())?;
        let touched = apply(&mut node, edit, &listed(&source));
        node.metadata.labels = Some([("changed".to_owned(), "yes".to_owned())].into());
        let back: CSINodeInfo = keep(node.clone())?;

        prop_assert_eq!(view_old(&back), view_new(&node), "the change is there");
        prop_assert_eq!(&back.metadata.labels, &node.metadata.labels);
        prop_assert_eq!(back.csi_drivers.is_some(), source.csi_drivers.is_some());
        let is_other = |name: &String| Some(name) != touched.as_ref();
        let rest = |mut view: View| {
            view.retain(|name, _| is_other(name));
            view
        };
        prop_assert_eq!(rest(listed(&back)), rest(listed(&source)));
        if let Some(CSINodeInfoStatus { .. }) = source.status {
            let rest = |mut states: States| {
                states.retain(|name, _| is_other(name));
                states
            };
            prop_assert_eq!(rest(states(&back)), rest(states(&source)));
        }
        if touched.is_none() {
            prop_assert_eq!(contents(back.clone()), contents(source));
        }
        goes_back(&node, &back)
    });
}

/// The mechanism of a driver stays what it was when something else about it changes.
#[test]
fn changed_driver_keeps_its_state() {
    check_many(&(CSINodeInfo::arbitrary(), "[a-z]{1,5}"), |(source, id)| {
        let mut node: CSINode = keep(source.clone())?;
        for driver in &mut node.spec.drivers {
            driver.node_id.clone_from(&id);
        }
        let back: CSINodeInfo = keep(node)?;
        prop_assert_eq!(&back.status, &source.status);
        Ok(())
    });
}

/// Random nodes that can be converted, with a node ID for each driver, as the API server
/// demands.
fn convertible() -> impl Strategy<Value = CSINode> {
    let unique = CSINode::arbitrary().prop_filter("two drivers of one name", |node| {
        Convert::<CSINodeInfo>::convert(node.clone()).is_ok()
    });
    unique.prop_map(|mut node| {
        for driver in &mut node.spec.drivers {
            driver.node_id.insert(0, 'i');
        }
        node
    })
}

/// A change of a CSINodeInfo in the form of 1.13.
#[derive(Clone, Debug)]
enum OldEdit {
    NodeId(usize, String),
    Keys(usize, Vec<String>),
    Gone(usize),
    Mechanism(usize),
    Remove(usize),
}

fn old_edit() -> impl Strategy<Value = OldEdit> {
    prop_oneof![
        (any::<usize>(), "[a-z]{1,5}").prop_map(|(at, id)| OldEdit::NodeId(at, id)),
        (any::<usize>(), list(text())).prop_map(|(at, keys)| OldEdit::Keys(at, keys)),
        any::<usize>().prop_map(OldEdit::Gone),
        any::<usize>().prop_map(OldEdit::Mechanism),
        any::<usize>().prop_map(OldEdit::Remove),
    ]
}

fn apply_old(info: &mut CSINodeInfo, edit: OldEdit) -> Option<String> {
    let drivers = &mut info.spec.as_mut()?.drivers;
    let states = &mut info.status.as_mut()?.drivers;
    if drivers.is_empty() {
        return None;
    }
    let at = |at: usize| at % drivers.len();
    Some(match edit {
        OldEdit::NodeId(index, id) => {
            let driver = &mut drivers[index % states.len()];
            driver.node_id = id;
            driver.name.clone()
        }
        OldEdit::Keys(index, keys) => {
            let driver = &mut drivers[index % states.len()];
            driver.topology_keys = keys;
            driver.name.clone()
        }
        OldEdit::Gone(index) => {
            let state = &mut states[at(index)];
            state.available = false;
            state.name.clone()
        }
        OldEdit::Mechanism(index) => {
            let state = &mut states[at(index)];
            state.volume_plugin_mechanism = VolumePluginMechanism::Csi;
            return None;
        }
        OldEdit::Remove(index) => {
            let index = at(index);
            states.remove(index);
            drivers.remove(index).name
        }
    })
}

#[test]
fn changed_csi_node_info() {
    check_many(&(convertible(), old_edit()), |(source, edit)| {
        let mut info: CSINodeInfo = keep(source.clone())?;
        let touched = apply_old(&mut info, edit);
        info.metadata.labels = None;
        let back: CSINode = keep(info.clone())?;

        prop_assert_eq!(view_new(&back), view_old(&info), "the change is there");
        prop_assert_eq!(&back.metadata.labels, &None);
        prop_assert_eq!(&back.status, &source.status);
        for driver in &source.spec.drivers {
            let now = back.spec.drivers.iter().find(|now| now.name == driver.name);
            if Some(&driver.name) == touched.as_ref() {
                let allocatable = now.map(|now| &now.allocatable);
                prop_assert!(allocatable.is_none_or(|now| *now == driver.allocatable));
            } else {
                prop_assert_eq!(now, Some(driver));
            }
        }
        prop_assert!(back.spec.drivers.len() <= source.spec.drivers.len());
        goes_back(&info, &back)
    });
}

/// The fields that are set when a conversion has to preserve them again.
fn version_of(flag: Option<bool>) -> Option<String> {
    (flag == Some(true)).then(|| "v1".to_owned())
}

#[test]
fn changed_new_driver() {
    let changes = (of(any::<bool>()), of(any::<bool>()), of(any::<bool>()));
    check_many(
        &(csi::CSIDriver::arbitrary(), changes),
        |(source, changes)| {
            let (attach, pod_info, republish) = changes;
            let mut new: CSIDriver = keep(source.clone())?;
            let unchanged = new.spec.pod_info_on_mount == pod_info;
            new.spec.attach_required = attach;
            new.spec.pod_info_on_mount = pod_info;
            new.spec.requires_republish = republish;
            let back: csi::CSIDriver = keep(new.clone())?;
            prop_assert_eq!(back.spec.attach_required, attach);
            let expected = if unchanged {
                source.spec.pod_info_on_mount_version
            } else {
                version_of(pod_info)
            };
            prop_assert_eq!(&back.spec.pod_info_on_mount_version, &expected);
            goes_back(&new, &back)
        },
    );
}

#[test]
fn changed_old_driver() {
    let version = prop_oneof![Just("v1".to_owned()), text()];
    let changes = (of(any::<bool>()), of(version));
    check_many(&(CSIDriver::arbitrary(), changes), |(source, changes)| {
        let (attach, version) = changes;
        let mut old: csi::CSIDriver = keep(source.clone())?;
        let unchanged = old.spec.pod_info_on_mount_version == version;
        old.spec.attach_required = attach;
        old.spec.pod_info_on_mount_version.clone_from(&version);
        let back: CSIDriver = keep(old.clone())?;
        let mut expected = source;
        expected.spec.attach_required = attach;
        if !unchanged {
            expected.spec.pod_info_on_mount = version.map(|version| version == "v1");
        }
        prop_assert_eq!(&back.spec, &expected.spec);
        goes_back(&old, &back)
    });
}

/// A good annotation after an accident.
fn damaged() -> impl Strategy<Value = (CSINodeInfo, CSINode)> {
    let piece = prop_oneof![
        2 => text(),
        2 => proptest::sample::select(vec![
            "\"", ",", "{", "}", "[", "]", ":", "null", "true", "false", "1e999", "{}", "[]",
            "spec", "status", "csiDrivers", "drivers", "name", "nodeID", "a", "metadata",
            r#"{"name":"a","nodeID":"b","topologyKeys":[]}"#, "\\ud800",
        ]).prop_map(str::to_owned),
    ];
    let cut = (any::<prop::sample::Index>(), 0..30_usize, piece);
    let cuts = proptest::collection::vec(cut, 1..4);
    let other = prop::bool::weighted(0.5);
    (CSINodeInfo::arbitrary(), convertible(), cuts, other).prop_map(
        |(source, other, cuts, is_other)| {
            let mut node: CSINode = source.clone().convert_preserving().unwrap().object;
            let annotations = node.metadata.annotations.get_or_insert_default();
            let kept = annotations
                .entry(CONVERSION_DATA_ANNOTATION.to_owned())
                .or_default();
            let mut chars: Vec<char> = kept.chars().collect();
            for (at, length, piece) in cuts {
                let start = at.index(chars.len() + 1);
                let end = (start + length).min(chars.len());
                chars.splice(start..end, piece.chars());
            }
            *kept = chars.into_iter().collect();
            // Either the object that it was kept for, or one that has nothing to do with it.
            if is_other {
                node.spec = other.spec;
                node.status = other.status;
            }
            (source, node)
        },
    )
}

/// Nothing panics, and what is alive is either there or refused as a whole.
#[test]
fn damaged_annotations() {
    let accepted = std::cell::Cell::new(0);
    check_many(&damaged(), |(_, node)| {
        let result: Result<Converted<CSINodeInfo>, _> = node.clone().convert_preserving();
        if let Ok(converted) = result {
            accepted.set(accepted.get() + 1);
            prop_assert_eq!(view_old(&converted.object), view_new(&node));
            goes_back(&node, &converted.object)?;
        }
        Ok(())
    });
    assert!(
        accepted.get() > 20,
        "only {} were readable at all",
        accepted.get()
    );
}

/// A good annotation of one object on another: all that is alive is there.
#[test]
fn annotations_of_others() {
    check_many(
        &(CSINodeInfo::arbitrary(), convertible()),
        |(kept, mut node)| {
            let with: CSINode = keep(kept)?;
            node.metadata = with.metadata;
            let info: CSINodeInfo = keep(node.clone())?;
            prop_assert_eq!(view_old(&info), view_new(&node));
            goes_back(&node, &info)
        },
    );
    check_many(
        &(convertible(), CSINodeInfo::arbitrary()),
        |(kept, mut info)| {
            let with: CSINodeInfo = keep(kept)?;
            info.metadata = with.metadata;
            let node: CSINode = keep(info.clone())?;
            prop_assert_eq!(view_new(&node), view_old(&info));
            goes_back(&info, &node)
        },
    );
}

#[test]
fn random_annotations() {
    let random = prop_oneof![text(), "\\PC{0,200}", "[\\[\\]{}\",:a0 ]{0,40}"];
    check_many(&random, |random| {
        let mut node = CSINode::sample();
        let annotations = node.metadata.annotations.get_or_insert_default();
        annotations.insert(CONVERSION_DATA_ANNOTATION.to_owned(), random);
        let result: Result<Converted<CSINodeInfo>, _> = node.convert_preserving();
        prop_assert!(result.is_err());
        Ok(())
    });
}
