//! Tearing down never touches anything outside of the volume.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount, umount};
use nix::sys::stat::{Mode, mkdirat};
use serde_json::json;
use volume::plugins::EMPTY_DIR;

use crate::support::{as_root, setting};
use crate::{Node, failed, names, no_args, pod, volume};

fn scratch(node: &Node) -> PathBuf {
    let spec = volume(json!({"name": "scratch", "emptyDir": {}}));
    node.set_up(&spec, &pod(json!({})), &no_args()).unwrap()
}

/// A directory with a file, which must stay.
fn canary(node: &Node) -> PathBuf {
    let canary = node.beside("canary");
    fs::create_dir_all(canary.join("deep")).unwrap();
    fs::write(canary.join("deep/kept"), "kept").unwrap();
    canary
}

fn assert_alive(node: &Node) {
    let kept = node.beside("canary").join("deep/kept");
    assert_eq!(fs::read_to_string(kept).unwrap(), "kept");
}

#[test]
fn links_are_removed_and_not_followed() {
    let node = Node::new();
    let (path, canary) = (scratch(&node), canary(&node));
    symlink(&canary, path.join("link")).unwrap();
    fs::create_dir_all(path.join("a/b")).unwrap();
    symlink(canary.join("deep"), path.join("a/b/link")).unwrap();
    symlink("..", path.join("a/b/up")).unwrap();
    symlink("/", path.join("a/root")).unwrap();
    symlink(canary.join("deep/kept"), path.join("file")).unwrap();
    fs::hard_link(canary.join("deep/kept"), path.join("hard")).unwrap();
    node.tear_down(EMPTY_DIR, "scratch").unwrap();
    assert_alive(&node);
    node.assert_clean();
}

/// The directory of the volume itself was replaced.
#[test]
fn link_in_place_of_the_volume() {
    let node = Node::new();
    let (path, canary) = (scratch(&node), canary(&node));
    fs::remove_dir(&path).unwrap();
    symlink(&canary, &path).unwrap();
    let spec = volume(json!({"name": "scratch", "emptyDir": {}}));
    // The marker says that it is ready; without it, it is refused.
    let marker = node.host.root().join(format!(
        "pods/{}/plugins/kubernetes.io~empty-dir/scratch/ready",
        crate::UID
    ));
    fs::remove_file(marker).unwrap();
    let error = failed(node.set_up(&spec, &pod(json!({})), &no_args()));
    assert!(error.contains("create the directory"), "{error}");
    node.tear_down(EMPTY_DIR, "scratch").unwrap();
    assert_alive(&node);
    node.assert_clean();
}

#[test]
fn mounts_inside_are_named_and_nothing_is_removed() {
    as_root(|| {
        let node = Node::new();
        let (path, canary) = (scratch(&node), canary(&node));
        fs::create_dir_all(path.join("a/inside")).unwrap();
        fs::write(path.join("data"), "data").unwrap();
        fs::write(path.join("a/file"), "").unwrap();
        let bind = |from: PathBuf, to: PathBuf| {
            mount(Some(&from), &to, None::<&str>, MsFlags::MS_BIND, None::<&str>)
                .unwrap();
        };
        for (from, inside) in
            [(canary.clone(), "a/inside"), (canary.join("deep/kept"), "a/file")]
        {
            let inside = path.join(inside);
            bind(from, inside.clone());
            let error = failed(node.tear_down(EMPTY_DIR, "scratch"));
            assert!(error.contains(inside.to_str().unwrap()), "{error}");
            assert_eq!(names(&path), ["a", "data"]);
            assert_alive(&node);
            umount(&inside).unwrap();
        }
        node.tear_down(EMPTY_DIR, "scratch").unwrap();
        assert_alive(&node);
        node.assert_clean();
    });
}

/// A mount that the table doesn't have where it is looked for: the directory was renamed already.
#[test]
fn mounts_in_what_is_being_removed() {
    as_root(|| {
        let node = Node::new();
        let (path, canary) = (scratch(&node), canary(&node));
        fs::create_dir(path.join("inside")).unwrap();
        let deleting =
            path.with_file_name(format!("scratch{}", volume::plugins::DELETING));
        fs::rename(&path, &deleting).unwrap();
        let inside = deleting.join("inside");
        let none = None::<&str>;
        mount(Some(&canary), &inside, none, MsFlags::MS_BIND, none).unwrap();
        let error = failed(node.tear_down(EMPTY_DIR, "scratch"));
        assert!(error.contains(inside.to_str().unwrap()), "{error}");
        assert_alive(&node);
        umount(&inside).unwrap();
        // What is left is found on disk by the name of the volume.
        let left = node.host.volumes_on_disk(crate::UID).unwrap();
        assert_eq!(left[0].volume_name, "scratch");
        node.tear_down(EMPTY_DIR, "scratch").unwrap();
        node.assert_clean();
    });
}

/// Deeper than paths can be, and than a program has descriptors.
#[test]
fn deep_directories() {
    let depth = setting("VOLUME_DEPTH", 3000);
    let node = Node::new();
    let path = scratch(&node);
    let flags = OFlag::O_DIRECTORY | OFlag::O_RDONLY;
    let mut dir = nix::fcntl::open(&path, flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&dir, "d", Mode::S_IRWXU).unwrap();
        dir = nix::fcntl::openat(&dir, "d", flags, Mode::empty()).unwrap();
    }
    drop(dir);
    fs::write(path.join(".deep~1"), "a name that removal would use").unwrap();
    node.tear_down(EMPTY_DIR, "scratch").unwrap();
    node.assert_clean();
}
