//! The node part: folders, devices and their file systems are bound to the paths of Pods.

use std::path::Path;

use kubernetes_csi_driver::model::{AccessMode, AccessType};
use kubernetes_csi_driver::mounts::{self, blocking};
use kubernetes_csi_driver::node::{
    Node, NodeExpand, NodeExpansion, NodeInfo, NodePublish, NodeStage, NodeStats, NodeUnpublish,
    NodeUnstage, Staging, Usage, VolumeStats,
};
use kubernetes_csi_driver::{Error, Result, async_trait};

use crate::records::{Backing, Published, VolumeRecord};
use crate::state::State;
use crate::{HostPath, data, image};

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
            if is_of_another(&state, &request.volume_id, &request.target_path) {
                return Ok(());
            }
            mounts::unbind(&request.target_path)?;
            let target = request.target_path.to_string_lossy();
            forget(&state, &request.volume_id, &target)
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
            let was_mounted = mounts::is_mounted(&request.staging_path)?;
            // The record first: it is what finds the mount again.
            let path = request.staging_path.to_string_lossy().into_owned();
            let is_new = volume.staged.insert(path.clone());
            if is_new {
                state.lock().put(volume.clone())?;
            }
            let staged = stage(&state, &volume, &request);
            if staged.is_err() && is_new && undo(&request.staging_path, was_mounted) {
                // After such an error, the kubelet doesn't unstage it.
                volume.staged.remove(&path);
                state.lock().put(volume)?;
                image::settle(&state, &request.volume_id)?;
            }
            staged
        })
        .await
    }

    async fn unstage(&self, request: NodeUnstage) -> Result<()> {
        let state = self.state.clone();
        blocking(move || {
            let id = &request.volume_id;
            if is_of_another(&state, id, &request.staging_path) {
                return Ok(());
            }
            mounts::unmount(&request.staging_path)?;
            {
                let mut records = state.lock();
                let Some(mut volume) = records.get::<VolumeRecord>(id).cloned() else {
                    return Ok(());
                };
                let path = request.staging_path.to_string_lossy();
                if volume.staged.remove(&*path) {
                    records.put(volume)?;
                }
            }
            image::settle(&state, id)
        })
        .await
    }
}

#[async_trait]
impl VolumeStats for HostPath {
    async fn stats(&self, request: NodeStats) -> Result<Vec<Usage>> {
        let volume = self.state.lock().volume(&request.volume_id)?.clone();
        let path = request.volume_path;
        check_path(&volume, &path)?;
        blocking(move || match mounts::is_mounted(&path)? {
            true => mounts::usage(&path),
            // The disk below isn't the volume.
            false => Err(not_at(&volume, &path)),
        })
        .await
    }
}

#[async_trait]
impl NodeExpansion for HostPath {
    async fn expand(&self, request: NodeExpand) -> Result<Option<u64>> {
        let volume = self.state.lock().volume(&request.volume_id)?.clone();
        let (state, path) = (self.state.clone(), request.volume_path);
        check_path(&volume, &path)?;
        if let Some(capability) = &request.capability {
            image::check_capability(&volume, capability, Error::invalid)?;
        }
        let size = volume.size;
        if request.size.is_some_and(|wanted| !wanted.allows(size)) {
            let message = format!(
                "capacity_range: it doesn't allow {size} bytes, as volume {} has",
                volume.id
            );
            return Err(Error::out_of_range(message));
        }
        blocking(move || {
            // A folder has all the space of its disk already.
            if volume.backing == Backing::Image {
                image::grow(&state, &volume.id, &path)?;
            }
            Ok(Some(volume.size))
        })
        .await
    }
}

/// Unmounts what a call has mounted that failed. What was mounted there before isn't its own.
fn undo(path: &Path, was_mounted: bool) -> bool {
    was_mounted || mounts::unmount(path).is_ok()
}

/// Returns true if another volume than this one is staged or published at a path.
fn is_of_another(state: &State, id: &str, path: &Path) -> bool {
    let records = state.lock();
    let is_at = |volume: &VolumeRecord| check_path(volume, path).is_ok();
    !records.get(id).is_some_and(is_at) && records.all().any(is_at)
}

/// Returns an error if a volume is neither staged nor published at a path.
fn check_path(volume: &VolumeRecord, path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    match volume.published.contains_key(&*text) || volume.staged.contains(&*text) {
        true => Ok(()),
        false => Err(not_at(volume, path)),
    }
}

fn not_at(volume: &VolumeRecord, path: &Path) -> Error {
    Error::not_found(format!("volume {} isn't at {}", volume.id, path.display()))
}

fn stage(state: &State, volume: &VolumeRecord, request: &NodeStage) -> Result<()> {
    let path = &request.staging_path;
    image::check_capability(volume, &request.capability, Error::failed_precondition)?;
    match (&request.capability.access_type, volume.backing) {
        (AccessType::Mount(mount), Backing::Folder) => {
            mounts::bind_directory(&state.data(&volume.id), path, mount, false)
        }
        (AccessType::Mount(mount), Backing::Image) => image::mount(state, &volume.id, path, mount),
        (AccessType::Block, _) => image::attach(state, &volume.id, false).map(drop),
    }
}

fn publish(state: &State, request: &NodePublish) -> Result<()> {
    let id = &request.volume_id;
    if request.is_inline() {
        make_inline(state, id)?;
    }
    let target = request.target_path.to_string_lossy();
    let wanted = Published {
        read_only: request.read_only || request.capability.access_mode.is_read_only(),
    };
    let is_single = request.capability.access_mode == AccessMode::SingleNodeSingleWriter;
    let was_mounted = mounts::is_mounted(&request.target_path)?;
    let is_new = remember(state, id, &target, wanted, is_single)?;
    let bound = bind(state, request, wanted.read_only);
    if bound.is_err() && is_new && undo(&request.target_path, was_mounted) {
        // After such an error, the kubelet doesn't unpublish it.
        forget(state, id, &target)?;
    }
    bound
}

fn bind(state: &State, request: &NodePublish, read_only: bool) -> Result<()> {
    let (id, target) = (&request.volume_id, &request.target_path);
    let volume = state.lock().volume(id)?.clone();
    image::check_capability(&volume, &request.capability, Error::failed_precondition)?;
    match (&request.capability.access_type, &request.staging_path) {
        (AccessType::Mount(mount), Some(staged)) => {
            // The folder below isn't the volume.
            if !mounts::is_mounted(staged)? {
                let message = format!("volume {id} isn't staged at {}", staged.display());
                return Err(Error::failed_precondition(message));
            }
            mounts::bind_directory(staged, target, mount, read_only)
        }
        // An inline volume.
        (AccessType::Mount(mount), None) => {
            mounts::bind_directory(&state.data(id), target, mount, read_only)
        }
        (AccessType::Block, _) => {
            let device = image::attach(state, id, read_only)?;
            mounts::bind_file(&device, target, read_only)
        }
    }
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
    records.put(volume)?;
    drop(records);
    image::settle(state, id)
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
    Ok(state.keep(VolumeRecord {
        id: id.to_owned(),
        name: id.to_owned(),
        size: INLINE_SIZE,
        is_ephemeral: true,
        ..VolumeRecord::default()
    })?)
}
