//! Group snapshots: snapshots of several volumes, one after the other. Nothing stops writers
//! meanwhile, so that they are of one moment only if nobody writes.

use std::time::SystemTime;

use kubernetes_csi_driver::group::{CreateGroupSnapshot, GroupSnapshotOf, GroupSnapshots};
use kubernetes_csi_driver::model::GroupSnapshot;
use kubernetes_csi_driver::mounts::blocking;
use kubernetes_csi_driver::{Error, Result, async_trait};
use uuid::Uuid;

use crate::records::{GroupRecord, SnapshotRecord, VolumeRecord};
use crate::state::{Records, State};
use crate::{HostPath, data, snapshots};

#[async_trait]
impl GroupSnapshots for HostPath {
    async fn create_group_snapshot(&self, request: CreateGroupSnapshot) -> Result<GroupSnapshot> {
        let mut wanted = request.source_volume_ids;
        wanted.sort();
        let volumes: Vec<VolumeRecord> = {
            let records = self.state.lock();
            let mut all = records.all::<GroupRecord>();
            if let Some(group) = all.find(|group| group.name == request.name) {
                return match group.source_volume_ids == wanted {
                    true => Ok(self.group(&records, group)),
                    false => Err(Error::already_exists(format!(
                        "there is a group snapshot named {:?} of other volumes",
                        request.name
                    ))),
                };
            }
            let volumes = wanted.iter().map(|id| records.volume(id).cloned());
            volumes.collect::<Result<_>>()?
        };
        let state = self.state.clone();
        let group = blocking(move || create(&state, request.name, wanted, &volumes)).await?;
        Ok(self.group(&self.state.lock(), &group))
    }

    async fn delete_group_snapshot(&self, request: GroupSnapshotOf) -> Result<()> {
        let state = self.state.clone();
        blocking(move || {
            let mut records = state.lock();
            let Some(group) = records
                .get::<GroupRecord>(&request.group_snapshot_id)
                .cloned()
            else {
                return Ok(());
            };
            check(&records, &group, &request.snapshot_ids)?;
            // The group goes last, so that a call that is repeated finds the rest.
            for id in &group.snapshot_ids {
                records.remove::<SnapshotRecord>(id)?;
                data::remove(&state.data(id))?;
            }
            Ok(records.remove::<GroupRecord>(&group.id)?)
        })
        .await
    }

    async fn get_group_snapshot(&self, request: GroupSnapshotOf) -> Result<GroupSnapshot> {
        let records = self.state.lock();
        let id = &request.group_snapshot_id;
        let group = records.get::<GroupRecord>(id);
        let missing = || Error::not_found(format!("there is no group snapshot {id:?}"));
        let group = group.ok_or_else(missing)?;
        check(&records, group, &request.snapshot_ids)?;
        Ok(self.group(&records, group))
    }
}

/// Takes the snapshots, then writes the records of the group and of the snapshots. A snapshot whose
/// group was not written is removed at the next start, with those that were.
fn create(
    state: &State,
    name: String,
    source_volume_ids: Vec<String>,
    volumes: &[VolumeRecord],
) -> Result<GroupRecord> {
    let id = Uuid::new_v4().to_string();
    let created = SystemTime::now();
    let mut taken = Vec::new();
    for (index, volume) in volumes.iter().enumerate() {
        let name = format!("{name}-{index}");
        let snapshot = snapshots::take(state, volume, name, Some(id.clone()), created);
        match snapshot {
            Ok(snapshot) => taken.push(snapshot),
            Err(error) => {
                for snapshot in &taken {
                    data::remove(&state.data(&snapshot.id))?;
                }
                return Err(error);
            }
        }
    }
    let group = GroupRecord {
        id,
        name,
        source_volume_ids,
        snapshot_ids: taken.iter().map(|snapshot| snapshot.id.clone()).collect(),
        created,
    };
    let mut records = state.lock();
    let written = taken.iter().try_for_each(|part| records.put(part.clone()));
    if let Err(error) = written.and_then(|()| records.put(group.clone())) {
        for part in &taken {
            records.remove::<SnapshotRecord>(&part.id)?;
            data::remove(&state.data(&part.id))?;
        }
        return Err(error.into());
    }
    Ok(group)
}

/// Checks that ids are those of all snapshots of a group. After a removal that was not done to its
/// end, those that are gone may be left out.
fn check(records: &Records, group: &GroupRecord, snapshot_ids: &[String]) -> Result<()> {
    let own = &group.snapshot_ids;
    let are_own = snapshot_ids.iter().all(|id| own.contains(id));
    let mut left = own
        .iter()
        .filter(|id| records.get::<SnapshotRecord>(id).is_some());
    match are_own && left.all(|id| snapshot_ids.contains(id)) {
        true => Ok(()),
        false => {
            let id = &group.id;
            Err(Error::invalid(format!(
                "snapshot_ids: they aren't those of group snapshot {id}"
            )))
        }
    }
}

impl HostPath {
    fn group(&self, records: &Records, group: &GroupRecord) -> GroupSnapshot {
        let snapshots = group.snapshot_ids.iter();
        let snapshots = snapshots.filter_map(|id| records.get::<SnapshotRecord>(id).cloned());
        GroupSnapshot {
            id: group.id.clone(),
            snapshots: snapshots.map(|one| self.snapshot(one)).collect(),
            created: group.created,
            is_ready: true,
        }
    }
}
