//! Snapshots: copies of the data of a volume.

use std::time::SystemTime;

use kubernetes_csi_driver::Secrets;
use kubernetes_csi_driver::controller::{
    CreateSnapshot, DeleteSnapshot, GetSnapshot, ListSnapshots, SnapshotFilter, Snapshots,
};
use kubernetes_csi_driver::model::{Page, Snapshot};
use kubernetes_csi_driver::mounts::blocking;
use kubernetes_csi_driver::{Error, Result, async_trait};
use uuid::Uuid;

use crate::controller::is_id;
use crate::records::{SnapshotRecord, VolumeRecord};
use crate::state::State;
use crate::{HostPath, copies, data};

#[async_trait]
impl Snapshots for HostPath {
    async fn create_snapshot(&self, request: CreateSnapshot) -> Result<Snapshot> {
        self.check_place(request.topology.as_ref())?;
        let volume = {
            let records = self.state.lock();
            // Those of groups have names of the driver's.
            let mut all = records
                .all::<SnapshotRecord>()
                .filter(|snapshot| snapshot.group.is_none());
            if let Some(snapshot) = all.find(|snapshot| snapshot.name == request.name) {
                return match snapshot.source_volume_id == request.source_volume_id {
                    true => Ok(self.snapshot(snapshot.clone())),
                    false => Err(Error::already_exists(format!(
                        "there is a snapshot named {:?} of another volume",
                        request.name
                    ))),
                };
            }
            records.volume(&request.source_volume_id)?.clone()
        };
        let state = self.state.clone();
        let record = blocking(move || {
            let record = take(&state, &volume, request.name, None, SystemTime::now())?;
            state.keep(record.clone())?;
            Ok(record)
        });
        Ok(self.snapshot(record.await?))
    }

    async fn delete_snapshot(&self, request: DeleteSnapshot) -> Result<()> {
        let state = self.state.clone();
        blocking(move || {
            let id = request.snapshot_id;
            let mut records = state.lock();
            let Some(snapshot) = records.get::<SnapshotRecord>(&id) else {
                return Ok(());
            };
            if let Some(group) = &snapshot.group {
                let message = format!("snapshot {id} is a part of the group snapshot {group}");
                return Err(Error::invalid(message));
            }
            records.remove::<SnapshotRecord>(&id)?;
            drop(records);
            Ok(data::remove(&state.data(&id))?)
        })
        .await
    }
}

#[async_trait]
impl ListSnapshots for HostPath {
    async fn list_snapshots(&self, request: SnapshotFilter) -> Result<Page<Snapshot>> {
        let records = self.state.lock();
        let is_wanted =
            |own: &str, wanted: &Option<String>| wanted.as_ref().is_none_or(|wanted| own == wanted);
        let all = records.all::<SnapshotRecord>().filter(|snapshot| {
            is_wanted(&snapshot.id, &request.snapshot_id)
                && is_wanted(&snapshot.source_volume_id, &request.source_volume_id)
        });
        let page = request
            .page
            .of_sorted(all, |snapshot| &snapshot.id, is_id)?;
        Ok(Page {
            entries: page
                .entries
                .into_iter()
                .cloned()
                .map(|one| self.snapshot(one))
                .collect(),
            next_token: page.next_token,
        })
    }
}

#[async_trait]
impl GetSnapshot for HostPath {
    async fn get_snapshot(&self, snapshot_id: &str, _: &Secrets) -> Result<Snapshot> {
        let snapshot = self.state.lock().snapshot(snapshot_id)?.clone();
        Ok(self.snapshot(snapshot))
    }
}

/// Copies the data of a volume, and returns the record, which isn't written yet.
pub(crate) fn take(
    state: &State,
    volume: &VolumeRecord,
    name: String,
    group: Option<String>,
    created: SystemTime,
) -> Result<SnapshotRecord> {
    let record = SnapshotRecord {
        id: Uuid::new_v4().to_string(),
        name,
        source_volume_id: volume.id.clone(),
        size: volume.size,
        backing: volume.backing,
        created,
        group,
    };
    let (made, place) = (state.new_data(&record.id), state.data(&record.id));
    copies::copy_of(
        state,
        &volume.id,
        volume.backing,
        &made,
        &place,
        volume.size,
    )?;
    Ok(record)
}

impl HostPath {
    pub(crate) fn snapshot(&self, record: SnapshotRecord) -> Snapshot {
        let mut snapshot = Snapshot::new(
            record.id,
            record.source_volume_id,
            record.size,
            record.created,
        );
        snapshot.group_snapshot_id = record.group;
        snapshot.topologies = vec![self.place()];
        snapshot
    }
}
