use std::fs;

use k8s_openapi::api::core::v1::Pod;
use kubernetes_volume::plugins::DOWNWARD_API;
use root_tests::as_root;
use serde_json::{Value, json};

use super::{Node, failed, group, names, no_args, of, pod, volume};

fn web() -> Pod {
    pod(json!({
        "metadata": {
            "labels": {"app": "web", "tier": "front"},
            "annotations": {"note": "a \"b\"\n\tc\u{7}\u{e9}\u{a0}\\", "Example.com/x": "1"},
        },
        "spec": {
            "initContainers": [{"name": "first", "resources": {"limits": {"cpu": "2"}}}],
            "containers": [{"name": "main", "resources": {
                "requests": {"cpu": "1250m", "memory": "1500", "hugepages-2Mi": "4Mi"},
                "limits": {"memory": "64Mi", "ephemeral-storage": "0", "hugepages-2Mi": "4Mi"},
            }}],
        },
    }))
}

fn node() -> Node {
    Node::with(|host| {
        host.allocatable([
            ("cpu", "3500m"),
            ("memory", "2Gi"),
            ("ephemeral-storage", "10Gi"),
        ])
    })
}

fn items(items: Value) -> kubernetes_volume::Spec {
    volume(json!({"name": "about", "downwardAPI": {"items": items}}))
}

#[test]
fn values() {
    let field = |path: &str| json!({"fieldRef": {"fieldPath": path}});
    let resource = |container: &str, resource: &str, divisor: &str| {
        let mut field = json!({"containerName": container, "resource": resource});
        if !divisor.is_empty() {
            field["divisor"] = json!(divisor);
        }
        json!({"resourceFieldRef": field})
    };
    let rows = [
        (field("metadata.name"), "web"),
        (field("metadata.namespace"), "shop"),
        (field("metadata.uid"), super::UID),
        (field("metadata.labels"), "app=\"web\"\ntier=\"front\""),
        (field("metadata.labels['app']"), "web"),
        (field("metadata.labels['absent']"), ""),
        (field("metadata.annotations['Example.com/x']"), "1"),
        (
            field("metadata.annotations"),
            "Example.com/x=\"1\"\nnote=\"a \\\"b\\\"\\n\\tc\\a\u{e9}\\u00a0\\\\\"",
        ),
        (resource("main", "requests.cpu", ""), "2"),
        (resource("main", "requests.cpu", "1m"), "1250"),
        (resource("main", "requests.memory", "1Ki"), "2"),
        (resource("main", "requests.hugepages-2Mi", "1Mi"), "4"),
        (resource("main", "limits.memory", "1Mi"), "64"),
        (resource("main", "limits.memory", "0"), "67108864"),
        // Without a limit, what Pods can use of the node.
        (resource("main", "limits.cpu", "1m"), "3500"),
        (resource("main", "limits.cpu", ""), "4"),
        (resource("main", "limits.ephemeral-storage", "1Gi"), "10"),
        (resource("main", "requests.ephemeral-storage", ""), "0"),
        // An API server makes requests of limits.
        (resource("first", "requests.cpu", ""), "2"),
        (resource("first", "limits.cpu", ""), "2"),
        (resource("first", "limits.hugepages-2Mi", ""), "0"),
    ];
    as_root(|| {
        let node = node();
        let named = rows.iter().enumerate().map(|(number, (item, _))| {
            let mut item = item.clone();
            item["path"] = json!(format!("all/{number}"));
            item
        });
        let spec = items(named.collect());
        for _ in 0..2 {
            let path = node.set_up(&spec, &web(), &no_args()).unwrap();
            for (number, (item, expected)) in rows.iter().enumerate() {
                let file = path.join(format!("all/{number}"));
                assert_eq!(fs::read_to_string(file).unwrap(), *expected, "{item}");
            }
        }
        for _ in 0..2 {
            node.tear_down(DOWNWARD_API, "about").unwrap();
        }
        node.assert_clean();
    });
}

#[test]
fn modes_and_group() {
    as_root(|| {
        let node = node();
        let field = json!({"fieldPath": "metadata.name"});
        let spec = volume(
            json!({"name": "about", "downwardAPI": {"defaultMode": 0o440, "items": [
                {"path": "one", "fieldRef": field}, {"path": "two", "fieldRef": field, "mode": 0o400},
            ]}}),
        );
        let path = node.set_up(&spec, &web(), &group(3000)).unwrap();
        assert_eq!(names(&path), ["one", "two"]);
        assert_eq!(of(&path.join("one")), (0, 3000, 0o440));
        assert_eq!(of(&path.join("two")), (0, 3000, 0o440));
        node.tear_down(DOWNWARD_API, "about").unwrap();
        node.assert_clean();
    });
}

#[test]
fn modes_without_a_group_stay() {
    as_root(|| {
        let node = node();
        let field = json!({"fieldPath": "metadata.name"});
        let source = json!({"defaultMode": 0o644, "items": [
            {"path": "one", "fieldRef": field}, {"path": "two", "fieldRef": field, "mode": 0o400},
        ]});
        let spec = volume(json!({"name": "about", "downwardAPI": source}));
        let path = node.set_up(&spec, &web(), &no_args()).unwrap();
        assert_eq!(of(&path.join("one")), (0, 0, 0o644));
        assert_eq!(of(&path.join("two")), (0, 0, 0o400));
        let of_pod = node.host.root().join("pods").join(super::UID);
        assert!(
            of_pod
                .join("plugins/kubernetes.io~empty-dir/wrapped_about")
                .is_dir()
        );
        node.tear_down(DOWNWARD_API, "about").unwrap();
    });
}

#[test]
fn files_change_with_the_pod() {
    as_root(|| {
        let node = node();
        let field = json!({"fieldPath": "metadata.labels"});
        let spec = items(json!([{"path": "this//labels", "fieldRef": field}]));
        let read = |pod: &Pod| {
            let path = node.set_up(&spec, pod, &no_args()).unwrap();
            let labels = fs::read_to_string(path.join("this/labels")).unwrap();
            (fs::read_link(path.join("..data")).unwrap(), labels)
        };
        let first = read(&web());
        assert_eq!(first.1, "app=\"web\"\ntier=\"front\"");
        assert_eq!(read(&web()), first);
        let mut changed = web();
        let labels = changed.metadata.labels.as_mut().unwrap();
        labels.insert("key".to_owned(), "new".to_owned());
        let second = read(&changed);
        assert_ne!(second.0, first.0);
        assert_eq!(second.1, "app=\"web\"\nkey=\"new\"\ntier=\"front\"");
        node.tear_down(DOWNWARD_API, "about").unwrap();
    });
}

/// Refused before anything is mounted.
#[test]
fn wrong_items() {
    let field = |path: &str| json!({"path": "x", "fieldRef": {"fieldPath": path}});
    let resource = |container: &str, resource: &str, divisor: &str| {
        json!({"path": "x", "resourceFieldRef": {
            "containerName": container, "resource": resource, "divisor": divisor,
        }})
    };
    let rows = [
        (
            field("spec.nodeName"),
            "can't have the field \"spec.nodeName\"",
        ),
        (field("metadata.labels['a b']"), "not a qualified name"),
        (field("metadata.annotations['']"), "not a qualified name"),
        (field("metadata.labels["), "can't have the field"),
        (field(""), "can't have the field"),
        (
            resource("main", "limits.gpu", "1"),
            "can't have the resource \"limits.gpu\"",
        ),
        (resource("main", "memory", "1"), "can't have the resource"),
        (resource("absent", "limits.cpu", "1"), "\"absent\" is none"),
        (resource("", "limits.cpu", "1"), "\"\" is none"),
        (resource("main", "limits.cpu", "x"), "the divisor \"x\""),
        (resource("main", "limits.memory", "-1"), "negative"),
        (json!({"path": "x"}), "must have either `fieldRef` or"),
    ];
    let node = node();
    for (item, expected) in &rows {
        let error = failed(node.set_up(&items(json!([item])), &web(), &no_args()));
        assert!(error.contains(expected), "{item}: {error}");
        node.assert_clean();
    }
    // All errors at once.
    let all: Vec<_> = rows.iter().take(2).map(|(item, _)| item).collect();
    let error = failed(node.set_up(&items(json!(all)), &web(), &no_args()));
    assert!(
        rows.iter()
            .take(2)
            .all(|(_, expected)| error.contains(expected)),
        "{error}"
    );
    let unknown = Node::new();
    let error = failed(unknown.set_up(
        &items(json!([resource("main", "limits.cpu", "1")])),
        &web(),
        &no_args(),
    ));
    assert!(
        error.contains("reading the allocatable resources of the node is not supported"),
        "{error}"
    );
}
