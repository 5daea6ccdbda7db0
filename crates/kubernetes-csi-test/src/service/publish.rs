//! ControllerPublishVolume and ControllerUnpublishVolume.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, Stop, checks, expect, set};
use crate::context::{Context, delete};
use crate::fields::{Fields, base};

const ATTACH: Need = Need::Controller(Rpc::PublishUnpublishVolume);
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const READ_ONLY: Need = Need::Controller(Rpc::PublishReadonly);
const LISTS_NODES: Need = Need::Controller(Rpc::ListVolumesPublishedNodes);
const GET: Need = Need::Controller(Rpc::GetVolume);
const NODE: Need = Need::NodeId;

/// The most volumes that are attached to reach the limit of a node.
const MANY: i64 = 32;

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<ControllerPublishVolumeRequest>::of(
        "controller_publish_volume",
        &[ATTACH, VOLUMES, NODE],
        base!(t => attach(t, t.shared().await?)?),
    );
    let mut all = fields
        .id("volume_id", 128, |r| &mut r.volume_id)
        .id("node_id", 256, |r| &mut r.node_id)
        .required("volume_capability", |r| r.volume_capability = None)
        .capability(|r| r.volume_capability.as_mut())
        .map("volume_context", |r| &mut r.volume_context)
        .secrets()
        .checks;
    all.extend(
        checks!("controller_publish_volume", [ATTACH, VOLUMES, NODE]:
        attached, attached_twice, attached_with_other_readonly + READ_ONLY, to_unknown_node,
        of_unknown_volume, attached_at_once, more_than_the_node_has, listed + LISTS_NODES,
        got + GET, deleted_while_attached),
    );
    let fields = Fields::<ControllerUnpublishVolumeRequest>::of(
        "controller_unpublish_volume",
        &[ATTACH, VOLUMES, NODE],
        base!(t => detach(&attach(t, t.shared().await?)?)),
    );
    all.extend(
        fields
            .removes()
            .id("volume_id", 128, |r| &mut r.volume_id)
            .optional_id("node_id", 256, |r| &mut r.node_id)
            .secrets()
            .checks,
    );
    all.extend(
        checks!("controller_unpublish_volume", [ATTACH, VOLUMES, NODE]:
        detached_twice, never_attached, of_deleted_volume, from_all_nodes),
    );
    all
}

pub(super) fn attach(t: &Context, volume: &Volume) -> Checked<ControllerPublishVolumeRequest> {
    Ok(ControllerPublishVolumeRequest {
        volume_id: volume.volume_id.clone(),
        node_id: set(t.facts.node_id.clone(), "node_id")?,
        volume_capability: Some(t.settings.capability.clone()),
        volume_context: volume.volume_context.clone(),
        ..ControllerPublishVolumeRequest::default()
    })
}

fn detach(attached: &ControllerPublishVolumeRequest) -> ControllerUnpublishVolumeRequest {
    ControllerUnpublishVolumeRequest {
        volume_id: attached.volume_id.clone(),
        node_id: attached.node_id.clone(),
        ..ControllerUnpublishVolumeRequest::default()
    }
}

async fn attached(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    t.ok(request.clone()).await?;
    t.ok(detach(&request)).await?;
    // Again, as for another Pod.
    t.ok(request).await.map(drop)
}

async fn attached_twice(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    let first = t.ok(request.clone()).await?;
    let again = t.ok(request).await?;
    expect(first == again, || {
        format!("a repeated call returns another context: {first:?}, then {again:?}")
    })
}

async fn attached_with_other_readonly(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    t.ok(request.clone()).await?;
    let other = ControllerPublishVolumeRequest {
        readonly: true,
        ..request
    };
    t.refused(other, &[Code::AlreadyExists]).await
}

async fn to_unknown_node(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = ControllerPublishVolumeRequest {
        node_id: t.unknown(),
        ..attach(t, &volume)?
    };
    t.refused(request, &[Code::NotFound]).await
}

async fn of_unknown_volume(t: &Context) -> Checked {
    let volume = Volume {
        volume_id: t.unknown(),
        ..Volume::default()
    };
    t.refused(attach(t, &volume)?, &[Code::NotFound]).await
}

async fn attached_at_once(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    let call = || t.settled(request.clone());
    let (a, b, c, d) = tokio::join!(call(), call(), call(), call());
    let first = a?;
    for again in [b, c, d] {
        let again = again?;
        expect(first == again, || {
            format!("calls at once return other contexts: {first:?} and {again:?}")
        })?;
    }
    Ok(())
}

async fn more_than_the_node_has(t: &Context) -> Checked {
    let most = t.facts.max_volumes;
    if !(1..=MANY).contains(&most) {
        let reason = format!("the limit of the node, {most}, isn't from 1 to {MANY}");
        return Err(Stop::LeftOut(reason));
    }
    for _ in 0..=most {
        let request = attach(t, &t.volume().await?)?;
        if t.ok_or(request, &[Code::ResourceExhausted])
            .await?
            .is_none()
        {
            return Ok(());
        }
    }
    Err(Stop::Failed(format!(
        "{} volumes are attached, and the limit is {most}",
        most + 1
    )))
}

async fn listed(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    t.ok(request.clone()).await?;
    let nodes = |answer: ListVolumesResponse| {
        let is_it = |entry: &list_volumes_response::Entry| {
            entry
                .volume
                .as_ref()
                .is_some_and(|one| one.volume_id == volume.volume_id)
        };
        let entry = answer.entries.into_iter().find(is_it);
        entry
            .and_then(|entry| entry.status)
            .map(|status| status.published_node_ids)
    };
    let found = nodes(t.ok(ListVolumesRequest::default()).await?);
    expect(
        found
            .as_ref()
            .is_some_and(|ids| *ids == [request.node_id.clone()]),
        || {
            format!(
                "{} is attached to {:?}, and listed with {found:?}",
                volume.volume_id, request.node_id
            )
        },
    )?;
    t.ok(detach(&request)).await?;
    let found = nodes(t.ok(ListVolumesRequest::default()).await?);
    expect(found.as_ref().is_some_and(Vec::is_empty), || {
        format!(
            "{} isn't attached, and listed with {found:?}",
            volume.volume_id
        )
    })
}

/// A driver that returns the nodes of a volume returns the right ones.
async fn got(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    t.ok(request.clone()).await?;
    let get = ControllerGetVolumeRequest {
        volume_id: volume.volume_id,
    };
    let status = t.ok(get).await?.status;
    let nodes = status
        .map(|status| status.published_node_ids)
        .unwrap_or_default();
    expect(
        nodes.is_empty() || nodes == [request.node_id.clone()],
        || {
            format!(
                "attached to {:?}, the volume is said to be at {nodes:?}",
                request.node_id
            )
        },
    )
}

/// Volumes in use stay, or are deleted; no other error says that they can't be.
async fn deleted_while_attached(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    t.ok(request.clone()).await?;
    if t.ok_or(delete(&volume.volume_id), &[Code::FailedPrecondition])
        .await?
        .is_none()
    {
        t.ok(detach(&request)).await?;
        t.ok(delete(&volume.volume_id)).await?;
    }
    Ok(())
}

async fn detached_twice(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    t.ok(request.clone()).await?;
    t.ok(detach(&request)).await?;
    t.ok(detach(&request)).await.map(drop)
}

async fn never_attached(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.ok(detach(&attach(t, &volume)?)).await.map(drop)
}

/// A driver that can't know whether the node still has the volume says that there is none.
async fn of_deleted_volume(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.ok(delete(&volume.volume_id)).await?;
    t.ok_or(detach(&attach(t, &volume)?), &[Code::NotFound])
        .await
        .map(drop)
}

async fn from_all_nodes(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = attach(t, &volume)?;
    t.ok(request.clone()).await?;
    let from_all = ControllerUnpublishVolumeRequest {
        node_id: String::new(),
        ..detach(&request)
    };
    t.ok(from_all).await?;
    t.ok(delete(&volume.volume_id)).await.map(drop)
}
