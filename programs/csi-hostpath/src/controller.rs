//! The controller part: volumes.

use std::collections::BTreeMap;

use kubernetes_csi_driver::controller::{
    Attach, Attachments, Capacity, CapacityOf, Controller, CreateVolume, DeleteVolume, Detach,
    ExpandVolume, Expanded, Expansion, GetCapacity, GetVolume, ListVolumes, Modification,
    ModifyVolume, ValidateVolume, Validation, Volumes,
};
use kubernetes_csi_driver::model::{
    AccessType, CapacityRange, ContentSource, ListedVolume, Page, PageRequest, Topology,
    TopologyRequirement, Volume, VolumeCapability,
};
use kubernetes_csi_driver::mounts::blocking;
use kubernetes_csi_driver::{Code, Error, Result, async_trait};
use uuid::Uuid;

use crate::pools::KIND;
use crate::records::{Attached, Backing, VolumeRecord};
use crate::state::change;
use crate::{HostPath, NODE, copies, data, image};

/// The parameter of a class that says whether volumes are folders or images.
const BACKING: &str = "backing";

/// The size of a volume, if none is asked for.
const DEFAULT_SIZE: u64 = 1 << 30;

#[async_trait]
impl Controller for HostPath {
    async fn validate_volume(&self, request: ValidateVolume) -> Result<Validation> {
        let volume = self.state.lock().volume(&request.volume_id)?.clone();
        Ok(match self.why_not(&volume, &request) {
            Some(message) => Validation::Refused(message),
            None => Validation::Confirmed,
        })
    }
}

#[async_trait]
impl Volumes for HostPath {
    async fn create_volume(&self, request: CreateVolume) -> Result<Volume> {
        self.check_parameters(&request.mutable_parameters)?;
        if let Some(volume) = self.existing(&request)? {
            return Ok(volume);
        }
        let source = request.source.as_ref();
        let source = source.map(|source| self.source(source)).transpose()?;
        let backing = backing(&request, source.as_ref())?;
        let default = match &source {
            Some(source) => source.size,
            None => DEFAULT_SIZE.min(self.max_volume_size),
        };
        let size = size(backing, request.size, default, &request.capabilities)?;
        self.check_size(size)?;
        self.check_place(request.topology.as_ref())?;
        if let Some(source) = &source {
            source.check_size(size)?;
        }
        let kind = kind(&request.parameters).to_owned();
        let reservation = self.pools.reserve(&self.state, &kind, size)?;
        let record = VolumeRecord {
            id: Uuid::new_v4().to_string(),
            name: request.name,
            size,
            backing,
            kind,
            source: request.source.map(Into::into),
            mutable_parameters: request.mutable_parameters,
            ..VolumeRecord::default()
        };
        let state = self.state.clone();
        let record = blocking(move || {
            let place = state.data(&record.id);
            let made = state.new_data(&record.id);
            match source {
                Some(source) => copies::copy_of(&state, &source.id, backing, &made, &place, size)?,
                None => data::make(&made, &place, |made| match backing {
                    Backing::Folder => data::create(made),
                    Backing::Image => image::grow_file(made, size),
                })?,
            }
            // The record has the space from now on.
            drop(reservation);
            state.keep(record.clone())?;
            Ok(record)
        });
        Ok(self.volume(&record.await?))
    }

    async fn delete_volume(&self, request: DeleteVolume) -> Result<()> {
        let state = self.state.clone();
        blocking(move || {
            let id = request.volume_id;
            let Some(volume) = state.lock().get::<VolumeRecord>(&id).cloned() else {
                return Ok(());
            };
            let uses = [
                (volume.attached.is_some(), "attached"),
                (!volume.published.is_empty(), "published"),
                (!volume.staged.is_empty(), "staged"),
            ];
            if let Some((_, used)) = uses.iter().find(|(is_used, _)| *is_used) {
                return Err(Error::failed_precondition(format!("volume {id} is {used}")));
            }
            // Devices are found by the record.
            image::settle(&state, &id)?;
            state.lock().remove::<VolumeRecord>(&id)?;
            Ok(data::remove(&state.data(&id))?)
        })
        .await
    }

    fn can_clone(&self) -> bool {
        true
    }
}

#[async_trait]
impl ListVolumes for HostPath {
    async fn list_volumes(&self, request: PageRequest) -> Result<Page<ListedVolume>> {
        let records = self.state.lock();
        let page = request.of_sorted(records.all::<VolumeRecord>(), |volume| &volume.id, is_id)?;
        Ok(Page {
            entries: page
                .entries
                .into_iter()
                .map(|volume| self.listed(volume))
                .collect(),
            next_token: page.next_token,
        })
    }

    fn lists_nodes(&self) -> bool {
        self.has_attach
    }
}

#[async_trait]
impl GetVolume for HostPath {
    async fn get_volume(&self, volume_id: &str) -> Result<ListedVolume> {
        Ok(self.listed(self.state.lock().volume(volume_id)?))
    }
}

#[async_trait]
impl Attachments for HostPath {
    async fn attach(&self, request: Attach) -> Result<BTreeMap<String, String>> {
        if request.node_id != self.node_id {
            return Err(Error::not_found(format!(
                "there is no node {:?}",
                request.node_id
            )));
        }
        let wanted = Attached {
            read_only: request.read_only,
        };
        let most = self.max_volumes.and_then(|most| usize::try_from(most).ok());
        change(&self.state, request.volume_id, move |records, volume| {
            image::check_capability(volume, &request.capability, Error::invalid)?;
            match volume.attached {
                Some(attached) if attached == wanted => {}
                Some(_) => {
                    let id = &volume.id;
                    let message = format!("volume {id} is attached with another `readonly`");
                    return Err(Error::already_exists(message));
                }
                None => {
                    let attached = records.all::<VolumeRecord>();
                    let attached = attached.filter(|volume| volume.attached.is_some()).count();
                    if most.is_some_and(|most| attached >= most) {
                        let message = format!("the node has {attached} volumes, its limit");
                        return Err(Error::exhausted(message));
                    }
                    volume.attached = Some(wanted);
                }
            }
            Ok(BTreeMap::new())
        })
        .await
    }

    async fn detach(&self, request: Detach) -> Result<()> {
        if request.node_id.is_some_and(|node| node != self.node_id) {
            return Ok(());
        }
        let detached = change(&self.state, request.volume_id, |_, volume| {
            if !volume.published.is_empty() || !volume.staged.is_empty() {
                let message = format!("volume {} is still in use on the node", volume.id);
                return Err(Error::failed_precondition(message));
            }
            volume.attached = None;
            Ok(())
        });
        match detached.await {
            Err(error) if error.code() == Code::NotFound => Ok(()),
            other => other,
        }
    }

    fn can_attach_read_only(&self) -> bool {
        true
    }
}

#[async_trait]
impl GetCapacity for HostPath {
    async fn get_capacity(&self, request: CapacityOf) -> Result<Capacity> {
        let is_here = request
            .topology
            .is_none_or(|place| place.contains(&self.place()));
        let available = match is_here {
            true => {
                let kind = kind(&request.parameters);
                self.pools.free(&self.state.lock(), kind)
            }
            false => 0,
        };
        Ok(Capacity {
            available,
            // The scheduler looks at this alone, if it is there.
            maximum_volume_size: Some(self.max_volume_size.min(available)),
            minimum_volume_size: None,
        })
    }
}

#[async_trait]
impl Expansion for HostPath {
    async fn expand_volume(&self, request: ExpandVolume) -> Result<Expanded> {
        let (has, backing, kind) = {
            let records = self.state.lock();
            let volume = records.volume(&request.volume_id)?;
            if let Some(capability) = &request.capability {
                image::check_capability(volume, capability, Error::invalid)?;
            }
            (volume.size, volume.backing, volume.kind.clone())
        };
        let size = size(backing, request.size, has, &[])?.max(has);
        if let Some(limit) = request.size.limit.filter(|limit| *limit < size) {
            return Err(Error::out_of_range(format!(
                "capacity_range: at most {limit} bytes are asked for, and the volume has {has}"
            )));
        }
        self.check_size(size)?;
        let more = self.pools.reserve(&self.state, &kind, size - has)?;
        let file = self.state.data(&request.volume_id);
        change(&self.state, request.volume_id, move |_, volume| {
            if backing == Backing::Image {
                image::grow_file(&file, size)?;
            }
            volume.size = size;
            Ok(())
        })
        .await?;
        drop(more);
        Ok(Expanded {
            size,
            needs_node: true,
        })
    }
}

#[async_trait]
impl Modification for HostPath {
    async fn modify_volume(&self, request: ModifyVolume) -> Result<()> {
        self.state.lock().volume(&request.volume_id)?;
        self.check_parameters(&request.parameters)?;
        change(&self.state, request.volume_id, |_, volume| {
            volume.mutable_parameters.extend(request.parameters);
            Ok(())
        })
        .await
    }
}

impl HostPath {
    /// Returns the volume of the name, if there is one.
    fn existing(&self, request: &CreateVolume) -> Result<Option<Volume>> {
        let records = self.state.lock();
        let Some(volume) = records
            .all::<VolumeRecord>()
            .find(|volume| volume.name == request.name && !volume.is_ephemeral)
        else {
            return Ok(None);
        };
        let source: Option<ContentSource> = volume.source.clone().map(Into::into);
        let asked = asked_backing(&request.parameters, &request.capabilities)?;
        let backing = match (asked, &source) {
            (None, Some(_)) => volume.backing,
            (asked, _) => asked.unwrap_or_default(),
        };
        let topology = request.topology.as_ref();
        let refusal = image::refusal_of_any(volume, &request.capabilities);
        let differences = [
            (backing != volume.backing, "backing"),
            (refusal.is_some(), "capabilities"),
            (self.check_place(topology).is_err(), "place"),
            (!request.size.allows(volume.size), "size"),
            (volume.kind != kind(&request.parameters), KIND),
            (source != request.source, "source"),
            (
                volume.mutable_parameters != request.mutable_parameters,
                "mutable parameters",
            ),
        ];
        match differences.iter().find(|(differs, _)| *differs) {
            None => Ok(Some(self.volume(volume))),
            Some((_, what)) => Err(Error::already_exists(format!(
                "there is a volume named {:?} with another {what}",
                request.name
            ))),
        }
    }

    /// Returns why a volume isn't what is asked for, if it isn't.
    fn why_not(&self, volume: &VolumeRecord, request: &ValidateVolume) -> Option<String> {
        let refusal = image::refusal_of_any(volume, &request.capabilities);
        if refusal.is_some() {
            return refusal;
        }
        let has = |asked: Option<Backing>| asked.is_none_or(|asked| asked == volume.backing);
        match asked_backing(&request.parameters, &request.capabilities) {
            Err(error) => return Some(error.to_string()),
            Ok(asked) if !has(asked) => return Some(format!("the volume has another `{BACKING}`")),
            Ok(_) => {}
        }
        let kind = request.parameters.get(KIND);
        if kind.is_some_and(|kind| *kind != volume.kind) {
            return Some(format!("the volume has another `{KIND}`"));
        }
        let mutable = self.check_parameters(&request.mutable_parameters);
        mutable.err().map(|error| error.to_string())
    }

    fn source(&self, source: &ContentSource) -> Result<Source> {
        let records = self.state.lock();
        let (id, size, backing) = match source {
            ContentSource::Snapshot(id) => {
                let snapshot = records.snapshot(id)?;
                (id, snapshot.size, snapshot.backing)
            }
            ContentSource::Volume(id) => {
                let volume = records.volume(id)?;
                (id, volume.size, volume.backing)
            }
        };
        Ok(Source {
            id: id.clone(),
            size,
            backing,
        })
    }

    fn check_parameters(&self, parameters: &BTreeMap<String, String>) -> Result<()> {
        let mut unknown = parameters
            .keys()
            .filter(|key| !self.accepted_parameters.contains(*key));
        match unknown.next() {
            Some(key) => Err(Error::invalid(format!(
                "mutable_parameters: {key:?} can't be changed"
            ))),
            None => Ok(()),
        }
    }

    fn check_size(&self, size: u64) -> Result<()> {
        let most = self.max_volume_size;
        match size > most {
            true => Err(Error::out_of_range(format!(
                "{size} bytes are asked for, and a volume can have {most}"
            ))),
            false => Ok(()),
        }
    }

    /// Returns an error if the node is in none of the places.
    pub(crate) fn check_place(&self, topology: Option<&TopologyRequirement>) -> Result<()> {
        match topology.is_none_or(|topology| topology.allows(&self.place())) {
            true => Ok(()),
            false => Err(Error::exhausted(
                "accessibility_requirements: the node isn't there",
            )),
        }
    }

    /// Returns the place of the node.
    pub(crate) fn place(&self) -> Topology {
        Topology::from_iter([(NODE, &*self.node_id)])
    }

    fn volume(&self, record: &VolumeRecord) -> Volume {
        Volume {
            id: record.id.clone(),
            size: record.size,
            source: record.source.clone().map(Into::into),
            topologies: vec![self.place()],
            ..Volume::default()
        }
    }

    fn listed(&self, record: &VolumeRecord) -> ListedVolume {
        let nodes = record.attached.map(|_| self.node_id.clone());
        ListedVolume {
            volume: self.volume(record),
            published_node_ids: nodes.into_iter().collect(),
        }
    }
}

/// The snapshot or volume that a volume begins with.
struct Source {
    id: String,
    size: u64,
    backing: Backing,
}

impl Source {
    fn check_size(&self, size: u64) -> Result<()> {
        match size < self.size {
            true => Err(Error::out_of_range(format!(
                "{size} bytes are asked for, and the source has {}",
                self.size
            ))),
            false => Ok(()),
        }
    }
}

/// Returns the size of a volume with the capabilities.
fn size(
    backing: Backing,
    wanted: CapacityRange,
    default: u64,
    capabilities: &[VolumeCapability],
) -> Result<u64> {
    match backing {
        Backing::Folder => wanted.choose(default, 1),
        Backing::Image => image::size(wanted, default, capabilities),
    }
}

fn is_block(capability: &VolumeCapability) -> bool {
    capability.access_type == AccessType::Block
}

fn kind(parameters: &BTreeMap<String, String>) -> &str {
    parameters.get(KIND).map(String::as_str).unwrap_or_default()
}

/// Returns what a request says of the data: by the parameter of the class, or by asking for a
/// device.
fn asked_backing(
    parameters: &BTreeMap<String, String>,
    capabilities: &[VolumeCapability],
) -> Result<Option<Backing>> {
    let is_block = capabilities.iter().any(is_block);
    match parameters.get(BACKING).map(String::as_str) {
        Some("folder") if is_block => Err(Error::invalid(
            "parameters: `backing` is `folder`, and a block volume needs `image`",
        )),
        Some("folder") => Ok(Some(Backing::Folder)),
        Some("image") => Ok(Some(Backing::Image)),
        Some(other) => Err(Error::invalid(format!(
            "parameters: `backing` is {other:?}, and not `folder` or `image`"
        ))),
        None => Ok(is_block.then_some(Backing::Image)),
    }
}

/// Returns what the data of a new volume is: what the request says, or what the source is.
fn backing(request: &CreateVolume, source: Option<&Source>) -> Result<Backing> {
    let asked = asked_backing(&request.parameters, &request.capabilities)?;
    match (asked, source.map(|source| source.backing)) {
        (Some(asked), Some(has)) if asked != has => Err(Error::invalid(
            "volume_content_source: a folder can't become an image, nor an image a folder",
        )),
        (asked, has) => Ok(asked.or(has).unwrap_or_default()),
    }
}

/// Returns true if a text can be the id of a volume or snapshot.
pub(crate) fn is_id(text: &str) -> bool {
    Uuid::try_parse(text).is_ok() || text.starts_with("csi-")
}
