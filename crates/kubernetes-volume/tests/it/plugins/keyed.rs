//! What volumes of ConfigMaps and Secrets have in common with those sources of projected volumes.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubernetes_volume::plugins::{CONFIG_MAP, DOWNWARD_API, PROJECTED, SECRET};
use root_tests::{as_root, unmount};

use super::*;

/// A volume of some kind, of an object with three keys.
struct Kind {
    plugin: &'static str,
    /// The folder of the plugin in that of the Pod.
    folder: &'static str,
    /// Returns the volume's source from the fields of the source of keys, and those of the volume.
    source: fn(Value, Value) -> Value,
}

const KINDS: [Kind; 4] = [
    Kind {
        plugin: CONFIG_MAP,
        folder: "kubernetes.io~configmap",
        source: |keys, of_volume| json!({"configMap": joined(json!({"name": "o"}), keys, of_volume)}),
    },
    Kind {
        plugin: SECRET,
        folder: "kubernetes.io~secret",
        source: |keys, of_volume| {
            let mut source = joined(json!({"secretName": "o"}), keys, of_volume);
            if let Some(name) = source.as_object_mut().unwrap().remove("name") {
                source["secretName"] = name;
            }
            json!({"secret": source})
        },
    },
    Kind {
        plugin: PROJECTED,
        folder: "kubernetes.io~projected",
        source: |keys, of_volume| {
            let source = joined(json!({"name": "o"}), keys, json!({}));
            json!({"projected": joined(json!({"sources": [{"configMap": source}]}), of_volume, json!({}))})
        },
    },
    Kind {
        plugin: PROJECTED,
        folder: "kubernetes.io~projected",
        source: |keys, of_volume| {
            let source = joined(json!({"name": "o"}), keys, json!({}));
            json!({"projected": joined(json!({"sources": [{"secret": source}]}), of_volume, json!({}))})
        },
    },
];

fn joined(mut one: Value, two: Value, three: Value) -> Value {
    merge(&mut one, two);
    merge(&mut one, three);
    one
}

impl Kind {
    fn spec(&self, keys: Value, of_volume: Value) -> Spec {
        let source = (self.source)(keys, of_volume);
        volume(joined(json!({"name": "files"}), source, json!({})))
    }
}

/// A node with a ConfigMap and a Secret of the keys `one`, `two` and `three`.
fn node() -> Node {
    let object = |kind: &str, rest: Value| {
        let metadata = json!({"name": "o", "namespace": "shop"});
        joined(
            json!({"apiVersion": "v1", "kind": kind, "metadata": metadata}),
            rest,
            json!({}),
        )
    };
    let map = json!({"data": {"one": "1", "two": "2"}, "binaryData": {"three": "/wA="}});
    let secret = json!({"data": {"one": "MQ==", "two": "Mg==", "three": "/wA="}});
    let map: ConfigMap = serde_json::from_value(object("ConfigMap", map)).unwrap();
    let secret: Secret = serde_json::from_value(object("Secret", secret)).unwrap();
    Node::with(|host| host.config_map_objects([map]).secret_objects([secret]))
}

/// Runs a test for each kind, with a node of its own.
fn for_each_kind(test: impl Fn(&Node, &Kind) + Send + Sync) {
    as_root(|| {
        for kind in &KINDS {
            let node = node();
            test(&node, kind);
            node.tear_down(kind.plugin, "files").unwrap();
            node.assert_clean();
        }
    });
}

#[test]
fn items_have_paths_of_any_depth_and_modes() {
    for_each_kind(|node, kind| {
        let items = json!({"items": [
            {"key": "one", "path": "path/to/1/2/3/one.txt"},
            {"key": "two", "path": "another/path/two", "mode": 0o400},
            {"key": "three", "path": "three", "mode": 0o640},
        ]});
        let spec = kind.spec(items, json!({"defaultMode": 0o604}));
        let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        assert_eq!(names(&path), ["another", "path", "three"]);
        for (file, content, mode) in [
            ("path/to/1/2/3/one.txt", &b"1"[..], 0o604),
            ("another/path/two", b"2", 0o400),
            ("three", b"\xff\x00", 0o640),
        ] {
            assert_eq!(fs::read(path.join(file)).unwrap(), content, "{spec:?}");
            assert_eq!(of(&path.join(file)).2, mode, "{spec:?}");
        }
    });
}

/// | the user of the volume | the user of the item | owner |
#[test]
fn files_have_an_owner() {
    let rows = [
        (Value::Null, Some(Value::Null), 0),
        (json!(1001), Some(Value::Null), 1001),
        (Value::Null, Some(json!(1002)), 1002),
        (json!(1001), Some(json!(1002)), 1002),
        // All keys, without items.
        (json!(1001), None, 1001),
    ];
    for (of_volume, of_item, owner) in rows {
        for_each_kind(|node, kind| {
            let keys = match &of_item {
                Some(user) => json!({"items": [{"key": "one", "path": "one", "user": user}]}),
                None => json!({}),
            };
            let spec = kind.spec(keys, json!({"defaultUser": of_volume}));
            let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
            assert_eq!(names(&path).len(), if of_item.is_some() { 1 } else { 3 });
            for name in names(&path) {
                assert_eq!(of(&path.join(name)), (owner, 0, 0o644), "{spec:?}");
            }
        });
        as_root(|| {
            let node = node();
            let field = json!({"fieldPath": "metadata.name"});
            let item = json!({"path": "name", "fieldRef": field, "user": of_item});
            let source = json!({"defaultUser": of_volume, "items": [item]});
            let plain = volume(json!({"name": "files", "downwardAPI": source}));
            let sources = json!([{"downwardAPI": {"items": [item]}}]);
            let projected = json!({"defaultUser": of_volume, "sources": sources});
            let projected = volume(json!({"name": "files", "projected": projected}));
            for (spec, plugin) in [(plain, DOWNWARD_API), (projected, PROJECTED)] {
                let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
                assert_eq!(of(&path.join("name")), (owner, 0, 0o644), "{spec:?}");
                node.tear_down(plugin, "files").unwrap();
            }
        });
    }
}

#[test]
fn an_absent_key_is_an_error_unless_it_is_optional() {
    for_each_kind(|node, kind| {
        let item = |key: &str| json!({"key": key, "path": key});
        let keys = |optional| {
            let items = ["one", "two", "three", "missing"].map(item);
            kind.spec(json!({"items": items, "optional": optional}), json!({}))
        };
        let error = failed(node.set_up(&keys(json!(false)), &pod(json!({})), &no_args()));
        assert!(error.contains("\"missing\" of "), "{error}");
        assert!(
            !node
                .mounter(&keys(Value::Null), &pod(json!({})))
                .unwrap()
                .path()
                .exists()
        );
        node.tear_down(kind.plugin, "files").unwrap();
        node.assert_clean();

        let spec = keys(json!(true));
        let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        assert_eq!(names(&path), ["one", "three", "two"]);
        assert_eq!(fs::read_to_string(path.join("two")).unwrap(), "2");
        node.mounter(&spec, &pod(json!({})))
            .unwrap()
            .metrics()
            .unwrap();
    });
}

/// Users read the files through `..data`, so it is there without files too.
#[test]
fn an_absent_optional_object_has_no_files() {
    for_each_kind(|node, kind| {
        let spec = kind.spec(json!({"name": "absent", "optional": true}), json!({}));
        let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        let data = fs::read_link(path.join("..data")).unwrap();
        assert_eq!(fs::read_dir(path.join(&data)).unwrap().count(), 0);
        let all = fs::read_dir(&path).unwrap();
        let mut all: Vec<_> = all
            .map(|entry| PathBuf::from(entry.unwrap().file_name()))
            .collect();
        all.sort();
        assert_eq!(all, [data, PathBuf::from("..data")]);
    });
}

#[test]
fn directories_are_those_of_a_kubelet() {
    for_each_kind(|node, kind| {
        let spec = kind.spec(json!({}), json!({}));
        let path = node.set_up(&spec, &pod(json!({})), &group(3000)).unwrap();
        let of_pod = node.host.root().join("pods").join(UID);
        assert_eq!(path, of_pod.join("volumes").join(kind.folder).join("files"));
        assert_eq!(of(&path.join("one")), (0, 3000, 0o644));
        // The directory of the emptyDir beneath.
        assert!(
            of_pod
                .join("plugins/kubernetes.io~empty-dir/wrapped_files")
                .is_dir()
        );
        let metrics = node
            .mounter(&spec, &pod(json!({})))
            .unwrap()
            .metrics()
            .unwrap();
        assert!(
            metrics.used.unwrap() > 0 && metrics.inodes_used.unwrap() >= 5,
            "{metrics:?}"
        );
    });
}

/// The marker of an earlier run is there, and what was mounted or made is not.
#[test]
fn files_are_written_again_after_a_restart_of_the_node() {
    for_each_kind(|node, kind| {
        let spec = kind.spec(json!({}), json!({}));
        let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        let ready = "plugins/kubernetes.io~empty-dir/wrapped_files/ready";
        assert!(
            node.host
                .root()
                .join("pods")
                .join(UID)
                .join(ready)
                .is_file()
        );
        for removed in [false, true] {
            for mount in node.mounts() {
                unmount(&mount);
            }
            if removed {
                fs::remove_dir_all(&path).unwrap();
            }
            node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
            assert_eq!(names(&path), ["one", "three", "two"]);
            assert_eq!(node.mounts().len(), usize::from(kind.plugin != CONFIG_MAP));
        }
    });
}
