//! Trees of every shape, counted and changed.

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kubernetes_mount::metrics::{MetricsDu, MetricsProvider};
use kubernetes_mount::ownership::Ownership;
use root_tests::{as_root, setting};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::alone;

fn open(dir: &OwnedFd, name: &str) -> OwnedFd {
    openat(dir, name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap()
}

/// Makes levels of directories, each with a file and an empty directory beside the next level.
fn deepen(root: &std::path::Path, levels: u64) {
    let mut dir = openat(CWD, root, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..levels {
        for name in ["beside", "down"] {
            mkdirat(&dir, name, Mode::from_raw_mode(0o755)).unwrap();
        }
        openat(
            &dir,
            "file",
            OFlags::CREATE | OFlags::WRONLY,
            Mode::from_raw_mode(0o644),
        )
        .unwrap();
        dir = open(&dir, "down");
    }
}

/// Removes what `deepen` has made, from below: `remove_dir_all` is recursive.
fn remove(root: &std::path::Path, levels: u64) {
    let mut dir = openat(CWD, root, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..levels {
        dir = open(&dir, "down");
    }
    for _ in 0..levels {
        dir = open(&dir, "..");
        for name in ["beside", "down"] {
            unlinkat(&dir, name, AtFlags::REMOVEDIR).unwrap();
        }
        unlinkat(&dir, "file", AtFlags::empty()).unwrap();
    }
}

/// Counts and changes a tree with few descriptors, and returns the number of its files.
fn with_descriptors(limit: u64, dir: &std::path::Path) -> u64 {
    let before = getrlimit(Resource::Nofile);
    let few = Rlimit {
        current: Some(limit),
        ..before
    };
    setrlimit(Resource::Nofile, few).unwrap();
    let metrics = MetricsDu::new(dir).metrics();
    let done = Ownership::new(3000).apply(dir);
    setrlimit(Resource::Nofile, before).unwrap();
    let files = metrics.unwrap().inodes_used.unwrap();
    let done = done.unwrap();
    assert_eq!((done.files, done.changed, done.failed), (files, files, 0));
    files
}

#[test]
fn a_tree_may_be_deeper_than_there_are_descriptors() {
    as_root(|| {
        alone(
            "files::trees::a_tree_may_be_deeper_than_there_are_descriptors",
            || {
                let dir = tempfile::tempdir().unwrap();
                let depth = setting("VOLUME_DEPTH", 3000);
                deepen(dir.path(), depth);
                let files = with_descriptors(512, dir.path());
                remove(dir.path(), depth);
                assert_eq!(files, 3 * depth + 1);
            },
        );
    });
}

#[test]
fn very_few_descriptors_are_enough() {
    as_root(|| {
        alone("files::trees::very_few_descriptors_are_enough", || {
            let dir = tempfile::tempdir().unwrap();
            for at in 0..40 {
                let sub = dir.path().join(at.to_string());
                fs::create_dir(&sub).unwrap();
                deepen(&sub, 60);
            }
            let files = with_descriptors(48, dir.path());
            assert_eq!(files, 40 * (3 * 60 + 1) + 1);
        });
    });
}

#[test]
fn a_wide_tree_is_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    for at in 0..3000 {
        fs::create_dir(dir.path().join(format!("d{at}"))).unwrap();
        File::create(dir.path().join(format!("d{at}/file"))).unwrap();
        File::create(dir.path().join(format!("f{at}"))).unwrap();
    }
    for _ in 0..10 {
        let metrics = MetricsDu::new(dir.path()).metrics().unwrap();
        assert_eq!(metrics.inodes_used, Some(9001));
    }
}

#[test]
fn names_may_have_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let long = [b'x'; 255];
    for name in [&b"\xff\xfe"[..], b"line\nbreak", b" ", b"...", &long] {
        File::create(dir.path().join(std::ffi::OsStr::from_bytes(name))).unwrap();
    }
    assert_eq!(
        MetricsDu::new(dir.path()).metrics().unwrap().inodes_used,
        Some(6)
    );
}

#[test]
fn what_vanishes_meanwhile_is_no_error() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for at in 0..50 {
                        let sub = dir.path().join(format!("d{at}"));
                        fs::create_dir(&sub).unwrap();
                        for file in 0..5 {
                            File::create(sub.join(file.to_string())).unwrap();
                        }
                    }
                    for at in 0..50 {
                        fs::remove_dir_all(dir.path().join(format!("d{at}"))).unwrap();
                    }
                }
            });
            for at in 0..200 {
                MetricsDu::new(dir.path()).metrics().unwrap();
                let done = Ownership::new(3000 + at % 2).apply(dir.path()).unwrap();
                assert_eq!(done.failed, 0);
            }
            stop.store(true, Ordering::Relaxed);
        });
    });
}
