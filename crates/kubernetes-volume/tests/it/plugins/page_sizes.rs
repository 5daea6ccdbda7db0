//! The sizes of huge pages that Pods request in all places.

use kubernetes_volume::NodeError;
use kubernetes_volume::testing::{FakeAction, FakeMounter};

use super::*;

fn requesting(sizes: &[&str]) -> Value {
    let request = |size: &&str| (format!("hugepages-{size}"), json!("1Gi"));
    json!({"requests": sizes.iter().map(request).collect::<serde_json::Map<_, _>>()})
}

/// Checked before anything is mounted, so this needs neither root nor huge pages.
#[test]
fn all_containers_and_the_pod_request_them() {
    let container = |sizes: &&[&str]| json!({"name": "c", "resources": requesting(sizes)});
    // Those of the Pod, of init containers and of containers; of them the media that are possible.
    type Sizes = &'static [&'static str];
    type Row<'a> = (Sizes, &'a [Sizes], &'a [Sizes], [bool; 3]);
    let rows: [Row<'_>; 9] = [
        (&[], &[], &[&["1Gi"], &["1Gi"]], [true, false, true]),
        (&[], &[&["1Gi"]], &[&[]], [true, false, true]),
        (&[], &[&["2Mi"], &["1Gi"]], &[&[]], [false, true, true]),
        (&[], &[], &[&["2Mi", "1Gi"]], [false, true, true]),
        (
            &[],
            &[&["2Mi", "1Gi"], &["1Gi", "2Mi"]],
            &[&[]],
            [false, true, true],
        ),
        (&["2Mi"], &[], &[&[]], [true, true, false]),
        (&["2Mi", "1Gi"], &[], &[&[]], [false, true, true]),
        (&["1Gi"], &[], &[&["2Mi"]], [false, true, true]),
        (&[], &[&["2Mi"]], &[&["2Mi"], &[]], [true, true, false]),
    ];
    let node = Node::new();
    let is_possible = |medium: &str, pod: &Pod| {
        let spec = volume(json!({"name": "huge", "emptyDir": {"medium": medium}}));
        node.mounter(&spec, pod).is_ok()
    };
    for (of_pod, init, containers, expected) in rows {
        let mut spec = json!({
            "initContainers": init.iter().map(container).collect::<Vec<_>>(),
            "containers": containers.iter().map(container).collect::<Vec<_>>(),
        });
        if !of_pod.is_empty() {
            spec["resources"] = requesting(of_pod);
        }
        let pod = pod(json!({"spec": spec}));
        let media = ["HugePages", "HugePages-2Mi", "HugePages-1Gi"];
        assert_eq!(
            media.map(|medium| is_possible(medium, &pod)),
            expected,
            "{spec}"
        );
        assert!(!is_possible("HugePages-", &pod) && !is_possible("foo", &pod));
    }
}

#[test]
fn a_directory_or_a_mount_that_fails_is_an_error() {
    let spec = volume(json!({"name": "huge", "emptyDir": {"medium": "HugePages-2Mi"}}));
    let pod =
        pod(json!({"spec": {"containers": [{"name": "c", "resources": requesting(&["2Mi"])}]}}));
    let is_question: fn(&FakeAction) -> bool =
        |action| matches!(action, FakeAction::IsMountPoint { .. });
    for fails in [is_question, FakeAction::is_change] {
        let mounter = FakeMounter::new().with_hook(move |_, action| match fails(action) {
            true => Err(NodeError::invalid("the kernel is busy")),
            false => Ok(()),
        });
        let node = Node::with(|host| host.mounter(Arc::new(mounter)));
        let error = failed(node.set_up(&spec, &pod, &no_args()));
        assert!(error.contains("the kernel is busy"), "{error}");
    }
    let node = Node::new();
    let volumes = node.host.root().join("pods").join(UID).join("volumes");
    fs::create_dir_all(volumes.parent().unwrap()).unwrap();
    fs::write(&volumes, "in the way").unwrap();
    let error = failed(node.set_up(&spec, &pod, &no_args()));
    assert!(error.contains("Not a directory"), "{error}");
}
