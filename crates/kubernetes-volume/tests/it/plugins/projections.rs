use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubernetes_volume::mount::{Noswap, read_mount_info};
use kubernetes_volume::plugins::PROJECTED;
use kubernetes_volume::{Error, MounterArgs};
use root_tests::as_root;
use serde_json::{Value, json};

use super::{Node, UID, failed, names, no_args, of, pod, torn_down, volume};

type Requests = Arc<Mutex<Vec<(String, Value)>>>;

fn node() -> (Node, Requests) {
    let requests = Requests::default();
    let asked = requests.clone();
    let object = |kind: &str, name: &str, data: Value| {
        json!({
            "apiVersion": "v1", "kind": kind,
            "metadata": {"name": name, "namespace": "shop"}, "data": data,
        })
    };
    let map: ConfigMap =
        serde_json::from_value(object("ConfigMap", "settings", json!({"color": "blue"}))).unwrap();
    let secret: Secret =
        serde_json::from_value(object("Secret", "login", json!({"password": "eA=="}))).unwrap();
    let node = Node::with(|host| {
        host.config_map_objects([map])
            .secret_objects([secret])
            .tokens(move |namespace, name, request| {
                let mut answer = serde_json::to_value(request).unwrap();
                asked
                    .lock()
                    .unwrap()
                    .push((format!("{namespace}/{name}"), answer.clone()));
                answer["status"] =
                    json!({"token": "abc", "expirationTimestamp": "2030-01-01T00:00:00Z"});
                Ok(serde_json::from_value::<TokenRequest>(answer).unwrap())
            })
    });
    (node, requests)
}

fn sources(sources: Value) -> kubernetes_volume::Spec {
    volume(json!({"name": "all", "projected": {"sources": sources}}))
}

fn web() -> Pod {
    pod(json!({"spec": {"serviceAccountName": "seller"}}))
}

#[test]
fn all_sources() {
    as_root(|| {
        let (node, requests) = node();
        let spec = sources(json!([
            {"secret": {"name": "login", "items": [
                {"key": "password", "path": "login/password", "mode": 0o400},
            ]}},
            {"configMap": {"name": "settings"}},
            {"downwardAPI": {"items": [
                {"path": "pod/name", "fieldRef": {"fieldPath": "metadata.name"}},
            ]}},
            {"serviceAccountToken": {"path": "token", "audience": "api", "expirationSeconds": 600}},
            {"secret": {"name": "absent", "optional": true}},
            {"configMap": {"name": "absent", "optional": true}},
        ]));
        for _ in 0..2 {
            let path = node.set_up(&spec, &web(), &no_args()).unwrap();
            assert_eq!(names(&path), ["color", "login", "pod", "token"]);
            assert_eq!(fs::read_to_string(path.join("token")).unwrap(), "abc");
            assert_eq!(of(&path.join("token")).2, 0o644);
            assert_eq!(of(&path.join("login/password")).2, 0o400);
        }
        let spec = sources(json!([{"serviceAccountToken": {"path": "token"}}]));
        node.set_up(&spec, &web(), &no_args()).unwrap();
        let (_, request) = requests.lock().unwrap().last().unwrap().clone();
        // The server knows its audience; the rest are its defaults.
        assert_eq!(request["spec"]["audiences"], json!([]));
        assert_eq!(request["spec"]["expirationSeconds"], json!(3600));

        let (account, request) = requests.lock().unwrap()[0].clone();
        assert_eq!(account, "shop/seller");
        let expected = json!({
            "audiences": ["api"],
            "expirationSeconds": 600,
            "boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": super::UID},
        });
        assert_eq!(request["spec"], expected);
        for _ in 0..2 {
            node.tear_down(PROJECTED, "all").unwrap();
        }
        node.assert_clean();
    });
}

/// A node whose tokens expire after some seconds, and the number of requests for them. An answer is
/// an error when the switch is on.
fn expiring(seconds: i64) -> (Node, Arc<Mutex<Vec<String>>>, Arc<AtomicBool>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let fails = Arc::new(AtomicBool::new(false));
    let (requests, broken) = (asked.clone(), fails.clone());
    let node = Node::with(|host| {
        host.tokens(move |_, name, request| {
            let mut requests = requests.lock().unwrap();
            requests.push(name.to_owned());
            if broken.load(Ordering::Relaxed) {
                return Err(Error::invalid("the server is away"));
            }
            let expires = Timestamp::now();
            let expires = expires + SignedDuration::from_secs(seconds);
            let mut answer = serde_json::to_value(request).unwrap();
            let token = format!("token-{}", requests.len());
            answer["status"] = json!({"token": token, "expirationTimestamp": expires.to_string()});
            Ok(serde_json::from_value::<TokenRequest>(answer).unwrap())
        })
    });
    (node, asked, fails)
}

/// As by a kubelet: when a fifth of the lifetime is left, which is an hour by default.
#[test]
fn tokens_are_asked_for_again_when_they_are_due() {
    as_root(|| {
        let source = |seconds: Value| {
            sources(
                json!([{"serviceAccountToken": {"path": "token", "expirationSeconds": seconds}}]),
            )
        };
        let hour = source(Value::Null);
        for (left, expected) in [(3600, 1), (800, 1), (700, 3), (0, 3), (-10, 3), (90_000, 3)] {
            // A day is the longest, however long a token lives.
            let asked_for = if left > 3600 {
                200_000.into()
            } else {
                Value::Null
            };
            let (node, asked, _) = expiring(left);
            for _ in 0..3 {
                node.set_up(&source(asked_for.clone()), &web(), &no_args())
                    .unwrap();
            }
            assert_eq!(asked.lock().unwrap().len(), expected, "{left} s left");
        }

        let (node, asked, fails) = expiring(700);
        let read = || {
            let path = node.set_up(&hour, &web(), &no_args())?;
            Ok::<_, Error>(fs::read_to_string(path.join("token")).unwrap())
        };
        assert_eq!(read().unwrap(), "token-1");
        // It is due, and good as long as no other comes.
        fails.store(true, Ordering::Relaxed);
        assert_eq!(read().unwrap(), "token-1");
        assert_eq!(asked.lock().unwrap().len(), 2);
        fails.store(false, Ordering::Relaxed);
        assert_eq!(read().unwrap(), "token-3");
        let (node, _, fails) = expiring(-10);
        node.set_up(&hour, &web(), &no_args()).unwrap();
        fails.store(true, Ordering::Relaxed);
        let error = failed(node.set_up(&hour, &web(), &no_args()));
        assert!(error.contains("the server is away"), "{error}");

        // Another Pod, account, audience or lifetime is another token, and one that is gone is
        // forgotten.
        let (node, asked, _) = expiring(3600);
        let other_audience = sources(json!([
            {"serviceAccountToken": {"path": "token", "audience": "vault"}},
        ]));
        let other_account = pod(json!({"spec": {"serviceAccountName": "buyer"}}));
        let other_pod =
            pod(json!({"metadata": {"uid": "9b2e"}, "spec": {"serviceAccountName": "seller"}}));
        for _ in 0..2 {
            node.set_up(&hour, &web(), &no_args()).unwrap();
            node.set_up(&other_audience, &web(), &no_args()).unwrap();
            node.set_up(&source(7200.into()), &web(), &no_args())
                .unwrap();
            node.set_up(&hour, &other_account, &no_args()).unwrap();
            node.set_up(&hour, &other_pod, &no_args()).unwrap();
        }
        assert_eq!(asked.lock().unwrap().len(), 5);
        node.tear_down(PROJECTED, "all").unwrap();
        node.set_up(&hour, &web(), &no_args()).unwrap();
        node.set_up(&hour, &other_pod, &no_args()).unwrap();
        assert_eq!(asked.lock().unwrap().len(), 6);
        for uid in [UID, "9b2e"] {
            let plugin = node.manager.find_plugin_by_name(PROJECTED).unwrap();
            torn_down(&*plugin.new_unmounter("all", uid).unwrap()).unwrap();
        }
    });
}

/// | user | group | token | another file |
#[test]
fn owners_of_tokens() {
    as_root(|| {
        let rows = [
            (None, None, (0, 0, 0o644), (0, 0, 0o644)),
            (Some(1000), None, (1000, 0, 0o600), (0, 0, 0o644)),
            (None, Some(3000), (0, 3000, 0o640), (0, 3000, 0o644)),
            (
                Some(1000),
                Some(3000),
                (1000, 3000, 0o640),
                (0, 3000, 0o644),
            ),
        ];
        for (fs_user, fs_group, token, other) in rows {
            let (node, _) = node();
            let spec = sources(json!([
                {"serviceAccountToken": {"path": "token"}}, {"configMap": {"name": "settings"}},
            ]));
            let args = MounterArgs {
                fs_user,
                fs_group,
                ..MounterArgs::default()
            };
            let path = node.set_up(&spec, &web(), &args).unwrap();
            assert_eq!(of(&path.join("token")), token, "{fs_user:?} {fs_group:?}");
            assert_eq!(of(&path.join("color")), other, "{fs_user:?} {fs_group:?}");
            node.tear_down(PROJECTED, "all").unwrap();
        }
    });
}

/// The owner that a specification names makes a token private, as one that the Pod has does.
#[test]
fn tokens_with_an_owner_are_private() {
    as_root(|| {
        let token = |user: Value| json!({"serviceAccountToken": {"path": "token", "user": user}});
        let rows = [
            (token(json!(11)), Value::Null, None, None, (11, 0, 0o600)),
            (token(Value::Null), json!(12), None, None, (12, 0, 0o600)),
            (token(json!(11)), json!(12), None, None, (11, 0, 0o600)),
            (token(json!(0)), Value::Null, None, None, (0, 0, 0o600)),
            (
                token(json!(11)),
                Value::Null,
                None,
                Some(3000),
                (11, 3000, 0o640),
            ),
            // Before the user of the Pod.
            (
                token(Value::Null),
                json!(12),
                Some(10),
                None,
                (12, 0, 0o600),
            ),
            (token(json!(11)), json!(12), Some(10), None, (11, 0, 0o600)),
        ];
        for (source, default_user, fs_user, fs_group, expected) in rows {
            let (node, _) = node();
            let spec = volume(json!({"name": "all", "projected": {
                "defaultUser": default_user, "sources": [source, {"configMap": {"name": "settings"}}],
            }}));
            let args = MounterArgs {
                fs_user,
                fs_group,
                ..MounterArgs::default()
            };
            let path = node.set_up(&spec, &web(), &args).unwrap();
            assert_eq!(of(&path.join("token")), expected, "{spec:?}");
            assert_eq!(of(&path.join("color")).2, 0o644, "{spec:?}");
            let link = fs::symlink_metadata(path.join("token")).unwrap();
            assert_eq!(std::os::unix::fs::MetadataExt::uid(&link), expected.0);
            node.tear_down(PROJECTED, "all").unwrap();
        }
    });
}

/// Secrets are never written to swap space, if the kernel can keep them from it.
#[test]
fn memory_is_not_swapped() {
    as_root(|| {
        let (node, _) = node();
        let specs = [
            sources(json!([{"secret": {"name": "login"}}])),
            volume(json!({"name": "all", "secret": {"secretName": "login"}})),
            volume(json!({"name": "all", "downwardAPI": {}})),
            volume(json!({"name": "all", "emptyDir": {"medium": "Memory"}})),
        ];
        for spec in specs {
            let path = node.set_up(&spec, &web(), &no_args()).unwrap();
            let mounts = read_mount_info().unwrap();
            let mount = mounts.iter().find(|mount| mount.mount_point == path);
            let options = &mount.unwrap().super_options;
            let is_kept = options.iter().any(|option| option == "noswap");
            if Noswap::of_kernel() == Noswap::Supported {
                assert!(is_kept, "{spec:?}: {options:?}");
            }
            assert_eq!(of(&path).2, 0o1777, "{spec:?}");
            let plugin = node.manager.find_plugin_by_spec(&spec).unwrap();
            node.tear_down(plugin.plugin_name(), "all").unwrap();
        }
    });
}

/// As a kubelet, which keeps the files in a map.
#[test]
fn the_last_file_of_a_path_is_written() {
    as_root(|| {
        let secret = json!({"secret": {"name": "login", "items": [
            {"key": "password", "path": "color", "mode": 0o400},
        ]}});
        let map = json!({"configMap": {"name": "settings"}});
        let token = json!({"serviceAccountToken": {"path": "./color"}});
        let rows = [
            (json!([map, secret]), "x", 0o400),
            (json!([secret, map]), "blue", 0o644),
            (json!([secret, map, token]), "abc", 0o644),
            (json!([token, secret, map]), "blue", 0o644),
        ];
        for (all, content, mode) in rows {
            let (node, _) = node();
            let path = node
                .set_up(&sources(all.clone()), &web(), &no_args())
                .unwrap();
            assert_eq!(names(&path), ["color"], "{all}");
            let file = path.join("color");
            assert_eq!(fs::read_to_string(&file).unwrap(), content, "{all}");
            assert_eq!(of(&file).2, mode, "{all}");
            node.tear_down(PROJECTED, "all").unwrap();
        }
    });
}

#[test]
fn wrong_sources() {
    let (node, _) = node();
    let item = |path: &str| json!({"key": "color", "path": path});
    let map = |items: Value| json!({"configMap": {"name": "settings", "items": items}});
    let rows = [
        (
            json!([map(json!([item("a"), item("a/b")]))]),
            "is above or below that of the key \"color\"",
        ),
        (
            json!([map(json!([item("a/b/c"), item("a/b")]))]),
            "is above or below",
        ),
        (json!([map(json!([item("../a")]))]), "has `..`"),
        (json!([map(json!([item("a/../../b")]))]), "has `..`"),
        (json!([map(json!([item("..a")]))]), "begins with `..`"),
        (json!([map(json!([item("/a")]))]), "is absolute"),
        (json!([map(json!([item("")]))]), "is empty"),
        (
            json!([map(json!([{"key": "color", "path": "a", "mode": 0o1000}]))]),
            "mode 0o1000",
        ),
        (
            json!([map(json!([{"key": "absent", "path": "a"}]))]),
            "\"absent\" of configmap",
        ),
        (
            json!([{"secret": {"name": "absent"}}]),
            "secret \"shop/absent\" not found",
        ),
        (json!([{}]), "has 0 fields"),
        (
            json!([{"secret": {"name": "login"}, "configMap": {"name": "settings"}}]),
            "has 2 fields (configMap, secret)",
        ),
    ];
    for (wrong, expected) in rows {
        let set_up = node.set_up(&sources(wrong.clone()), &web(), &no_args());
        let error = failed(set_up);
        assert!(error.contains(expected), "{wrong}: {error}");
        node.assert_clean();
    }
    // A host without tokens.
    let node = Node::new();
    let token = sources(json!([{"serviceAccountToken": {"path": "token"}}]));
    let error = node.set_up(&token, &web(), &no_args()).unwrap_err();
    assert!(matches!(error, Error::NotSupported(_)), "{error:?}");
    node.assert_clean();
}
