//! The service of the controller part.

use kubernetes_csi::v1::controller_server::Controller;
use kubernetes_csi::v1::validate_volume_capabilities_response::Confirmed;
use kubernetes_csi::v1::*;
use tonic::{Request, Response, Status, async_trait};

use super::capabilities::controller_capabilities;
use super::{
    Services, answer, capabilities, capability, checked, optional, part, snapshot, volume,
};
use crate::calls::Lock;
use crate::controller::{
    Attach, CapacityOf, CreateSnapshot, CreateVolume, DeleteSnapshot, DeleteVolume, Detach,
    ExpandVolume, ModifyVolume, SnapshotFilter, ValidateVolume, Validation,
};
use crate::mask::Mask;
use crate::model::wire_size;
use crate::model::{ContentSource, ListedVolume, PageRequest, UnhealthyVolume, VolumeCapability};
use crate::{Error, Result};

#[async_trait]
impl Controller for Services {
    async fn create_volume(
        &self,
        request: Request<CreateVolumeRequest>,
    ) -> Result<Response<CreateVolumeResponse>, Status> {
        let volumes = part(&self.driver.volumes, "CreateVolume")?;
        let request = checked(request)?;
        let capabilities = capabilities(request.volume_capabilities)?;
        self.refuse(&capabilities, Error::invalid)?;
        let source = request.volume_content_source.and_then(ContentSource::of);
        let mut locks = vec![Lock::exclusive(format!(
            "a volume named {:?}",
            request.name
        ))];
        match &source {
            Some(ContentSource::Volume(_)) if !volumes.can_clone() => {
                return Err(
                    Error::invalid("volume_content_source: the driver can't copy volumes").into(),
                );
            }
            Some(ContentSource::Snapshot(_)) if self.driver.snapshots.is_none() => {
                return Err(
                    Error::invalid("volume_content_source: the driver has no snapshots").into(),
                );
            }
            Some(ContentSource::Volume(id)) => locks.push(Lock::shared(volume(id))),
            Some(ContentSource::Snapshot(id)) => locks.push(Lock::shared(snapshot(id))),
            None => {}
        }
        if !request.mutable_parameters.is_empty() && self.driver.modification.is_none() {
            return Err(
                Error::invalid("mutable_parameters: the driver can't modify volumes").into(),
            );
        }
        let mask = Mask::of(&request.secrets);
        let create = CreateVolume {
            name: request.name,
            size: request.capacity_range.map(Into::into).unwrap_or_default(),
            capabilities,
            parameters: request.parameters,
            mutable_parameters: request.mutable_parameters,
            secrets: request.secrets,
            source,
            topology: request.accessibility_requirements.map(Into::into),
        };
        let running = async move { volumes.create_volume(create).await };
        let volume = self.run("CreateVolume", locks, mask, running).await?;
        answer(CreateVolumeResponse {
            volume: Some(volume.into()),
        })
    }

    async fn delete_volume(
        &self,
        request: Request<DeleteVolumeRequest>,
    ) -> Result<Response<DeleteVolumeResponse>, Status> {
        let volumes = part(&self.driver.volumes, "DeleteVolume")?;
        let request = checked(request)?;
        let locks = vec![Lock::exclusive(volume(&request.volume_id))];
        let mask = Mask::of(&request.secrets);
        let delete = DeleteVolume {
            volume_id: request.volume_id,
            secrets: request.secrets,
        };
        let running = async move { volumes.delete_volume(delete).await };
        self.run("DeleteVolume", locks, mask, running).await?;
        answer(DeleteVolumeResponse {})
    }

    async fn controller_publish_volume(
        &self,
        request: Request<ControllerPublishVolumeRequest>,
    ) -> Result<Response<ControllerPublishVolumeResponse>, Status> {
        let attachments = part(&self.driver.attachments, "ControllerPublishVolume")?;
        let request = checked(request)?;
        let capability = capability(request.volume_capability)?;
        self.refuse(std::slice::from_ref(&capability), Error::invalid)?;
        if request.readonly && !attachments.can_attach_read_only() {
            return Err(
                Error::invalid("readonly: the driver can't attach volumes read-only").into(),
            );
        }
        let locks = vec![
            Lock::exclusive(format!(
                "{} on node {:?}",
                volume(&request.volume_id),
                request.node_id
            )),
            Lock::shared(volume(&request.volume_id)),
        ];
        let mask = Mask::of(&request.secrets);
        let attach = Attach {
            volume_id: request.volume_id,
            node_id: request.node_id,
            capability,
            read_only: request.readonly,
            context: request.volume_context,
            secrets: request.secrets,
        };
        let running = async move { attachments.attach(attach).await };
        let publish_context = self
            .run("ControllerPublishVolume", locks, mask, running)
            .await?;
        answer(ControllerPublishVolumeResponse { publish_context })
    }

    async fn controller_unpublish_volume(
        &self,
        request: Request<ControllerUnpublishVolumeRequest>,
    ) -> Result<Response<ControllerUnpublishVolumeResponse>, Status> {
        let attachments = part(&self.driver.attachments, "ControllerUnpublishVolume")?;
        let request = checked(request)?;
        let node_id = optional(request.node_id);
        let locks = match &node_id {
            Some(node) => vec![
                Lock::exclusive(format!("{} on node {node:?}", volume(&request.volume_id))),
                Lock::shared(volume(&request.volume_id)),
            ],
            None => vec![Lock::exclusive(volume(&request.volume_id))],
        };
        let mask = Mask::of(&request.secrets);
        let detach = Detach {
            volume_id: request.volume_id,
            node_id,
            secrets: request.secrets,
        };
        let running = async move { attachments.detach(detach).await };
        self.run("ControllerUnpublishVolume", locks, mask, running)
            .await?;
        answer(ControllerUnpublishVolumeResponse {})
    }

    async fn validate_volume_capabilities(
        &self,
        request: Request<ValidateVolumeCapabilitiesRequest>,
    ) -> Result<Response<ValidateVolumeCapabilitiesResponse>, Status> {
        let controller = part(&self.driver.controller, "ValidateVolumeCapabilities")?;
        let request = checked(request)?;
        let confirmed = Confirmed {
            volume_context: request.volume_context.clone(),
            volume_capabilities: request.volume_capabilities.clone(),
            parameters: request.parameters.clone(),
            mutable_parameters: request.mutable_parameters.clone(),
        };
        let capabilities = capabilities(request.volume_capabilities)?;
        let refusal = capabilities
            .iter()
            .find_map(|capability| self.driver.refusal(capability));
        let mask = Mask::of(&request.secrets);
        let validate = ValidateVolume {
            volume_id: request.volume_id,
            context: request.volume_context,
            capabilities,
            parameters: request.parameters,
            mutable_parameters: request.mutable_parameters,
            secrets: request.secrets,
        };
        let running = async move { controller.validate_volume(validate).await };
        let validation = self
            .run(
                "ValidateVolumeCapabilities",
                Vec::new(),
                mask.clone(),
                running,
            )
            .await?;
        answer(match (validation, refusal) {
            (Validation::Refused(message), _) | (_, Some(message)) => {
                ValidateVolumeCapabilitiesResponse {
                    confirmed: None,
                    message: mask.text(&message),
                }
            }
            (Validation::Confirmed, None) => ValidateVolumeCapabilitiesResponse {
                confirmed: Some(confirmed),
                message: String::new(),
            },
        })
    }

    async fn list_volumes(
        &self,
        request: Request<ListVolumesRequest>,
    ) -> Result<Response<ListVolumesResponse>, Status> {
        let list = part(&self.driver.list_volumes, "ListVolumes")?;
        let request = checked(request)?;
        let page = PageRequest::of(request.max_entries, request.starting_token);
        let lists_nodes = list.lists_nodes();
        let running = async move { list.list_volumes(page).await };
        let page = self
            .run("ListVolumes", Vec::new(), Mask::default(), running)
            .await?;
        let entries = page.entries.into_iter().map(|listed| {
            let nodes = listed.published_node_ids;
            list_volumes_response::Entry {
                volume: Some(listed.volume.into()),
                status: lists_nodes.then_some(list_volumes_response::VolumeStatus {
                    published_node_ids: nodes,
                }),
            }
        });
        answer(ListVolumesResponse {
            entries: entries.collect(),
            next_token: page.next_token.unwrap_or_default(),
        })
    }

    async fn controller_list_volume_health(
        &self,
        request: Request<ControllerListVolumeHealthRequest>,
    ) -> Result<Response<ControllerListVolumeHealthResponse>, Status> {
        let list = part(
            &self.driver.list_volume_health,
            "ControllerListVolumeHealth",
        )?;
        let request = checked(request)?;
        let mask = Mask::of(&request.secrets);
        let page = PageRequest::of(request.max_entries, request.starting_token);
        let running = async move { list.list_volume_health(page, &request.secrets).await };
        let page = self
            .run("ControllerListVolumeHealth", Vec::new(), mask, running)
            .await?;
        answer(ControllerListVolumeHealthResponse {
            entries: page.entries.into_iter().map(Into::into).collect(),
            next_token: page.next_token.unwrap_or_default(),
        })
    }

    async fn controller_get_volume_health(
        &self,
        request: Request<ControllerGetVolumeHealthRequest>,
    ) -> Result<Response<ControllerGetVolumeHealthResponse>, Status> {
        let health = part(&self.driver.volume_health, "ControllerGetVolumeHealth")?;
        let request = checked(request)?;
        let (volume_id, mask) = (request.volume_id.clone(), Mask::of(&request.secrets));
        let running = async move {
            health
                .volume_health(&request.volume_id, &request.secrets)
                .await
        };
        let problems = self
            .run("ControllerGetVolumeHealth", Vec::new(), mask, running)
            .await?;
        let volume = UnhealthyVolume {
            volume_id,
            problems,
        };
        answer(ControllerGetVolumeHealthResponse {
            volume_health: Some(volume.into()),
        })
    }

    async fn get_capacity(
        &self,
        request: Request<GetCapacityRequest>,
    ) -> Result<Response<GetCapacityResponse>, Status> {
        let capacity = part(&self.driver.capacity, "GetCapacity")?;
        let request = checked(request)?;
        let of = CapacityOf {
            capabilities: capabilities(request.volume_capabilities)?,
            parameters: request.parameters,
            topology: request.accessible_topology.map(Into::into),
        };
        let running = async move { capacity.get_capacity(of).await };
        let capacity = self
            .run("GetCapacity", Vec::new(), Mask::default(), running)
            .await?;
        answer(GetCapacityResponse {
            available_capacity: wire_size(capacity.available),
            maximum_volume_size: capacity.maximum_volume_size.map(wire_size),
            minimum_volume_size: capacity.minimum_volume_size.map(wire_size),
        })
    }

    async fn controller_get_capabilities(
        &self,
        _: Request<ControllerGetCapabilitiesRequest>,
    ) -> Result<Response<ControllerGetCapabilitiesResponse>, Status> {
        answer(ControllerGetCapabilitiesResponse {
            capabilities: controller_capabilities(&self.driver),
        })
    }

    async fn create_snapshot(
        &self,
        request: Request<CreateSnapshotRequest>,
    ) -> Result<Response<CreateSnapshotResponse>, Status> {
        let snapshots = part(&self.driver.snapshots, "CreateSnapshot")?;
        let request = checked(request)?;
        let locks = vec![
            Lock::exclusive(format!("a snapshot named {:?}", request.name)),
            Lock::shared(volume(&request.source_volume_id)),
        ];
        let mask = Mask::of(&request.secrets);
        let create = CreateSnapshot {
            source_volume_id: request.source_volume_id,
            name: request.name,
            parameters: request.parameters,
            topology: request.accessibility_requirements.map(Into::into),
            secrets: request.secrets,
        };
        let running = async move { snapshots.create_snapshot(create).await };
        let snapshot = self.run("CreateSnapshot", locks, mask, running).await?;
        answer(CreateSnapshotResponse {
            snapshot: Some(snapshot.into()),
        })
    }

    async fn delete_snapshot(
        &self,
        request: Request<DeleteSnapshotRequest>,
    ) -> Result<Response<DeleteSnapshotResponse>, Status> {
        let snapshots = part(&self.driver.snapshots, "DeleteSnapshot")?;
        let request = checked(request)?;
        let locks = vec![Lock::exclusive(snapshot(&request.snapshot_id))];
        let mask = Mask::of(&request.secrets);
        let delete = DeleteSnapshot {
            snapshot_id: request.snapshot_id,
            secrets: request.secrets,
        };
        let running = async move { snapshots.delete_snapshot(delete).await };
        self.run("DeleteSnapshot", locks, mask, running).await?;
        answer(DeleteSnapshotResponse {})
    }

    async fn list_snapshots(
        &self,
        request: Request<ListSnapshotsRequest>,
    ) -> Result<Response<ListSnapshotsResponse>, Status> {
        let list = part(&self.driver.list_snapshots, "ListSnapshots")?;
        let request = checked(request)?;
        let mask = Mask::of(&request.secrets);
        let filter = SnapshotFilter {
            source_volume_id: optional(request.source_volume_id),
            snapshot_id: optional(request.snapshot_id),
            page: PageRequest::of(request.max_entries, request.starting_token),
            secrets: request.secrets,
        };
        let running = async move { list.list_snapshots(filter).await };
        let page = self.run("ListSnapshots", Vec::new(), mask, running).await?;
        let entries = page
            .entries
            .into_iter()
            .map(|snapshot| list_snapshots_response::Entry {
                snapshot: Some(snapshot.into()),
            });
        answer(ListSnapshotsResponse {
            entries: entries.collect(),
            next_token: page.next_token.unwrap_or_default(),
        })
    }

    async fn get_snapshot(
        &self,
        request: Request<GetSnapshotRequest>,
    ) -> Result<Response<GetSnapshotResponse>, Status> {
        let get = part(&self.driver.get_snapshot, "GetSnapshot")?;
        let request = checked(request)?;
        let mask = Mask::of(&request.secrets);
        let running = async move {
            get.get_snapshot(&request.snapshot_id, &request.secrets)
                .await
        };
        let snapshot = self.run("GetSnapshot", Vec::new(), mask, running).await?;
        answer(GetSnapshotResponse {
            snapshot: Some(snapshot.into()),
        })
    }

    async fn controller_expand_volume(
        &self,
        request: Request<ControllerExpandVolumeRequest>,
    ) -> Result<Response<ControllerExpandVolumeResponse>, Status> {
        let expansion = part(&self.driver.expansion, "ControllerExpandVolume")?;
        let request = checked(request)?;
        let capability: Option<VolumeCapability> = request
            .volume_capability
            .map(TryInto::try_into)
            .transpose()?;
        self.refuse(capability.as_slice(), Error::invalid)?;
        let locks = vec![Lock::exclusive(volume(&request.volume_id))];
        let mask = Mask::of(&request.secrets);
        let expand = ExpandVolume {
            volume_id: request.volume_id,
            size: request.capacity_range.map(Into::into).unwrap_or_default(),
            capability,
            secrets: request.secrets,
        };
        let running = async move { expansion.expand_volume(expand).await };
        let expanded = self
            .run("ControllerExpandVolume", locks, mask, running)
            .await?;
        answer(ControllerExpandVolumeResponse {
            capacity_bytes: wire_size(expanded.size),
            node_expansion_required: expanded.needs_node,
        })
    }

    async fn controller_get_volume(
        &self,
        request: Request<ControllerGetVolumeRequest>,
    ) -> Result<Response<ControllerGetVolumeResponse>, Status> {
        let get = part(&self.driver.get_volume, "ControllerGetVolume")?;
        let request = checked(request)?;
        let running = async move { get.get_volume(&request.volume_id).await };
        let listed: ListedVolume = self
            .run("ControllerGetVolume", Vec::new(), Mask::default(), running)
            .await?;
        answer(ControllerGetVolumeResponse {
            volume: Some(listed.volume.into()),
            status: Some(controller_get_volume_response::VolumeStatus {
                published_node_ids: listed.published_node_ids,
            }),
        })
    }

    async fn controller_modify_volume(
        &self,
        request: Request<ControllerModifyVolumeRequest>,
    ) -> Result<Response<ControllerModifyVolumeResponse>, Status> {
        let modification = part(&self.driver.modification, "ControllerModifyVolume")?;
        let request = checked(request)?;
        let locks = vec![Lock::exclusive(volume(&request.volume_id))];
        let mask = Mask::of(&request.secrets);
        let modify = ModifyVolume {
            volume_id: request.volume_id,
            parameters: request.mutable_parameters,
            secrets: request.secrets,
        };
        let running = async move { modification.modify_volume(modify).await };
        self.run("ControllerModifyVolume", locks, mask, running)
            .await?;
        answer(ControllerModifyVolumeResponse {})
    }
}

impl Services {
    /// Refuses ways to use volumes that the driver doesn't have.
    pub(super) fn refuse(
        &self,
        capabilities: &[VolumeCapability],
        error: fn(String) -> Error,
    ) -> Result<(), Status> {
        let mut refusals = capabilities
            .iter()
            .filter_map(|one| self.driver.refusal(one));
        match refusals.next() {
            Some(refusal) => Err(error(format!("volume_capability: {refusal}")).into()),
            None => Ok(()),
        }
    }
}
