//! Volumes, Pods and names that are wrong, for all plugins.

use kubernetes_volume::plugins::{
    CONFIG_MAP, DOWNWARD_API, EMPTY_DIR, HOST_PATH, LOCAL, PROJECTED, SECRET,
};

use super::*;

const ALL: [&str; 7] = [
    EMPTY_DIR,
    HOST_PATH,
    LOCAL,
    CONFIG_MAP,
    SECRET,
    DOWNWARD_API,
    PROJECTED,
];

#[test]
fn names_of_other_directories_are_refused() {
    let node = Node::new();
    // hostPath has no directory of its own.
    for plugin in ALL.into_iter().filter(|plugin| *plugin != HOST_PATH) {
        let plugin = node.manager.find_plugin_by_name(plugin).unwrap();
        for name in ["..", ".", "", "a/b", "../../x", "a\0b", "a.deleting~"] {
            let error = failed(plugin.new_unmounter(name, UID));
            assert!(error.contains(&format!("{name:?}")), "{error}");
            let error = failed(plugin.new_unmounter("data", name));
            assert!(error.contains("UID of the Pod"), "{error}");
        }
    }
}

#[test]
fn volumes_have_exactly_one_source_and_pods_a_uid() {
    let node = Node::new();
    for plugin in ALL {
        let plugin = node.manager.find_plugin_by_name(plugin).unwrap();
        assert!(!plugin.can_support(&Spec::default()));
    }
    let sources = [
        json!({"emptyDir": {}}),
        json!({"hostPath": {"path": "/srv"}}),
        json!({"configMap": {"name": "a"}}),
        json!({"secret": {"secretName": "a"}}),
        json!({"downwardAPI": {}}),
        json!({"projected": {"sources": []}}),
    ];
    for source in sources {
        let mut alone = json!({"name": "data"});
        merge(&mut alone, source.clone());
        let spec = volume(alone.clone());
        let plugin = node.manager.find_plugin_by_spec(&spec).unwrap();
        let options = VolumeOptions::default();
        let mut two = alone.clone();
        two["nfs"] = json!({"server": "a", "path": "/"});
        let error = failed(plugin.new_mounter(&volume(two), &pod(json!({})), &options));
        assert!(
            error.contains("several sources") && error.contains("nfs"),
            "{error}"
        );

        let none = volume(json!({"name": "data"}));
        assert!(!plugin.can_support(&none));
        assert!(
            plugin
                .new_mounter(&none, &pod(json!({})), &options)
                .is_err()
        );
        if plugin.plugin_name() != HOST_PATH {
            let without = pod(json!({"metadata": {"uid": ""}}));
            let error = failed(plugin.new_mounter(&spec, &without, &options));
            assert!(error.contains("UID of the Pod"), "{error}");
            alone["name"] = json!("..");
            assert!(
                plugin
                    .new_mounter(&volume(alone), &pod(json!({})), &options)
                    .is_err()
            );
        }
    }
}

#[test]
fn a_plugin_before_its_initialization_says_so() {
    let spec = volume(json!({"name": "data", "emptyDir": {}}));
    for plugin in plugins::all(VolumeConfig::default()) {
        if plugin.can_support(&spec) {
            let error =
                failed(plugin.new_mounter(&spec, &pod(json!({})), &VolumeOptions::default()));
            assert_eq!(
                error,
                "the plugin kubernetes.io/empty-dir is used before it was initialized"
            );
        }
    }
}

#[test]
fn what_is_constructed_from_the_disk_is_of_the_same_plugin() {
    let node = Node::new();
    for name in ALL.into_iter().filter(|name| *name != HOST_PATH) {
        let plugin = node.manager.find_plugin_by_name(name).unwrap();
        let found = plugin
            .construct_volume_spec("data", Path::new("/nonexistent"))
            .unwrap();
        assert_eq!(found.selinux_mount_context, None, "{name}");
        let spec = found.spec;
        assert!(
            !plugin.supports_selinux_context_mount(&spec).unwrap(),
            "{name}"
        );
        assert_eq!(spec.name(), "data", "{name}");
        assert!(plugin.can_support(&spec), "{name}");
    }
}
