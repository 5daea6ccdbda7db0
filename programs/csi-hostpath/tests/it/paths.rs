//! Paths of the node: what calls do there, and to the volumes of others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kubernetes_csi::v1::node_server::Node;
use kubernetes_csi::v1::volume_capability::AccessType;
use kubernetes_csi::v1::volume_content_source::{SnapshotSource, Type};
use kubernetes_csi::v1::{
    CapacityRange, CreateVolumeRequest, NodeExpandVolumeRequest, NodeGetVolumeStatsRequest,
    NodePublishVolumeRequest, NodeStageVolumeRequest, NodeUnpublishVolumeRequest,
    NodeUnstageVolumeRequest, VolumeContentSource,
};
use kubernetes_csi_driver::mounts::is_mounted;
use root_tests::as_root;
use tempfile::TempDir;
use tokio::runtime;
use tonic::{Code, Request, Response, Status};

use super::driver::{Driver, capability, image, mount, of_type, volume};

const MIB: u64 = 1 << 20;

/// Runs a test with a driver and a folder for paths.
fn on_node<F: Future<Output = ()>>(test: impl FnOnce(Driver, TempDir) -> F + Send) {
    as_root(|| {
        // One thread, in whose mount namespace those that it starts are, too.
        let runtime = runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(test(Driver::start(&[]), TempDir::new().unwrap()));
    });
}

fn code<T>(answer: Result<Response<T>, Status>) -> Code {
    answer.err().map_or(Code::Ok, |error| error.code())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

impl Driver {
    async fn stage(&self, volume: &str, path: &Path, access_type: AccessType) -> Code {
        let _ = fs::create_dir(path);
        let request = NodeStageVolumeRequest {
            volume_id: volume.to_owned(),
            staging_target_path: text(path),
            volume_capability: Some(capability(access_type)),
            ..NodeStageVolumeRequest::default()
        };
        code(self.services.node_stage_volume(Request::new(request)).await)
    }

    async fn unstage(&self, volume: &str, path: &Path) -> Code {
        let request = NodeUnstageVolumeRequest {
            volume_id: volume.to_owned(),
            staging_target_path: text(path),
        };
        let request = Request::new(request);
        code(self.services.node_unstage_volume(request).await)
    }

    async fn publish(&self, volume: &str, staged: &Path, path: &Path) -> Code {
        let request = NodePublishVolumeRequest {
            volume_id: volume.to_owned(),
            staging_target_path: text(staged),
            target_path: text(path),
            volume_capability: Some(capability(mount())),
            ..NodePublishVolumeRequest::default()
        };
        let request = Request::new(request);
        code(self.services.node_publish_volume(request).await)
    }

    async fn unpublish(&self, volume: &str, path: &Path) -> Code {
        let request = NodeUnpublishVolumeRequest {
            volume_id: volume.to_owned(),
            target_path: text(path),
        };
        let request = Request::new(request);
        code(self.services.node_unpublish_volume(request).await)
    }
}

#[test]
fn the_paths_of_another_volume_stay() {
    on_node(|driver, folder| async move {
        let one = driver.create(volume("one", 1, mount())).await.unwrap();
        let other = driver.create(volume("other", 1, mount())).await.unwrap();
        let [staged, others, target] =
            ["staged", "others", "target"].map(|name| folder.path().join(name));
        assert_eq!(driver.stage(&one, &staged, mount()).await, Code::Ok);
        assert_eq!(driver.stage(&other, &others, mount()).await, Code::Ok);
        assert_eq!(driver.publish(&one, &staged, &target).await, Code::Ok);
        let are_there = || is_mounted(&staged).unwrap() && is_mounted(&target).unwrap();

        let taken = driver.stage(&other, &staged, mount()).await;
        assert_eq!((taken, are_there()), (Code::AlreadyExists, true));
        let taken = driver.publish(&other, &others, &target).await;
        assert_eq!((taken, are_there()), (Code::AlreadyExists, true));
        let not_there = driver.unpublish(&other, &target).await;
        assert_eq!((not_there, are_there()), (Code::Ok, true));
        let not_there = driver.unstage(&other, &staged).await;
        assert_eq!((not_there, are_there()), (Code::Ok, true));

        assert_eq!(driver.unpublish(&one, &target).await, Code::Ok);
        assert_eq!(driver.unstage(&one, &staged).await, Code::Ok);
        assert_eq!(driver.unstage(&other, &others).await, Code::Ok);
        assert!(!is_mounted(&staged).unwrap() && !target.exists());
        // The calls that failed have left nothing in the records.
        for id in [one, other] {
            driver.delete(&id).await.unwrap();
        }
    });
}

#[test]
fn a_path_is_the_same_with_more_slashes() {
    on_node(|driver, folder| async move {
        let one = driver.create(volume("one", 1, mount())).await.unwrap();
        let [staged, target] = ["staged", "target"].map(|name| folder.path().join(name));
        let [slashes, more] = ["staged/", "/target//"].map(|name| {
            let folder = folder.path().display();
            PathBuf::from(format!("{folder}/{name}"))
        });
        assert_eq!(driver.stage(&one, &slashes, mount()).await, Code::Ok);
        assert_eq!(driver.publish(&one, &staged, &more).await, Code::Ok);
        assert_eq!(driver.unpublish(&one, &target).await, Code::Ok);
        assert_eq!(driver.unstage(&one, &staged).await, Code::Ok);
        driver.delete(&one).await.unwrap();
    });
}

#[test]
fn the_disk_below_a_volume_is_not_measured() {
    on_node(|driver, folder| async move {
        let one = driver.create(volume("one", 1, mount())).await.unwrap();
        let staged = folder.path().join("staged");
        assert_eq!(driver.stage(&one, &staged, mount()).await, Code::Ok);
        let stats = async || {
            let request = NodeGetVolumeStatsRequest {
                volume_id: one.clone(),
                volume_path: text(&staged),
                ..NodeGetVolumeStatsRequest::default()
            };
            let request = Request::new(request);
            code(driver.services.node_get_volume_stats(request).await)
        };
        assert_eq!(stats().await, Code::Ok);
        let unmounted = Command::new("umount").arg(&staged).status();
        assert!(unmounted.unwrap().success());
        assert_eq!(stats().await, Code::NotFound);
    });
}

#[test]
fn a_node_gives_no_size_that_the_volume_lacks() {
    on_node(|driver, folder| async move {
        let one = driver.create(volume("one", MIB, mount())).await.unwrap();
        let staged = folder.path().join("staged");
        assert_eq!(driver.stage(&one, &staged, mount()).await, Code::Ok);
        let expand = async |required: u64, limit: u64| {
            let request = NodeExpandVolumeRequest {
                volume_id: one.clone(),
                volume_path: text(&staged),
                capacity_range: Some(CapacityRange {
                    required_bytes: i64::try_from(required).unwrap(),
                    limit_bytes: i64::try_from(limit).unwrap(),
                }),
                ..NodeExpandVolumeRequest::default()
            };
            let request = Request::new(request);
            code(driver.services.node_expand_volume(request).await)
        };
        assert_eq!(expand(MIB, 0).await, Code::Ok);
        assert_eq!(expand(MIB + 1, 0).await, Code::OutOfRange);
        assert_eq!(expand(0, MIB - 1).await, Code::OutOfRange);
        assert_eq!(driver.unstage(&one, &staged).await, Code::Ok);
    });
}

#[test]
fn a_file_system_that_an_image_cannot_have_is_refused() {
    on_node(|driver, folder| async move {
        let image = driver.create(image("image", MIB, mount())).await.unwrap();
        let staged = folder.path().join("staged");
        for fs_type in ["ntfs", "xfs"] {
            let refused = driver.stage(&image, &staged, of_type(fs_type)).await;
            assert_eq!(refused, Code::FailedPrecondition);
        }
        driver.delete(&image).await.unwrap();
    });
}

/// A copy has the identity of its source.
#[test]
fn a_copy_with_xfs_is_mounted_beside_its_source() {
    on_node(|driver, folder| async move {
        let xfs = || of_type("xfs");
        let source = image("source", 300 * MIB, xfs());
        let source = driver.create(source).await.unwrap();
        let staged = folder.path().join("source");
        assert_eq!(driver.stage(&source, &staged, xfs()).await, Code::Ok);
        fs::write(staged.join("data"), "data").unwrap();
        let from = Type::Snapshot(SnapshotSource {
            snapshot_id: driver.snapshot("snapshot", &source).await,
        });
        let copy = CreateVolumeRequest {
            volume_content_source: Some(VolumeContentSource { r#type: Some(from) }),
            ..image("copy", 300 * MIB, xfs())
        };
        let copy = driver.create(copy).await.unwrap();
        for (name, access_type) in [("asked", xfs()), ("found", mount())] {
            let beside = folder.path().join(name);
            assert_eq!(driver.stage(&copy, &beside, access_type).await, Code::Ok);
            let data = fs::read_to_string(beside.join("data")).unwrap();
            assert_eq!(driver.unstage(&copy, &beside).await, Code::Ok);
            assert_eq!(data, "data");
        }
        assert_eq!(driver.unstage(&source, &staged).await, Code::Ok);
    });
}
