//! The folder of the driver: records of volumes, snapshots and groups, and their data; loop
//! devices.
//!
//! A record is a file, which is written beside its place, synchronised, and moved there. What has
//! data and no record is removed at the start: data is there before its record, and goes after it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kubernetes_csi_driver::mounts::blocking;
use kubernetes_csi_driver::{Error, Result};
use kubernetes_mount::exec::Local;
use kubernetes_mount::filesystem::LoopDevices;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data;
use crate::records::{GroupRecord, SnapshotRecord, VolumeRecord};

/// The folder can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.display())]
pub struct StateError {
    path: PathBuf,
    source: io::Error,
}

/// The state.
pub(crate) struct State {
    root: PathBuf,
    records: Mutex<Records>,
    devices: Mutex<LoopDevices>,
    copies: Mutex<BTreeMap<String, usize>>,
}

/// All that is known.
pub(crate) struct Records {
    root: PathBuf,
    volumes: BTreeMap<String, VolumeRecord>,
    snapshots: BTreeMap<String, SnapshotRecord>,
    groups: BTreeMap<String, GroupRecord>,
    /// Bytes of volumes that are being made or enlarged, by kinds.
    reserved: BTreeMap<String, u64>,
}

/// A kind of records, with its folder.
pub(crate) trait Record: Clone + Serialize + DeserializeOwned {
    const FOLDER: &str;

    fn id(&self) -> &str;
    fn all(records: &Records) -> &BTreeMap<String, Self>;
    fn all_mut(records: &mut Records) -> &mut BTreeMap<String, Self>;
}

macro_rules! records {
    ($($record:ty, $folder:literal, $all:ident;)*) => {
        $(impl Record for $record {
            const FOLDER: &str = $folder;

            fn id(&self) -> &str {
                &self.id
            }

            fn all(records: &Records) -> &BTreeMap<String, Self> {
                &records.$all
            }

            fn all_mut(records: &mut Records) -> &mut BTreeMap<String, Self> {
                &mut records.$all
            }
        })*
    };
}

records! {
    VolumeRecord, "volumes", volumes;
    SnapshotRecord, "snapshots", snapshots;
    GroupRecord, "groups", groups;
}

/// The start of names of files and folders that aren't complete.
pub(crate) const NEW: &str = ".new-";

impl State {
    /// Returns a state without records, of which nothing is on the disk.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            records: Mutex::new(Records {
                root: root.to_owned(),
                volumes: BTreeMap::new(),
                snapshots: BTreeMap::new(),
                groups: BTreeMap::new(),
                reserved: BTreeMap::new(),
            }),
            devices: Mutex::new(LoopDevices::new(Arc::new(Local))),
            copies: Mutex::default(),
        }
    }

    /// Reads the records of a folder, which is made if it isn't there, and removes what an earlier
    /// process has left half done.
    pub(crate) fn open(root: &Path) -> Result<Self, StateError> {
        let failed = |path: &Path, source| StateError {
            path: path.to_owned(),
            source,
        };
        for folder in ["volumes", "snapshots", "groups", "data"] {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
        }
        let state = Self::new(root);
        let mut records = state.lock();
        records
            .read::<VolumeRecord>()
            .map_err(|(path, error)| failed(&path, error))?;
        records
            .read::<SnapshotRecord>()
            .map_err(|(path, error)| failed(&path, error))?;
        records
            .read::<GroupRecord>()
            .map_err(|(path, error)| failed(&path, error))?;
        // Of a group that was not written to its end.
        let parts = records.snapshots.values();
        let parts = parts.filter(|part| {
            let group = part.group.as_ref();
            group.is_some_and(|group| !records.groups.contains_key(group))
        });
        let parts: Vec<_> = parts.map(|part| part.id.clone()).collect();
        for part in parts {
            let removed = records.remove::<SnapshotRecord>(&part);
            removed.map_err(|error| failed(&root.join("snapshots"), error))?;
        }
        drop(records);
        let data = root.join("data");
        state
            .remove_orphans()
            .map_err(|error| failed(&data, error))?;
        Ok(state)
    }

    /// Removes data that no record has.
    fn remove_orphans(&self) -> io::Result<()> {
        let records = self.lock();
        let known: BTreeSet<_> = records
            .volumes
            .keys()
            .chain(records.snapshots.keys())
            .cloned()
            .collect();
        for entry in fs::read_dir(self.root.join("data"))? {
            let entry = entry?;
            let name = entry.file_name();
            if !name.to_str().is_some_and(|name| known.contains(name)) {
                data::remove(&entry.path())?;
            }
        }
        Ok(())
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the loop devices of the system, while nobody else changes them. Whoever also needs
    /// the records takes these first.
    pub(crate) fn devices(&self) -> MutexGuard<'_, LoopDevices> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many copies are made of volumes that stand still meanwhile.
    pub(crate) fn copies(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says in the record of a volume that its file system may stand still, or doesn't.
    pub(crate) fn mark_frozen(&self, id: &str, is_frozen: bool) -> io::Result<()> {
        let mut records = self.lock();
        match records.get::<VolumeRecord>(id).cloned() {
            Some(volume) => records.put(VolumeRecord {
                is_frozen,
                ..volume
            }),
            None => Ok(()),
        }
    }

    /// Writes the record of data that was made. If that can't be done, the data goes.
    pub(crate) fn keep<R: Record>(&self, record: R) -> io::Result<()> {
        let data = self.data(record.id());
        let written = self.lock().put(record);
        if written.is_err() {
            // The next start removes what can't be removed now.
            let _ = data::remove(&data);
        }
        written
    }

    /// Returns the folder of the driver.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder or file with the data of a volume or snapshot.
    pub(crate) fn data(&self, id: &str) -> PathBuf {
        self.root.join("data").join(id)
    }

    /// Returns the folder or file in which data of a volume or snapshot is made.
    pub(crate) fn new_data(&self, id: &str) -> PathBuf {
        self.root.join("data").join(format!("{NEW}{id}"))
    }
}

/// Changes the record of a volume, and writes it if it has become another one.
///
/// # Errors
///
/// `NOT_FOUND` if there is no such volume, and those of the change.
pub(crate) async fn change<T: Send + 'static>(
    state: &Arc<State>,
    id: String,
    change: impl FnOnce(&Records, &mut VolumeRecord) -> Result<T> + Send + 'static,
) -> Result<T> {
    let state = state.clone();
    blocking(move || {
        let mut records = state.lock();
        let before = records.volume(&id)?.clone();
        let mut after = before.clone();
        let done = change(&records, &mut after)?;
        if after != before {
            records.put(after)?;
        }
        Ok(done)
    })
    .await
}

impl Records {
    /// Returns the bytes of a kind that are taken for volumes without a record.
    pub(crate) fn reserved(&self, kind: &str) -> u64 {
        self.reserved.get(kind).copied().unwrap_or_default()
    }

    pub(crate) fn reserve(&mut self, kind: &str, size: u64) {
        *self.reserved.entry(kind.to_owned()).or_default() += size;
    }

    pub(crate) fn release(&mut self, kind: &str, size: u64) {
        if let Some(reserved) = self.reserved.get_mut(kind) {
            *reserved -= size;
        }
    }

    fn read<R: Record>(&mut self) -> Result<(), (PathBuf, io::Error)> {
        let folder = self.root.join(R::FOLDER);
        let entries = fs::read_dir(&folder).map_err(|error| (folder.clone(), error))?;
        for entry in entries {
            let path = entry.map_err(|error| (folder.clone(), error))?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let read = match name.starts_with(NEW) {
                true => fs::remove_file(&path).map(|()| None),
                false => read(&path).map(Some),
            };
            let record: Option<R> = read.map_err(|error| (path, error))?;
            if let Some(record) = record {
                R::all_mut(self).insert(record.id().to_owned(), record);
            }
        }
        Ok(())
    }

    /// Returns the record of a volume, or `NOT_FOUND`.
    pub(crate) fn volume(&self, id: &str) -> Result<&VolumeRecord> {
        self.get(id)
            .ok_or_else(|| Error::not_found(format!("there is no volume {id:?}")))
    }

    /// Returns the record of a snapshot, or `NOT_FOUND`.
    pub(crate) fn snapshot(&self, id: &str) -> Result<&SnapshotRecord> {
        self.get(id)
            .ok_or_else(|| Error::not_found(format!("there is no snapshot {id:?}")))
    }

    /// Returns a record.
    pub(crate) fn get<R: Record>(&self, id: &str) -> Option<&R> {
        R::all(self).get(id)
    }

    /// Returns all records, sorted by their ids.
    pub(crate) fn all<'a, R: Record + 'a>(&'a self) -> impl Iterator<Item = &'a R> {
        R::all(self).values()
    }

    /// Writes a record.
    pub(crate) fn put<R: Record>(&mut self, record: R) -> io::Result<()> {
        let folder = self.root.join(R::FOLDER);
        let path = folder.join(format!("{}.json", record.id()));
        let made = folder.join(format!("{NEW}{}", record.id()));
        let written = write(&made, &record).and_then(|()| fs::rename(&made, path));
        if written.is_err() {
            // The next start removes what can't be removed now.
            let _ = fs::remove_file(&made);
        }
        written?;
        File::open(&folder)?.sync_all()?;
        R::all_mut(self).insert(record.id().to_owned(), record);
        Ok(())
    }

    /// Removes a record.
    pub(crate) fn remove<R: Record>(&mut self, id: &str) -> io::Result<()> {
        if R::all(self).contains_key(id) {
            let folder = self.root.join(R::FOLDER);
            fs::remove_file(folder.join(format!("{id}.json")))?;
            File::open(&folder)?.sync_all()?;
            R::all_mut(self).remove(id);
        }
        Ok(())
    }
}

fn write<R: Record>(path: &Path, record: &R) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(&serde_json::to_vec(record)?)?;
    file.sync_all()
}

fn read<R: Record>(path: &Path) -> io::Result<R> {
    let text = fs::read(path)?;
    Ok(serde_json::from_slice(&text)?)
}
