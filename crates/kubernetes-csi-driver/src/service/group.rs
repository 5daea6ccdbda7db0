//! The service of group snapshots.

use kubernetes_csi::v1::group_controller_server::GroupController;
use kubernetes_csi::v1::group_controller_service_capability::{Rpc, Type, rpc};
use kubernetes_csi::v1::*;
use tonic::{Request, Response, Status, async_trait};

use super::{Services, answer, checked, group, part, snapshot, volume};
use crate::calls::Lock;
use crate::group::{CreateGroupSnapshot, GroupSnapshotOf};
use crate::mask::Mask;

#[async_trait]
impl GroupController for Services {
    async fn group_controller_get_capabilities(
        &self,
        _: Request<GroupControllerGetCapabilitiesRequest>,
    ) -> Result<Response<GroupControllerGetCapabilitiesResponse>, Status> {
        answer(GroupControllerGetCapabilitiesResponse {
            capabilities: vec![GroupControllerServiceCapability {
                r#type: Some(Type::Rpc(Rpc {
                    r#type: rpc::Type::CreateDeleteGetVolumeGroupSnapshot.into(),
                })),
            }],
        })
    }

    async fn create_volume_group_snapshot(
        &self,
        request: Request<CreateVolumeGroupSnapshotRequest>,
    ) -> Result<Response<CreateVolumeGroupSnapshotResponse>, Status> {
        let groups = part(&self.driver.group_snapshots, "CreateVolumeGroupSnapshot")?;
        let request = checked(request)?;
        let mut locks = vec![Lock::exclusive(format!(
            "a group snapshot named {:?}",
            request.name
        ))];
        locks.extend(
            request
                .source_volume_ids
                .iter()
                .map(|id| Lock::shared(volume(id))),
        );
        let mask = Mask::of(&request.secrets);
        let create = CreateGroupSnapshot {
            name: request.name,
            source_volume_ids: request.source_volume_ids,
            parameters: request.parameters,
            secrets: request.secrets,
        };
        let running = async move { groups.create_group_snapshot(create).await };
        let made = self
            .run("CreateVolumeGroupSnapshot", locks, mask, running)
            .await?;
        answer(CreateVolumeGroupSnapshotResponse {
            group_snapshot: Some(made.into()),
        })
    }

    async fn delete_volume_group_snapshot(
        &self,
        request: Request<DeleteVolumeGroupSnapshotRequest>,
    ) -> Result<Response<DeleteVolumeGroupSnapshotResponse>, Status> {
        let groups = part(&self.driver.group_snapshots, "DeleteVolumeGroupSnapshot")?;
        let request = checked(request)?;
        let mut locks = vec![Lock::exclusive(group(&request.group_snapshot_id))];
        locks.extend(
            request
                .snapshot_ids
                .iter()
                .map(|id| Lock::exclusive(snapshot(id))),
        );
        let mask = Mask::of(&request.secrets);
        let of = GroupSnapshotOf {
            group_snapshot_id: request.group_snapshot_id,
            snapshot_ids: request.snapshot_ids,
            secrets: request.secrets,
        };
        let running = async move { groups.delete_group_snapshot(of).await };
        self.run("DeleteVolumeGroupSnapshot", locks, mask, running)
            .await?;
        answer(DeleteVolumeGroupSnapshotResponse {})
    }

    async fn get_volume_group_snapshot(
        &self,
        request: Request<GetVolumeGroupSnapshotRequest>,
    ) -> Result<Response<GetVolumeGroupSnapshotResponse>, Status> {
        let groups = part(&self.driver.group_snapshots, "GetVolumeGroupSnapshot")?;
        let request = checked(request)?;
        let mask = Mask::of(&request.secrets);
        let of = GroupSnapshotOf {
            group_snapshot_id: request.group_snapshot_id,
            snapshot_ids: request.snapshot_ids,
            secrets: request.secrets,
        };
        let running = async move { groups.get_group_snapshot(of).await };
        let found = self
            .run("GetVolumeGroupSnapshot", Vec::new(), mask, running)
            .await?;
        answer(GetVolumeGroupSnapshotResponse {
            group_snapshot: Some(found.into()),
        })
    }
}
