//! The sizes of huge pages that Pods request in all places.

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
    let rows: [(Sizes, &[Sizes], &[Sizes], [bool; 3]); 9] = [
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
