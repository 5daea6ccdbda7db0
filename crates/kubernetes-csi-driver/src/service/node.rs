//! The service of the node part.

use std::path::{Path, PathBuf};

use kubernetes_csi::SERVICE_ACCOUNT_TOKENS;
use kubernetes_csi::v1::node_server::Node;
use kubernetes_csi::v1::volume_usage::Unit;
use kubernetes_csi::v1::*;
use tonic::{Request, Response, Status, async_trait};

use super::capabilities::node_capabilities;
use super::{Services, answer, capability, checked, part, volume};
use crate::calls::Lock;
use crate::mask::Mask;
use crate::model::{UnhealthyVolume, VolumeCapability, wire_size};
use crate::node::{
    NodeExpand, NodeHealthOf, NodePublish, NodeStage, NodeStats, NodeUnpublish, NodeUnstage, Usage,
    UsageUnit,
};
use crate::{Error, Result};

#[async_trait]
impl Node for Services {
    async fn node_stage_volume(
        &self,
        request: Request<NodeStageVolumeRequest>,
    ) -> Result<Response<NodeStageVolumeResponse>, Status> {
        let staging = part(&self.driver.staging, "NodeStageVolume")?;
        let request = checked(request)?;
        let capability = capability(request.volume_capability)?;
        self.refuse(
            std::slice::from_ref(&capability),
            Error::failed_precondition,
        )?;
        let locks = vec![Lock::exclusive(volume(&request.volume_id))];
        let mask = Mask::of(&request.secrets);
        let stage = NodeStage {
            volume_id: request.volume_id,
            staging_path: clean(&request.staging_target_path),
            capability,
            publish_context: request.publish_context,
            context: request.volume_context,
            secrets: request.secrets,
        };
        let running = async move { staging.stage(stage).await };
        self.run("NodeStageVolume", locks, mask, running).await?;
        answer(NodeStageVolumeResponse {})
    }

    async fn node_unstage_volume(
        &self,
        request: Request<NodeUnstageVolumeRequest>,
    ) -> Result<Response<NodeUnstageVolumeResponse>, Status> {
        let staging = part(&self.driver.staging, "NodeUnstageVolume")?;
        let request = checked(request)?;
        let locks = vec![Lock::exclusive(volume(&request.volume_id))];
        let unstage = NodeUnstage {
            volume_id: request.volume_id,
            staging_path: clean(&request.staging_target_path),
        };
        let running = async move { staging.unstage(unstage).await };
        self.run("NodeUnstageVolume", locks, Mask::default(), running)
            .await?;
        answer(NodeUnstageVolumeResponse {})
    }

    async fn node_publish_volume(
        &self,
        request: Request<NodePublishVolumeRequest>,
    ) -> Result<Response<NodePublishVolumeResponse>, Status> {
        let node = part(&self.driver.node, "NodePublishVolume")?;
        let request = checked(request)?;
        let capability = capability(request.volume_capability)?;
        self.refuse(
            std::slice::from_ref(&capability),
            Error::failed_precondition,
        )?;
        let publish = NodePublish {
            volume_id: request.volume_id,
            target_path: clean(&request.target_path),
            staging_path: path(request.staging_target_path),
            capability,
            read_only: request.readonly,
            publish_context: request.publish_context,
            context: request.volume_context,
            secrets: request.secrets,
        };
        let is_staged = publish.staging_path.is_some() || publish.is_inline();
        if self.driver.staging.is_some() && !is_staged {
            return Err(Error::failed_precondition(
                "staging_target_path: the driver stages volumes, so that it is required",
            )
            .into());
        }
        let locks = at(&publish.volume_id, &publish.target_path);
        // Tokens of service accounts can be there, too.
        let tokens = publish.context.get(SERVICE_ACCOUNT_TOKENS);
        let mask = Mask::of_values(publish.secrets.values().chain(tokens));
        let running = async move { node.publish(publish).await };
        self.run("NodePublishVolume", locks, mask, running).await?;
        answer(NodePublishVolumeResponse {})
    }

    async fn node_unpublish_volume(
        &self,
        request: Request<NodeUnpublishVolumeRequest>,
    ) -> Result<Response<NodeUnpublishVolumeResponse>, Status> {
        let node = part(&self.driver.node, "NodeUnpublishVolume")?;
        let request = checked(request)?;
        let unpublish = NodeUnpublish {
            volume_id: request.volume_id,
            target_path: clean(&request.target_path),
        };
        let locks = at(&unpublish.volume_id, &unpublish.target_path);
        let running = async move { node.unpublish(unpublish).await };
        self.run("NodeUnpublishVolume", locks, Mask::default(), running)
            .await?;
        answer(NodeUnpublishVolumeResponse {})
    }

    async fn node_get_volume_stats(
        &self,
        request: Request<NodeGetVolumeStatsRequest>,
    ) -> Result<Response<NodeGetVolumeStatsResponse>, Status> {
        let stats = part(&self.driver.stats, "NodeGetVolumeStats")?;
        let request = checked(request)?;
        let of = NodeStats {
            volume_id: request.volume_id,
            volume_path: clean(&request.volume_path),
            staging_path: path(request.staging_target_path),
        };
        let running = async move { stats.stats(of).await };
        let usage = self
            .run("NodeGetVolumeStats", Vec::new(), Mask::default(), running)
            .await?;
        answer(NodeGetVolumeStatsResponse {
            usage: usage.into_iter().map(usage_to_wire).collect(),
        })
    }

    async fn node_get_volume_health(
        &self,
        request: Request<NodeGetVolumeHealthRequest>,
    ) -> Result<Response<NodeGetVolumeHealthResponse>, Status> {
        let health = part(&self.driver.node_volume_health, "NodeGetVolumeHealth")?;
        let request = checked(request)?;
        let volume_id = request.volume_id.clone();
        let of = NodeHealthOf {
            volume_id: request.volume_id,
            publish_path: path(request.volume_publish_path),
            staging_path: path(request.staging_target_path),
        };
        let running = async move { health.volume_health(of).await };
        let problems = self
            .run("NodeGetVolumeHealth", Vec::new(), Mask::default(), running)
            .await?;
        let volume = UnhealthyVolume {
            volume_id,
            problems,
        };
        answer(NodeGetVolumeHealthResponse {
            volume_health: Some(volume.into()),
        })
    }

    async fn node_get_storage_health(
        &self,
        request: Request<NodeGetStorageHealthRequest>,
    ) -> Result<Response<NodeGetStorageHealthResponse>, Status> {
        let health = part(&self.driver.storage_health, "NodeGetStorageHealth")?;
        let request = checked(request)?;
        let mask = Mask::of(&request.secrets);
        let running = async move { health.storage_health(&request.secrets).await };
        let problems = self
            .run("NodeGetStorageHealth", Vec::new(), mask, running)
            .await?;
        answer(NodeGetStorageHealthResponse {
            backend_health: problems.into_iter().map(Into::into).collect(),
        })
    }

    async fn node_expand_volume(
        &self,
        request: Request<NodeExpandVolumeRequest>,
    ) -> Result<Response<NodeExpandVolumeResponse>, Status> {
        let expansion = part(&self.driver.node_expansion, "NodeExpandVolume")?;
        let request = checked(request)?;
        let capability: Option<VolumeCapability> = request
            .volume_capability
            .map(TryInto::try_into)
            .transpose()?;
        self.refuse(capability.as_slice(), Error::invalid)?;
        let locks = vec![Lock::exclusive(volume(&request.volume_id))];
        let mask = Mask::of(&request.secrets);
        let expand = NodeExpand {
            volume_id: request.volume_id,
            volume_path: clean(&request.volume_path),
            staging_path: path(request.staging_target_path),
            size: request.capacity_range.map(Into::into),
            capability,
            secrets: request.secrets,
        };
        let running = async move { expansion.expand(expand).await };
        let size = self.run("NodeExpandVolume", locks, mask, running).await?;
        answer(NodeExpandVolumeResponse {
            capacity_bytes: size.map(wire_size).unwrap_or_default(),
        })
    }

    async fn node_get_capabilities(
        &self,
        _: Request<NodeGetCapabilitiesRequest>,
    ) -> Result<Response<NodeGetCapabilitiesResponse>, Status> {
        answer(NodeGetCapabilitiesResponse {
            capabilities: node_capabilities(&self.driver),
        })
    }

    async fn node_get_info(
        &self,
        _: Request<NodeGetInfoRequest>,
    ) -> Result<Response<NodeGetInfoResponse>, Status> {
        let node = part(&self.driver.node, "NodeGetInfo")?;
        let running = async move { node.info().await };
        let info = self
            .run("NodeGetInfo", Vec::new(), Mask::default(), running)
            .await?;
        if info.topology.is_some() != self.driver.has_topology {
            return Err(Error::internal(
                "the driver declares `topology` exactly if its nodes have a place",
            )
            .into());
        }
        answer(NodeGetInfoResponse {
            node_id: info.id,
            max_volumes_per_node: info.max_volumes.map(i64::from).unwrap_or_default(),
            accessible_topology: info.topology.map(Into::into),
        })
    }
}

/// Locks a volume at a path.
fn at(id: &str, path: &Path) -> Vec<Lock> {
    vec![
        Lock::exclusive(format!("{} at {}", volume(id), path.display())),
        Lock::shared(volume(id)),
    ]
}

fn path(path: String) -> Option<PathBuf> {
    (!path.is_empty()).then(|| clean(&path))
}

/// Returns a path without slashes that mean nothing, so that a driver which remembers it as a text
/// finds it again.
fn clean(path: &str) -> PathBuf {
    Path::new(path).components().collect()
}

fn usage_to_wire(usage: Usage) -> VolumeUsage {
    VolumeUsage {
        available: usage.available.map(wire_size).unwrap_or_default(),
        total: wire_size(usage.total),
        used: usage.used.map(wire_size).unwrap_or_default(),
        unit: match usage.unit {
            UsageUnit::Bytes => Unit::Bytes.into(),
            UsageUnit::Inodes => Unit::Inodes.into(),
        },
    }
}
