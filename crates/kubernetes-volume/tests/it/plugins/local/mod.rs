//! Local PersistentVolumes: directories and block devices.

mod described;

use std::os::unix::fs::symlink;

use kubernetes_volume::NodeResizeOptions;
use kubernetes_volume::interfaces::EventType;
use kubernetes_volume::plugins::LOCAL;
use kubernetes_volume::testing::FakeEvents;
use root_tests::{Loop, as_root, unmount};

use super::*;

fn local(path: &Path, read_only: bool) -> Spec {
    persistent("disk", json!({"local": {"path": path}}), read_only)
}

fn data(node: &Node) -> PathBuf {
    let dir = node.beside("data");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("file"), "kept").unwrap();
    dir
}

/// Another Pod of the same node.
fn other_pod() -> Pod {
    pod(json!({"metadata": {"name": "other", "uid": "9b2e"}}))
}

#[test]
fn a_directory_is_bind_mounted() {
    as_root(|| {
        let node = Node::new();
        let data = data(&node);
        let spec = local(&data, false);
        let pod = pod(json!({}));
        for _ in 0..2 {
            let dir = node.set_up(&spec, &pod, &group(3000)).unwrap();
            assert_eq!(fs::read_to_string(dir.join("file")).unwrap(), "kept");
            assert_eq!(node.mounts(), [dir]);
        }
        assert_eq!(of(&data.join("file")).1, 3000);
        let mounter = node.mounter(&spec, &pod).unwrap();
        assert!(mounter.metrics().unwrap().capacity.unwrap() > 0);
        for _ in 0..2 {
            node.tear_down(LOCAL, "disk").unwrap();
        }
        node.assert_clean();
        assert_eq!(fs::read_to_string(data.join("file")).unwrap(), "kept");
    });
}

#[test]
fn a_directory_is_its_own_device_mount() {
    as_root(|| {
        let node = Node::new();
        let data = data(&node);
        let spec = local(&data, false);
        let plugin = node.manager.find_plugin_by_name(LOCAL).unwrap();
        let devices = plugin.clone().as_device_mountable().unwrap();
        let mounter = devices.new_device_mounter().unwrap();
        assert_eq!(mounter.device_mount_path(&spec).unwrap(), data);
        mounter
            .mount_device(&spec, Path::new(""), &data, &no_device_args())
            .unwrap();
        devices
            .new_device_unmounter()
            .unwrap()
            .unmount_device(&data)
            .unwrap();
        assert_eq!(node.mounts(), [""; 0].map(PathBuf::from));
        assert_eq!(fs::read_to_string(data.join("file")).unwrap(), "kept");

        // Found again on disk, the volume has no path, which unmounting doesn't need.
        let dir = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        let found = plugin.construct_volume_spec("disk", &dir).unwrap();
        assert!(found.spec.volume.is_none());
        let volume = found.spec.persistent_volume.unwrap();
        assert_eq!(volume.metadata.name.as_deref(), Some("disk"));
        let spec = volume.spec.unwrap();
        assert_eq!(spec.volume_mode.as_deref(), Some("Filesystem"));
        assert_eq!(spec.local.unwrap().path, "");
        node.tear_down(LOCAL, "disk").unwrap();

        let block = plugin.as_block().unwrap();
        let map = node
            .host
            .root()
            .join("pods")
            .join(UID)
            .join("volumeDevices/kubernetes.io~local-volume");
        let found = block
            .construct_block_volume_spec(UID, "disk", &map)
            .unwrap();
        assert!(found.volume.is_none());
        let volume = found.persistent_volume.unwrap();
        assert_eq!(volume.metadata.name.as_deref(), Some("disk"));
        let spec = volume.spec.unwrap();
        assert_eq!(spec.volume_mode.as_deref(), Some("Block"));
        assert_eq!(spec.local.unwrap().path, "");
    });
}

#[test]
fn read_only_is_for_one_pod() {
    as_root(|| {
        let node = Node::new();
        let data = data(&node);
        let before = of(&data.join("file"));
        let dir = node
            .set_up(&local(&data, true), &pod(json!({})), &group(3000))
            .unwrap();
        let error = fs::write(dir.join("new"), "").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
        assert_eq!(of(&data.join("file")), before);
        fs::write(data.join("new"), "").unwrap();
        node.tear_down(LOCAL, "disk").unwrap();
        node.assert_clean();
    });
}

#[test]
fn the_group_of_the_first_pod_stays() {
    as_root(|| {
        let node = Node::new();
        let data = data(&node);
        let spec = local(&data, false);
        node.set_up(&spec, &pod(json!({})), &group(3000)).unwrap();
        node.set_up(&spec, &other_pod(), &group(4000)).unwrap();
        assert_eq!(of(&data.join("file")).1, 3000);
        node.tear_down(LOCAL, "disk").unwrap();
        let plugin = node.manager.find_plugin_by_name(LOCAL).unwrap();
        torn_down(&*plugin.new_unmounter("disk", "9b2e").unwrap()).unwrap();
        // Nobody has it now.
        node.set_up(&spec, &other_pod(), &group(4000)).unwrap();
        assert_eq!(of(&data.join("file")).1, 4000);
        torn_down(&*plugin.new_unmounter("disk", "9b2e").unwrap()).unwrap();
        node.host.remove_pod("9b2e").unwrap();
        node.assert_clean();
    });
}

#[test]
fn what_is_no_directory_is_refused() {
    let node = Node::new();
    let file = node.beside("file");
    fs::write(&file, "").unwrap();
    let pod = pod(json!({}));
    let error = failed(node.mounter(&local(&file, false), &pod));
    assert!(
        error.contains("is neither a directory nor a block device"),
        "{error}"
    );
    let absent = node.beside("absent");
    let error = failed(node.mounter(&local(&absent, false), &pod));
    assert!(error.contains(&absent.display().to_string()), "{error}");
    for path in ["relative", "", "/a/../b"] {
        let error = failed(node.mounter(&local(Path::new(path), false), &pod));
        assert!(
            error.contains("it must be absolute, without `..`"),
            "{error}"
        );
    }
}

/// Also by another PersistentVolume; the Pod whose group isn't applied gets an event.
#[test]
fn files_that_another_pod_has_keep_their_group() {
    as_root(|| {
        let recorder = Arc::new(FakeEvents::default());
        let node = Node::with(|host| host.event_recorder(recorder.clone()));
        let data = data(&node);
        node.set_up(&local(&data, false), &pod(json!({})), &group(3000))
            .unwrap();
        let twin = persistent("twin", json!({"local": {"path": data}}), false);
        let read = persistent("read", json!({"local": {"path": data}}), true);
        let rows = [(&twin, 3000), (&local(&data, false), 4000), (&read, 5000)];
        // An event once for each mount, also of files that aren't written to.
        for _ in 0..2 {
            for (spec, group_of_pod) in rows {
                node.set_up(spec, &other_pod(), &group(group_of_pod))
                    .unwrap();
                assert_eq!(of(&data.join("file")).1, 3000);
            }
        }
        let events = recorder.recorded();
        assert_eq!(events.len(), 2, "{events:?}");
        for (event, (_, group_of_pod)) in events.iter().zip(&rows[1..]) {
            assert_eq!(event.reason, "AlreadyMountedVolume");
            assert_eq!(event.event_type, EventType::Warning);
            assert_eq!(event.object.name.as_deref(), Some("other"));
            let message = &event.message;
            assert!(message.contains(&group_of_pod.to_string()) && message.contains("3000"));
        }
        for (name, uid) in [
            ("disk", UID),
            ("disk", "9b2e"),
            ("twin", "9b2e"),
            ("read", "9b2e"),
        ] {
            let plugin = node.manager.find_plugin_by_name(LOCAL).unwrap();
            torn_down(&*plugin.new_unmounter(name, uid).unwrap()).unwrap();
        }
        assert_eq!(node.mounts(), [""; 0].map(PathBuf::from));
    });
}

/// A mount is a Pod's if it is below the directory of all Pods, whatever it is there.
#[test]
fn mounts_elsewhere_are_no_uses() {
    as_root(|| {
        for (elsewhere, is_use) in [
            ("pods/9b2e/volume-subpaths/disk/main/0", true),
            ("pods/9b2e/anything", true),
            (
                "pods-of-others/9b2e/volumes/kubernetes.io~local-volume/disk",
                false,
            ),
            ("../outside", false),
        ] {
            let node = Node::new();
            let data = data(&node);
            let before = of(&data.join("file")).1;
            let other = node.host.root().join(elsewhere);
            fs::create_dir_all(&other).unwrap();
            let flags = nix::mount::MsFlags::MS_BIND;
            nix::mount::mount(Some(&data), &other, None::<&str>, flags, None::<&str>).unwrap();
            node.set_up(&local(&data, false), &pod(json!({})), &group(4000))
                .unwrap();
            let expected = if is_use { before } else { 4000 };
            assert_eq!(of(&data.join("file")).1, expected, "{elsewhere}");
            unmount(&other);
            node.tear_down(LOCAL, "disk").unwrap();
        }
    });
}

/// A claim that grows: the device has grown, and now its file system does.
#[test]
fn a_device_grows_and_a_directory_has_nothing_to_grow() {
    as_root(|| {
        let node = Node::new();
        let image = node.beside("image");
        let device = Loop::empty(&image);
        let spec = local(device.path(), false);
        let plugin = node.manager.find_plugin_by_name(LOCAL).unwrap();
        let devices = plugin.clone().as_device_mountable().unwrap();
        let at = devices.new_device_mounter().unwrap();
        let at = at.device_mount_path(&spec).unwrap();
        let mount = || {
            let mounter = devices.new_device_mounter().unwrap();
            mounter
                .mount_device(&spec, device.path(), &at, &no_device_args())
                .unwrap();
        };
        let unmount = || {
            let unmounter = devices.new_device_unmounter().unwrap();
            unmounter.unmount_device(&at).unwrap();
        };
        mount();
        let size = |path: &Path| rustix::fs::statvfs(path).unwrap().f_blocks;
        let before = size(&at);
        // Growing what is mounted needs a capability that root may lack in a container.
        unmount();
        fs::File::options()
            .write(true)
            .open(&image)
            .unwrap()
            .set_len(32 << 20)
            .unwrap();
        device.resize();
        let growing = plugin.clone().as_node_expandable().unwrap();
        assert!(growing.requires_fs_resize());
        let options = |spec: &Spec| NodeResizeOptions {
            volume_spec: spec.clone(),
            device_path: device.path().to_owned(),
            device_mount_path: at.clone(),
            new_size: 32 << 20,
            old_size: 16 << 20,
            ..NodeResizeOptions::default()
        };
        for _ in 0..2 {
            assert!(growing.node_expand(&options(&spec)).unwrap());
        }
        mount();
        assert!(size(&at) > before * 3 / 2, "{before} {}", size(&at));
        let raw = json!({"local": {"path": device.path()}, "volumeMode": "Block"});
        let raw = persistent("raw", raw, false);
        assert!(growing.node_expand(&options(&raw)).unwrap());
        let directory = local(&data(&node), false);
        assert!(growing.node_expand(&options(&directory)).unwrap());
        unmount();
    });
}

#[test]
fn a_device_is_mounted_once_for_the_node() {
    as_root(|| {
        let node = Node::new();
        let device = Loop::empty(&node.beside("image"));
        let source = json!({"local": {"path": device.path(), "fsType": "ext4"}, "mountOptions": ["noatime"]});
        let spec = persistent("disk", source, false);
        let plugin = node.manager.find_plugin_by_name(LOCAL).unwrap();
        let devices = plugin.clone().as_device_mountable().unwrap();
        let mounter = devices.new_device_mounter().unwrap();
        let at = mounter.device_mount_path(&spec).unwrap();
        let mounts = "plugins/kubernetes.io/local-volume/mounts/disk";
        assert_eq!(at, node.host.root().join(mounts));
        for _ in 0..2 {
            mounter
                .mount_device(&spec, Path::new(""), &at, &no_device_args())
                .unwrap();
        }
        let dir = node.set_up(&spec, &pod(json!({})), &group(3000)).unwrap();
        fs::write(dir.join("file"), "on the device").unwrap();
        assert_eq!(
            fs::read_to_string(at.join("file")).unwrap(),
            "on the device"
        );
        assert_eq!(devices.device_mount_refs(&at).unwrap(), [dir.as_path()]);

        // A restarted node finds the device by the mount.
        let found = plugin.construct_volume_spec("disk", &dir).unwrap();
        let source = found
            .spec
            .persistent_volume
            .unwrap()
            .spec
            .unwrap()
            .local
            .unwrap();
        assert_eq!(Path::new(&source.path), device.path());
        let found = plugin.construct_volume_spec("disk", &dir).unwrap();
        let mode = found
            .spec
            .persistent_volume
            .unwrap()
            .spec
            .unwrap()
            .volume_mode;
        assert_eq!(mode.as_deref(), Some("Filesystem"));

        node.tear_down(LOCAL, "disk").unwrap();
        for _ in 0..2 {
            devices
                .new_device_unmounter()
                .unwrap()
                .unmount_device(&at)
                .unwrap();
        }
        assert!(!at.exists());
        node.assert_clean();

        // The files are there the next time: the device is not formatted again.
        mounter
            .mount_device(&spec, Path::new(""), &at, &no_device_args())
            .unwrap();
        assert_eq!(
            fs::read_to_string(at.join("file")).unwrap(),
            "on the device"
        );
        devices
            .new_device_unmounter()
            .unwrap()
            .unmount_device(&at)
            .unwrap();
    });
}

#[test]
fn a_device_is_mapped_under_its_own_path() {
    as_root(|| {
        let node = Node::new();
        let device = Loop::empty(&node.beside("image"));
        // As those of /dev/disk/by-id.
        let link = node.beside("by-id");
        symlink(device.path(), &link).unwrap();
        let spec = persistent(
            "disk",
            json!({"local": {"path": link}, "volumeMode": "Block"}),
            false,
        );
        let plugin = node.manager.find_plugin_by_name(LOCAL).unwrap();
        let block = plugin.as_block().unwrap();
        let pod = pod(json!({}));
        let mapper = block
            .new_block_volume_mapper(&spec, &pod, &VolumeOptions::default())
            .unwrap();
        let custom = mapper.as_custom().unwrap();
        assert_eq!(custom.set_up_device().unwrap(), Path::new(""));
        assert_eq!(custom.map_pod_device().unwrap().unwrap(), device.path());
        let at = mapper.pod_device_map_path();
        let dir = node
            .host
            .root()
            .join("pods")
            .join(UID)
            .join("volumeDevices/kubernetes.io~local-volume");
        assert_eq!((at.dir, at.volume_name.as_str()), (dir, "disk"));
        let global = node
            .host
            .root()
            .join("plugins/kubernetes.io/local-volume/volumeDevices/disk");
        assert_eq!(mapper.global_map_path(&spec).unwrap(), global);
        assert!(
            block
                .new_block_volume_unmapper("disk", UID)
                .unwrap()
                .as_custom()
                .is_none()
        );

        let wrong = persistent(
            "disk",
            json!({"local": {"path": node.dir.path()}, "volumeMode": "Block"}),
            false,
        );
        let mapper = block
            .new_block_volume_mapper(&wrong, &pod, &VolumeOptions::default())
            .unwrap();
        let error = failed(mapper.as_custom().unwrap().map_pod_device());
        assert!(error.contains("is not a block device"), "{error}");
    });
}
