//! Volumes at paths of the node.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kubernetes_csi::v1::controller_service_capability::rpc::Type as ControllerRpc;
use kubernetes_csi::v1::node_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::volume_capability::access_mode::Mode;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType};
use kubernetes_csi::v1::*;
use tonic::Code;

use super::health::is_complete;
use super::publish::attach;
use crate::check::{Check, Checked, Need, Stop, checks, expect, set};
use crate::context::{Context, at_least, text};

const NODE: Need = Need::Node;
const FOLDER: Need = Need::Folder;
const VOLUMES: Need = Need::Controller(ControllerRpc::CreateDeleteVolume);
const STAGE: Need = Need::NodeRpc(Rpc::StageUnstageVolume);
const STATS: Need = Need::NodeRpc(Rpc::GetVolumeStats);
const EXPAND: Need = Need::NodeRpc(Rpc::ExpandVolume);
const HEALTH: Need = Need::NodeRpc(Rpc::GetVolumeHealth);
const MODES: Need = Need::NodeRpc(Rpc::SingleNodeMultiWriter);

pub(super) fn checks() -> Vec<Check> {
    let mut all = checks!("node_stage_volume", [NODE, FOLDER, VOLUMES, STAGE]:
        staged_twice, unknown_staged);
    all.extend(
        checks!("node_unstage_volume", [NODE, FOLDER, VOLUMES, STAGE]:
        unstaged_twice, unknown_unstaged),
    );
    all.extend(checks!("node_publish_volume", [NODE, FOLDER, VOLUMES]:
        published, published_twice, unknown_published, without_staging_target_path + STAGE,
        published_with_other_readonly, data_stays, read_only_is_not_written,
        single_writer_at_two_paths + MODES, multi_writer_at_two_paths + MODES));
    all.extend(checks!("node_unpublish_volume", [NODE, FOLDER, VOLUMES]:
        unpublished_twice, unknown_unpublished));
    all.extend(
        checks!("node_get_volume_stats", [NODE, FOLDER, VOLUMES, STATS]:
        stats, stats_elsewhere),
    );
    all.extend(checks!("node_expand_volume", [NODE, FOLDER, VOLUMES, EXPAND]: expanded));
    all.extend(checks!("node_get_volume_health", [NODE, FOLDER, VOLUMES, HEALTH]: health));
    all
}

/// A volume that can be published.
struct Ready {
    volume: Volume,
    context: BTreeMap<String, String>,
    capability: VolumeCapability,
    /// The path at which it is staged, if the driver stages volumes.
    staging: String,
    target: String,
}

/// Creates a volume, and attaches it if the driver does that.
async fn attached(t: &Context, capability: VolumeCapability) -> Checked<Ready> {
    let request = CreateVolumeRequest {
        volume_capabilities: vec![capability.clone()],
        ..t.create()
    };
    let volume = t.create_volume(request).await?;
    let context = match t
        .facts
        .controller
        .contains(&ControllerRpc::PublishUnpublishVolume)
    {
        true => {
            let request = ControllerPublishVolumeRequest {
                volume_capability: Some(capability.clone()),
                ..attach(t, &volume)?
            };
            t.ok(request).await?.publish_context
        }
        false => BTreeMap::new(),
    };
    let staging = match t.facts.node.contains(&Rpc::StageUnstageVolume) {
        true => text(&t.folder()?),
        false => String::new(),
    };
    Ok(Ready {
        volume,
        context,
        capability,
        staging,
        target: text(&t.folder()?.join("target")),
    })
}

fn stage(ready: &Ready) -> NodeStageVolumeRequest {
    NodeStageVolumeRequest {
        volume_id: ready.volume.volume_id.clone(),
        publish_context: ready.context.clone(),
        staging_target_path: ready.staging.clone(),
        volume_capability: Some(ready.capability.clone()),
        volume_context: ready.volume.volume_context.clone(),
        ..NodeStageVolumeRequest::default()
    }
}

fn unstage(ready: &Ready) -> NodeUnstageVolumeRequest {
    NodeUnstageVolumeRequest {
        volume_id: ready.volume.volume_id.clone(),
        staging_target_path: ready.staging.clone(),
    }
}

fn publish(ready: &Ready) -> NodePublishVolumeRequest {
    NodePublishVolumeRequest {
        volume_id: ready.volume.volume_id.clone(),
        publish_context: ready.context.clone(),
        staging_target_path: ready.staging.clone(),
        target_path: ready.target.clone(),
        volume_capability: Some(ready.capability.clone()),
        volume_context: ready.volume.volume_context.clone(),
        ..NodePublishVolumeRequest::default()
    }
}

fn unpublish(ready: &Ready) -> NodeUnpublishVolumeRequest {
    NodeUnpublishVolumeRequest {
        volume_id: ready.volume.volume_id.clone(),
        target_path: ready.target.clone(),
    }
}

/// Creates a volume, and does all that comes before it is published.
async fn ready_as(t: &Context, capability: VolumeCapability) -> Checked<Ready> {
    let ready = attached(t, capability).await?;
    if !ready.staging.is_empty() {
        t.ok(stage(&ready)).await?;
    }
    Ok(ready)
}

async fn ready(t: &Context) -> Checked<Ready> {
    ready_as(t, t.settings.capability.clone()).await
}

/// Creates a volume and publishes it.
async fn at_target(t: &Context) -> Checked<Ready> {
    let ready = ready(t).await?;
    t.ok(publish(&ready)).await?;
    Ok(ready)
}

fn unknown_is(t: &Context, mut ready: Ready) -> Ready {
    ready.volume.volume_id = t.unknown();
    ready
}

async fn staged_twice(t: &Context) -> Checked {
    let ready = ready(t).await?;
    t.ok(stage(&ready)).await.map(drop)
}

async fn unknown_staged(t: &Context) -> Checked {
    let unknown = unknown_is(t, attached(t, t.settings.capability.clone()).await?);
    t.refused(stage(&unknown), &[Code::NotFound]).await
}

async fn unstaged_twice(t: &Context) -> Checked {
    let ready = ready(t).await?;
    t.ok(unstage(&ready)).await?;
    t.ok(unstage(&ready)).await.map(drop)
}

async fn unknown_unstaged(t: &Context) -> Checked {
    let unknown = unknown_is(t, attached(t, t.settings.capability.clone()).await?);
    t.ok_or(unstage(&unknown), &[Code::NotFound])
        .await
        .map(drop)
}

/// The path is there while the volume is published, and not after that.
async fn published(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    let is_there = || Path::new(&ready.target).symlink_metadata().is_ok();
    expect(is_there(), || format!("nothing is at {:?}", ready.target))?;
    t.ok(unpublish(&ready)).await?;
    expect(!is_there(), || {
        format!("{:?} is left after NodeUnpublishVolume", ready.target)
    })
}

async fn published_twice(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    t.ok(publish(&ready)).await.map(drop)
}

async fn unknown_published(t: &Context) -> Checked {
    let unknown = unknown_is(t, ready(t).await?);
    t.refused(publish(&unknown), &[Code::NotFound]).await
}

async fn without_staging_target_path(t: &Context) -> Checked {
    let ready = ready(t).await?;
    let request = NodePublishVolumeRequest {
        staging_target_path: String::new(),
        ..publish(&ready)
    };
    t.refused(request, &[Code::FailedPrecondition, Code::InvalidArgument])
        .await
}

async fn published_with_other_readonly(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    let request = NodePublishVolumeRequest {
        readonly: true,
        ..publish(&ready)
    };
    t.refused(request, &[Code::AlreadyExists]).await
}

fn only_file_systems(t: &Context) -> Checked {
    match t.settings.capability.access_type {
        Some(AccessType::Mount(_)) => Ok(()),
        _ => Err(Stop::LeftOut("volumes are devices".to_owned())),
    }
}

/// Files that are written are there when the volume is published the next time.
async fn data_stays(t: &Context) -> Checked {
    only_file_systems(t)?;
    let ready = at_target(t).await?;
    let file = Path::new(&ready.target).join("csi-test");
    let io = |error| Stop::Failed(format!("{}: {error}", file.display()));
    fs::write(&file, "data").map_err(io)?;
    t.ok(unpublish(&ready)).await?;
    if !ready.staging.is_empty() {
        t.ok(unstage(&ready)).await?;
        t.ok(stage(&ready)).await?;
    }
    t.ok(publish(&ready)).await?;
    let has = fs::read_to_string(&file).map_err(io)?;
    expect(has == "data", || format!("{} has {has:?}", file.display()))
}

async fn read_only_is_not_written(t: &Context) -> Checked {
    only_file_systems(t)?;
    let ready = ready(t).await?;
    let request = NodePublishVolumeRequest {
        readonly: true,
        ..publish(&ready)
    };
    t.ok(request).await?;
    let written = fs::write(Path::new(&ready.target).join("csi-test"), "data");
    expect(written.is_err(), || {
        format!("{:?} is read-only, and can be written", ready.target)
    })
}

fn with_mode(t: &Context, mode: Mode) -> VolumeCapability {
    VolumeCapability {
        access_mode: Some(AccessMode { mode: mode.into() }),
        ..t.settings.capability.clone()
    }
}

async fn single_writer_at_two_paths(t: &Context) -> Checked {
    let ready = ready_as(t, with_mode(t, Mode::SingleNodeSingleWriter)).await?;
    t.ok(publish(&ready)).await?;
    let other = NodePublishVolumeRequest {
        target_path: text(&t.folder()?.join("target")),
        ..publish(&ready)
    };
    t.refused(other, &[Code::FailedPrecondition]).await
}

async fn multi_writer_at_two_paths(t: &Context) -> Checked {
    let ready = ready_as(t, with_mode(t, Mode::SingleNodeMultiWriter)).await?;
    t.ok(publish(&ready)).await?;
    let other = NodePublishVolumeRequest {
        target_path: text(&t.folder()?.join("target")),
        ..publish(&ready)
    };
    t.ok(other).await.map(drop)
}

async fn unpublished_twice(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    t.ok(unpublish(&ready)).await?;
    t.ok(unpublish(&ready)).await.map(drop)
}

async fn unknown_unpublished(t: &Context) -> Checked {
    let unknown = unknown_is(t, ready(t).await?);
    t.ok_or(unpublish(&unknown), &[Code::NotFound])
        .await
        .map(drop)
}

fn stats_of(ready: &Ready) -> NodeGetVolumeStatsRequest {
    NodeGetVolumeStatsRequest {
        volume_id: ready.volume.volume_id.clone(),
        volume_path: ready.target.clone(),
        staging_target_path: ready.staging.clone(),
    }
}

async fn stats(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    let answer = t.ok(stats_of(&ready)).await?;
    let is_usage = |usage: &VolumeUsage| {
        usage.unit() != volume_usage::Unit::Unknown
            && [usage.total, usage.used, usage.available]
                .iter()
                .all(|number| *number >= 0)
    };
    expect(
        !answer.usage.is_empty() && answer.usage.iter().all(is_usage),
        || format!("numbers are missing, below zero or without a unit: {answer:?}"),
    )
}

async fn stats_elsewhere(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    let request = NodeGetVolumeStatsRequest {
        volume_path: format!("{}-elsewhere", ready.target),
        ..stats_of(&ready)
    };
    t.refused(request, &[Code::NotFound]).await
}

async fn expanded(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    let mut size = t.settings.volume_size;
    if t.facts.controller.contains(&ControllerRpc::ExpandVolume) {
        let request = ControllerExpandVolumeRequest {
            volume_id: ready.volume.volume_id.clone(),
            capacity_range: Some(at_least(t.settings.expanded_size)),
            volume_capability: Some(ready.capability.clone()),
            ..ControllerExpandVolumeRequest::default()
        };
        // Drivers that expand offline refuse it here.
        if let Some(answer) = t.ok_or(request, &[Code::FailedPrecondition]).await? {
            size = answer.capacity_bytes;
        }
    }
    let request = NodeExpandVolumeRequest {
        volume_id: ready.volume.volume_id.clone(),
        volume_path: ready.target.clone(),
        capacity_range: Some(at_least(size)),
        staging_target_path: ready.staging.clone(),
        volume_capability: Some(ready.capability.clone()),
        ..NodeExpandVolumeRequest::default()
    };
    for _ in 0..2 {
        let Some(answer) = t
            .ok_or(request.clone(), &[Code::FailedPrecondition])
            .await?
        else {
            return Ok(());
        };
        let has = answer.capacity_bytes;
        expect(has == 0 || has >= size, || {
            format!("{has} bytes; required were {size}")
        })?;
    }
    Ok(())
}

async fn health(t: &Context) -> Checked {
    let ready = at_target(t).await?;
    let request = NodeGetVolumeHealthRequest {
        volume_id: ready.volume.volume_id.clone(),
        volume_publish_path: ready.target.clone(),
        staging_target_path: ready.staging.clone(),
    };
    let health = set(t.ok(request).await?.volume_health, "volume_health")?;
    expect(health.volume_id == ready.volume.volume_id, || {
        format!("{health:?} is of another volume")
    })?;
    is_complete(&health)
}
