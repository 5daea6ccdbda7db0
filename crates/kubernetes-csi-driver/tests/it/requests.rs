//! The requests of all calls.

use std::collections::BTreeSet;

use kubernetes_csi::v1::*;
use kubernetes_csi_driver::request::{Error, Request, validate};
use prost::Message;

use crate::random::specification;

/// Reads a request and validates it.
pub(crate) type Check = fn(&[u8]) -> Result<(), Error>;

macro_rules! requests {
    ($($name:ident)*) => {
        /// The requests by their names in the package `csi.v1`.
        pub(crate) const REQUESTS: &[(&str, Check)] = &[$((stringify!($name), check::<$name>)),*];
    };
}

fn check<R: Request + Message + Default>(bytes: &[u8]) -> Result<(), Error> {
    validate(&R::decode(bytes).unwrap())
}

requests! {
    ControllerExpandVolumeRequest
    ControllerGetCapabilitiesRequest
    ControllerGetVolumeHealthRequest
    ControllerGetVolumeRequest
    ControllerListVolumeHealthRequest
    ControllerModifyVolumeRequest
    ControllerPublishVolumeRequest
    ControllerUnpublishVolumeRequest
    CreateSnapshotRequest
    CreateVolumeGroupSnapshotRequest
    CreateVolumeRequest
    DeleteSnapshotRequest
    DeleteVolumeGroupSnapshotRequest
    DeleteVolumeRequest
    GetCapacityRequest
    GetMetadataAllocatedRequest
    GetMetadataDeltaRequest
    GetPluginCapabilitiesRequest
    GetPluginInfoRequest
    GetSnapshotRequest
    GetVolumeGroupSnapshotRequest
    GroupControllerGetCapabilitiesRequest
    ListSnapshotsRequest
    ListVolumesRequest
    NodeExpandVolumeRequest
    NodeGetCapabilitiesRequest
    NodeGetInfoRequest
    NodeGetStorageHealthRequest
    NodeGetVolumeHealthRequest
    NodeGetVolumeStatsRequest
    NodePublishVolumeRequest
    NodeStageVolumeRequest
    NodeUnpublishVolumeRequest
    NodeUnstageVolumeRequest
    ProbeRequest
    ValidateVolumeCapabilitiesRequest
}

#[test]
fn every_call_has_one() {
    let specification = specification();
    let calls = specification
        .services()
        .flat_map(|service| service.methods().collect::<Vec<_>>());
    let expected: BTreeSet<_> = calls.map(|call| call.input().name().to_owned()).collect();
    let listed: BTreeSet<_> = REQUESTS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(listed, expected);
}
