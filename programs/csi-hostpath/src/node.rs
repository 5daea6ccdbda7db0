//! The node part: folders are bound to the paths of Pods.

use kubernetes_csi_driver::model::{AccessMode, AccessType, Mount, VolumeCapability};
use kubernetes_csi_driver::mounts::{self, blocking};
use kubernetes_csi_driver::node::{
    Node, NodeExpand, NodeExpansion, NodeInfo, NodePublish, NodeStage, NodeStats, NodeUnpublish,
    NodeUnstage, Staging, Usage, VolumeStats,
};
use kubernetes_csi_driver::{Error, Result, async_trait};

use crate::records::{Published, VolumeRecord};
use crate::state::State;
use crate::{HostPath, data};

/// The size of an inline volume, which nobody asks for.
const INLINE_SIZE: u64 = 0;

#[async_trait]
impl Node for HostPath {
    async fn info(&self) -> Result<NodeInfo> {
        Ok(NodeInfo {
            id: self.node_id.clone(),
            max_volumes: self.max_volumes,
            topology: Some(self.place()),
        })
    }

    async fn publish(&self, request: NodePublish) -> Result<()> {
        let state = self.state.clone();
        blocking(move || publish(&state, &request)).await
    }

    async fn unpublish(&self, request: NodeUnpublish) -> Result<()> {
        let state = self.state.clone();
        blocking(move || {
            mounts::unbind(&request.target_path)?;
            forget(
                &state,
                &request.volume_id,
                &request.target_path.to_string_lossy(),
            )
        })
        .await
    }
}

#[async_trait]
impl Staging for HostPath {
    async fn stage(&self, request: NodeStage) -> Result<()> {
        let state = self.state.clone();
        blocking(move || {
            let mut volume = state.lock().volume(&request.volume_id)?.clone();
            let mount = mount(&request.capability)?;
            let folder = state.data(&volume.id);
            // The record first: it is what finds the mount again.
            let path = request.staging_path.to_string_lossy().into_owned();
            let is_new = volume.staged.insert(path.clone());
            if is_new {
                state.lock().put(volume.clone())?;
            }
            let bound = mounts::bind_directory(&folder, &request.staging_path, &mount, false);
            if bound.is_err() && is_new && mounts::unmount(&request.staging_path).is_ok() {
                // After such an error, the kubelet doesn't unstage it.
                volume.staged.remove(&path);
                state.lock().put(volume)?;
            }
            bound
        })
        .await
    }

    async fn unstage(&self, request: NodeUnstage) -> Result<()> {
        let state = self.state.clone();
        blocking(move || {
            mounts::unmount(&request.staging_path)?;
            let mut records = state.lock();
            let Some(mut volume) = records.get::<VolumeRecord>(&request.volume_id).cloned() else {
                return Ok(());
            };
            volume
                .staged
                .remove(&*request.staging_path.to_string_lossy());
            Ok(records.put(volume)?)
        })
        .await
    }
}

#[async_trait]
impl VolumeStats for HostPath {
    async fn stats(&self, request: NodeStats) -> Result<Vec<Usage>> {
        let volume = self.state.lock().volume(&request.volume_id)?.clone();
        let path = request.volume_path;
        let text = path.to_string_lossy();
        if !volume.published.contains_key(&*text) && !volume.staged.contains(&*text) {
            let message = format!("volume {} isn't at {}", volume.id, path.display());
            return Err(Error::not_found(message));
        }
        drop(text);
        blocking(move || mounts::usage(&path)).await
    }
}

#[async_trait]
impl NodeExpansion for HostPath {
    async fn expand(&self, request: NodeExpand) -> Result<Option<u64>> {
        let volume = self.state.lock().volume(&request.volume_id)?.clone();
        let path = request.volume_path;
        match blocking(move || mounts::is_mounted(&path)).await? {
            // A folder has all the space of its disk already.
            true => Ok(Some(volume.size)),
            false => Err(Error::not_found("volume_path: no volume is there")),
        }
    }
}

fn publish(state: &State, request: &NodePublish) -> Result<()> {
    let mount = mount(&request.capability)?;
    let id = &request.volume_id;
    if request.is_inline() {
        make_inline(state, id)?;
    }
    let target = request.target_path.to_string_lossy();
    let wanted = Published {
        read_only: request.read_only || request.capability.access_mode.is_read_only(),
    };
    let is_single = request.capability.access_mode == AccessMode::SingleNodeSingleWriter;
    let is_new = remember(state, id, &target, wanted, is_single)?;
    let folder = request
        .staging_path
        .clone()
        .unwrap_or_else(|| state.data(id));
    let bound = mounts::bind_directory(&folder, &request.target_path, &mount, wanted.read_only);
    if bound.is_err() && is_new && mounts::unmount(&request.target_path).is_ok() {
        // After such an error, the kubelet doesn't unpublish it.
        forget(state, id, &target)?;
    }
    bound
}

/// Adds a path to those at which a volume is published; false if it is there.
fn remember(
    state: &State,
    id: &str,
    target: &str,
    wanted: Published,
    is_single: bool,
) -> Result<bool> {
    let mut records = state.lock();
    let mut volume = records.volume(id)?.clone();
    match volume.published.get(target) {
        Some(published) if *published == wanted => return Ok(false),
        Some(_) => {
            let message = format!("volume {id} is at {target} with another `readonly`");
            return Err(Error::already_exists(message));
        }
        None => {}
    }
    if is_single && !volume.published.is_empty() {
        let message = format!("volume {id} is published, and only one Pod may use it");
        return Err(Error::failed_precondition(message));
    }
    volume.published.insert(target.to_owned(), wanted);
    records.put(volume)?;
    Ok(true)
}

/// Removes a path from those at which a volume is published. An inline volume goes with the last
/// one.
fn forget(state: &State, id: &str, target: &str) -> Result<()> {
    let mut records = state.lock();
    let Some(mut volume) = records.get::<VolumeRecord>(id).cloned() else {
        return Ok(());
    };
    volume.published.remove(target);
    if volume.is_ephemeral && volume.published.is_empty() {
        records.remove::<VolumeRecord>(id)?;
        drop(records);
        return Ok(data::remove(&state.data(id))?);
    }
    Ok(records.put(volume)?)
}

/// Makes an inline volume, if it isn't there.
fn make_inline(state: &State, id: &str) -> Result<()> {
    if !id.starts_with("csi-") || !kubernetes_csi_driver::request::is_file_name(id) {
        return Err(Error::invalid(format!(
            "volume_id: {id:?} isn't that of an inline volume"
        )));
    }
    if state.lock().get::<VolumeRecord>(id).is_some() {
        return Ok(());
    }
    // A process that came to no record may have left data.
    data::remove(&state.data(id))?;
    data::make(&state.new_data(id), &state.data(id), data::create)?;
    Ok(state.lock().put(VolumeRecord {
        id: id.to_owned(),
        name: id.to_owned(),
        size: INLINE_SIZE,
        is_ephemeral: true,
        ..VolumeRecord::default()
    })?)
}

fn mount(capability: &VolumeCapability) -> Result<Mount> {
    match &capability.access_type {
        AccessType::Mount(mount) => Ok(mount.clone()),
        AccessType::Block => Err(Error::invalid("volume_capability: folders are no devices")),
    }
}
