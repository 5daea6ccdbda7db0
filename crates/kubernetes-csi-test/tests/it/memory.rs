//! A driver in memory, on the kit, with all parts that don't need root.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use futures::stream;
use kubernetes_csi::Secrets;
use kubernetes_csi::v1::BlockMetadataType;
use kubernetes_csi_driver::controller::*;
use kubernetes_csi_driver::group::*;
use kubernetes_csi_driver::metadata::*;
use kubernetes_csi_driver::model::*;
use kubernetes_csi_driver::node::*;
use kubernetes_csi_driver::{Driver, Error, Growth, Result, Services, async_trait};
use tempfile::TempDir;

#[derive(Clone)]
struct Kept {
    name: String,
    volume: Volume,
    parameters: BTreeMap<String, String>,
    attached: Option<bool>,
    paths: Vec<String>,
}

#[derive(Default)]
struct State {
    next: usize,
    volumes: BTreeMap<String, Kept>,
    /// By their ids, with their names.
    snapshots: BTreeMap<String, (String, Snapshot)>,
    groups: BTreeMap<String, (String, GroupSnapshot)>,
}

impl State {
    fn id(&mut self) -> String {
        self.next += 1;
        format!("id-{:04}", self.next)
    }

    fn kept(&mut self, id: &str) -> Result<&mut Kept> {
        self.volumes.get_mut(id).ok_or_else(|| missing(id))
    }

    fn take(&mut self, volume_id: &str, name: &str) -> Result<Snapshot> {
        let size = self.kept(volume_id)?.volume.size;
        let id = self.id();
        let snapshot = Snapshot::new(id.clone(), volume_id, size, SystemTime::now());
        self.snapshots
            .insert(id, (name.to_owned(), snapshot.clone()));
        Ok(snapshot)
    }
}

fn missing(id: &str) -> Error {
    Error::not_found(format!("there is no {id:?}"))
}

/// The driver.
pub(crate) struct Memory {
    state: Mutex<State>,
    data: TempDir,
}

/// Returns the services of a new driver.
pub(crate) fn services() -> Services {
    let memory = Arc::new(Memory {
        state: Mutex::default(),
        data: tempfile::tempdir().unwrap(),
    });
    let all = || memory.clone();
    Driver::new("memory.csi.example.com", "1")
        .access_modes([
            AccessMode::SingleNodeWriter,
            AccessMode::SingleNodeSingleWriter,
            AccessMode::SingleNodeMultiWriter,
        ])
        .growth(Growth::Online)
        .controller(all())
        .volumes(all())
        .list_volumes(all())
        .get_volume(all())
        .attachments(all())
        .capacity(all())
        .expansion(all())
        .modification(all())
        .snapshots(all())
        .list_snapshots(all())
        .get_snapshot(all())
        .group_snapshots(all())
        .metadata(all())
        .node(all())
        .stats(all())
        .build()
        .unwrap()
}

impl Memory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn folder(&self, id: &str) -> PathBuf {
        self.data.path().join(id)
    }

    fn blocks(&self, id: &str, from: u64) -> Result<Blocks> {
        let state = self.state();
        let (_, snapshot) = state.snapshots.get(id).ok_or_else(|| missing(id))?;
        if from > snapshot.size {
            return Err(Error::out_of_range("starting_offset is past the end"));
        }
        let blocks = (0..5).map(|number| Block {
            offset: number << 20,
            size: 1 << 19,
        });
        let blocks: Vec<_> = blocks
            .filter(|one| one.offset + one.size > from)
            .map(Ok)
            .collect();
        Ok(Blocks {
            block_metadata_type: BlockMetadataType::FixedLength,
            volume_size: snapshot.size,
            blocks: Box::pin(stream::iter(blocks)),
        })
    }
}

fn is_id(text: &str) -> bool {
    text.starts_with("id-")
}

fn known(parameters: &BTreeMap<String, String>) -> Result<()> {
    match parameters.keys().all(|key| key == "iops") {
        true => Ok(()),
        false => Err(Error::invalid("mutable_parameters: there is only iops")),
    }
}

#[async_trait]
impl Controller for Memory {
    async fn validate_volume(&self, request: ValidateVolume) -> Result<Validation> {
        self.state()
            .kept(&request.volume_id)
            .map(|_| Validation::Confirmed)
    }
}

#[async_trait]
impl Volumes for Memory {
    async fn create_volume(&self, request: CreateVolume) -> Result<Volume> {
        known(&request.mutable_parameters)?;
        // Long enough that calls at once are.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        let mut state = self.state();
        let mut all = state.volumes.values();
        if let Some(kept) = all.find(|kept| kept.name == request.name) {
            let volume = &kept.volume;
            let fits = request.size.allows(volume.size) && volume.source == request.source;
            return match fits && kept.parameters == request.mutable_parameters {
                true => Ok(volume.clone()),
                false => Err(Error::already_exists("it exists, and differs")),
            };
        }
        let size = request.size.choose(1 << 30, 1)?;
        if size > 1 << 40 {
            return Err(Error::out_of_range("at most 1 TiB"));
        }
        let least = match &request.source {
            Some(ContentSource::Snapshot(id)) => {
                state.snapshots.get(id).ok_or_else(|| missing(id))?.1.size
            }
            Some(ContentSource::Volume(id)) => state.kept(id)?.volume.size,
            None => 0,
        };
        if size < least {
            return Err(Error::out_of_range("the source is larger"));
        }
        let id = state.id();
        let mut volume = Volume::new(id.clone(), size);
        volume.source = request.source;
        fs::create_dir(self.folder(&id))?;
        state.volumes.insert(
            id,
            Kept {
                name: request.name,
                volume: volume.clone(),
                parameters: request.mutable_parameters,
                attached: None,
                paths: Vec::new(),
            },
        );
        Ok(volume)
    }

    async fn delete_volume(&self, request: DeleteVolume) -> Result<()> {
        let mut state = self.state();
        match state.kept(&request.volume_id) {
            Err(_) => Ok(()),
            Ok(kept) if kept.attached.is_some() => {
                Err(Error::failed_precondition("the volume is attached"))
            }
            Ok(_) => {
                state.volumes.remove(&request.volume_id);
                Ok(fs::remove_dir_all(self.folder(&request.volume_id))?)
            }
        }
    }

    fn can_clone(&self) -> bool {
        true
    }
}

fn listed(kept: &Kept) -> ListedVolume {
    let node = kept.attached.map(|_| "node-1".to_owned());
    ListedVolume {
        volume: kept.volume.clone(),
        published_node_ids: node.into_iter().collect(),
    }
}

#[async_trait]
impl ListVolumes for Memory {
    async fn list_volumes(&self, request: PageRequest) -> Result<Page<ListedVolume>> {
        let state = self.state();
        let all = state.volumes.values().map(listed);
        request.of_sorted(all, |listed| &listed.volume.id, is_id)
    }

    fn lists_nodes(&self) -> bool {
        true
    }
}

#[async_trait]
impl GetVolume for Memory {
    async fn get_volume(&self, id: &str) -> Result<ListedVolume> {
        self.state().kept(id).map(|kept| listed(kept))
    }
}

#[async_trait]
impl Attachments for Memory {
    async fn attach(&self, request: Attach) -> Result<BTreeMap<String, String>> {
        let mut state = self.state();
        if request.node_id != "node-1" {
            return Err(missing(&request.node_id));
        }
        let attached = state
            .volumes
            .values()
            .filter(|kept| kept.attached.is_some())
            .count();
        let kept = state.kept(&request.volume_id)?;
        match kept.attached {
            Some(read_only) if read_only == request.read_only => {}
            Some(_) => return Err(Error::already_exists("attached with another readonly")),
            None if attached >= 4 => return Err(Error::exhausted("the node has 4 volumes")),
            None => kept.attached = Some(request.read_only),
        }
        Ok(BTreeMap::from([("device".to_owned(), request.volume_id)]))
    }

    async fn detach(&self, request: Detach) -> Result<()> {
        if let Ok(kept) = self.state().kept(&request.volume_id)
            && request.node_id.is_none_or(|node| node == "node-1")
        {
            kept.attached = None;
        }
        Ok(())
    }

    fn can_attach_read_only(&self) -> bool {
        true
    }
}

#[async_trait]
impl GetCapacity for Memory {
    async fn get_capacity(&self, _: CapacityOf) -> Result<Capacity> {
        Ok(Capacity::default())
    }
}

#[async_trait]
impl Expansion for Memory {
    async fn expand_volume(&self, request: ExpandVolume) -> Result<Expanded> {
        let mut state = self.state();
        let volume = &mut state.kept(&request.volume_id)?.volume;
        let size = request.size.choose(volume.size, 1)?.max(volume.size);
        if size > 1 << 40 {
            return Err(Error::out_of_range("at most 1 TiB"));
        }
        volume.size = size;
        Ok(Expanded {
            size,
            needs_node: false,
        })
    }
}

#[async_trait]
impl Modification for Memory {
    async fn modify_volume(&self, request: ModifyVolume) -> Result<()> {
        let mut state = self.state();
        let kept = state.kept(&request.volume_id)?;
        known(&request.parameters)?;
        kept.parameters.extend(request.parameters);
        Ok(())
    }
}

#[async_trait]
impl Snapshots for Memory {
    async fn create_snapshot(&self, request: CreateSnapshot) -> Result<Snapshot> {
        let mut state = self.state();
        let mut all = state.snapshots.values();
        if let Some((_, snapshot)) = all.find(|(name, _)| *name == request.name) {
            return match snapshot.source_volume_id == request.source_volume_id {
                true => Ok(snapshot.clone()),
                false => Err(Error::already_exists("it is of another volume")),
            };
        }
        state.take(&request.source_volume_id, &request.name)
    }

    async fn delete_snapshot(&self, request: DeleteSnapshot) -> Result<()> {
        let mut state = self.state();
        let snapshot = state.snapshots.get(&request.snapshot_id);
        if snapshot.is_some_and(|(_, snapshot)| snapshot.group_snapshot_id.is_some()) {
            return Err(Error::invalid("the snapshot is in a group"));
        }
        state.snapshots.remove(&request.snapshot_id);
        Ok(())
    }
}

#[async_trait]
impl ListSnapshots for Memory {
    async fn list_snapshots(&self, request: SnapshotFilter) -> Result<Page<Snapshot>> {
        let state = self.state();
        let is_it = |one: &str, wanted: &Option<String>| wanted.as_ref().is_none_or(|id| one == id);
        let all = state
            .snapshots
            .values()
            .map(|(_, snapshot)| snapshot.clone());
        let all = all.filter(|snapshot| {
            is_it(&snapshot.id, &request.snapshot_id)
                && is_it(&snapshot.source_volume_id, &request.source_volume_id)
        });
        request.page.of_sorted(all, |snapshot| &snapshot.id, is_id)
    }
}

#[async_trait]
impl GetSnapshot for Memory {
    async fn get_snapshot(&self, id: &str, _: &Secrets) -> Result<Snapshot> {
        let state = self.state();
        let snapshot = state
            .snapshots
            .get(id)
            .map(|(_, snapshot)| snapshot.clone());
        snapshot.ok_or_else(|| missing(id))
    }
}

fn is_of(group: &GroupSnapshot, ids: &[String]) -> Result<()> {
    let has = |id: &String| group.snapshots.iter().any(|one| one.id == *id);
    match ids.iter().all(has) {
        true => Ok(()),
        false => Err(Error::invalid("snapshot_ids: those are others")),
    }
}

#[async_trait]
impl GroupSnapshots for Memory {
    async fn create_group_snapshot(&self, request: CreateGroupSnapshot) -> Result<GroupSnapshot> {
        let mut state = self.state();
        let mut all = state.groups.values();
        if let Some((_, group)) = all.find(|(name, _)| *name == request.name) {
            let sources = group.snapshots.iter().map(|one| &one.source_volume_id);
            return match sources.eq(&request.source_volume_ids) {
                true => Ok(group.clone()),
                false => Err(Error::already_exists("it is of other volumes")),
            };
        }
        let id = state.id();
        let mut snapshots = Vec::new();
        for volume_id in &request.source_volume_ids {
            let mut snapshot = state.take(volume_id, &format!("{id}-{volume_id}"))?;
            snapshot.group_snapshot_id = Some(id.clone());
            let kept = state.snapshots.get_mut(&snapshot.id).unwrap();
            kept.1 = snapshot.clone();
            snapshots.push(snapshot);
        }
        let group = GroupSnapshot {
            id: id.clone(),
            snapshots,
            created: SystemTime::now(),
            is_ready: true,
        };
        state.groups.insert(id, (request.name, group.clone()));
        Ok(group)
    }

    async fn delete_group_snapshot(&self, request: GroupSnapshotOf) -> Result<()> {
        let mut state = self.state();
        if let Some((_, group)) = state.groups.get(&request.group_snapshot_id).cloned() {
            is_of(&group, &request.snapshot_ids)?;
            for snapshot in &group.snapshots {
                state.snapshots.remove(&snapshot.id);
            }
            state.groups.remove(&group.id);
        }
        Ok(())
    }

    async fn get_group_snapshot(&self, request: GroupSnapshotOf) -> Result<GroupSnapshot> {
        let id = &request.group_snapshot_id;
        let group = self.state().groups.get(id).map(|(_, group)| group.clone());
        let group = group.ok_or_else(|| missing(id))?;
        is_of(&group, &request.snapshot_ids).map(|()| group)
    }
}

#[async_trait]
impl SnapshotMetadata for Memory {
    async fn allocated(&self, request: AllocatedBlocks) -> Result<Blocks> {
        self.blocks(&request.snapshot_id, request.starting_offset)
    }

    async fn delta(&self, request: ChangedBlocks) -> Result<Blocks> {
        self.blocks(&request.base_snapshot_id, 0)?;
        self.blocks(&request.target_snapshot_id, request.starting_offset)
    }
}

/// Volumes are links to their folders.
#[async_trait]
impl Node for Memory {
    async fn info(&self) -> Result<NodeInfo> {
        Ok(NodeInfo {
            id: "node-1".to_owned(),
            max_volumes: Some(4),
            ..NodeInfo::default()
        })
    }

    async fn publish(&self, request: NodePublish) -> Result<()> {
        let folder = self.folder(&request.volume_id);
        let mut state = self.state();
        let kept = state.kept(&request.volume_id)?;
        let path = format!("{} {}", request.target_path.display(), request.read_only);
        let target = request.target_path.display().to_string();
        if kept.paths.contains(&path) {
            return Ok(());
        }
        if kept.paths.iter().any(|one| one.starts_with(&target)) {
            return Err(Error::already_exists("published with another readonly"));
        }
        let is_single = request.capability.access_mode == AccessMode::SingleNodeSingleWriter;
        if is_single && !kept.paths.is_empty() {
            return Err(Error::failed_precondition("published somewhere else"));
        }
        kept.paths.push(path);
        Ok(std::os::unix::fs::symlink(folder, request.target_path)?)
    }

    async fn unpublish(&self, request: NodeUnpublish) -> Result<()> {
        let target = request.target_path.display().to_string();
        if let Ok(kept) = self.state().kept(&request.volume_id) {
            kept.paths.retain(|one| !one.starts_with(&target));
        }
        match fs::remove_file(request.target_path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl VolumeStats for Memory {
    async fn stats(&self, request: NodeStats) -> Result<Vec<Usage>> {
        let mut state = self.state();
        let path = format!("{} false", request.volume_path.display());
        match state.kept(&request.volume_id)?.paths.contains(&path) {
            true => Ok(vec![Usage {
                unit: UsageUnit::Bytes,
                total: 1,
                used: Some(1),
                available: None,
            }]),
            false => Err(missing("a volume there")),
        }
    }
}
