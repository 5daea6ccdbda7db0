//! Volumes that a program finds after a restart, its own ones and a kubelet's.

use kubernetes_volume::plugins::csi::{mapped_on_disk, staged_on_disk};

use super::*;

const DIR: &str = "pods/7d4c1a52/volumes/kubernetes.io~csi";

/// Writes the file as a kubelet does, with keys that are empty or unknown here.
fn kubelet_file(dir: &Path, content: Value) {
    fs::create_dir_all(dir).unwrap();
    let mut text = content.to_string();
    text.push('\n');
    fs::write(dir.join("vol_data.json"), text).unwrap();
}

#[test]
fn volumes_of_a_kubelet_are_found_and_torn_down() {
    let csi = Csi::new(STAGES, json!({}));
    let dir = csi.path(DIR).join("disk");
    kubelet_file(
        &dir,
        json!({
            "attachmentID": "csi-1", "driverName": DRIVER, "nodeName": NODE, "other": "",
            "specVolID": "disk", "volumeHandle": HANDLE, "volumeLifecycleMode": "Persistent",
        }),
    );
    fs::create_dir(dir.join("mount")).unwrap();
    let staged = csi
        .path("plugins/kubernetes.io/csi")
        .join(DRIVER)
        .join("0123");
    kubelet_file(
        &staged,
        json!({"driverName": DRIVER, "volumeHandle": HANDLE}),
    );
    fs::create_dir(staged.join("globalmount")).unwrap();

    let found = csi.host.volumes_on_disk(UID).unwrap();
    let [on_disk] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        (on_disk.plugin_name.as_str(), on_disk.path.as_path()),
        (CSI, dir.as_path())
    );
    let spec = csi
        .plugin()
        .construct_volume_spec("disk", &on_disk.path)
        .unwrap()
        .spec;
    assert_eq!(spec.name(), "disk");
    assert_eq!(
        csi.plugin().volume_name(&spec).unwrap(),
        "disk.example.com^vol-1"
    );
    let volume = spec.persistent_volume.unwrap().spec.unwrap();
    assert_eq!(volume.volume_mode.as_deref(), Some("Filesystem"));

    csi.tear_down("disk").unwrap();
    let paths = staged_on_disk(&**csi.host).unwrap();
    assert_eq!(paths, [staged.join("globalmount")]);
    csi.unstage(&paths[0]).unwrap();
    assert_eq!(csi.calls(), ["NodeUnpublishVolume", "NodeUnstageVolume"]);
    let FakeCsiCall::Unpublish(request) = &csi.driver.calls()[0] else {
        panic!("the first");
    };
    assert_eq!(request.volume_id, HANDLE);
    assert_eq!(request.target_path, dir.join("mount"));
    csi.host.remove_pod(UID).unwrap();
    assert_eq!(staged_on_disk(&**csi.host).unwrap(), Vec::<PathBuf>::new());
}

#[test]
fn volumes_of_pods_are_told_from_others() {
    let csi = Csi::new([], json!({}));
    let inline = volume(json!({"name": "data", "csi": {"driver": DRIVER}}));
    let dir = csi.set_up(&inline, &no_args()).unwrap();
    let found = csi
        .plugin()
        .construct_volume_spec("data", dir.parent().unwrap());
    assert_eq!(found.unwrap().spec, inline);
    // Before Kubernetes 1.16, a kubelet didn't write the mode.
    let old = csi.path(DIR).join("old");
    kubelet_file(
        &old,
        json!({"driverName": DRIVER, "specVolID": "old", "volumeHandle": "x"}),
    );
    let found = csi
        .plugin()
        .construct_volume_spec("old", &old)
        .unwrap()
        .spec;
    assert!(found.persistent_volume.is_some() && found.name() == "old");
}

#[test]
fn devices_of_a_kubelet_are_found_and_torn_down() {
    let csi = Csi::new(STAGES, json!({}));
    assert_eq!(mapped_on_disk(&**csi.host).unwrap(), [""; 0]);
    let devices = csi.path("plugins/kubernetes.io/csi/volumeDevices");
    kubelet_file(
        &devices.join("disk/data"),
        json!({
            "attachmentID": "csi-1", "driverName": DRIVER, "nodeName": NODE, "specVolID": "disk",
            "volumeHandle": HANDLE,
        }),
    );
    for dir in ["disk/dev", "staging/disk", "publish/disk"] {
        fs::create_dir_all(devices.join(dir)).unwrap();
    }
    let device = devices.join("publish/disk").join(UID);
    fs::write(&device, "").unwrap();

    assert_eq!(mapped_on_disk(&**csi.host).unwrap(), ["disk"]);
    // A volume of this name is staged in a directory that looks like another's.
    fs::create_dir_all(devices.join("staging/globalmount")).unwrap();
    assert_eq!(staged_on_disk(&**csi.host).unwrap(), Vec::<PathBuf>::new());
    let block = csi.plugin().as_block().unwrap();
    let spec = block
        .construct_block_volume_spec(UID, "disk", Path::new(""))
        .unwrap();
    assert_eq!(
        csi.plugin().volume_name(&spec).unwrap(),
        "disk.example.com^vol-1"
    );
    let volume = spec.persistent_volume.unwrap().spec.unwrap();
    assert_eq!(volume.volume_mode.as_deref(), Some("Block"));
    let unmapper = block.new_block_volume_unmapper("disk", UID).unwrap();
    let custom = unmapper.as_custom().unwrap();
    custom.unmap_pod_device().unwrap();
    custom
        .tear_down_device(Path::new(""), Path::new(""))
        .unwrap();
    assert_eq!(csi.calls(), ["NodeUnpublishVolume", "NodeUnstageVolume"]);
    let left: Vec<_> = csi
        .on_disk()
        .into_iter()
        .filter(|path| path.contains("disk"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn without_its_file_a_volume_is_not_known() {
    let csi = Csi::new(STAGES, json!({}));
    let dir = csi.path(DIR).join("disk");
    fs::create_dir_all(dir.join("mount")).unwrap();
    let found = csi.plugin().construct_volume_spec("disk", &dir);
    assert!(failed(found).contains("vol_data.json is absent"));
    let block = csi.plugin().as_block().unwrap();
    assert!(
        block
            .construct_block_volume_spec(UID, "disk", Path::new(""))
            .is_err()
    );
    assert!(csi.plugin().construct_volume_spec("..", &dir).is_err());
    for wrong in ["", "{", "[]", "{\"driverName\":1}"] {
        fs::write(dir.join("vol_data.json"), wrong).unwrap();
        let found = csi.plugin().construct_volume_spec("disk", &dir);
        assert!(
            failed(found).contains("doesn't say which volume this is"),
            "{wrong}"
        );
    }
    // Nothing is mounted: the directories of a set-up that got nowhere are removed.
    fs::remove_file(dir.join("vol_data.json")).unwrap();
    csi.tear_down("disk").unwrap();
    assert!(!dir.exists() && csi.calls().is_empty());
}
