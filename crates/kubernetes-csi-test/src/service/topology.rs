//! CreateVolume and CreateSnapshot with requirements of a topology.

use std::collections::BTreeMap;

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::plugin_capability::service::Type as Service;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect, set};
use crate::context::Context;

const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const SNAPSHOTS: Need = Need::Controller(Rpc::CreateDeleteSnapshot);
const PLACES: Need = Need::Service(Service::VolumeAccessibilityConstraints);
const SNAPSHOT_PLACES: Need = Need::Service(Service::SnapshotAccessibilityConstraints);
const TOPOLOGY: Need = Need::Topology;

pub(super) fn checks() -> Vec<Check> {
    let mut all = checks!("create_volume", [VOLUMES, PLACES]:
        topology_without_places, preferred_place_outside, malformed_place,
        in_topology + TOPOLOGY, in_other_topology + TOPOLOGY);
    all.extend(
        checks!("create_snapshot", [VOLUMES, SNAPSHOTS, SNAPSHOT_PLACES]:
        in_topology_of_snapshots + TOPOLOGY),
    );
    all
}

fn place(key: &str, value: &str) -> Topology {
    Topology {
        segments: BTreeMap::from([(key.to_owned(), value.to_owned())]),
    }
}

fn within(t: &Context, requisite: Vec<Topology>, preferred: Vec<Topology>) -> CreateVolumeRequest {
    CreateVolumeRequest {
        accessibility_requirements: Some(TopologyRequirement {
            requisite,
            preferred,
        }),
        ..t.create()
    }
}

async fn topology_without_places(t: &Context) -> Checked {
    t.refused(within(t, vec![], vec![]), &[Code::InvalidArgument])
        .await
}

async fn preferred_place_outside(t: &Context) -> Checked {
    let (one, other) = (
        place("example.com/zone", "a"),
        place("example.com/zone", "b"),
    );
    t.refused(within(t, vec![one], vec![other]), &[Code::InvalidArgument])
        .await
}

async fn malformed_place(t: &Context) -> Checked {
    let request = within(t, vec![place("no key/ at all", "a")], vec![]);
    t.refused(request, &[Code::InvalidArgument]).await
}

/// Returns true if each segment of a place is that of the other one.
fn is_in(place: &Topology, other: &Topology) -> bool {
    let mut segments = place.segments.iter();
    segments.all(|(key, value)| other.segments.get(key).is_none_or(|other| other == value))
}

async fn in_topology(t: &Context) -> Checked {
    let own = set(t.facts.topology.clone(), "topology")?;
    let volume = t
        .create_volume(within(t, vec![own.clone()], vec![own.clone()]))
        .await?;
    let places = &volume.accessible_topology;
    expect(places.iter().any(|place| is_in(place, &own)), || {
        format!("the volume isn't accessible from {own:?}: {volume:?}")
    })
}

async fn in_other_topology(t: &Context) -> Checked {
    let mut other = set(t.facts.topology.clone(), "topology")?;
    for value in other.segments.values_mut() {
        "csi-test-nowhere".clone_into(value);
    }
    let codes = [Code::ResourceExhausted, Code::InvalidArgument];
    t.refused(within(t, vec![other], vec![]), &codes).await
}

async fn in_topology_of_snapshots(t: &Context) -> Checked {
    let own = set(t.facts.topology.clone(), "topology")?;
    let volume = t.shared().await?;
    let request = CreateSnapshotRequest {
        source_volume_id: volume.volume_id.clone(),
        name: t.name(),
        parameters: t.settings.snapshot_parameters.clone(),
        accessibility_requirements: Some(TopologyRequirement {
            requisite: vec![own.clone()],
            preferred: vec![],
        }),
        ..CreateSnapshotRequest::default()
    };
    let snapshot = set(t.ok(request).await?.snapshot, "snapshot")?;
    let places = &snapshot.accessible_topology;
    expect(places.iter().any(|place| is_in(place, &own)), || {
        format!("the snapshot isn't accessible from {own:?}: {snapshot:?}")
    })
}
