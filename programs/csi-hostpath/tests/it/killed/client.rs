//! Calls of the driver.

use std::collections::BTreeMap;

use kubernetes_csi::v1::controller_client::ControllerClient;
use kubernetes_csi::v1::group_controller_client::GroupControllerClient;
use kubernetes_csi::v1::node_client::NodeClient;
use kubernetes_csi::v1::*;
use tonic::transport::Channel;
use tonic::{Response, Status};

use super::{NAME, World};

/// A client of a driver.
pub(super) struct Client<'w> {
    pub(super) world: &'w World,
    pub(super) channel: Channel,
}

impl Client<'_> {
    pub(super) fn wait<T>(
        &self,
        call: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, Status> {
        self.world.runtime.block_on(call).map(Response::into_inner)
    }

    pub(super) fn controller(&self) -> ControllerClient<Channel> {
        ControllerClient::new(self.channel.clone())
    }

    pub(super) fn node(&self) -> NodeClient<Channel> {
        NodeClient::new(self.channel.clone())
    }

    pub(super) fn groups(&self) -> GroupControllerClient<Channel> {
        GroupControllerClient::new(self.channel.clone())
    }

    pub(super) fn create(&self, request: CreateVolumeRequest) -> Result<String, Status> {
        let created = self.wait(self.controller().create_volume(request))?;
        Ok(created.volume.unwrap().volume_id)
    }

    /// Deletes all volumes but the one.
    pub(super) fn delete_made(&self) -> Result<(), Status> {
        let listed = self.wait(
            self.controller()
                .list_volumes(ListVolumesRequest::default()),
        )?;
        let ids = listed
            .entries
            .into_iter()
            .map(|one| one.volume.unwrap().volume_id);
        for volume_id in ids.filter(|id| *id != self.world.base) {
            let request = DeleteVolumeRequest {
                volume_id,
                ..DeleteVolumeRequest::default()
            };
            self.wait(self.controller().delete_volume(request))?;
        }
        Ok(())
    }

    pub(super) fn attach(&self) -> Result<(), Status> {
        let request = ControllerPublishVolumeRequest {
            volume_id: self.world.base.clone(),
            node_id: "n".to_owned(),
            volume_capability: self.world.capability(),
            ..ControllerPublishVolumeRequest::default()
        };
        self.wait(self.controller().controller_publish_volume(request))?;
        Ok(())
    }

    pub(super) fn detach(&self) -> Result<(), Status> {
        let request = ControllerUnpublishVolumeRequest {
            volume_id: self.world.base.clone(),
            node_id: "n".to_owned(),
            ..ControllerUnpublishVolumeRequest::default()
        };
        self.wait(self.controller().controller_unpublish_volume(request))?;
        Ok(())
    }

    pub(super) fn modify(&self, iops: &str) -> Result<(), Status> {
        let request = ControllerModifyVolumeRequest {
            volume_id: self.world.base.clone(),
            mutable_parameters: BTreeMap::from([("iops".to_owned(), iops.to_owned())]),
            ..ControllerModifyVolumeRequest::default()
        };
        self.wait(self.controller().controller_modify_volume(request))?;
        Ok(())
    }

    /// Makes the volume larger by 1 MiB than any file is.
    pub(super) fn expand(&self) -> Result<(), Status> {
        let listed = self.wait(
            self.controller()
                .list_volumes(ListVolumesRequest::default()),
        )?;
        let mut all = listed.entries.into_iter().map(|one| one.volume.unwrap());
        let base = all.find(|one| one.volume_id == self.world.base).unwrap();
        let request = ControllerExpandVolumeRequest {
            volume_id: self.world.base.clone(),
            capacity_range: Some(CapacityRange {
                required_bytes: base.capacity_bytes + (1 << 20),
                limit_bytes: 0,
            }),
            ..ControllerExpandVolumeRequest::default()
        };
        self.wait(self.controller().controller_expand_volume(request))?;
        Ok(())
    }

    pub(super) fn snapshot(&self) -> Result<String, Status> {
        let request = CreateSnapshotRequest {
            name: NAME.to_owned(),
            source_volume_id: self.world.base.clone(),
            ..CreateSnapshotRequest::default()
        };
        let taken = self.wait(self.controller().create_snapshot(request))?;
        Ok(taken.snapshot.unwrap().snapshot_id)
    }

    pub(super) fn delete_snapshots(&self) -> Result<(), Status> {
        let request = ListSnapshotsRequest::default();
        let listed = self.wait(self.controller().list_snapshots(request))?;
        for entry in listed.entries {
            let request = DeleteSnapshotRequest {
                snapshot_id: entry.snapshot.unwrap().snapshot_id,
                ..DeleteSnapshotRequest::default()
            };
            self.wait(self.controller().delete_snapshot(request))?;
        }
        Ok(())
    }

    pub(super) fn group(&self) -> Result<VolumeGroupSnapshot, Status> {
        let request = CreateVolumeGroupSnapshotRequest {
            name: NAME.to_owned(),
            source_volume_ids: vec![self.world.base.clone()],
            ..CreateVolumeGroupSnapshotRequest::default()
        };
        let taken = self.wait(self.groups().create_volume_group_snapshot(request))?;
        Ok(taken.group_snapshot.unwrap())
    }

    /// Deletes the group, after it is found by its name, as a caller does that lost the answer.
    pub(super) fn delete_group(&self) -> Result<(), Status> {
        let group = self.group()?;
        let snapshots = group.snapshots.into_iter();
        let request = DeleteVolumeGroupSnapshotRequest {
            group_snapshot_id: group.group_snapshot_id,
            snapshot_ids: snapshots.map(|one| one.snapshot_id).collect(),
            ..DeleteVolumeGroupSnapshotRequest::default()
        };
        self.wait(self.groups().delete_volume_group_snapshot(request))?;
        Ok(())
    }

    pub(super) fn stage(&self) -> Result<(), Status> {
        let request = NodeStageVolumeRequest {
            volume_id: self.world.base.clone(),
            staging_target_path: self.world.text("staged/one"),
            volume_capability: self.world.capability(),
            ..NodeStageVolumeRequest::default()
        };
        self.wait(self.node().node_stage_volume(request))?;
        Ok(())
    }

    pub(super) fn unstage(&self) -> Result<(), Status> {
        let request = NodeUnstageVolumeRequest {
            volume_id: self.world.base.clone(),
            staging_target_path: self.world.text("staged/one"),
        };
        self.wait(self.node().node_unstage_volume(request))?;
        Ok(())
    }

    pub(super) fn publish(&self, volume_id: &str, readonly: bool) -> Result<(), Status> {
        let is_inline = volume_id != self.world.base;
        let context = [("csi.storage.k8s.io/ephemeral", is_inline.to_string())];
        let request = NodePublishVolumeRequest {
            volume_id: volume_id.to_owned(),
            staging_target_path: match is_inline {
                true => String::new(),
                false => self.world.text("staged/one"),
            },
            target_path: self.world.text("pods/one"),
            volume_capability: self.world.capability(),
            readonly,
            volume_context: context.map(|(key, value)| (key.to_owned(), value)).into(),
            ..NodePublishVolumeRequest::default()
        };
        self.wait(self.node().node_publish_volume(request))?;
        Ok(())
    }

    pub(super) fn unpublish(&self, volume_id: &str) -> Result<(), Status> {
        let request = NodeUnpublishVolumeRequest {
            volume_id: volume_id.to_owned(),
            target_path: self.world.text("pods/one"),
        };
        self.wait(self.node().node_unpublish_volume(request))?;
        Ok(())
    }
}
