//! ConfigMaps and Secrets.

use std::fs;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubernetes_volume::Error;
use kubernetes_volume::plugins::{CONFIG_MAP, SECRET};
use root_tests::as_root;
use serde_json::{Value, json};

use super::{Node, failed, group, names, no_args, of, pod, volume};

fn config_map(data: Value) -> ConfigMap {
    serde_json::from_value(json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "shop"},
        "data": data, "binaryData": {"logo": "AAEC"},
    }))
    .unwrap()
}

fn node(data: Value) -> Node {
    Node::with(|host| host.config_map_objects([config_map(data)]))
}

fn settings(rest: Value) -> kubernetes_volume::Spec {
    let mut source = json!({"name": "settings"});
    super::merge(&mut source, rest);
    volume(json!({"name": "files", "configMap": source}))
}

#[test]
fn files_of_all_keys() {
    let node = node(json!({"color": "blue", "size": "3"}));
    let pod = pod(json!({}));
    for _ in 0..2 {
        let path = node.set_up(&settings(json!({})), &pod, &no_args()).unwrap();
        assert_eq!(names(&path), ["color", "logo", "size"]);
        assert_eq!(fs::read_to_string(path.join("color")).unwrap(), "blue");
        assert_eq!(fs::read(path.join("logo")).unwrap(), [0, 1, 2]);
        assert_eq!(of(&path.join("color")).2, 0o644);
    }
    let mounter = node.mounter(&settings(json!({})), &pod).unwrap();
    let attributes = mounter.attributes();
    assert!(attributes.managed && attributes.read_only && attributes.selinux_relabel);
    // Measured once, whatever is written later.
    let metrics = mounter.metrics().unwrap();
    assert!(
        metrics.used.unwrap() > 0 && metrics.inodes_used.unwrap() >= 8,
        "{metrics:?}"
    );
    fs::write(mounter.path().join("more"), vec![1; 100_000]).unwrap();
    assert_eq!(mounter.metrics().unwrap(), metrics);
    let plugin = node.manager.find_plugin_by_name(CONFIG_MAP).unwrap();
    assert!(plugin.requires_remount(&settings(json!({}))));
    for _ in 0..2 {
        node.tear_down(CONFIG_MAP, "files").unwrap();
    }
    node.assert_clean();
}

#[test]
fn items_have_paths_and_modes() {
    let node = node(json!({"color": "blue", "size": "3"}));
    let items = json!({"defaultMode": 0o400, "items": [
        {"key": "color", "path": "look/color"},
        {"key": "size", "path": "look/size", "mode": 0o640},
        {"key": "logo", "path": "logo"},
    ]});
    let path = node
        .set_up(&settings(items), &pod(json!({})), &no_args())
        .unwrap();
    assert_eq!(names(&path), ["logo", "look"]);
    assert_eq!(of(&path.join("look/color")).2, 0o400);
    assert_eq!(of(&path.join("look/size")).2, 0o640);
    node.tear_down(CONFIG_MAP, "files").unwrap();
    node.assert_clean();
}

/// | | missing object | missing key |
#[test]
fn optional_objects_and_keys() {
    let missing_key = json!({"items": [
        {"key": "absent", "path": "absent"}, {"key": "color", "path": "color"},
    ]});
    for (source, optional, expected) in [
        (
            json!({"name": "absent"}),
            false,
            Err("configmap \"shop/absent\" not found"),
        ),
        (json!({"name": "absent"}), true, Ok(vec![])),
        (
            missing_key.clone(),
            false,
            Err("\"absent\" of configmap shop/settings does not exist"),
        ),
        (missing_key, true, Ok(vec!["color"])),
    ] {
        let node = node(json!({"color": "blue"}));
        let mut source = source;
        source["optional"] = json!(optional);
        let set_up = node.set_up(&settings(source), &pod(json!({})), &no_args());
        match expected {
            Ok(expected) => {
                assert_eq!(names(&set_up.unwrap()), expected);
                node.tear_down(CONFIG_MAP, "files").unwrap();
            }
            Err(expected) => {
                let error = failed(set_up);
                assert!(error.contains(expected), "{error}");
            }
        }
        node.assert_clean();
    }
}

/// A host that can't be asked isn't the same as an absent object.
#[test]
fn other_errors_are_not_optional() {
    let node = Node::with(|host| host.config_maps(|_, _| Err(Error::other("the server is away"))));
    let error = failed(node.set_up(
        &settings(json!({"optional": true})),
        &pod(json!({})),
        &no_args(),
    ));
    assert_eq!(error, "the server is away");
    node.assert_clean();
}

#[test]
fn changes_all_at_once() {
    let shared = Arc::new(Mutex::new(config_map(json!({"a": "1", "b": "1"}))));
    let current = shared.clone();
    let node = Node::with(|host| {
        host.config_maps(move |_, _| Ok(Arc::new(current.lock().unwrap().clone())))
    });
    let pod = pod(json!({}));
    let path = node.set_up(&settings(json!({})), &pod, &no_args()).unwrap();
    let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (reader, stop) = (path.clone(), done.clone());
        let reads = scope.spawn(move || {
            let mut reads = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                // A program that wants both of one time resolves the link once.
                let Ok(data) = fs::canonicalize(reader.join("..data")) else {
                    continue;
                };
                let a = fs::read_to_string(data.join("a"));
                let b = fs::read_to_string(data.join("b"));
                if let (Ok(a), Ok(b)) = (a, b) {
                    assert_eq!(a, b);
                    reads += 1;
                }
            }
            reads
        });
        for version in 2..60 {
            let text = version.to_string();
            *shared.lock().unwrap() = config_map(json!({"a": text, "b": text}));
            node.set_up(&settings(json!({})), &pod, &no_args()).unwrap();
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        let _ = reads.join().unwrap();
    });
    assert_eq!(fs::read_to_string(path.join("a")).unwrap(), "59");
    // A key that goes takes its file along; an update that fails changes nothing.
    *shared.lock().unwrap() = config_map(json!({"b": "60"}));
    node.set_up(&settings(json!({})), &pod, &no_args()).unwrap();
    assert_eq!(names(&path), ["b", "logo"]);
    *shared.lock().unwrap() = config_map(json!({"../out": "61"}));
    failed(node.set_up(&settings(json!({})), &pod, &no_args()));
    assert_eq!(fs::read_to_string(path.join("b")).unwrap(), "60");
    node.tear_down(CONFIG_MAP, "files").unwrap();
    node.assert_clean();
}

#[test]
fn secrets_are_in_memory() {
    as_root(|| {
        let secret: Secret = serde_json::from_value(json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "login", "namespace": "shop"},
            "data": {"password": "ZXhhbXBsZQ=="},
        }))
        .unwrap();
        let node = Node::with(|host| host.secret_objects([secret]));
        let spec = volume(json!({"name": "login", "secret": {
            "secretName": "login", "defaultMode": 0o400,
        }}));
        for _ in 0..2 {
            let path = node.set_up(&spec, &pod(json!({})), &group(3000)).unwrap();
            assert_eq!(node.mounts(), std::slice::from_ref(&path));
            assert_eq!(
                fs::read_to_string(path.join("password")).unwrap(),
                "example"
            );
            assert_eq!(of(&path.join("password")), (0, 3000, 0o440));
        }
        for _ in 0..2 {
            node.tear_down(SECRET, "login").unwrap();
        }
        node.assert_clean();
        let absent = volume(json!({"name": "login", "secret": {"secretName": "absent"}}));
        let error = failed(node.set_up(&absent, &pod(json!({})), &no_args()));
        assert!(
            error.contains("secret \"shop/absent\" not found"),
            "{error}"
        );
        node.assert_clean();
    });
}

/// Containers mount other volumes inside of this one, which is read-only there.
#[test]
fn makes_mount_points_inside() {
    let node = node(json!({"color": "blue"}));
    let mounts = |inside: &str| {
        pod(
            json!({"spec": {"containers": [{"name": "main", "volumeMounts": [
                {"name": "files", "mountPath": "/etc/web"},
                {"name": "scratch", "mountPath": inside},
                {"name": "other", "mountPath": "/etc/web/a/b/below"},
                {"name": "other", "mountPath": "/etc/website"},
            ]}]}}),
        )
    };
    let path = node
        .set_up(&settings(json!({})), &mounts("/etc/web/a/b"), &no_args())
        .unwrap();
    assert_eq!(names(&path), ["a", "color", "logo"]);
    assert_eq!(names(&path.join("a/b")), Vec::<String>::new());
    node.tear_down(CONFIG_MAP, "files").unwrap();
    // A runtime mounts it elsewhere.
    let path = node
        .set_up(
            &settings(json!({})),
            &mounts("/etc/web/../../x"),
            &no_args(),
        )
        .unwrap();
    assert_eq!(names(&path.join("a/b/below")), Vec::<String>::new());
    node.tear_down(CONFIG_MAP, "files").unwrap();
    node.assert_clean();
}

/// One container mounts inside of another volume what another one mounts inside of this one.
#[test]
fn makes_the_mount_points_of_each_container() {
    type Mounts = &'static [(&'static str, &'static str)];
    let rows: [(&[Mounts], &[&str], &[&str]); 9] = [
        (
            &[
                &[("files", "/dir"), ("one", "/dir/nested")],
                &[("files", "/dir"), ("one", "/dir/nested/other")],
            ],
            &["nested/other"],
            &[],
        ),
        (
            &[&[("files", "/dir"), ("one", "/dir/a"), ("two", "/dir/a/b")]],
            &["a"],
            &["a/b"],
        ),
        (
            &[&[("files", "/dir"), ("one", "/dir/a-b"), ("two", "/dir/a/b")]],
            &["a-b", "a/b"],
            &[],
        ),
        (
            &[&[
                ("files", "/one"),
                ("files", "/two"),
                ("one", "/one/a"),
                ("one", "/two/b"),
            ]],
            &["a", "b"],
            &[],
        ),
        (
            &[&[("files", "/dir/./x/.."), ("one", "/dir//c/")]],
            &["c"],
            &[],
        ),
        (&[&[("one", "/dir/a")], &[("files", "/dir")]], &[], &["a"]),
        (&[&[("files", "/dir")]], &[], &["dir"]),
        (
            &[&[
                ("one", "/dir/nested/double"),
                ("two", "/ignore"),
                ("one", "/dir/nested"),
                ("files", "/dir"),
                ("one", "/dir/nested-vol"),
                ("one", "/dir/nested.vol"),
                ("one", "/dir/nested2/double"),
                ("one", "/dir/nested2"),
            ]],
            &["nested", "nested2", "nested-vol", "nested.vol"],
            &["nested/double", "nested2/double", "ignore"],
        ),
        (
            &[
                &[
                    ("files", "/mnt/dir"),
                    ("one", "/mnt/dir_x"),
                    ("one", "/mnt/dir/sub"),
                ],
                &[
                    ("files", "/mnt"),
                    ("one", "/mnt/a/b/c"),
                    ("one", "/mnt/a/b/d"),
                    ("two", "/mnt/a/b/d/skip"),
                    ("two", "/mnt/a/b/d/skip2"),
                ],
            ],
            &["sub", "a/b/c", "a/b/d"],
            &["dir_x", "a/b/d/skip", "a/b/d/skip2"],
        ),
    ];
    for (containers, made, absent) in rows {
        let node = node(json!({"color": "blue"}));
        let container = |mounts: &Mounts| {
            let mount = |(name, path): &(&str, &str)| json!({"name": name, "mountPath": path});
            json!({"name": "c", "volumeMounts": mounts.iter().map(mount).collect::<Vec<_>>()})
        };
        let mut containers: Vec<_> = containers.iter().map(container).collect();
        // Those of init containers count as well.
        let init: Vec<_> = containers.drain(..containers.len() - 1).collect();
        let spec = pod(json!({"spec": {"initContainers": init, "containers": containers}}));
        let path = node
            .set_up(&settings(json!({})), &spec, &no_args())
            .unwrap();
        for dir in made {
            assert!(path.join(dir).is_dir(), "{dir} of {spec:?}");
        }
        for dir in absent {
            assert!(!path.join(dir).exists(), "{dir} of {spec:?}");
        }
        node.tear_down(CONFIG_MAP, "files").unwrap();
    }
    // Not out of the container.
    for wrong in ["../dir", "dir/../../other"] {
        let node = node(json!({"color": "blue"}));
        let mounts = json!([{"name": "files", "mountPath": wrong}]);
        let spec = pod(json!({"spec": {"containers": [{"name": "c", "volumeMounts": mounts}]}}));
        let error = failed(node.set_up(&settings(json!({})), &spec, &no_args()));
        assert!(error.contains("begins with `..`"), "{error}");
        node.assert_clean();
    }
}
