//! A disk that is full.

use std::fs;
use std::path::Path;

use kubernetes_csi::v1::controller_server::Controller;
use kubernetes_csi::v1::group_controller_server::GroupController;
use kubernetes_csi::v1::volume_capability::{AccessType, BlockVolume};
use kubernetes_csi::v1::{CreateSnapshotRequest, CreateVolumeGroupSnapshotRequest};
use kubernetes_mount::mount::{LinuxMounter, Mount};
use root_tests::{as_root, unmount};
use tempfile::TempDir;
use tokio::runtime;
use tonic::{Code, Request};

use super::driver::{Driver, mount, volume};

const MIB: usize = 1 << 20;

/// Returns all files of the state folder, without their sizes.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for kind in ["volumes", "snapshots", "groups", "data"] {
        for entry in fs::read_dir(folder.join(kind)).unwrap() {
            let name = entry.unwrap().file_name();
            found.push(format!("{kind}/{}", name.display()));
        }
    }
    found.sort();
    found
}

async fn snapshot(driver: &Driver, volume_id: &str) -> Result<(), Code> {
    let request = CreateSnapshotRequest {
        name: "snapshot".to_owned(),
        source_volume_id: volume_id.to_owned(),
        ..CreateSnapshotRequest::default()
    };
    let taken = driver.services.create_snapshot(Request::new(request)).await;
    taken.map(|_| ()).map_err(|error| error.code())
}

async fn group(driver: &Driver, volume_id: &str) -> Result<(), Code> {
    let request = CreateVolumeGroupSnapshotRequest {
        name: "group".to_owned(),
        source_volume_ids: vec![volume_id.to_owned()],
        ..CreateVolumeGroupSnapshotRequest::default()
    };
    let request = Request::new(request);
    let taken = driver.services.create_volume_group_snapshot(request).await;
    taken.map(|_| ()).map_err(|error| error.code())
}

/// Fills the disk to the last byte.
fn fill(path: &Path) {
    let mut size = MIB;
    let mut filled = fs::read(path).unwrap_or_default();
    while size > 0 {
        filled.resize(filled.len() + size, 1);
        if fs::write(path, &filled).is_err() {
            filled.truncate(filled.len() - size);
            size /= 2;
        }
    }
}

#[test]
fn calls_on_a_full_disk_leave_nothing() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let state = folder.path();
        let mounter = LinuxMounter::new();
        let options = ["size=8m"];
        mounter
            .mount(Path::new("tmpfs"), state, "tmpfs", &options)
            .unwrap();
        // One thread, in whose mount namespace those that it starts are, too.
        let runtime = runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let driver = Driver::at(state, &[]);
            let one = driver.create(volume("one", 1, mount())).await.unwrap();
            let empty = driver.create(volume("empty", 1, mount())).await.unwrap();
            let block = AccessType::Block(BlockVolume {});
            let image = driver
                .create(volume("image", 8 << 20, block))
                .await
                .unwrap();
            for id in [&one, &image] {
                // Of 8 MiB, so that there is no space for a copy.
                let data = driver.data(id);
                let file = match data.is_dir() {
                    true => data.join("file"),
                    false => data,
                };
                fs::write(&file, vec![1; 5 * MIB]).unwrap();
                let before = files(state);
                assert_eq!(snapshot(&driver, id).await, Err(Code::ResourceExhausted));
                assert_eq!(files(state), before);

                // Not even for a record.
                fill(&state.join("ballast"));
                let refused = driver.create(volume("two", 1, mount())).await;
                assert_eq!(refused, Err(Code::ResourceExhausted));
                assert_eq!(
                    snapshot(&driver, &empty).await,
                    Err(Code::ResourceExhausted)
                );
                assert_eq!(group(&driver, &empty).await, Err(Code::ResourceExhausted));
                assert_eq!(files(state), before);
                fs::remove_file(state.join("ballast")).unwrap();
                fs::write(&file, vec![1; MIB]).unwrap();
            }
            assert_eq!(snapshot(&driver, &image).await, Ok(()));
            driver.create(volume("two", 1, mount())).await.unwrap();
        });
        unmount(state);
    });
}
