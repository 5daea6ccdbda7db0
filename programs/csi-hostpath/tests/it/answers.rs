//! Answers of the controller part in cases that csi-sanity doesn't have.

use std::collections::BTreeMap;

use kubernetes_csi::v1::controller_server::Controller;
use kubernetes_csi::v1::group_controller_server::GroupController;
use kubernetes_csi::v1::volume_capability::{AccessType, BlockVolume};
use kubernetes_csi::v1::volume_content_source::{Type, VolumeSource};
use kubernetes_csi::v1::{
    CapacityRange, ControllerExpandVolumeRequest, CreateVolumeGroupSnapshotRequest,
    CreateVolumeRequest, DeleteVolumeGroupSnapshotRequest, Topology, TopologyRequirement,
    ValidateVolumeCapabilitiesRequest, VolumeContentSource, VolumeGroupSnapshot,
};
use tonic::{Code, Request};

use super::driver::{Driver, capability, image, mount, of_type, volume};

const MIB: u64 = 1 << 20;

fn parameters(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    let entries = entries.iter();
    entries
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

impl Driver {
    async fn expand_with(&self, request: ControllerExpandVolumeRequest) -> Result<i64, Code> {
        let request = Request::new(request);
        let answer = self.services.controller_expand_volume(request).await;
        let answer = answer.map_err(|error| error.code())?;
        Ok(answer.into_inner().capacity_bytes)
    }
}

#[tokio::test]
async fn a_copy_has_the_size_of_its_source_if_none_is_asked_for() {
    let driver = Driver::start(&[]);
    let size = 3 << 30;
    let source = driver
        .create(volume("source", size, mount()))
        .await
        .unwrap();
    let copy = |limit: u64| CreateVolumeRequest {
        capacity_range: (limit > 0).then(|| CapacityRange {
            required_bytes: 0,
            limit_bytes: i64::try_from(limit).unwrap(),
        }),
        volume_content_source: Some(VolumeContentSource {
            r#type: Some(Type::Volume(VolumeSource {
                volume_id: source.clone(),
            })),
        }),
        ..volume(&format!("copy-{limit}"), 0, mount())
    };
    for limit in [0, size, 2 * size] {
        let made = driver.services.create_volume(Request::new(copy(limit)));
        let made = made.await.unwrap().into_inner().volume.unwrap();
        assert_eq!(u64::try_from(made.capacity_bytes).unwrap(), size, "{limit}");
    }
    assert_eq!(driver.create(copy(size - 1)).await, Err(Code::OutOfRange));
}

#[tokio::test]
async fn a_volume_has_no_more_than_the_largest_if_no_size_is_asked_for() {
    let driver = Driver::start(&["--max-volume-size", "1000000"]);
    let request = CreateVolumeRequest {
        capacity_range: None,
        ..volume("one", 0, mount())
    };
    assert!(driver.create(request).await.is_ok());
}

#[tokio::test]
async fn a_volume_that_is_larger_than_the_limit_is_not_expanded() {
    let driver = Driver::start(&[]);
    let volume_id = driver.create(volume("one", MIB, mount())).await.unwrap();
    let range = |required_bytes, limit_bytes| ControllerExpandVolumeRequest {
        volume_id: volume_id.clone(),
        capacity_range: Some(CapacityRange {
            required_bytes,
            limit_bytes,
        }),
        ..ControllerExpandVolumeRequest::default()
    };
    assert_eq!(driver.expand_with(range(1, 1 << 20)).await, Ok(1 << 20));
    for (required, limit) in [(0, 1), (1, (1 << 20) - 1)] {
        let refused = driver.expand_with(range(required, limit)).await;
        assert_eq!(refused, Err(Code::OutOfRange));
    }
}

#[tokio::test]
async fn a_volume_of_that_name_has_to_fit() {
    let driver = Driver::start(&[]);
    driver.create(volume("folder", MIB, mount())).await.unwrap();
    driver.create(image("image", MIB, mount())).await.unwrap();
    let at = |node: &str| TopologyRequirement {
        requisite: vec![Topology {
            segments: parameters(&[("topology.hostpath.csi/node", node)]),
        }],
        preferred: vec![],
    };
    let folder_at = |node| CreateVolumeRequest {
        accessibility_requirements: Some(at(node)),
        ..volume("folder", MIB, mount())
    };
    assert!(driver.create(folder_at("n")).await.is_ok());
    let image_of = |fs_type| CreateVolumeRequest {
        volume_capabilities: vec![capability(of_type(fs_type))],
        ..image("image", MIB, mount())
    };
    assert!(driver.create(image_of("ext3")).await.is_ok());
    let others = [
        folder_at("elsewhere"),
        image_of("xfs"),
        volume("image", MIB, mount()),
    ];
    for other in others {
        assert_eq!(driver.create(other).await, Err(Code::AlreadyExists));
    }
}

#[tokio::test]
async fn only_what_a_volume_is_gets_confirmed() {
    let driver = Driver::start(&["--accepted-mutable-parameter-names", "iops"]);
    let folder = driver.create(volume("folder", MIB, mount())).await.unwrap();
    let image = driver.create(image("image", MIB, mount())).await.unwrap();
    let block = || AccessType::Block(BlockVolume {});
    let confirmed = async |id: &str, access_type, class: &[_], mutable: &[_]| {
        let request = ValidateVolumeCapabilitiesRequest {
            volume_id: id.to_owned(),
            volume_capabilities: vec![capability(access_type)],
            parameters: parameters(class),
            mutable_parameters: parameters(mutable),
            ..ValidateVolumeCapabilitiesRequest::default()
        };
        let request = Request::new(request);
        let answer = driver.services.validate_volume_capabilities(request).await;
        answer.unwrap().into_inner().confirmed.is_some()
    };
    assert!(confirmed(&folder, mount(), &[("backing", "folder")], &[("iops", "1")]).await);
    assert!(confirmed(&image, of_type("ext4"), &[("backing", "image")], &[]).await);
    assert!(confirmed(&image, block(), &[], &[]).await);
    assert!(!confirmed(&folder, block(), &[], &[]).await);
    assert!(!confirmed(&image, of_type("ntfs"), &[], &[]).await);
    assert!(!confirmed(&image, of_type("xfs"), &[], &[]).await);
    for class in [("backing", "image"), ("backing", "none"), ("kind", "fast")] {
        assert!(
            !confirmed(&folder, mount(), &[class], &[]).await,
            "{class:?}"
        );
    }
    assert!(!confirmed(&folder, mount(), &[], &[("colour", "red")]).await);
}

#[tokio::test]
async fn a_folder_is_not_expanded_as_a_device() {
    let driver = Driver::start(&[]);
    let request = ControllerExpandVolumeRequest {
        volume_id: driver.create(volume("one", MIB, mount())).await.unwrap(),
        capacity_range: Some(CapacityRange {
            required_bytes: 2 << 20,
            limit_bytes: 0,
        }),
        volume_capability: Some(capability(AccessType::Block(BlockVolume {}))),
        ..ControllerExpandVolumeRequest::default()
    };
    assert_eq!(
        driver.expand_with(request).await,
        Err(Code::InvalidArgument)
    );
}

/// Makes a volume, and a group snapshot of it alone.
async fn group(driver: &Driver) -> (String, VolumeGroupSnapshot) {
    let one = driver.create(volume("one", MIB, mount())).await.unwrap();
    let request = CreateVolumeGroupSnapshotRequest {
        name: "group".to_owned(),
        source_volume_ids: vec![one.clone()],
        ..CreateVolumeGroupSnapshotRequest::default()
    };
    let request = Request::new(request);
    let taken = driver.services.create_volume_group_snapshot(request).await;
    (one, taken.unwrap().into_inner().group_snapshot.unwrap())
}

#[tokio::test]
async fn a_snapshot_of_a_group_has_no_name() {
    let driver = Driver::start(&[]);
    let (one, group) = group(&driver).await;
    let alone = driver.snapshot("group-0", &one).await;
    assert_ne!(alone, group.snapshots[0].snapshot_id);
}

#[tokio::test]
async fn a_group_is_not_removed_without_the_ids_of_its_snapshots() {
    let driver = Driver::start(&[]);
    let (_, group) = group(&driver).await;
    let remove = async |snapshot_ids| {
        let request = DeleteVolumeGroupSnapshotRequest {
            group_snapshot_id: group.group_snapshot_id.clone(),
            snapshot_ids,
            ..DeleteVolumeGroupSnapshotRequest::default()
        };
        let request = Request::new(request);
        let answer = driver.services.delete_volume_group_snapshot(request).await;
        answer.map(drop).map_err(|error| error.code())
    };
    assert_eq!(remove(vec![]).await, Err(Code::InvalidArgument));
    let ids = group.snapshots.iter().map(|one| one.snapshot_id.clone());
    assert_eq!(remove(ids.collect()).await, Ok(()));
    assert_eq!(remove(vec![]).await, Ok(()));
}
