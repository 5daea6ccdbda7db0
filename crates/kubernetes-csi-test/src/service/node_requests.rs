//! Requests to the node that are refused before anything is mounted.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as ControllerRpc;
use kubernetes_csi::v1::node_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect};
use crate::context::{Context, text};
use crate::fields::{Fields, base};

const NODE: Need = Need::Node;
const STAGE: Need = Need::NodeRpc(Rpc::StageUnstageVolume);
const STATS: Need = Need::NodeRpc(Rpc::GetVolumeStats);
const EXPAND: Need = Need::NodeRpc(Rpc::ExpandVolume);
const HEALTH: Need = Need::NodeRpc(Rpc::GetVolumeHealth);
const STORAGE: Need = Need::NodeRpc(Rpc::GetStorageHealth);

pub(super) fn checks() -> Vec<Check> {
    let mut all = staging();
    all.extend(publishing());
    let stats = base!(t => NodeGetVolumeStatsRequest {
        volume_id: volume_id(t).await?,
        volume_path: path(t),
        ..NodeGetVolumeStatsRequest::default()
    });
    all.extend(
        Fields::of("node_get_volume_stats", &[NODE, STATS], stats)
            .id("volume_id", 128, |r| &mut r.volume_id)
            .path("volume_path", |r| &mut r.volume_path)
            .optional_path("staging_target_path", |r| &mut r.staging_target_path)
            .checks,
    );
    let expand = base!(t => NodeExpandVolumeRequest {
        volume_id: volume_id(t).await?,
        volume_path: path(t),
        volume_capability: Some(t.settings.capability.clone()),
        ..NodeExpandVolumeRequest::default()
    });
    all.extend(
        Fields::of("node_expand_volume", &[NODE, EXPAND], expand)
            .id("volume_id", 128, |r| &mut r.volume_id)
            .path("volume_path", |r| &mut r.volume_path)
            .optional_path("staging_target_path", |r| &mut r.staging_target_path)
            .size(|r| &mut r.capacity_range)
            .secrets()
            .checks,
    );
    let health = base!(t => NodeGetVolumeHealthRequest {
        volume_id: volume_id(t).await?,
        ..NodeGetVolumeHealthRequest::default()
    });
    all.extend(
        Fields::of("node_get_volume_health", &[NODE, HEALTH], health)
            .id("volume_id", 128, |r| &mut r.volume_id)
            .optional_path("volume_publish_path", |r| &mut r.volume_publish_path)
            .optional_path("staging_target_path", |r| &mut r.staging_target_path)
            .checks,
    );
    let storage = base!(_t => NodeGetStorageHealthRequest::default());
    all.extend(
        Fields::of("node_get_storage_health", &[NODE, STORAGE], storage)
            .secrets()
            .checks,
    );
    all.extend(checks!("node_get_storage_health", [NODE, STORAGE]: storage_health));
    all.extend(checks!("node_get_volume_stats", [NODE, STATS]: stats_of_unknown_volume));
    all.extend(checks!("node_expand_volume", [NODE, EXPAND]: expand_unknown_volume));
    all.extend(checks!("node_get_volume_health", [NODE, HEALTH]: health_of_unknown_volume));
    all
}

fn staging() -> Vec<Check> {
    let stage = base!(t => NodeStageVolumeRequest {
        volume_id: volume_id(t).await?,
        staging_target_path: path(t),
        volume_capability: Some(t.settings.capability.clone()),
        ..NodeStageVolumeRequest::default()
    });
    let mut all = Fields::of("node_stage_volume", &[NODE, STAGE], stage)
        .on_node()
        .id("volume_id", 128, |r| &mut r.volume_id)
        .path("staging_target_path", |r| &mut r.staging_target_path)
        .required("volume_capability", |r| r.volume_capability = None)
        .capability(|r| r.volume_capability.as_mut())
        .map("publish_context", |r| &mut r.publish_context)
        .map("volume_context", |r| &mut r.volume_context)
        .secrets()
        .checks;
    let unstage = base!(t => NodeUnstageVolumeRequest {
        volume_id: volume_id(t).await?,
        staging_target_path: path(t),
    });
    all.extend(
        Fields::of("node_unstage_volume", &[NODE, STAGE], unstage)
            .removes()
            .id("volume_id", 128, |r| &mut r.volume_id)
            .path("staging_target_path", |r| &mut r.staging_target_path)
            .checks,
    );
    all
}

fn publishing() -> Vec<Check> {
    let publish = base!(t => NodePublishVolumeRequest {
        volume_id: volume_id(t).await?,
        staging_target_path: path(t),
        target_path: format!("{}-target", path(t)),
        volume_capability: Some(t.settings.capability.clone()),
        ..NodePublishVolumeRequest::default()
    });
    let mut all = Fields::of("node_publish_volume", &[NODE], publish)
        .on_node()
        .id("volume_id", 128, |r| &mut r.volume_id)
        .path("target_path", |r| &mut r.target_path)
        .optional_path("staging_target_path", |r| &mut r.staging_target_path)
        .required("volume_capability", |r| r.volume_capability = None)
        .capability(|r| r.volume_capability.as_mut())
        .map("publish_context", |r| &mut r.publish_context)
        .map("volume_context", |r| &mut r.volume_context)
        .secrets()
        .checks;
    let unpublish = base!(t => NodeUnpublishVolumeRequest {
        volume_id: volume_id(t).await?,
        target_path: path(t),
    });
    all.extend(
        Fields::of("node_unpublish_volume", &[NODE], unpublish)
            .removes()
            .id("volume_id", 128, |r| &mut r.volume_id)
            .path("target_path", |r| &mut r.target_path)
            .checks,
    );
    all
}

/// Returns the id of a volume, which exists if the driver can create one.
async fn volume_id(t: &Context) -> Checked<String> {
    match t
        .facts
        .controller
        .contains(&ControllerRpc::CreateDeleteVolume)
    {
        true => Ok(t.shared().await?.volume_id.clone()),
        false => Ok(t.unknown()),
    }
}

/// Returns a path at which nothing is.
fn path(t: &Context) -> String {
    let folder = t.settings.folder.clone().unwrap_or_else(std::env::temp_dir);
    text(&folder.join(t.unknown()))
}

async fn storage_health(t: &Context) -> Checked {
    let answer = t.ok(NodeGetStorageHealthRequest::default()).await?;
    let has_all = |entry: &node_get_storage_health_response::StorageBackendHealth| {
        entry.status() != StorageHealthErrorType::UnknownStorageHealthErrorType
            && !entry.reason.is_empty()
    };
    expect(answer.backend_health.iter().all(has_all), || {
        format!("a problem lacks its status or reason: {answer:?}")
    })
}

async fn stats_of_unknown_volume(t: &Context) -> Checked {
    let request = NodeGetVolumeStatsRequest {
        volume_id: t.unknown(),
        volume_path: path(t),
        ..NodeGetVolumeStatsRequest::default()
    };
    t.refused(request, &[Code::NotFound]).await
}

async fn expand_unknown_volume(t: &Context) -> Checked {
    let request = NodeExpandVolumeRequest {
        volume_id: t.unknown(),
        volume_path: path(t),
        ..NodeExpandVolumeRequest::default()
    };
    t.refused(request, &[Code::NotFound]).await
}

async fn health_of_unknown_volume(t: &Context) -> Checked {
    let request = NodeGetVolumeHealthRequest {
        volume_id: t.unknown(),
        ..NodeGetVolumeHealthRequest::default()
    };
    t.refused(request, &[Code::NotFound]).await
}
