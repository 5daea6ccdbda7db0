//! Problems: data that is missing or can't be read, and a disk that is nearly full.

use std::fs;

use kubernetes_csi_driver::Secrets;
use kubernetes_csi_driver::controller::{ListVolumeHealth, VolumeHealth};
use kubernetes_csi_driver::model::{
    Page, PageRequest, StorageProblem, StorageProblemKind, UnhealthyVolume, VolumeProblem,
    VolumeProblemKind,
};
use kubernetes_csi_driver::node::{NodeHealthOf, NodeVolumeHealth, StorageHealth};
use kubernetes_csi_driver::{Result, async_trait};

use crate::HostPath;
use crate::controller::is_id;
use crate::records::{Backing, VolumeRecord};

/// The disk is nearly full if less than one of so many parts is free.
const NEARLY_FULL: u64 = 50;

#[async_trait]
impl VolumeHealth for HostPath {
    async fn volume_health(&self, volume_id: &str, _: &Secrets) -> Result<Vec<VolumeProblem>> {
        let volume = self.state.lock().volume(volume_id)?.clone();
        Ok(self.problems(&volume))
    }
}

#[async_trait]
impl ListVolumeHealth for HostPath {
    async fn list_volume_health(
        &self,
        request: PageRequest,
        _: &Secrets,
    ) -> Result<Page<UnhealthyVolume>> {
        let volumes: Vec<_> = self.state.lock().all::<VolumeRecord>().cloned().collect();
        let unhealthy = volumes.iter().map(|volume| UnhealthyVolume {
            volume_id: volume.id.clone(),
            problems: self.problems(volume),
        });
        let unhealthy = unhealthy.filter(|volume| !volume.problems.is_empty());
        request.of_sorted(unhealthy, |volume| &volume.volume_id, is_id)
    }
}

#[async_trait]
impl NodeVolumeHealth for HostPath {
    async fn volume_health(&self, request: NodeHealthOf) -> Result<Vec<VolumeProblem>> {
        let volume = self.state.lock().volume(&request.volume_id)?.clone();
        Ok(self.problems(&volume))
    }
}

#[async_trait]
impl StorageHealth for HostPath {
    async fn storage_health(&self, _: &Secrets) -> Result<Vec<StorageProblem>> {
        let found = rustix::fs::statvfs(self.state.root());
        let problem = |kind, reason: &str, message| StorageProblem {
            kind,
            reason: reason.to_owned(),
            message,
            capability: None,
        };
        Ok(match found {
            Err(error) => vec![problem(
                StorageProblemKind::Unreachable,
                "StateUnreadable",
                format!("the state folder can't be read: {error}"),
            )],
            Ok(found) if found.f_bavail < found.f_blocks / NEARLY_FULL => vec![problem(
                StorageProblemKind::Degraded,
                "DiskNearlyFull",
                format!("{} of {} blocks are free", found.f_bavail, found.f_blocks),
            )],
            Ok(_) => Vec::new(),
        })
    }
}

impl HostPath {
    fn problems(&self, volume: &VolumeRecord) -> Vec<VolumeProblem> {
        let data = self.state.data(&volume.id);
        let read = match volume.backing {
            Backing::Folder => fs::read_dir(&data).map(drop),
            Backing::Image => fs::File::open(&data).map(drop),
        };
        match read {
            Ok(()) => Vec::new(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => vec![VolumeProblem::new(
                VolumeProblemKind::DataLoss,
                "DataMissing",
                "the folder or file of the volume is gone",
            )],
            Err(error) => vec![VolumeProblem::new(
                VolumeProblemKind::Inaccessible,
                "DataUnreadable",
                format!("the folder or file of the volume can't be read: {error}"),
            )],
        }
    }
}
