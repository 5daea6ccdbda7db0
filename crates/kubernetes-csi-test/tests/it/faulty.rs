//! A good driver, of which one thing at a time is broken.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use futures::{Stream, StreamExt};
use kubernetes_csi::v1::controller_server::{Controller, ControllerServer};
use kubernetes_csi::v1::group_controller_server::{GroupController, GroupControllerServer};
use kubernetes_csi::v1::identity_server::{Identity, IdentityServer};
use kubernetes_csi::v1::node_server::{Node, NodeServer};
use kubernetes_csi::v1::snapshot_metadata_server::{SnapshotMetadata, SnapshotMetadataServer};
use kubernetes_csi::v1::*;
use kubernetes_csi_driver::{Services, async_trait};
use tonic::service::Routes;
use tonic::{Code, Request, Response, Status};

/// The thing that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    PluginWithoutName,
    CapabilityTwice,
    NameNotRequired,
    LongNameCut,
    SizeOfNameIgnored,
    SmallVolume,
    LimitIgnored,
    TwoVolumesAtOnce,
    SourceForgotten,
    SecretInError,
    DeletionOfUnknownFails,
    UnknownIsValid,
    TokenIgnored,
    MaxEntriesIgnored,
    LastNotListed,
    UnknownIsInternal,
    AnyNode,
    ReadonlyIgnored,
    ExpandUnimplemented,
    FilterIgnored,
    SnapshotOfOtherVolume,
    GroupNotNamed,
    BlocksOverlap,
    OffsetIgnored,
    MaxResultsIgnored,
    TargetStays,
}

#[derive(Clone)]
pub(crate) struct Faulty {
    good: Services,
    fault: Fault,
    /// The number of calls for a volume of each name.
    calls: Arc<Mutex<BTreeMap<String, usize>>>,
}

type Answer<T> = Result<Response<T>, Status>;

/// Returns the services of a driver with a fault.
pub(crate) fn routes(good: Services, fault: Fault) -> Routes {
    let faulty = Faulty {
        good,
        fault,
        calls: Arc::default(),
    };
    Routes::new(IdentityServer::new(faulty.clone()))
        .add_service(ControllerServer::new(faulty.clone()))
        .add_service(GroupControllerServer::new(faulty.clone()))
        .add_service(SnapshotMetadataServer::new(faulty.clone()))
        .add_service(NodeServer::new(faulty))
}

/// Implements a service, whose other calls are those of the good driver.
macro_rules! service {
    ($service:ident { $($method:ident $request:ident $answer:ident)* } $($own:tt)*) => {
        #[async_trait]
        impl $service for Faulty {
            $(
                async fn $method(&self, request: Request<$request>) -> Answer<$answer> {
                    <Services as $service>::$method(&self.good, request).await
                }
            )*
            $($own)*
        }
    };
}

impl Faulty {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    async fn made(&self, request: CreateVolumeRequest) -> Answer<CreateVolumeResponse> {
        Controller::create_volume(&self.good, Request::new(request)).await
    }
}

service! { Identity {
        get_plugin_capabilities GetPluginCapabilitiesRequest GetPluginCapabilitiesResponse
        probe ProbeRequest ProbeResponse
    }

    async fn get_plugin_info(
        &self,
        request: Request<GetPluginInfoRequest>,
    ) -> Answer<GetPluginInfoResponse> {
        let mut answer = self.good.get_plugin_info(request).await?;
        if self.has(Fault::PluginWithoutName) {
            answer.get_mut().name.clear();
        }
        Ok(answer)
    }
}

service! { Controller {
        controller_get_volume_health
            ControllerGetVolumeHealthRequest ControllerGetVolumeHealthResponse
        controller_list_volume_health
            ControllerListVolumeHealthRequest ControllerListVolumeHealthResponse
        controller_unpublish_volume
            ControllerUnpublishVolumeRequest ControllerUnpublishVolumeResponse
        controller_modify_volume ControllerModifyVolumeRequest ControllerModifyVolumeResponse
        get_capacity GetCapacityRequest GetCapacityResponse
        delete_snapshot DeleteSnapshotRequest DeleteSnapshotResponse
        get_snapshot GetSnapshotRequest GetSnapshotResponse
    }

    async fn controller_get_capabilities(
        &self,
        request: Request<ControllerGetCapabilitiesRequest>,
    ) -> Answer<ControllerGetCapabilitiesResponse> {
        let mut answer = self.good.controller_get_capabilities(request).await?;
        if self.has(Fault::CapabilityTwice) {
            let first = answer.get_ref().capabilities[0];
            answer.get_mut().capabilities.push(first);
        }
        Ok(answer)
    }

    async fn create_volume(
        &self,
        request: Request<CreateVolumeRequest>,
    ) -> Answer<CreateVolumeResponse> {
        let mut request = request.into_inner();
        let original = request.clone();
        match self.fault {
            Fault::NameNotRequired if request.name.is_empty() => {
                "nobody".clone_into(&mut request.name);
            }
            Fault::LongNameCut => request.name.truncate(128),
            Fault::LimitIgnored => {
                if let Some(range) = &mut request.capacity_range {
                    range.limit_bytes = 0;
                }
            }
            // So many calls for a name come at once only.
            Fault::TwoVolumesAtOnce => {
                let mut calls = self.calls.lock().unwrap();
                let calls = calls.entry(request.name.clone()).or_default();
                *calls += 1;
                if *calls > 6 {
                    request.name.push_str("-two");
                }
            }
            _ => {}
        }
        let mut answer = self.made(request).await;
        match (&mut answer, self.fault) {
            (Ok(answer), Fault::SmallVolume) => {
                let volume = answer.get_mut().volume.as_mut().unwrap();
                volume.capacity_bytes = 1;
            }
            (Ok(answer), Fault::SourceForgotten) => {
                answer.get_mut().volume.as_mut().unwrap().content_source = None;
            }
            (Err(status), Fault::SizeOfNameIgnored)
                if status.code() == Code::AlreadyExists =>
            {
                return self
                    .made(CreateVolumeRequest {
                        capacity_range: None,
                        ..original
                    })
                    .await;
            }
            (Err(status), Fault::SecretInError) => {
                let secrets: Vec<_> = original.secrets.values().cloned().collect();
                let message = format!("{} with {secrets:?}", status.message());
                return Err(Status::new(status.code(), message));
            }
            _ => {}
        }
        answer
    }

    async fn delete_volume(
        &self,
        request: Request<DeleteVolumeRequest>,
    ) -> Answer<DeleteVolumeResponse> {
        if self.has(Fault::DeletionOfUnknownFails) {
            let get = ControllerGetVolumeRequest {
                volume_id: request.get_ref().volume_id.clone(),
            };
            self.good.controller_get_volume(Request::new(get)).await?;
        }
        self.good.delete_volume(request).await
    }

    async fn validate_volume_capabilities(
        &self,
        request: Request<ValidateVolumeCapabilitiesRequest>,
    ) -> Answer<ValidateVolumeCapabilitiesResponse> {
        let answer = self.good.validate_volume_capabilities(request).await;
        match answer {
            Err(status) if self.has(Fault::UnknownIsValid) && status.code() == Code::NotFound => {
                Ok(Response::new(ValidateVolumeCapabilitiesResponse::default()))
            }
            other => other,
        }
    }

    async fn list_volumes(&self, request: Request<ListVolumesRequest>) -> Answer<ListVolumesResponse> {
        let mut request = request.into_inner();
        match self.fault {
            Fault::TokenIgnored => request.starting_token.clear(),
            Fault::MaxEntriesIgnored => request.max_entries = 0,
            _ => {}
        }
        let mut answer = self.good.list_volumes(Request::new(request)).await?;
        if self.has(Fault::LastNotListed) {
            answer.get_mut().entries.pop();
        }
        Ok(answer)
    }

    async fn controller_get_volume(
        &self,
        request: Request<ControllerGetVolumeRequest>,
    ) -> Answer<ControllerGetVolumeResponse> {
        let answer = self.good.controller_get_volume(request).await;
        answer.map_err(|status| match status.code() {
            Code::NotFound if self.has(Fault::UnknownIsInternal) => Status::internal("no"),
            _ => status,
        })
    }

    async fn controller_publish_volume(
        &self,
        request: Request<ControllerPublishVolumeRequest>,
    ) -> Answer<ControllerPublishVolumeResponse> {
        let mut request = request.into_inner();
        let id = &mut request.node_id;
        if self.has(Fault::AnyNode) && (1..=256).contains(&id.len()) {
            "node-1".clone_into(id);
        }
        let answer = self.good.controller_publish_volume(Request::new(request)).await;
        match answer {
            Err(status)
                if self.has(Fault::ReadonlyIgnored) && status.code() == Code::AlreadyExists =>
            {
                Ok(Response::new(ControllerPublishVolumeResponse::default()))
            }
            other => other,
        }
    }

    async fn controller_expand_volume(
        &self,
        request: Request<ControllerExpandVolumeRequest>,
    ) -> Answer<ControllerExpandVolumeResponse> {
        match self.fault {
            Fault::ExpandUnimplemented => Err(Status::unimplemented("later")),
            _ => self.good.controller_expand_volume(request).await,
        }
    }

    async fn create_snapshot(
        &self,
        request: Request<CreateSnapshotRequest>,
    ) -> Answer<CreateSnapshotResponse> {
        let answer = self.good.create_snapshot(request).await;
        match answer {
            Err(status)
                if self.has(Fault::SnapshotOfOtherVolume)
                    && status.code() == Code::AlreadyExists =>
            {
                Ok(Response::new(CreateSnapshotResponse::default()))
            }
            other => other,
        }
    }

    async fn list_snapshots(
        &self,
        request: Request<ListSnapshotsRequest>,
    ) -> Answer<ListSnapshotsResponse> {
        let mut request = request.into_inner();
        if self.has(Fault::FilterIgnored) {
            request.source_volume_id.clear();
        }
        self.good.list_snapshots(Request::new(request)).await
    }
}

service! { GroupController {
        group_controller_get_capabilities
            GroupControllerGetCapabilitiesRequest GroupControllerGetCapabilitiesResponse
        delete_volume_group_snapshot
            DeleteVolumeGroupSnapshotRequest DeleteVolumeGroupSnapshotResponse
        get_volume_group_snapshot GetVolumeGroupSnapshotRequest GetVolumeGroupSnapshotResponse
    }

    async fn create_volume_group_snapshot(
        &self,
        request: Request<CreateVolumeGroupSnapshotRequest>,
    ) -> Answer<CreateVolumeGroupSnapshotResponse> {
        let mut answer = self.good.create_volume_group_snapshot(request).await?;
        if self.has(Fault::GroupNotNamed) {
            for snapshot in &mut answer.get_mut().group_snapshot.as_mut().unwrap().snapshots {
                snapshot.group_snapshot_id.clear();
            }
        }
        Ok(answer)
    }
}

type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[async_trait]
impl SnapshotMetadata for Faulty {
    type GetMetadataAllocatedStream = Messages<GetMetadataAllocatedResponse>;

    async fn get_metadata_allocated(
        &self,
        request: Request<GetMetadataAllocatedRequest>,
    ) -> Answer<Self::GetMetadataAllocatedStream> {
        let mut request = request.into_inner();
        match self.fault {
            // Those that are refused stay.
            Fault::OffsetIgnored if request.starting_offset < 1 << 40 => {
                request.starting_offset = request.starting_offset.min(0);
            }
            Fault::MaxResultsIgnored => request.max_results = request.max_results.min(0),
            _ => {}
        }
        let overlaps = self.has(Fault::BlocksOverlap);
        let answer = self
            .good
            .get_metadata_allocated(Request::new(request))
            .await?;
        Ok(answer.map(|stream| -> Self::GetMetadataAllocatedStream {
            Box::pin(stream.map(move |message| {
                message.map(|mut message| {
                    if overlaps {
                        message
                            .block_metadata
                            .iter_mut()
                            .for_each(|one| one.size_bytes *= 4);
                    }
                    message
                })
            }))
        }))
    }

    type GetMetadataDeltaStream = Messages<GetMetadataDeltaResponse>;

    async fn get_metadata_delta(
        &self,
        request: Request<GetMetadataDeltaRequest>,
    ) -> Answer<Self::GetMetadataDeltaStream> {
        self.good.get_metadata_delta(request).await
    }
}

service! { Node {
        node_stage_volume NodeStageVolumeRequest NodeStageVolumeResponse
        node_unstage_volume NodeUnstageVolumeRequest NodeUnstageVolumeResponse
        node_publish_volume NodePublishVolumeRequest NodePublishVolumeResponse
        node_get_volume_stats NodeGetVolumeStatsRequest NodeGetVolumeStatsResponse
        node_get_volume_health NodeGetVolumeHealthRequest NodeGetVolumeHealthResponse
        node_get_storage_health NodeGetStorageHealthRequest NodeGetStorageHealthResponse
        node_expand_volume NodeExpandVolumeRequest NodeExpandVolumeResponse
        node_get_capabilities NodeGetCapabilitiesRequest NodeGetCapabilitiesResponse
        node_get_info NodeGetInfoRequest NodeGetInfoResponse
    }

    async fn node_unpublish_volume(
        &self,
        request: Request<NodeUnpublishVolumeRequest>,
    ) -> Answer<NodeUnpublishVolumeResponse> {
        let is_valid = request.get_ref().target_path.starts_with('/')
            && (1..=128).contains(&request.get_ref().volume_id.len());
        match self.fault {
            Fault::TargetStays if is_valid => {
                Ok(Response::new(NodeUnpublishVolumeResponse::default()))
            }
            _ => self.good.node_unpublish_volume(request).await,
        }
    }
}
