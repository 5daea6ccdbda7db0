//! The driver in this process, called without a socket.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Parser;
use csi_hostpath::{HostPath, Options};
use kubernetes_csi::v1::controller_server::Controller;
use kubernetes_csi::v1::volume_capability::access_mode::Mode;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, MountVolume};
use kubernetes_csi::v1::{
    CapacityRange, CreateSnapshotRequest, CreateVolumeRequest, DeleteVolumeRequest,
    VolumeCapability,
};
use kubernetes_csi_driver::Services;
use tempfile::TempDir;
use tonic::{Code, Request};

/// Returns the services of a driver with a state folder.
pub(crate) fn services(folder: &Path, more: &[&str]) -> Services {
    let state = folder.display().to_string();
    let words = ["csi-hostpath", "--endpoint=unix:///unused", "--nodeid=n"];
    let words = words.into_iter().chain(["--statedir", &*state]);
    let words = words.chain(more.iter().copied());
    let driver = HostPath::open(&Options::parse_from(words)).unwrap();
    driver.services("hostpath.csi.k8s.io").unwrap()
}

pub(crate) struct Driver {
    folder: PathBuf,
    /// Removes the folder at the end.
    temporary: Option<TempDir>,
    pub(crate) services: Services,
}

impl Driver {
    /// Starts a driver with an empty state folder.
    pub(crate) fn start(more: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let mut driver = Self::at(folder.path(), more);
        driver.temporary = Some(folder);
        driver
    }

    /// Starts a driver with a state folder.
    pub(crate) fn at(folder: &Path, more: &[&str]) -> Self {
        Self {
            folder: folder.to_owned(),
            temporary: None,
            services: services(folder, more),
        }
    }

    /// Returns the folder or file with the data of a volume or snapshot.
    pub(crate) fn data(&self, id: &str) -> PathBuf {
        self.folder.join("data").join(id)
    }

    /// Creates a volume, and returns its id.
    pub(crate) async fn create(&self, request: CreateVolumeRequest) -> Result<String, Code> {
        let created = self.services.create_volume(Request::new(request)).await;
        let created = created.map_err(|error| error.code())?.into_inner();
        Ok(created.volume.unwrap().volume_id)
    }

    pub(crate) async fn delete(&self, id: &str) -> Result<(), Code> {
        let request = DeleteVolumeRequest {
            volume_id: id.to_owned(),
            ..DeleteVolumeRequest::default()
        };
        let deleted = self.services.delete_volume(Request::new(request)).await;
        deleted.map(drop).map_err(|error| error.code())
    }

    /// Takes a snapshot, and returns its id.
    pub(crate) async fn snapshot(&self, name: &str, volume: &str) -> String {
        let request = CreateSnapshotRequest {
            name: name.to_owned(),
            source_volume_id: volume.to_owned(),
            ..CreateSnapshotRequest::default()
        };
        let taken = self.services.create_snapshot(Request::new(request)).await;
        taken.unwrap().into_inner().snapshot.unwrap().snapshot_id
    }
}

/// A request for a volume of a size.
pub(crate) fn volume(name: &str, size: u64, access_type: AccessType) -> CreateVolumeRequest {
    CreateVolumeRequest {
        name: name.to_owned(),
        capacity_range: Some(CapacityRange {
            required_bytes: i64::try_from(size).unwrap(),
            limit_bytes: 0,
        }),
        volume_capabilities: vec![capability(access_type)],
        ..CreateVolumeRequest::default()
    }
}

/// A request for a volume that is a file, of a size.
pub(crate) fn image(name: &str, size: u64, access_type: AccessType) -> CreateVolumeRequest {
    CreateVolumeRequest {
        parameters: BTreeMap::from([("backing".to_owned(), "image".to_owned())]),
        ..volume(name, size, access_type)
    }
}

/// The use by one node.
pub(crate) fn capability(access_type: AccessType) -> VolumeCapability {
    VolumeCapability {
        access_mode: Some(AccessMode {
            mode: Mode::SingleNodeWriter.into(),
        }),
        access_type: Some(access_type),
    }
}

/// A file system of the driver's choice.
pub(crate) fn mount() -> AccessType {
    AccessType::Mount(MountVolume::default())
}

/// A file system of a type.
pub(crate) fn of_type(fs_type: &str) -> AccessType {
    AccessType::Mount(MountVolume {
        fs_type: fs_type.to_owned(),
        ..MountVolume::default()
    })
}
