use std::fs;
use std::io::Write;
use std::path::Path;

use kubernetes_volume::interfaces::VolumeHost;
use kubernetes_volume::mount::Mount;
use kubernetes_volume::plugins::EMPTY_DIR;
use kubernetes_volume::testing::FakeHost;
use kubernetes_volume::{VolumeConfig, VolumeOptions, plugins};
use nix::sys::statfs::statfs;
use root_tests::as_root;
use serde_json::{Value, json};

use super::{Node, UID, failed, no_args, pod, volume};

fn requests(sizes: &[&str]) -> Value {
    let container = |size: &&str| {
        let name = format!("hugepages-{size}");
        json!({"name": size.to_lowercase(), "resources": {"requests": {name.as_str(): "4Mi"}}})
    };
    json!({"spec": {"containers": sizes.iter().map(container).collect::<Vec<_>>()}})
}

fn huge(medium: &str) -> kubernetes_volume::Spec {
    volume(json!({"name": "huge", "emptyDir": {"medium": medium}}))
}

/// What is mounted stays as it is, unless the medium names another size.
#[test]
fn mounted_with_another_size() {
    let dir = tempfile::tempdir().unwrap();
    let host = FakeHost::new(dir.path(), |host| host).unwrap();
    let manager = host
        .start(plugins::all(VolumeConfig::default()), None)
        .unwrap();
    let pod = pod(requests(&["2Mi"]));
    let at = host.pod_volume_dir(UID, EMPTY_DIR, "huge");
    fs::create_dir_all(&at).unwrap();
    // The pages of what is really there have 4 KiB.
    let mounted = (Path::new("nodev"), "hugetlbfs", ["pagesize=1Gi"]);
    host.mounter
        .mount(mounted.0, &at, mounted.1, &mounted.2)
        .unwrap();
    let set_up = |medium: &str| {
        let plugin = manager.find_plugin_by_spec(&huge(medium)).unwrap();
        let mounter = plugin.new_mounter(&huge(medium), &pod, &VolumeOptions::default());
        mounter.unwrap().set_up(&no_args())
    };
    let error = failed(set_up("HugePages-2Mi"));
    assert!(error.contains("and the volume needs 2097152"), "{error}");
    set_up("HugePages").unwrap();
    assert_eq!(host.mounter.mount_points()[0].options, mounted.2);
}

/// Checked before anything is mounted, so this needs neither root nor huge pages.
#[test]
fn must_be_requested() {
    let node = Node::new();
    let rows: [(&str, &[&str], &str); 6] = [
        (
            "HugePages",
            &[],
            "needs a container that requests huge pages",
        ),
        ("HugePages", &["2Mi", "1Gi"], "several page sizes: 2Mi, 1Gi"),
        ("HugePages-1Gi", &["2Mi"], "requests hugepages-1Gi"),
        ("HugePages-2Mi", &[], "requests hugepages-2Mi"),
        ("HugePages-x", &["2Mi"], "the size of huge pages \"x\""),
        (
            "HugePages-3Mi",
            &["3Mi"],
            "huge pages can't have the size \"3Mi\"",
        ),
    ];
    for (medium, sizes, expected) in rows {
        let error = failed(node.mounter(&huge(medium), &pod(requests(sizes))));
        assert!(error.contains(expected), "{medium} {sizes:?}: {error}");
    }
    for (medium, sizes) in [
        ("HugePages", ["2Mi", "2Mi"]),
        ("HugePages-2Mi", ["1Gi", "2Mi"]),
    ] {
        node.mounter(&huge(medium), &pod(requests(&sizes)))
            .map(drop)
            .unwrap();
    }
}

#[test]
fn mounted() {
    as_root(|| {
        if !fs::read_to_string("/proc/filesystems")
            .unwrap()
            .contains("hugetlbfs")
            || !fs::exists("/sys/kernel/mm/hugepages/hugepages-2048kB").unwrap()
        {
            let _ = writeln!(
                std::io::stderr(),
                "left out: the node has no huge pages of 2 MiB"
            );
            return;
        }
        for medium in ["HugePages", "HugePages-2Mi"] {
            let node = Node::new();
            let pod = pod(requests(&["2Mi"]));
            for _ in 0..2 {
                let path = node.set_up(&huge(medium), &pod, &no_args()).unwrap();
                assert_eq!(statfs(&path).unwrap().block_size(), 2 << 20);
                assert_eq!(node.mounts().len(), 1);
            }
            for _ in 0..2 {
                node.tear_down(EMPTY_DIR, "huge").unwrap();
            }
            node.assert_clean();
        }
    });
}
