//! Tearing down never touches anything outside of the volume.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kubernetes_volume::plugins::EMPTY_DIR;
use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount};
use nix::sys::stat::{Mode, mkdirat};
use root_tests::{as_root, setting, unmount};
use rustix::fs::{RenameFlags, renameat_with};
use serde_json::json;

use super::{Node, failed, names, no_args, pod, volume};

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
        super::UID
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
            mount(
                Some(&from),
                &to,
                None::<&str>,
                MsFlags::MS_BIND,
                None::<&str>,
            )
            .unwrap();
        };
        for (from, inside) in [
            (canary.clone(), "a/inside"),
            (canary.join("deep/kept"), "a/file"),
        ] {
            let inside = path.join(inside);
            bind(from, inside.clone());
            let error = failed(node.tear_down(EMPTY_DIR, "scratch"));
            assert!(error.contains(inside.to_str().unwrap()), "{error}");
            assert_eq!(names(&path), ["a", "data"]);
            assert_alive(&node);
            unmount(&inside);
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
            path.with_file_name(format!("scratch{}", kubernetes_volume::plugins::DELETING));
        fs::rename(&path, &deleting).unwrap();
        let inside = deleting.join("inside");
        let none = None::<&str>;
        mount(Some(&canary), &inside, none, MsFlags::MS_BIND, none).unwrap();
        let error = failed(node.tear_down(EMPTY_DIR, "scratch"));
        assert!(error.contains(inside.to_str().unwrap()), "{error}");
        assert_alive(&node);
        unmount(&inside);
        // The rest is found on disk by the name of the volume.
        let left = node.host.volumes_on_disk(super::UID).unwrap();
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

/// Fills a volume with directories, each of which has what the canary has, and with links that can
/// take their places.
fn fill(path: &Path, canary: &Path) {
    for at in 0..4 {
        fs::create_dir_all(path.join(format!("sub{at}/deep"))).unwrap();
        fs::write(path.join(format!("sub{at}/deep/kept")), "").unwrap();
        symlink(canary, path.join(format!("to-canary{at}"))).unwrap();
    }
}

/// Removes a volume while a process of the Pod, which has it open, exchanges directories and links.
fn remove_while_links_appear(path: &Path, remove: impl FnOnce()) {
    let root = File::open(path).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for at in 0..4 {
                    let (dir, link) = (format!("sub{at}"), format!("to-canary{at}"));
                    // They are gone at the end.
                    let _ = renameat_with(&root, dir, &root, link, RenameFlags::EXCHANGE);
                }
            }
        });
        remove();
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn nothing_outside_is_removed_while_links_take_the_places_of_directories() {
    let node = Node::new();
    let canary = canary(&node);
    let rounds = setting("VOLUME_RACE_ROUNDS", 200);
    for _ in 0..rounds {
        let path = scratch(&node);
        fill(&path, &canary);
        remove_while_links_appear(&path, || {
            // An error if something has become something else.
            let _ = node.tear_down(EMPTY_DIR, "scratch");
        });
        node.tear_down(EMPTY_DIR, "scratch").unwrap();
        assert_alive(&node);
        node.assert_clean();
    }
    println!("{rounds} rounds, and the canary is as it was");
}

/// Looks at a path, and then removes what is at that path.
fn remove_by_path(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
            remove_by_path(&path);
            let _ = fs::remove_dir(path);
        } else {
            let _ = fs::remove_file(path);
        }
    }
}

/// This shows that the test above can fail.
#[test]
fn by_path_it_is_removed() {
    let node = Node::new();
    let canary = canary(&node);
    let path = node.beside("volume");
    let removed = (0..100_000).find(|_| {
        fs::create_dir(&path).unwrap();
        fill(&path, &canary);
        remove_while_links_appear(&path, || remove_by_path(&path));
        fs::remove_dir_all(&path).unwrap();
        !canary.join("deep/kept").exists()
    });
    println!("by path the canary was removed in round {removed:?}");
    assert!(removed.is_some());
}
