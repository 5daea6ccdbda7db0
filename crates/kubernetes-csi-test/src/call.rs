//! Calls by the types of their requests.

use std::fmt::Debug;

use kubernetes_csi::Secrets;
use kubernetes_csi::v1::controller_client::ControllerClient;
use kubernetes_csi::v1::group_controller_client::GroupControllerClient;
use kubernetes_csi::v1::identity_client::IdentityClient;
use kubernetes_csi::v1::node_client::NodeClient;
use kubernetes_csi::v1::snapshot_metadata_client::SnapshotMetadataClient;
use kubernetes_csi::v1::*;
use tonic::Status;
use tonic::transport::Channel;

/// The clients of the services of a driver.
#[derive(Clone, Debug)]
pub(crate) struct Clients {
    identity: IdentityClient<Channel>,
    controller: ControllerClient<Channel>,
    group: GroupControllerClient<Channel>,
    metadata: SnapshotMetadataClient<Channel>,
    node: NodeClient<Channel>,
}

impl Clients {
    pub(crate) fn new(node: &Channel, controller: &Channel) -> Self {
        Self {
            identity: IdentityClient::new(node.clone()),
            controller: ControllerClient::new(controller.clone()),
            group: GroupControllerClient::new(controller.clone()),
            metadata: SnapshotMetadataClient::new(controller.clone()),
            node: NodeClient::new(node.clone()),
        }
    }
}

/// The request of a call.
pub(crate) trait Call: Clone + Debug + Send + Sync + 'static {
    /// The name of the call, as in the specification.
    const NAME: &str;

    /// The answer of the call. That of a stream is all of its messages.
    type Answer: Debug + Send;

    /// Returns the secrets, if the request can have any.
    fn secrets(&mut self) -> Option<&mut Secrets> {
        None
    }

    /// Sends the request.
    fn call(self, clients: Clients) -> impl Future<Output = Result<Self::Answer, Status>> + Send;

    /// Returns what a call has made that succeeded.
    fn made(&self, _: &Self::Answer) -> Option<Made> {
        None
    }

    /// Returns what a call has removed that succeeded.
    fn removed(&self) -> Option<Made> {
        None
    }
}

/// Something that a driver has made, and that has to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    Volume(String),
    Snapshot(String),
    /// With its snapshots.
    Group(String, Vec<String>),
    /// A volume, and the node that has it.
    Attached(String, String),
    /// A volume, and the path at which it is.
    Staged(String, String),
    Published(String, String),
}

impl Made {
    /// Returns true if both are the same thing.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Group(one, _), Self::Group(other, _)) => one == other,
            // Without the name of a node, a volume goes from all of them.
            (Self::Attached(one, _), Self::Attached(other, node)) if node.is_empty() => {
                one == other
            }
            _ => self == other,
        }
    }
}

macro_rules! calls {
    ($($client:ident $method:ident $name:literal $request:ident $answer:ident {
        $($more:tt)*
    })*) => {$(
        impl Call for $request {
            const NAME: &str = $name;
            type Answer = $answer;

            async fn call(self, mut clients: Clients) -> Result<$answer, Status> {
                Ok(clients.$client.$method(self).await?.into_inner())
            }

            $($more)*
        }
    )*};
}

/// The field `secrets` of a request.
macro_rules! secrets {
    () => {
        fn secrets(&mut self) -> Option<&mut Secrets> {
            Some(&mut self.secrets)
        }
    };
}

calls! {
    identity get_plugin_info "GetPluginInfo" GetPluginInfoRequest GetPluginInfoResponse {}
    identity get_plugin_capabilities "GetPluginCapabilities"
        GetPluginCapabilitiesRequest GetPluginCapabilitiesResponse {}
    identity probe "Probe" ProbeRequest ProbeResponse {}
    controller create_volume "CreateVolume" CreateVolumeRequest CreateVolumeResponse {
        secrets!();

        fn made(&self, answer: &CreateVolumeResponse) -> Option<Made> {
            let volume = answer.volume.as_ref()?;
            Some(Made::Volume(volume.volume_id.clone()))
        }
    }
    controller delete_volume "DeleteVolume" DeleteVolumeRequest DeleteVolumeResponse {
        secrets!();

        fn removed(&self) -> Option<Made> {
            Some(Made::Volume(self.volume_id.clone()))
        }
    }
    controller controller_publish_volume "ControllerPublishVolume"
        ControllerPublishVolumeRequest ControllerPublishVolumeResponse {
        secrets!();

        fn made(&self, _: &ControllerPublishVolumeResponse) -> Option<Made> {
            Some(Made::Attached(self.volume_id.clone(), self.node_id.clone()))
        }
    }
    controller controller_unpublish_volume "ControllerUnpublishVolume"
        ControllerUnpublishVolumeRequest ControllerUnpublishVolumeResponse {
        secrets!();

        fn removed(&self) -> Option<Made> {
            Some(Made::Attached(self.volume_id.clone(), self.node_id.clone()))
        }
    }
    controller validate_volume_capabilities "ValidateVolumeCapabilities"
        ValidateVolumeCapabilitiesRequest ValidateVolumeCapabilitiesResponse { secrets!(); }
    controller list_volumes "ListVolumes" ListVolumesRequest ListVolumesResponse {}
    controller controller_list_volume_health "ControllerListVolumeHealth"
        ControllerListVolumeHealthRequest ControllerListVolumeHealthResponse { secrets!(); }
    controller controller_get_volume_health "ControllerGetVolumeHealth"
        ControllerGetVolumeHealthRequest ControllerGetVolumeHealthResponse { secrets!(); }
    controller get_capacity "GetCapacity" GetCapacityRequest GetCapacityResponse {}
    controller controller_get_capabilities "ControllerGetCapabilities"
        ControllerGetCapabilitiesRequest ControllerGetCapabilitiesResponse {}
    controller create_snapshot "CreateSnapshot" CreateSnapshotRequest CreateSnapshotResponse {
        secrets!();

        fn made(&self, answer: &CreateSnapshotResponse) -> Option<Made> {
            let snapshot = answer.snapshot.as_ref()?;
            Some(Made::Snapshot(snapshot.snapshot_id.clone()))
        }
    }
    controller delete_snapshot "DeleteSnapshot" DeleteSnapshotRequest DeleteSnapshotResponse {
        secrets!();

        fn removed(&self) -> Option<Made> {
            Some(Made::Snapshot(self.snapshot_id.clone()))
        }
    }
    controller list_snapshots "ListSnapshots" ListSnapshotsRequest ListSnapshotsResponse {
        secrets!();
    }
    controller get_snapshot "GetSnapshot" GetSnapshotRequest GetSnapshotResponse { secrets!(); }
    controller controller_expand_volume "ControllerExpandVolume"
        ControllerExpandVolumeRequest ControllerExpandVolumeResponse { secrets!(); }
    controller controller_get_volume "ControllerGetVolume"
        ControllerGetVolumeRequest ControllerGetVolumeResponse {}
    controller controller_modify_volume "ControllerModifyVolume"
        ControllerModifyVolumeRequest ControllerModifyVolumeResponse { secrets!(); }
    group group_controller_get_capabilities "GroupControllerGetCapabilities"
        GroupControllerGetCapabilitiesRequest GroupControllerGetCapabilitiesResponse {}
    group create_volume_group_snapshot "CreateVolumeGroupSnapshot"
        CreateVolumeGroupSnapshotRequest CreateVolumeGroupSnapshotResponse {
        secrets!();

        fn made(&self, answer: &CreateVolumeGroupSnapshotResponse) -> Option<Made> {
            let group = answer.group_snapshot.as_ref()?;
            let ids = group.snapshots.iter().map(|one| one.snapshot_id.clone());
            Some(Made::Group(group.group_snapshot_id.clone(), ids.collect()))
        }
    }
    group delete_volume_group_snapshot "DeleteVolumeGroupSnapshot"
        DeleteVolumeGroupSnapshotRequest DeleteVolumeGroupSnapshotResponse {
        secrets!();

        fn removed(&self) -> Option<Made> {
            Some(Made::Group(self.group_snapshot_id.clone(), Vec::new()))
        }
    }
    group get_volume_group_snapshot "GetVolumeGroupSnapshot"
        GetVolumeGroupSnapshotRequest GetVolumeGroupSnapshotResponse { secrets!(); }
    node node_stage_volume "NodeStageVolume" NodeStageVolumeRequest NodeStageVolumeResponse {
        secrets!();

        fn made(&self, _: &NodeStageVolumeResponse) -> Option<Made> {
            let path = self.staging_target_path.clone();
            Some(Made::Staged(self.volume_id.clone(), path))
        }
    }
    node node_unstage_volume "NodeUnstageVolume"
        NodeUnstageVolumeRequest NodeUnstageVolumeResponse {
        fn removed(&self) -> Option<Made> {
            let path = self.staging_target_path.clone();
            Some(Made::Staged(self.volume_id.clone(), path))
        }
    }
    node node_publish_volume "NodePublishVolume"
        NodePublishVolumeRequest NodePublishVolumeResponse {
        secrets!();

        fn made(&self, _: &NodePublishVolumeResponse) -> Option<Made> {
            Some(Made::Published(self.volume_id.clone(), self.target_path.clone()))
        }
    }
    node node_unpublish_volume "NodeUnpublishVolume"
        NodeUnpublishVolumeRequest NodeUnpublishVolumeResponse {
        fn removed(&self) -> Option<Made> {
            Some(Made::Published(self.volume_id.clone(), self.target_path.clone()))
        }
    }
    node node_get_volume_stats "NodeGetVolumeStats"
        NodeGetVolumeStatsRequest NodeGetVolumeStatsResponse {}
    node node_get_volume_health "NodeGetVolumeHealth"
        NodeGetVolumeHealthRequest NodeGetVolumeHealthResponse {}
    node node_get_storage_health "NodeGetStorageHealth"
        NodeGetStorageHealthRequest NodeGetStorageHealthResponse { secrets!(); }
    node node_get_capabilities "NodeGetCapabilities"
        NodeGetCapabilitiesRequest NodeGetCapabilitiesResponse {}
    node node_get_info "NodeGetInfo" NodeGetInfoRequest NodeGetInfoResponse {}
    node node_expand_volume "NodeExpandVolume"
        NodeExpandVolumeRequest NodeExpandVolumeResponse { secrets!(); }
}

macro_rules! streams {
    ($($method:ident $name:literal $request:ident $answer:ident)*) => {$(
        impl Call for $request {
            const NAME: &str = $name;
            type Answer = Vec<$answer>;
            secrets!();

            async fn call(self, mut clients: Clients) -> Result<Vec<$answer>, Status> {
                let mut stream = clients.metadata.$method(self).await?.into_inner();
                let mut messages = Vec::new();
                while let Some(message) = stream.message().await? {
                    messages.push(message);
                }
                Ok(messages)
            }
        }
    )*};
}

streams! {
    get_metadata_allocated "GetMetadataAllocated"
        GetMetadataAllocatedRequest GetMetadataAllocatedResponse
    get_metadata_delta "GetMetadataDelta" GetMetadataDeltaRequest GetMetadataDeltaResponse
}
