use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use kubernetes_volume::mount::read_mount_info;
use kubernetes_volume::plugins::EMPTY_DIR;
use nix::sys::statfs::{TMPFS_MAGIC, statfs};
use root_tests::{as_root, unmount};
use serde_json::{Value, json};

use super::{Node, UID, failed, group, names, no_args, of, pod, volume};

#[test]
fn on_disk() {
    let node = Node::new();
    let (spec, pod) = (
        volume(json!({"name": "scratch", "emptyDir": {}})),
        pod(json!({})),
    );
    let path = node.set_up(&spec, &pod, &no_args()).unwrap();
    let expected = format!("pods/{UID}/volumes/kubernetes.io~empty-dir/scratch");
    assert_eq!(path, node.host.root().join(expected));
    assert_eq!(of(&path).2, 0o777);
    // The modes that a kubelet gives.
    let above: Vec<_> = path
        .ancestors()
        .skip(1)
        .take(3)
        .map(|dir| of(dir).2)
        .collect();
    assert_eq!(above, [0o755, 0o750, 0o750]);
    fs::write(path.join("kept"), vec![1; 9000]).unwrap();

    // A container may have changed the mode: nothing is done twice.
    node.set_up(&spec, &pod, &no_args()).unwrap();
    assert_eq!(names(&path), ["kept"]);

    let mounter = node.mounter(&spec, &pod).unwrap();
    let metrics = mounter.metrics().unwrap();
    assert!(metrics.used.unwrap() >= 9000, "{metrics:?}");
    assert!(metrics.used < metrics.capacity && metrics.available.unwrap() > 0);
    assert_eq!(metrics.inodes_used, Some(2));
    let attributes = mounter.attributes();
    assert!(attributes.managed && !attributes.read_only && attributes.selinux_relabel);

    for _ in 0..2 {
        node.tear_down(EMPTY_DIR, "scratch").unwrap();
    }
    node.assert_clean();
}

/// Whatever is left of an earlier run, on disk.
#[test]
fn directory_and_marker_are_made_and_removed_again() {
    for (has_dir, has_marker) in [(true, false), (false, true), (true, true), (false, false)] {
        let node = Node::new();
        let spec = volume(json!({"name": "scratch", "emptyDir": {}}));
        let of_pod = node.host.root().join("pods").join(UID);
        let path = of_pod.join("volumes/kubernetes.io~empty-dir/scratch");
        let marker = of_pod.join("plugins/kubernetes.io~empty-dir/scratch/ready");
        let prepare = || {
            if has_dir {
                fs::create_dir_all(&path).unwrap();
                fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
            }
            if has_marker {
                fs::create_dir_all(marker.parent().unwrap()).unwrap();
                fs::write(&marker, "").unwrap();
            }
        };
        prepare();
        node.tear_down(EMPTY_DIR, "scratch").unwrap();
        assert!(!path.exists() && !marker.exists());

        prepare();
        node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        let is_done = has_dir && has_marker;
        assert_eq!(of(&path).2, if is_done { 0o755 } else { 0o777 });
        assert!(marker.is_file());
        node.tear_down(EMPTY_DIR, "scratch").unwrap();
        assert!(!path.exists() && !marker.exists());
        node.assert_clean();
    }
}

/// Of the directory on disk, and of the file system in memory.
#[test]
fn modes() {
    as_root(|| {
        for (mode, on_disk, in_memory) in [
            (json!(0o750), 0o750, 0o750),
            (json!(0o1777), 0o1777, 0o1777),
            (Value::Null, 0o777, 0o1777),
        ] {
            for (medium, expected) in [("", on_disk), ("Memory", in_memory)] {
                let node = Node::new();
                let source = json!({"medium": medium, "mode": mode});
                let spec = volume(json!({"name": "scratch", "emptyDir": source}));
                let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
                assert_eq!(of(&path).2, expected, "{medium:?} {mode}");
                node.tear_down(EMPTY_DIR, "scratch").unwrap();
            }
        }
    });
}

#[test]
fn without_any_limit_the_kernel_chooses_the_size() {
    as_root(|| {
        let node = Node::new();
        let spec = volume(json!({"name": "fast", "emptyDir": {"medium": "Memory"}}));
        let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        let mounts = read_mount_info().unwrap();
        let mount = mounts
            .iter()
            .find(|mount| mount.mount_point == path)
            .unwrap();
        let has_size = |option: &String| option.starts_with("size=");
        assert!(!mount.super_options.iter().any(has_size), "{mount:?}");
        node.tear_down(EMPTY_DIR, "fast").unwrap();
    });
}

#[test]
fn in_memory() {
    as_root(|| {
        let node = Node::with(|host| host.allocatable([("memory", "8Mi")]));
        let medium = json!({"name": "fast", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}});
        let (spec, pod) = (volume(medium), pod(json!({})));
        for _ in 0..2 {
            let path = node.set_up(&spec, &pod, &group(3000)).unwrap();
            assert_eq!(node.mounts(), std::slice::from_ref(&path));
            assert_eq!(of(&path), (0, 3000, 0o3777));
            assert_eq!(statfs(&path).unwrap().filesystem_type(), TMPFS_MAGIC);
        }
        let path = node.mounts().remove(0);
        fs::write(path.join("full"), vec![0; 2 << 20]).unwrap_err();
        let metrics = node.mounter(&spec, &pod).unwrap().metrics().unwrap();
        assert_eq!(metrics.capacity, Some(1 << 20));
        assert_eq!(
            node.unmounter(EMPTY_DIR, "fast")
                .metrics()
                .unwrap()
                .capacity,
            Some(1 << 20)
        );
        for _ in 0..2 {
            node.tear_down(EMPTY_DIR, "fast").unwrap();
        }
        node.assert_clean();
    });
}

/// The size is the least of the limits that there are.
#[test]
fn sizes_in_memory() {
    as_root(|| {
        let limits = |memory: &[Option<&str>]| {
            let container = |(number, limit): (usize, &Option<&str>)| {
                let limits = limit.map_or(json!({}), |limit| json!({"memory": limit}));
                json!({"name": format!("c{number}"), "resources": {"limits": limits}})
            };
            let containers: Vec<_> = memory.iter().enumerate().map(container).collect();
            pod(json!({"spec": {"containers": containers}}))
        };
        // The node's memory, the limits of containers, the volume's limit, and the size in MiB.
        type Row<'a> = (Option<&'a str>, &'a [Option<&'a str>], Option<&'a str>, u64);
        let rows: [Row<'_>; 8] = [
            (Some("64Mi"), &[None], None, 64),
            (Some("64Mi"), &[Some("16Mi")], None, 16),
            (Some("64Mi"), &[Some("16Mi"), Some("8Mi")], None, 24),
            (Some("64Mi"), &[Some("16Mi"), None], None, 64),
            (Some("64Mi"), &[Some("16Mi")], Some("4Mi"), 4),
            (Some("64Mi"), &[Some("16Mi")], Some("32Mi"), 16),
            (Some("64Mi"), &[Some("128Mi")], Some("0"), 64),
            (None, &[None], Some("12Mi"), 12),
        ];
        for (row, (memory, containers, limit, size)) in rows.into_iter().enumerate() {
            let node = Node::with(|host| match memory {
                Some(memory) => host.allocatable([("memory", memory)]),
                None => host,
            });
            let mut source = json!({"medium": "Memory"});
            if let Some(limit) = limit {
                source["sizeLimit"] = json!(limit);
            }
            let spec = volume(json!({"name": "fast", "emptyDir": source}));
            let pod = limits(containers);
            node.set_up(&spec, &pod, &no_args()).unwrap();
            let metrics = node.mounter(&spec, &pod).unwrap().metrics().unwrap();
            assert_eq!(metrics.capacity, Some(size << 20), "row {row}");
            node.tear_down(EMPTY_DIR, "fast").unwrap();
        }
    });
}

/// A runtime class has an overhead, which only counts beside a limit.
#[test]
fn overhead_in_memory() {
    as_root(|| {
        for (limit, overhead, size) in [
            (json!({"memory": "16Mi"}), "4Mi", 20),
            (json!({}), "4Mi", 64),
            (json!({"memory": "0"}), "4Mi", 64),
            (json!({"memory": "62Mi"}), "4Mi", 64),
        ] {
            let node = Node::with(|host| host.allocatable([("memory", "64Mi")]));
            let spec = volume(json!({"name": "fast", "emptyDir": {"medium": "Memory"}}));
            let pod = pod(json!({"spec": {
                "containers": [{"name": "c", "resources": {"limits": limit}}],
                "overhead": {"memory": overhead, "cpu": "1"},
            }}));
            node.set_up(&spec, &pod, &no_args()).unwrap();
            let metrics = node.mounter(&spec, &pod).unwrap().metrics().unwrap();
            assert_eq!(metrics.capacity, Some(size << 20), "{limit}");
            node.tear_down(EMPTY_DIR, "fast").unwrap();
        }
    });
}

/// Continues after a crash between mounting and the marker, or a restart of the node after it.
#[test]
fn continues_after_a_crash() {
    as_root(|| {
        let node = Node::new();
        let medium = json!({"name": "fast", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}});
        let (spec, pod) = (volume(medium), pod(json!({})));
        let path = node.set_up(&spec, &pod, &no_args()).unwrap();
        let marker = node.host.root().join(format!(
            "pods/{UID}/plugins/kubernetes.io~empty-dir/fast/ready"
        ));
        fs::remove_file(&marker).unwrap();
        fs::write(path.join("kept"), "").unwrap();
        node.set_up(&spec, &pod, &group(3000)).unwrap();
        assert_eq!((names(&path).len(), node.mounts().len()), (1, 1));
        assert_eq!(of(&path).1, 3000);
        assert!(marker.exists());

        unmount(&path);
        node.set_up(&spec, &pod, &group(3000)).unwrap();
        assert_eq!((names(&path).len(), node.mounts().len()), (0, 1));
        node.tear_down(EMPTY_DIR, "fast").unwrap();
        node.assert_clean();
    });
}

#[test]
fn refuses_another_file_system() {
    as_root(|| {
        let node = Node::new();
        let pod = pod(json!({}));
        let plain = volume(json!({"name": "one", "emptyDir": {}}));
        let path = node.set_up(&plain, &pod, &no_args()).unwrap();
        let root = node.host.root();
        let bind = nix::mount::MsFlags::MS_BIND;
        nix::mount::mount(Some(root), &path, None::<&str>, bind, None::<&str>).unwrap();
        let memory = volume(json!({"name": "one", "emptyDir": {"medium": "Memory"}}));
        fs::remove_file(root.join(format!(
            "pods/{UID}/plugins/kubernetes.io~empty-dir/one/ready"
        )))
        .unwrap();
        let error = failed(node.set_up(&memory, &pod, &no_args()));
        assert!(
            error.contains("mounted where the volume needs tmpfs"),
            "{error}"
        );
        unmount(&path);
        node.tear_down(EMPTY_DIR, "one").unwrap();
        node.assert_clean();
    });
}
