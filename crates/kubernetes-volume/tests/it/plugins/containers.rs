//! The mounts of a Pod's containers.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubernetes_volume::containers::{
    ContainerMount, MountedVolume, Propagation, container_names, fs_user, mounts, used_volumes,
};
use root_tests::as_root;

use super::*;

/// A container `main` with these mounts of the volume `data`, and other fields.
fn with_mounts(volume_mounts: &Value, rest: &Value) -> Pod {
    let mut container = json!({"name": "main", "volumeMounts": volume_mounts});
    merge(&mut container, rest.clone());
    pod(json!({"spec": {"containers": [container], "nodeName": "node-1"}}))
}

/// A node with an emptyDir `data`, and the mounts of the container.
struct World {
    node: Node,
    volumes: BTreeMap<String, MountedVolume>,
}

impl World {
    fn new() -> Self {
        let object = |kind: &str, name: &str| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"}});
        let mut map = object("ConfigMap", "settings");
        map["data"] = json!({"key": "from-map", "other": "x"});
        let map: ConfigMap = serde_json::from_value(map).unwrap();
        let mut secret = object("Secret", "login");
        secret["data"] = json!({"key": "ZnJvbS1zZWNyZXQ="});
        let secret: Secret = serde_json::from_value(secret).unwrap();
        let node = Node::with(|host| {
            host.config_map_objects([map])
                .secret_objects([secret])
                .host_ip([192, 0, 2, 7].into())
                .allocatable([("memory", "2Gi"), ("cpu", "4")])
        });
        let spec = volume(json!({"name": "data", "emptyDir": {}}));
        let mounter = node.mounter(&spec, &pod(json!({}))).unwrap();
        mounter.set_up(&no_args()).unwrap();
        let volume = MountedVolume::new(spec.name(), &*mounter);
        let volumes = BTreeMap::from([("data".to_owned(), volume)]);
        Self { node, volumes }
    }

    fn mounts(&self, volume_mounts: &Value, rest: &Value) -> Result<Vec<ContainerMount>> {
        let pod = with_mounts(volume_mounts, rest);
        mounts(&*self.node.host, &pod, "main", &self.volumes)
    }

    /// The part of the volume that `subPathExpr` becomes.
    fn part(&self, expression: &str, rest: &Value) -> Result<String> {
        let mount = json!([{"name": "data", "mountPath": "/m", "subPathExpr": expression}]);
        let mounts = self.mounts(&mount, rest)?;
        let at = &mounts[0].host_path;
        let info = read_mount_info().unwrap();
        let found = info.iter().rev().find(|mount| mount.mount_point == *at);
        let Some(found) = found else {
            // All of the volume.
            assert_eq!(*at, self.volumes["data"].path);
            return Ok(String::new());
        };
        let root = found.root.to_str().unwrap().to_owned();
        let (_, part) = root.split_once("/data/").unwrap_or((&root, ""));
        let part = part.to_owned();
        self.node.host.clean_subpaths(UID).unwrap();
        Ok(part)
    }
}

#[test]
fn fields_of_a_mount_are_those_of_the_runtime() {
    let world = World::new();
    let host_path = world.volumes["data"].path.clone();
    let mounted = |rest: &Value| {
        let mut mount = json!({"name": "data", "mountPath": "/m"});
        merge(&mut mount, rest.clone());
        world
            .mounts(&json!([mount]), &json!({}))
            .map(|mut mounts| mounts.remove(0))
    };
    let plain = ContainerMount {
        volume_name: "data".to_owned(),
        container_path: "/m".into(),
        host_path,
        image: None,
        read_only: false,
        recursive_read_only: false,
        selinux_relabel: true,
        propagation: Propagation::Private,
    };
    assert_eq!(mounted(&json!({})).unwrap(), plain);
    for (rest, expected) in [
        (
            json!({"readOnly": true}),
            ContainerMount {
                read_only: true,
                ..plain.clone()
            },
        ),
        (
            json!({"readOnly": true, "recursiveReadOnly": "IfPossible"}),
            ContainerMount {
                read_only: true,
                recursive_read_only: true,
                ..plain.clone()
            },
        ),
        (
            json!({"recursiveReadOnly": "Disabled", "mountPropagation": "None"}),
            plain.clone(),
        ),
        (
            json!({"mountPropagation": "HostToContainer"}),
            ContainerMount {
                propagation: Propagation::HostToContainer,
                ..plain.clone()
            },
        ),
        (
            json!({"mountPropagation": "Bidirectional"}),
            ContainerMount {
                propagation: Propagation::Bidirectional,
                ..plain.clone()
            },
        ),
        // A relative path begins at the root, and only such a one becomes simple.
        (
            json!({"mountPath": "a/./b//../c"}),
            ContainerMount {
                container_path: "/a/c".into(),
                ..plain.clone()
            },
        ),
        (
            json!({"mountPath": "../../a"}),
            ContainerMount {
                container_path: "/a".into(),
                ..plain.clone()
            },
        ),
    ] {
        assert_eq!(mounted(&rest).unwrap(), expected, "{rest}");
    }
    let absolute = mounted(&json!({"mountPath": "/a/./b//c"})).unwrap();
    assert_eq!(absolute.container_path.to_str(), Some("/a/./b//c"));
    for (rest, expected) in [
        (
            json!({"name": "other"}),
            "the volume \"other\" of the container \"main\" is not mounted",
        ),
        (
            json!({"mountPropagation": "Slave"}),
            "mountPropagation \"Slave\" must be",
        ),
        (json!({"recursiveReadOnly": "Enabled"}), "needs readOnly"),
        (
            json!({"recursiveReadOnly": "Yes"}),
            "recursiveReadOnly \"Yes\" must be",
        ),
        (
            json!({"readOnly": true, "recursiveReadOnly": "Enabled", "mountPropagation": "HostToContainer"}),
            "can't have mountPropagation",
        ),
        (
            json!({"subPath": "../up"}),
            "must be a relative path without `..`",
        ),
        (
            json!({"subPath": "/etc"}),
            "must be a relative path without `..`",
        ),
        (
            json!({"subPathExpr": "a/../b"}),
            "must be a relative path without `..`",
        ),
    ] {
        let error = failed(mounted(&rest));
        assert!(error.contains(expected), "{rest}: {error}");
    }
    let pod = with_mounts(&json!([]), &json!({}));
    let error = failed(mounts(&*world.node.host, &pod, "none", &world.volumes));
    assert_eq!(error, "the Pod has no container \"none\"");
}

#[test]
fn a_volume_that_is_read_only_is_so_for_containers() {
    let mut world = World::new();
    world.volumes.get_mut("data").unwrap().attributes.read_only = true;
    let mount = json!([{"name": "data", "mountPath": "/m", "readOnly": false}]);
    assert!(world.mounts(&mount, &json!({})).unwrap()[0].read_only);
}

#[test]
fn parts_are_made_with_the_mode_of_the_volume() {
    as_root(|| {
        let world = World::new();
        let volume = world.volumes["data"].path.clone();
        fs::set_permissions(&volume, fs::Permissions::from_mode(0o1770)).unwrap();
        fs::write(volume.join("file"), "content").unwrap();
        let mounts = json!([
            {"name": "data", "mountPath": "/new", "subPath": "new/er"},
            {"name": "data", "mountPath": "/file", "subPath": "./file"},
        ]);
        let parts = world
            .node
            .host
            .root()
            .join("pods")
            .join(UID)
            .join("volume-subpaths/data/main");
        for _ in 0..2 {
            let mounts = world.mounts(&mounts, &json!({})).unwrap();
            assert_eq!(mounts[0].host_path, parts.join("0"));
            assert_eq!(mounts[1].host_path, parts.join("1"));
            assert_eq!(of(&volume.join("new/er")).2, 0o1770);
            assert_eq!(fs::read_to_string(parts.join("1")).unwrap(), "content");
        }
        world.node.host.clean_subpaths(UID).unwrap();
        assert!(!parts.exists());
        assert_eq!(world.node.mounts(), Vec::<PathBuf>::new());
    });
}

/// As a kubelet expands it.
#[test]
fn expressions_name_parts() {
    as_root(|| {
        let world = World::new();
        let env = json!({"env": [
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "A", "value": "a"},
            {"name": "B", "value": "b-$(A)-$(LATER)"},
            {"name": "LATER", "value": "later"},
            {"name": "EMPTY"},
        ]});
        for (expression, expected) in [
            ("a", "a"),
            ("$(A)", "a"),
            ("x/$(A)/$(POD)$(A)z", "x/a/webaz"),
            ("$(B)", "b-a-$(LATER)"),
            ("$$(A)", "$(A)"),
            ("$$$(A)", "$a"),
            ("$A$", "$A$"),
            ("$(A", "$(A"),
            ("ü$(A)ä", "üaä"),
            ("$$", "$"),
            ("", ""),
        ] {
            assert_eq!(
                world.part(expression, &env).unwrap(),
                expected,
                "{expression}"
            );
        }
        for (expression, missing) in [
            ("$(NONE)", "NONE"),
            ("$(EMPTY)", "EMPTY"),
            ("$(Z)$(A)$(Y)$(Z)", "Y, Z"),
            ("$()", ""),
        ] {
            let error = failed(world.part(expression, &env));
            let expected = format!("subPathExpr {expression:?} needs values for {missing}");
            assert_eq!(error, expected);
        }
    });
}

#[test]
fn variables_have_all_their_sources() {
    as_root(|| {
        let world = World::new();
        let value = |source: Value| {
            let env = json!({"env": [{"name": "A", "valueFrom": source}]});
            world.part("$(A)", &env)
        };
        for (source, expected) in [
            (
                json!({"fieldRef": {"fieldPath": "metadata.namespace"}}),
                "shop",
            ),
            (json!({"fieldRef": {"fieldPath": "metadata.uid"}}), UID),
            (
                json!({"fieldRef": {"fieldPath": "spec.nodeName"}}),
                "node-1",
            ),
            (
                json!({"fieldRef": {"fieldPath": "status.hostIP"}}),
                "192.0.2.7",
            ),
            (json!({"resourceFieldRef": {"resource": "limits.cpu"}}), "4"),
            (
                json!({"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}),
                "2048",
            ),
            (
                json!({"configMapKeyRef": {"name": "settings", "key": "key"}}),
                "from-map",
            ),
            (
                json!({"secretKeyRef": {"name": "login", "key": "key"}}),
                "from-secret",
            ),
        ] {
            assert_eq!(value(source.clone()).unwrap(), expected, "{source}");
        }
        for (source, expected) in [
            (
                json!({"configMapKeyRef": {"name": "settings", "key": "none"}}),
                "needs the key \"none\" in configmap shop/settings",
            ),
            (
                json!({"secretKeyRef": {"name": "login", "key": "none"}}),
                "needs the key \"none\" in secret shop/login",
            ),
            (
                json!({"configMapKeyRef": {"name": "none", "key": "key"}}),
                "configmap \"shop/none\" not found",
            ),
            (
                json!({"secretKeyRef": {"name": "login", "key": "none", "optional": true}}),
                "needs values for A",
            ),
            (
                json!({"secretKeyRef": {"name": "none", "key": "key", "optional": true}}),
                "needs values for A",
            ),
            (
                json!({"fieldRef": {"fieldPath": "status.podIP"}}),
                "is not supported",
            ),
            (
                json!({}),
                "the source of the variable \"A\" is not supported",
            ),
        ] {
            let error = failed(value(source.clone()));
            assert!(error.contains(expected), "{source}: {error}");
        }
        let from = |sources: Value, expression: &str| {
            let rest = json!({"envFrom": sources, "env": [{"name": "other", "value": "own"}]});
            world.part(expression, &rest)
        };
        let map = json!({"configMapRef": {"name": "settings"}, "prefix": "MAP_"});
        let secret = json!({"secretRef": {"name": "login"}});
        let both = from(json!([map, secret]), "$(MAP_key)-$(key)-$(MAP_other)").unwrap();
        assert_eq!(both, "from-map-from-secret-x");
        let plain = json!([{"configMapRef": {"name": "settings"}}]);
        assert_eq!(from(plain, "$(other)").unwrap(), "own");
        let absent = json!({"configMapRef": {"name": "none", "optional": true}});
        assert_eq!(from(json!([absent]), "plain").unwrap(), "plain");
        let absent = json!({"secretRef": {"name": "none"}});
        assert!(failed(from(json!([absent]), "plain")).contains("secret \"shop/none\" not found"));
    });
}

#[test]
fn a_kubelet_mounts_what_containers_of_any_kind_use() {
    let mount = |name: &str| json!([{"name": name, "mountPath": "/m"}]);
    let pod = pod(json!({"spec": {
        "containers": [
            {"name": "main", "volumeMounts": mount("a")},
            {"name": "again", "volumeMounts": mount("a")},
            {"name": "side", "volumeDevices": [{"name": "block", "devicePath": "/dev/x"}]},
        ],
        "initContainers": [{"name": "init", "volumeMounts": mount("b")}],
        "ephemeralContainers": [{"name": "debug", "volumeMounts": mount("c")}],
        "volumes": [{"name": "unused", "emptyDir": {}}],
    }}));
    assert_eq!(
        used_volumes(&pod).into_iter().collect::<Vec<_>>(),
        ["a", "b", "block", "c"]
    );
    let names: Vec<_> = container_names(&pod).collect();
    assert_eq!(names, ["init", "main", "again", "side", "debug"]);
    let none = super::pod(json!({}));
    assert_eq!(
        (used_volumes(&none).len(), container_names(&none).count()),
        (0, 1)
    );
}

/// | the Pod | init containers | containers | ephemeral containers | all |
#[test]
fn a_user_of_all_containers_owns_the_tokens() {
    type Users = &'static [Option<i64>];
    type Row = (Option<i64>, Users, Users, Users, Option<i64>);
    let rows: [Row; 9] = [
        (None, &[], &[None], &[], None),
        (None, &[], &[None, None], &[], None),
        (None, &[], &[Some(1000), None], &[], None),
        (None, &[Some(999)], &[Some(1000)], &[Some(1001)], None),
        (None, &[Some(1000)], &[Some(1000)], &[Some(1001)], None),
        (
            None,
            &[Some(1000)],
            &[Some(1000), Some(1000)],
            &[],
            Some(1000),
        ),
        (
            None,
            &[Some(1000)],
            &[Some(1000)],
            &[Some(1000)],
            Some(1000),
        ),
        (
            Some(1000),
            &[None],
            &[Some(1000), None],
            &[None],
            Some(1000),
        ),
        (Some(999), &[], &[Some(1000), None], &[], None),
    ];
    for (of_pod, init, containers, ephemeral, expected) in rows {
        let container =
            |user: &Option<i64>| json!({"name": "c", "securityContext": {"runAsUser": user}});
        let all = |users: Users| users.iter().map(container).collect::<Vec<_>>();
        let spec = json!({
            "securityContext": {"runAsUser": of_pod},
            "initContainers": all(init),
            "containers": all(containers),
            "ephemeralContainers": all(ephemeral),
        });
        assert_eq!(
            fs_user(&super::pod(json!({"spec": spec}))),
            expected,
            "{spec}"
        );
    }
}

/// Once for each volume of a container, if its files are Kubernetes' and have no label yet.
#[test]
fn a_runtime_labels_files_once() {
    let mut world = World::new();
    let mounts = json!([
        {"name": "data", "mountPath": "/a"},
        {"name": "data", "mountPath": "/b", "readOnly": true},
    ]);
    let labels = |world: &World| {
        let mounts = world.mounts(&mounts, &json!({})).unwrap();
        let labels = mounts.iter().map(|mount| mount.selinux_relabel);
        labels.collect::<Vec<_>>()
    };
    assert_eq!(labels(&world), [true, false]);
    assert_eq!(labels(&world), [true, false]);
    let changes: [fn(&mut MountedVolume); 3] = [
        |volume| volume.selinux_labeled = true,
        |volume| volume.attributes.managed = false,
        |volume| volume.attributes.selinux_relabel = false,
    ];
    let before = world.volumes["data"].clone();
    for change in changes {
        let volume = world.volumes.get_mut("data").unwrap();
        *volume = before.clone();
        change(volume);
        assert_eq!(labels(&world), [false, false]);
    }
}
