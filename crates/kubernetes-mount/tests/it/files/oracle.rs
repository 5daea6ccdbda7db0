//! Random trees: of each, the kubelet's way by paths makes the same, and `du` counts the same.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use kubernetes_mount::metrics::{MetricsDu, MetricsProvider};
use kubernetes_mount::ownership::Ownership;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use root_tests::as_root;

const GROUP: u32 = 3000;

#[derive(Clone, Debug)]
struct Entry {
    /// The index of its directory among those before it.
    above: usize,
    kind: Kind,
    mode: u32,
    group: u32,
}

#[derive(Clone, Debug)]
enum Kind {
    Directory,
    File {
        bytes: usize,
    },
    Sparse {
        bytes: u64,
    },
    Fifo,
    Link,
    /// Another name of one of the files before it.
    Again {
        file: usize,
    },
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let kind = prop_oneof![
        3 => Just(Kind::Directory),
        3 => (0..20_000_usize).prop_map(|bytes| Kind::File { bytes }),
        1 => (0..10_000_000_u64).prop_map(|bytes| Kind::Sparse { bytes }),
        1 => Just(Kind::Fifo),
        1 => Just(Kind::Link),
        1 => any::<usize>().prop_map(|file| Kind::Again { file }),
    ];
    // Half of them have what others are given.
    let mode = prop_oneof![0..0o10000_u32, Just(0o660), Just(0o2770), Just(0o6755)];
    let group = prop_oneof![Just(GROUP), Just(0), 1..5_u32];
    let entry = (any::<usize>(), kind, mode, group);
    let entry = entry.prop_map(|(above, kind, mode, group)| Entry {
        above,
        kind,
        mode,
        group,
    });
    vec(entry, 0..40)
}

fn build(root: &Path, entries: &[Entry]) {
    let (mut dirs, mut files) = (vec![root.to_owned()], Vec::<PathBuf>::new());
    let mut made = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let path = dirs[entry.above % dirs.len()].join(at.to_string());
        match entry.kind {
            Kind::Directory => fs::create_dir(&path).unwrap(),
            Kind::File { bytes } => fs::write(&path, vec![1; bytes]).unwrap(),
            Kind::Sparse { bytes } => File::create(&path).unwrap().set_len(bytes).unwrap(),
            Kind::Fifo => {
                nix::unistd::mkfifo(&path, nix::sys::stat::Mode::empty()).unwrap();
            }
            Kind::Link => symlink("..", &path).unwrap(),
            Kind::Again { .. } if files.is_empty() => continue,
            Kind::Again { file } => {
                fs::hard_link(&files[file % files.len()], &path).unwrap();
            }
        }
        match entry.kind {
            Kind::Directory => dirs.push(path.clone()),
            Kind::File { .. } | Kind::Sparse { .. } => files.push(path.clone()),
            Kind::Fifo | Kind::Link | Kind::Again { .. } => {}
        }
        made.push((path, entry));
    }
    for (path, entry) in made {
        lchown(&path, None, Some(entry.group)).unwrap();
        if !matches!(entry.kind, Kind::Link) {
            fs::set_permissions(&path, fs::Permissions::from_mode(entry.mode)).unwrap();
        }
    }
}

/// Gives every file to the group by its path, as the kubelet does, a directory after what is in it.
fn by_path(path: &Path, permissions: u32) {
    let metadata = fs::symlink_metadata(path).unwrap();
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            by_path(&entry.unwrap().path(), permissions);
        }
    }
    lchown(path, None, Some(GROUP)).unwrap();
    if metadata.is_symlink() {
        return;
    }
    let mut mode = metadata.mode() & 0o7777 | permissions;
    if metadata.is_dir() {
        mode |= 0o2110;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The owner, the group and the mode with the type of each file, by its path.
fn state(root: &Path) -> BTreeMap<PathBuf, (u32, u32, String)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
        let of = (
            metadata.uid(),
            metadata.gid(),
            format!("{:o}", metadata.mode()),
        );
        found.insert(path.strip_prefix(root).unwrap().to_owned(), of);
    }
    found
}

/// Returns the count of `du`, with this option for its unit.
fn du(unit: &str, dir: &Path) -> u64 {
    let output = Command::new("du")
        .args(["--summarize", unit])
        .arg(dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn of_random_trees_the_kubelets_way_makes_the_same() {
    as_root(|| {
        let cases = (entries(), any::<bool>());
        TestRunner::new(Config::default())
            .run(&cases, |(entries, read_only)| {
                let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
                for dir in [&theirs, &ours] {
                    build(dir.path(), &entries);
                }
                by_path(theirs.path(), if read_only { 0o440 } else { 0o660 });
                let ownership = || Ownership::new(GROUP).read_only(read_only);
                let done = ownership().apply(ours.path()).unwrap();
                let wanted = state(theirs.path());
                prop_assert_eq!(state(ours.path()), wanted.clone());
                prop_assert_eq!(done.files, wanted.len() as u64);
                // Repeated, there is nothing left to be done.
                let again = ownership().apply(ours.path()).unwrap();
                prop_assert_eq!((again.files, again.changed), (done.files, 0));
                prop_assert_eq!(state(ours.path()), wanted);
                Ok(())
            })
            .unwrap();
    });
}

#[test]
fn of_random_trees_du_counts_the_same() {
    as_root(|| {
        TestRunner::new(Config::with_cases(64))
            .run(&entries(), |entries| {
                let dir = tempfile::tempdir().unwrap();
                build(dir.path(), &entries);
                // Some file systems choose the blocks of a file later.
                let (found, blocks) = loop {
                    let before = du("--block-size=512", dir.path());
                    let found = MetricsDu::new(dir.path()).metrics().unwrap();
                    if du("--block-size=512", dir.path()) == before {
                        break (found, before);
                    }
                };
                prop_assert_eq!(found.used, Some(blocks * 512));
                prop_assert_eq!(found.inodes_used, Some(du("--inodes", dir.path())));
                Ok(())
            })
            .unwrap();
    });
}
