use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use kubernetes_volume::interfaces::{EventRecorder, VolumePlugin};
use kubernetes_volume::metrics::MetricsErrorCode;
use kubernetes_volume::plugins::{HOST_PATH, HostPathPlugin};
use kubernetes_volume::{Error, Spec, VolumeConfig, VolumeOptions};
use root_tests::as_root;
use serde_json::{Value, json};

use super::{Node, failed, no_args, of, persistent, pod, volume};

fn at(path: &Path, kind: &str) -> Spec {
    volume(json!({"name": "path", "hostPath": {"path": path, "type": kind}}))
}

const TYPES: [&str; 5] = ["Directory", "File", "Socket", "CharDevice", "BlockDevice"];

/// A relative path begins at the root of the node.
#[test]
fn relative_paths() {
    let node = Node::new();
    for (given, expected) in [("etc", "/etc"), ("./etc", "/./etc"), ("/etc", "/etc")] {
        let spec = at(Path::new(given), "Directory");
        let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        assert_eq!(path, Path::new(expected));
    }
    for wrong in ["", "a/../b", "../etc", "/no/steps/back/.."] {
        let set_up = node.set_up(&at(Path::new(wrong), ""), &pod(json!({})), &no_args());
        failed(set_up);
    }
}

/// Each type takes files of its own, through links too, and no others.
#[test]
fn types() {
    as_root(|| {
        let node = Node::new();
        let of_types = [
            node.beside("dir"),
            node.beside("file"),
            node.beside("socket"),
            PathBuf::from("/dev/null"),
            node.beside("block"),
        ];
        fs::create_dir(&of_types[0]).unwrap();
        fs::write(&of_types[1], "").unwrap();
        let _socket = UnixListener::bind(&of_types[2]).unwrap();
        let mode = nix::sys::stat::Mode::S_IRUSR;
        let device = nix::sys::stat::makedev(7, 255);
        nix::sys::stat::mknod(&of_types[4], nix::sys::stat::SFlag::S_IFBLK, mode, device).unwrap();
        assert!(
            fs::metadata(&of_types[4])
                .unwrap()
                .file_type()
                .is_block_device()
        );
        for (own, path) in of_types.iter().enumerate() {
            let link = node.beside(&format!("link{own}"));
            symlink(path, &link).unwrap();
            for (kind, name) in TYPES.iter().enumerate() {
                for path in [path, &link] {
                    let set_up = node.set_up(&at(path, name), &pod(json!({})), &no_args());
                    assert_eq!(set_up.is_ok(), own == kind, "{path:?} {name}");
                    // What is there is not made, and has to be of the type too.
                    if let "Directory" | "File" = *name {
                        let spec = at(path, &format!("{name}OrCreate"));
                        let set_up = node.set_up(&spec, &pod(json!({})), &no_args());
                        assert_eq!(set_up.is_ok(), own == kind, "{path:?} {name}OrCreate");
                    }
                }
            }
            // Nothing is checked.
            node.set_up(&at(path, ""), &pod(json!({})), &no_args())
                .unwrap();
        }
    });
}

#[test]
fn absent_paths() {
    let node = Node::new();
    let absent = node.beside("absent");
    for kind in TYPES {
        let error = failed(node.set_up(&at(&absent, kind), &pod(json!({})), &no_args()));
        assert!(error.contains(absent.to_str().unwrap()), "{kind}: {error}");
    }
    let mounted = node
        .set_up(&at(&absent, ""), &pod(json!({})), &no_args())
        .unwrap();
    assert_eq!(mounted, absent);
    assert!(!absent.exists());
}

#[test]
fn made_paths() {
    let node = Node::new();
    let (dir, file) = (node.beside("a/b"), node.beside("a/file"));
    for _ in 0..2 {
        node.set_up(&at(&dir, "DirectoryOrCreate"), &pod(json!({})), &no_args())
            .unwrap();
        node.set_up(&at(&file, "FileOrCreate"), &pod(json!({})), &no_args())
            .unwrap();
    }
    assert!(dir.is_dir() && file.is_file());
    assert_eq!((of(&dir).2, of(&file).2), (0o755, 0o644));
    for (path, kind) in [(&file, "DirectoryOrCreate"), (&dir, "FileOrCreate")] {
        failed(node.set_up(&at(path, kind), &pod(json!({})), &no_args()));
    }
    // The directory of a file is not made.
    let below = node.beside("absent/file");
    failed(node.set_up(&at(&below, "FileOrCreate"), &pod(json!({})), &no_args()));
    assert!(!node.beside("absent").exists());
    fs::write(dir.join("kept"), "").unwrap();
    for _ in 0..2 {
        node.tear_down(HOST_PATH, "path").unwrap();
    }
    assert!(dir.join("kept").exists());
}

#[test]
fn attributes_and_metrics() {
    let node = Node::new();
    let spec = |read_only| persistent("disk", json!({"hostPath": {"path": "/srv"}}), read_only);
    for read_only in [false, true] {
        let mounter = node.mounter(&spec(read_only), &pod(json!({}))).unwrap();
        let attributes = mounter.attributes();
        assert_eq!(attributes.read_only, read_only);
        assert!(!attributes.managed && !attributes.selinux_relabel);
        assert_eq!(
            mounter.metrics().unwrap_err().code,
            MetricsErrorCode::NotSupported
        );
    }
    let plugin = node
        .manager
        .find_persistent_plugin_by_spec(&spec(false))
        .unwrap();
    assert_eq!(plugin.access_modes(), ["ReadWriteOnce"]);
    assert_eq!(plugin.volume_name(&spec(false)).unwrap(), "/srv");
}

#[test]
fn deletes_only_below_tmp() {
    let node = Node::new();
    let below = PathBuf::from(format!("/tmp/volume-host-path-{}", std::process::id()));
    let deleter = |path: &Path| {
        let spec = persistent("disk", json!({"hostPath": {"path": path}}), false);
        let plugin = node.manager.find_deletable_plugin_by_spec(&spec)?;
        let deleter = plugin.new_deleter(&spec)?;
        assert_eq!(deleter.path(), path);
        deleter.delete()
    };
    fs::create_dir_all(below.join("volume/deep")).unwrap();
    let canary = node.beside("canary");
    fs::create_dir(&canary).unwrap();
    symlink(&canary, below.join("link")).unwrap();
    fs::write(canary.join("kept"), "").unwrap();
    symlink(&canary, below.join("volume/link")).unwrap();

    for wrong in [
        "/tmp",
        "/tmp/",
        "/",
        "/var/tmp/x",
        "/tmp/../etc/x",
        "/tmpx/y",
        "tmp/x",
    ] {
        failed(deleter(Path::new(wrong)));
    }
    // Not through a link on the way.
    failed(deleter(&below.join("link/kept")));
    for _ in 0..2 {
        deleter(&below.join("volume")).unwrap();
    }
    assert!(!below.join("volume").exists());
    deleter(&below.join("link")).unwrap();
    assert!(canary.join("kept").exists());
    fs::remove_dir(&below).unwrap();
}

#[test]
fn makes_volumes_if_it_may() {
    let claim: Value = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    let name = format!("pvc-{}", std::process::id());
    let options = VolumeOptions {
        pv_name: name.clone(),
        pvc: Some(serde_json::from_value(claim).unwrap()),
        persistent_volume_reclaim_policy: "Delete".to_owned(),
        ..VolumeOptions::default()
    };
    let provisioner = |enabled, options: &VolumeOptions| {
        let config = VolumeConfig {
            provisioning_enabled: enabled,
            ..VolumeConfig::default()
        };
        let plugin = std::sync::Arc::new(HostPathPlugin::new(config));
        plugin.as_provisionable().unwrap().new_provisioner(options)
    };
    let error = provisioner(false, &options).map(drop).unwrap_err();
    assert!(matches!(error, Error::NotSupported(_)), "{error:?}");
    let wrong = VolumeOptions {
        pv_name: "../x".to_owned(),
        ..options.clone()
    };
    failed(provisioner(true, &wrong));

    for _ in 0..2 {
        let made = provisioner(true, &options)
            .unwrap()
            .provision(None, &[])
            .unwrap();
        let spec = made.spec.as_ref().unwrap();
        assert_eq!(spec.access_modes.as_ref().unwrap(), &["ReadWriteMany"]);
        assert_eq!(spec.capacity.as_ref().unwrap()["storage"].0, "1Gi");
        let policy = spec.persistent_volume_reclaim_policy.as_deref();
        assert_eq!(policy, Some("Delete"));
        let path = PathBuf::from(&spec.host_path.as_ref().unwrap().path);
        assert_eq!(path, Path::new("/tmp/hostpath_pv").join(&name));
        assert_eq!(of(&path).2, 0o777);
    }
    fs::remove_dir(Path::new("/tmp/hostpath_pv").join(&name)).unwrap();
    // Another program's volumes may be there.
    let _ = fs::remove_dir("/tmp/hostpath_pv");
}

#[test]
fn recyclers_have_more_time_for_larger_volumes() {
    let seconds = |size: &str| {
        let spec = json!({"hostPath": {"path": "/srv/x"}, "capacity": {"storage": size}});
        let config = VolumeConfig {
            recycler_minimum_timeout: 50,
            recycler_timeout_increment: 30,
            ..VolumeConfig::default()
        };
        let deadline = std::sync::Arc::new(std::sync::Mutex::new(None));
        let seen = deadline.clone();
        let plugin = HostPathPlugin::new(config).with_recycler(move |pod, _| {
            *seen.lock().unwrap() = pod.spec.as_ref().unwrap().active_deadline_seconds;
            Ok(())
        });
        let plugin = std::sync::Arc::new(plugin).as_recyclable().unwrap();
        plugin
            .recycle("disk", &persistent("disk", spec, false), &NoEvents)
            .unwrap();
        *deadline.lock().unwrap()
    };
    assert_eq!(
        ["500M", "2Gi", "150Gi"].map(seconds),
        [Some(50), Some(60), Some(4500)]
    );
}

struct NoEvents;

impl EventRecorder for NoEvents {
    fn record(&self, _event: kubernetes_volume::interfaces::Event) {}
}

#[test]
fn recycles_by_a_pod() {
    let spec = persistent("disk", json!({"hostPath": {"path": "/srv/x"}}), false);
    let config = VolumeConfig {
        recycler_minimum_timeout: 60,
        recycler_timeout_increment: 90,
        ..VolumeConfig::default()
    };
    let node = Node::new();
    let found = node.manager.find_recyclable_plugin_by_spec(&spec).unwrap();
    assert_eq!(found.plugin_name(), HOST_PATH);
    let ran = std::sync::Arc::new(std::sync::Mutex::new(None));
    let seen = ran.clone();
    let dir = tempfile::tempdir().unwrap();
    let host = kubernetes_volume::host::StandaloneHost::builder(dir.path())
        .build()
        .unwrap();
    let mut plugin = HostPathPlugin::new(config.clone()).with_recycler(move |pod, _| {
        *seen.lock().unwrap() = Some(pod.clone());
        Ok(())
    });
    plugin.init(host).unwrap();
    let recyclable = std::sync::Arc::new(plugin).as_recyclable().unwrap();
    recyclable.recycle("disk", &spec, &NoEvents).unwrap();
    let pod = ran.lock().unwrap().clone().unwrap();
    assert_eq!(pod.metadata.name.as_deref(), Some("recycler-for-disk"));
    assert_eq!(pod.metadata.generate_name, None);
    let pod = pod.spec.unwrap();
    assert_eq!(pod.active_deadline_seconds, Some(90));
    let path = &pod.volumes.unwrap()[0].host_path.clone().unwrap().path;
    assert_eq!(path, "/srv/x");

    let without = std::sync::Arc::new(HostPathPlugin::new(config))
        .as_recyclable()
        .unwrap();
    let error = without.recycle("disk", &spec, &NoEvents).unwrap_err();
    assert!(matches!(error, Error::NotSupported(_)), "{error:?}");
}
