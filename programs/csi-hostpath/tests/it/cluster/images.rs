//! Pods with volumes that are devices, and with file systems on such.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use kubernetes_csi::v1::volume_capability::{AccessType, BlockVolume, MountVolume};
use serde_json::json;

use super::node::Node;
use super::objects::{of_claim, uid};
use super::on_node;

const MIB: i64 = 1 << 20;

fn images() -> BTreeMap<String, String> {
    BTreeMap::from([("backing".to_owned(), "image".to_owned())])
}

fn of_type(fs_type: &str) -> AccessType {
    AccessType::Mount(MountVolume {
        fs_type: fs_type.to_owned(),
        ..MountVolume::default()
    })
}

/// Returns the bytes of the file system at a path.
fn size(path: &Path) -> u64 {
    let found = rustix::fs::statvfs(path).unwrap();
    found.f_blocks * found.f_frsize
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn a_file_system_grows_while_a_pod_uses_it() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let (small, large) = (300 * MIB, 600 * MIB);
        let volume = storage
            .create_of("image", of_type("xfs"), small, images(), None)
            .await;
        node.bind_as("image", &volume, "Filesystem", Some("xfs"))
            .await;
        node.create_pod("pod", &[("v", of_claim("image"))]).await;
        let place = node.mounted(&node.running("pod").await, "image");
        fs::write(place.join("file"), "then").unwrap();
        let before = size(&place);
        assert!(before < small.unsigned_abs());

        storage.expand(&volume, large).await;
        node.grow("image", large).await;
        node.has_grown("image", large).await;
        assert!(size(&place) > before + 250 * MIB.unsigned_abs());
        assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "then");
        node.delete_pods(&["pod"]).await;

        // The copy has a file system of its own, with what was written before the snapshot.
        let snapshot = storage.snapshot(&volume).await;
        let copy = storage
            .create_of(
                "copy",
                of_type("xfs"),
                2 * large,
                BTreeMap::new(),
                Some(&snapshot),
            )
            .await;
        node.bind_as("copy", &copy, "Filesystem", Some("xfs")).await;
        node.create_pod("pod", &[("v", of_claim("copy"))]).await;
        let place = node.mounted(&node.running("pod").await, "copy");
        assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "then");
        assert!(size(&place) > large.unsigned_abs());
        node.delete_pods(&["pod"]).await;
        node.assert_clean().await;
    });
}

/// What a program in a Pod has written when a snapshot is taken, and didn't synchronise, is in it.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn a_snapshot_has_what_a_pod_wrote_before() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let size = 32 * MIB;
        let volume = storage
            .create_of("live", of_type("ext4"), size, images(), None)
            .await;
        node.bind_as("live", &volume, "Filesystem", Some("ext4"))
            .await;
        node.create_pod("writer", &[("v", of_claim("live"))]).await;
        let place = node.mounted(&node.running("writer").await, "live");
        fs::write(place.join("file"), "then").unwrap();
        let snapshot = storage.snapshot(&volume).await;
        fs::write(place.join("file"), "now").unwrap();
        let copy = storage
            .create_of(
                "past",
                of_type("ext4"),
                size,
                BTreeMap::new(),
                Some(&snapshot),
            )
            .await;
        node.bind_as("past", &copy, "Filesystem", Some("ext4"))
            .await;
        node.create_pod("reader", &[("v", of_claim("past"))]).await;
        let copied = node.mounted(&node.running("reader").await, "past");
        assert_eq!(fs::read_to_string(copied.join("file")).unwrap(), "then");
        assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "now");
        node.delete_pods(&["writer", "reader"]).await;
        node.assert_clean().await;
    });
}

/// Returns the device of a Pod, as this process sees it, and what its container may do with it.
async fn device(node: &Node, pod: &str) -> (PathBuf, String) {
    let pod = node.running(pod).await;
    let created = node.server.kubelet().unwrap().containers().unwrap();
    let own = created.iter().find(|one| one.pod == uid(&pod)).unwrap();
    assert_eq!(own.devices.len(), 1, "{own:?}");
    let device = &own.devices[0];
    assert_eq!(device.container_path, Path::new("/dev/volume"));
    // A link to where the driver has published it.
    let published = fs::read_link(node.seen(&device.host_path)).unwrap();
    (node.seen(&published), device.permissions.clone())
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn pods_have_a_device() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let (small, large) = (16 * MIB, 32 * MIB);
        let block = AccessType::Block(BlockVolume {});
        let volume = storage
            .create_of("block", block, small, BTreeMap::new(), None)
            .await;
        node.bind_as("block", &volume, "Block", None).await;
        let file = node.data(&volume.volume_id);
        let containers = json!({"containers": [{
            "name": "idle",
            "image": "idle",
            "volumeDevices": [{"name": "v", "devicePath": "/dev/volume"}],
        }]});
        let volumes = [("v", of_claim("block"))];
        node.create_pod_with("writer", &volumes, containers.clone())
            .await;
        let read_only = json!({
            "persistentVolumeClaim": {"claimName": "block", "readOnly": true},
        });
        node.create_pod_with("reader", &[("v", read_only)], containers)
            .await;

        let (writer, may_write) = device(node, "writer").await;
        let (reader, may_read) = device(node, "reader").await;
        assert_eq!((&*may_write, &*may_read), ("mrw", "r"));
        assert!(fs::metadata(&writer).unwrap().file_type().is_block_device());
        let opened = File::options().write(true).open(&writer).unwrap();
        opened.write_all_at(b"written", 4096).unwrap();
        opened.sync_all().unwrap();
        drop(opened);
        let mut bytes = [0; 7];
        File::open(&file)
            .unwrap()
            .read_exact_at(&mut bytes, 4096)
            .unwrap();
        assert_eq!(&bytes, b"written");
        File::open(&reader)
            .unwrap()
            .read_exact_at(&mut bytes, 4096)
            .unwrap();
        assert_eq!(&bytes, b"written");
        let opened = File::options().write(true).open(&reader).unwrap();
        assert!(opened.write_all_at(b"refused", 0).is_err());
        drop(opened);
        // Two devices, of which the one only reads.
        let number = |path: &Path| fs::metadata(path).unwrap().rdev();
        assert_ne!(number(&writer), number(&reader));

        storage.expand(&volume, large).await;
        node.grow("block", large).await;
        node.has_grown("block", large).await;
        let grown = kubernetes_mount::filesystem::device_size(&writer);
        assert_eq!(grown.unwrap(), large.unsigned_abs());
        node.delete_pods(&["writer", "reader"]).await;
        node.assert_clean().await;
    });
}
