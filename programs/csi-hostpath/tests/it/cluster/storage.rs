//! The driver as a sidecar sees it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use kubernetes_csi::v1::controller_client::ControllerClient;
use kubernetes_csi::v1::identity_client::IdentityClient;
use kubernetes_csi::v1::volume_capability::access_mode::Mode;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, MountVolume};
use kubernetes_csi::v1::volume_content_source::{SnapshotSource, Type};
use kubernetes_csi::v1::{
    CapacityRange, ControllerExpandVolumeRequest, CreateSnapshotRequest, CreateVolumeRequest,
    DeleteSnapshotRequest, DeleteVolumeRequest, ListSnapshotsRequest, ListVolumesRequest,
    ProbeRequest, Volume, VolumeCapability, VolumeContentSource,
};
use tokio::time::sleep;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

/// The size of all volumes.
const SIZE: i64 = 1 << 20;

pub(crate) struct Storage(ControllerClient<Channel>);

impl Storage {
    /// Connects to a driver that is ready.
    pub(crate) async fn connect(socket: &Path) -> Option<Self> {
        let endpoint = Endpoint::from_shared(format!("unix://{}", socket.display()));
        let channel = endpoint.unwrap().connect().await.ok()?;
        let mut identity = IdentityClient::new(channel.clone());
        identity.probe(ProbeRequest::default()).await.ok()?;
        Some(Self(ControllerClient::new(channel)))
    }

    /// Creates a volume, of a snapshot if one is given.
    pub(crate) async fn create(&mut self, name: &str, snapshot: Option<&str>) -> Volume {
        let mount = AccessType::Mount(MountVolume::default());
        self.create_of(name, mount, SIZE, BTreeMap::new(), snapshot)
            .await
    }

    /// Creates a volume of a type and size, of a class with parameters.
    pub(crate) async fn create_of(
        &mut self,
        name: &str,
        access_type: AccessType,
        size: i64,
        parameters: BTreeMap<String, String>,
        snapshot: Option<&str>,
    ) -> Volume {
        let capability = VolumeCapability {
            access_mode: Some(AccessMode {
                mode: Mode::SingleNodeMultiWriter.into(),
            }),
            access_type: Some(access_type),
        };
        let source = snapshot.map(|id| VolumeContentSource {
            r#type: Some(Type::Snapshot(SnapshotSource {
                snapshot_id: id.to_owned(),
            })),
        });
        let request = CreateVolumeRequest {
            name: name.to_owned(),
            capacity_range: Some(CapacityRange {
                required_bytes: size,
                limit_bytes: 0,
            }),
            volume_capabilities: vec![capability],
            volume_content_source: source,
            parameters,
            ..CreateVolumeRequest::default()
        };
        let created = self.0.create_volume(request).await.unwrap();
        created.into_inner().volume.unwrap()
    }

    /// Enlarges a volume.
    pub(crate) async fn expand(&mut self, volume: &Volume, size: i64) {
        let request = ControllerExpandVolumeRequest {
            volume_id: volume.volume_id.clone(),
            capacity_range: Some(CapacityRange {
                required_bytes: size,
                limit_bytes: 0,
            }),
            ..ControllerExpandVolumeRequest::default()
        };
        let expanded = self.0.controller_expand_volume(request).await;
        assert!(expanded.unwrap().into_inner().node_expansion_required);
    }

    /// Takes a snapshot, and returns its id.
    pub(crate) async fn snapshot(&mut self, volume: &Volume) -> String {
        let request = CreateSnapshotRequest {
            name: format!("snapshot-of-{}", volume.volume_id),
            source_volume_id: volume.volume_id.clone(),
            ..CreateSnapshotRequest::default()
        };
        let taken = self.0.create_snapshot(request).await.unwrap().into_inner();
        taken.snapshot.unwrap().snapshot_id
    }

    /// Returns the ids of all volumes.
    pub(crate) async fn volumes(&mut self) -> Vec<String> {
        let listed = self.0.list_volumes(ListVolumesRequest::default()).await;
        let entries = listed.unwrap().into_inner().entries.into_iter();
        entries.map(|one| one.volume.unwrap().volume_id).collect()
    }

    /// Deletes a volume, as soon as no other call for it is under way.
    pub(crate) async fn delete(&mut self, volume_id: &str) -> Result<(), Code> {
        loop {
            let request = DeleteVolumeRequest {
                volume_id: volume_id.to_owned(),
                ..DeleteVolumeRequest::default()
            };
            match self.0.delete_volume(request).await {
                Err(busy) if busy.code() == Code::Aborted => {
                    sleep(Duration::from_millis(5)).await;
                }
                deleted => return deleted.map(|_| ()).map_err(|refused| refused.code()),
            }
        }
    }

    /// Deletes all snapshots and volumes, none of which is in use.
    pub(crate) async fn delete_all(&mut self) {
        let request = ListSnapshotsRequest::default();
        let listed = self.0.list_snapshots(request).await.unwrap().into_inner();
        for entry in listed.entries {
            let request = DeleteSnapshotRequest {
                snapshot_id: entry.snapshot.unwrap().snapshot_id,
                ..DeleteSnapshotRequest::default()
            };
            self.0.delete_snapshot(request).await.unwrap();
        }
        for id in self.volumes().await {
            self.delete(&id).await.unwrap();
        }
    }
}
