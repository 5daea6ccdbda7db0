//! The host outside of a kubelet: its layout, and what it was given.

use kubernetes_volume::host::StandaloneHost;
use kubernetes_volume::interfaces::VolumeHost;
use kubernetes_volume::plugins::{CONFIG_MAP, EMPTY_DIR, LOCAL};

use super::*;

#[test]
fn paths_are_those_of_the_kubelet() {
    let node = Node::new();
    let (host, root) = (&node.host, node.host.root());
    let of_pod = root.join("pods/7d4c1a52");
    assert_eq!(host.pods_dir(), root.join("pods"));
    assert_eq!(
        host.pod_volume_dir(UID, EMPTY_DIR, "a"),
        of_pod.join("volumes/kubernetes.io~empty-dir/a")
    );
    assert_eq!(
        host.pod_plugin_dir(UID, EMPTY_DIR),
        of_pod.join("plugins/kubernetes.io~empty-dir")
    );
    assert_eq!(
        host.pod_volume_device_dir(UID, LOCAL),
        of_pod.join("volumeDevices/kubernetes.io~local-volume")
    );
    assert_eq!(
        host.plugin_dir(LOCAL),
        root.join("plugins/kubernetes.io/local-volume")
    );
    assert_eq!(
        host.volume_device_plugin_dir(LOCAL),
        root.join("plugins/kubernetes.io/local-volume/volumeDevices")
    );
}

#[test]
fn no_name_leaves_the_root() {
    let node = Node::new();
    for name in ["..", ".", "", "a/b", "/etc", "../../etc"] {
        assert!(
            node.host.volume_dir(name, EMPTY_DIR, "a").is_err(),
            "{name}"
        );
        assert!(
            node.host.volume_dir(UID, EMPTY_DIR, name).is_err(),
            "{name}"
        );
        let path = node.host.pod_volume_dir(name, name, name);
        assert!(path.starts_with(node.host.root()), "{}", path.display());
        assert!(
            path.components()
                .all(|part| part != std::path::Component::ParentDir)
        );
        assert!(node.host.plugin_dir(name).starts_with(node.host.root()));
    }
    assert!(node.host.volume_dir(UID, "not qualified", "a").is_err());
}

#[test]
fn volumes_are_found_again() {
    let node = Node::new();
    assert_eq!(node.host.pods_on_disk().unwrap(), Vec::<String>::new());
    let path = node.host.pod_volume_dir(UID, CONFIG_MAP, "a");
    fs::create_dir_all(&path).unwrap();
    // It was being removed.
    fs::create_dir_all(path.with_file_name("b.deleting~")).unwrap();
    assert_eq!(node.host.pods_on_disk().unwrap(), [UID]);
    let found = node.host.volumes_on_disk(UID).unwrap();
    let names: Vec<_> = found
        .iter()
        .map(|found| (found.plugin_name.as_str(), found.volume_name.as_str()))
        .collect();
    assert_eq!(names, [(CONFIG_MAP, "a"), (CONFIG_MAP, "b")]);
    assert_eq!(found[0].path, path);
    assert!(node.host.remove_pod(UID).is_err());
    assert!(path.exists());
}

#[test]
fn devices_are_found_again_and_empty_directories_are_removed() {
    let node = Node::new();
    let host = &node.host;
    assert_eq!(host.device_plugins_on_disk().unwrap(), Vec::<String>::new());
    host.remove_empty_plugin_dirs().unwrap();
    for plugin in [LOCAL, "tape"] {
        fs::create_dir_all(host.plugin_dir(plugin).join("mounts/a")).unwrap();
    }
    fs::write(host.plugin_dir("tape").join("state"), "").unwrap();
    fs::create_dir_all(host.plugin_dir("example.com/empty")).unwrap();
    assert_eq!(host.device_plugins_on_disk().unwrap(), [LOCAL, "tape"]);
    assert_eq!(
        host.device_mounts_on_disk(LOCAL).unwrap(),
        [host.plugin_dir(LOCAL).join("mounts/a")]
    );
    host.remove_empty_plugin_dirs().unwrap();
    assert!(!host.plugin_dir("example.com").exists());
    assert!(host.plugin_dir(LOCAL).join("mounts/a").exists());
    for plugin in [LOCAL, "tape"] {
        fs::remove_dir(host.plugin_dir(plugin).join("mounts/a")).unwrap();
    }
    host.remove_empty_plugin_dirs().unwrap();
    assert!(!host.plugin_dir("kubernetes.io").exists());
    assert!(host.plugin_dir("tape").join("state").exists());
}

#[test]
fn what_was_not_given_is_an_error_that_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let host = StandaloneHost::builder(dir.path()).build().unwrap();
    assert_eq!(
        failed(host.secret("shop", "login")),
        "secret \"shop/login\" not found"
    );
    assert_eq!(
        failed(host.config_map("shop", "settings")),
        "configmap \"shop/settings\" not found"
    );
    assert!(failed(host.node_allocatable()).contains("is not supported"));
    assert!(failed(host.host_ip()).contains("is not supported"));
    assert!(StandaloneHost::builder("relative").build().is_err());
    let manager = host.start(vec![], None).unwrap();
    assert!(failed(host.use_manager(&manager)).contains("has a manager"));
}

/// The names by which a kubelet knows what is behind a volume.
#[test]
fn names_of_volumes() {
    let node = Node::new();
    for (source, expected) in [
        (json!({"configMap": {"name": "settings"}}), "data/settings"),
        (json!({"secret": {"secretName": "login"}}), "login"),
        (json!({"downwardAPI": {}}), "data"),
        (json!({"projected": {"sources": []}}), "data"),
        (json!({"emptyDir": {}}), "data"),
        (json!({"hostPath": {"path": "/srv"}}), "/srv"),
        (
            json!({"nfs": {"server": "nas", "path": "/srv"}}),
            "nas//srv",
        ),
        (
            json!({"image": {"reference": "example.com/data:1"}}),
            "example.com/data:1",
        ),
    ] {
        let mut named = json!({"name": "data"});
        merge(&mut named, source.clone());
        let spec = volume(named);
        let plugin = node.manager.find_plugin_by_spec(&spec).unwrap();
        assert_eq!(plugin.volume_name(&spec).unwrap(), expected, "{source}");
    }
    let local = persistent("disk", json!({"local": {"path": "/srv"}}), false);
    let plugin = node.manager.find_plugin_by_spec(&local).unwrap();
    assert_eq!(plugin.volume_name(&local).unwrap(), "disk");
}
