//! Pods with volumes of the driver, from their start until nothing is left of them.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::json;

use super::node::identity;
use super::objects::{inline, of_claim, uid};
use super::on_node;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn pods_share_a_volume() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let volume = storage.create("shared", None).await;
        node.bind("shared", &volume).await;
        let data = node.data(&volume.volume_id);
        fs::write(data.join("old"), "old").unwrap();
        let read_only = json!({
            "persistentVolumeClaim": {"claimName": "shared", "readOnly": true},
        });
        node.create_pod("writer", &[("v", of_claim("shared"))])
            .await;
        node.create_pod("other", &[("v", of_claim("shared"))]).await;
        node.create_pod("reader", &[("v", read_only)]).await;
        let [writer, other, reader] = [
            node.running("writer").await,
            node.running("other").await,
            node.running("reader").await,
        ];

        let places = [&writer, &other, &reader].map(|pod| node.mounted(pod, "shared"));
        for place in &places {
            assert_eq!(identity(place), identity(&data));
            assert_eq!(read(&place.join("old")), "old");
        }
        for pod in [&writer, &other, &reader] {
            assert_eq!(node.mounts_of(pod).len(), 1);
        }
        let [writable, also_writable, readable] = &places;
        fs::write(writable.join("new"), "new").unwrap();
        fs::write(also_writable.join("old"), "changed").unwrap();
        assert_eq!(read(&readable.join("new")), "new");
        assert_eq!(read(&readable.join("old")), "changed");
        let refused = fs::write(readable.join("new"), "").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ReadOnlyFilesystem);

        // The others keep it.
        node.delete_pods(&["writer"]).await;
        let gone = async || node.mounts_of(&writer).is_empty().then_some(());
        node.eventually("an unmounted volume", gone).await;
        assert_eq!(read(&readable.join("new")), "new");
        node.delete_pods(&["other", "reader"]).await;
        assert_eq!(read(&data.join("new")), "new");
        node.assert_clean().await;
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn inline_volumes_live_as_long_as_their_pods() {
    on_node(async |node| {
        node.create_pod("alone", &[("a", inline()), ("b", inline())])
            .await;
        node.create_pod("along", &[("a", inline())]).await;
        let [alone, along] = [node.running("alone").await, node.running("along").await];
        let places = [
            node.mounted(&alone, "a"),
            node.mounted(&alone, "b"),
            node.mounted(&along, "a"),
        ];
        for (place, text) in places.iter().zip(["1", "2", "3"]) {
            assert_eq!(fs::read_dir(place).unwrap().count(), 0);
            fs::write(place.join("file"), text).unwrap();
        }
        let mut storage = node.storage().await;
        let ids = storage.volumes().await;
        let texts = ids.iter().map(|id| read(&node.data(id).join("file")));
        let mut texts: Vec<_> = texts.collect();
        texts.sort();
        assert_eq!(texts, ["1", "2", "3"]);

        node.delete_pods(&["alone"]).await;
        let left = async || Some(storage.volumes().await).filter(|ids| ids.len() == 1);
        let left = node.eventually("one volume that is left", left).await;
        assert_eq!(read(&node.data(&left[0]).join("file")), "3");
        assert_eq!(read(&places[2].join("file")), "3");
        node.delete_pods(&["along"]).await;
        node.assert_clean().await;
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn files_belong_to_the_group_of_the_pod() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let volume = storage.create("grouped", None).await;
        node.bind("grouped", &volume).await;
        let file = node.data(&volume.volume_id).join("folder/file");
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, "text").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().gid(), 0);
        let of_group = json!({"securityContext": {"fsGroup": 4321}});
        let volumes = [("v", of_claim("grouped")), ("own", inline())];
        node.create_pod_with("member", &volumes, of_group).await;
        let pod = node.running("member").await;

        let place = node.mounted(&pod, "grouped");
        let found = |path: &Path| {
            let found = fs::metadata(path).unwrap();
            (found.gid(), found.mode() & 0o7777)
        };
        assert_eq!(found(&place).0, 4321);
        assert_eq!(found(&place.join("folder")), (4321, 0o2775));
        assert_eq!(found(&place.join("folder/file")), (4321, 0o664));
        assert_eq!(found(&node.mounted(&pod, "own")), (4321, 0o2777));
        node.delete_pods(&["member"]).await;
        node.assert_clean().await;
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn containers_mount_parts_of_a_volume() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let volume = storage.create("parted", None).await;
        node.bind("parted", &volume).await;
        let data = node.data(&volume.volume_id);
        fs::create_dir_all(data.join("a/b")).unwrap();
        fs::write(data.join("a/b/file"), "part").unwrap();
        let mounts = json!([
            {"name": "v", "mountPath": "/part", "subPath": "a/b"},
            {"name": "v", "mountPath": "/new", "subPath": "made/new"},
            {"name": "v", "mountPath": "/file", "subPath": "a/b/file", "readOnly": true},
        ]);
        let containers = json!([{"name": "idle", "image": "idle", "volumeMounts": mounts}]);
        let volumes = [("v", of_claim("parted"))];
        node.create_pod_with("parts", &volumes, json!({"containers": containers}))
            .await;
        let pod = node.running("parts").await;

        let created = node.server.kubelet().unwrap().containers().unwrap();
        let own = created.iter().find(|one| one.pod == uid(&pod)).unwrap();
        let mounted = |path: &str| {
            let found = own
                .mounts
                .iter()
                .find(|one| one.container_path == Path::new(path))
                .unwrap();
            node.seen(&found.host_path)
        };
        assert_eq!(read(&mounted("/part").join("file")), "part");
        assert_eq!(read(&mounted("/file")), "part");
        fs::write(mounted("/new").join("written"), "new").unwrap();
        assert_eq!(read(&data.join("made/new/written")), "new");
        assert_eq!(identity(&mounted("/part")), identity(&data.join("a/b")));
        // The volume and its parts.
        let places = node.mounts_of(&pod);
        let parts = places
            .keys()
            .filter(|path| path.contains("/volume-subpaths/"));
        assert_eq!((parts.count(), places.len()), (3, 4), "{places:?}");
        node.delete_pods(&["parts"]).await;
        node.assert_clean().await;
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn a_snapshot_is_restored() {
    on_node(async |node| {
        let mut storage = node.storage().await;
        let source = storage.create("source", None).await;
        node.bind("source", &source).await;
        node.create_pod("before", &[("v", of_claim("source"))])
            .await;
        let before = node.running("before").await;
        let file = node.mounted(&before, "source").join("file");
        fs::write(&file, "then").unwrap();
        let snapshot = storage.snapshot(&source).await;
        fs::write(&file, "now").unwrap();

        let restored = storage.create("restored", Some(&snapshot)).await;
        node.bind("restored", &restored).await;
        node.create_pod("after", &[("v", of_claim("restored"))])
            .await;
        let after = node.running("after").await;
        let copy = node.mounted(&after, "restored").join("file");
        assert_eq!(read(&copy), "then");
        fs::write(&copy, "later").unwrap();
        assert_eq!(read(&file), "now");
        node.delete_pods(&["before", "after"]).await;
        node.assert_clean().await;
    });
}
