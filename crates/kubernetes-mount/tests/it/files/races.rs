//! Whoever can write to a volume replaces its files by links to others while it is changed.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kubernetes_mount::metrics::{MetricsDu, MetricsProvider};
use kubernetes_mount::ownership::Ownership;
use root_tests::{as_root, setting};
use rustix::fs::{RenameFlags, renameat_with};

use super::{of, set};

const GROUPS: [u32; 2] = [3000, 3001];

struct Race {
    /// A folder with a directory and a file that nobody may change.
    canary: tempfile::TempDir,
    volume: tempfile::TempDir,
    before: Vec<((u32, u32), (i64, i64))>,
}

impl Race {
    fn new() -> Self {
        let canary = tempfile::tempdir().unwrap();
        fs::create_dir(canary.path().join("sub")).unwrap();
        fs::write(canary.path().join("sub/file"), "").unwrap();
        fs::write(canary.path().join("file"), "").unwrap();
        let volume = tempfile::tempdir().unwrap();
        let path = |name: &str| volume.path().join(name);
        for at in 0..8 {
            fs::create_dir_all(path(&format!("sub{at}/sub"))).unwrap();
            fs::write(path(&format!("sub{at}/file")), "").unwrap();
            fs::write(path(&format!("sub{at}/sub/file")), "").unwrap();
            fs::write(path(&format!("file{at}")), "").unwrap();
            // The replacements of a directory, and of a file.
            symlink(canary.path(), path(&format!("to-sub{at}"))).unwrap();
            symlink(canary.path().join("file"), path(&format!("to-file{at}"))).unwrap();
        }
        let mut race = Self {
            canary,
            volume,
            before: vec![],
        };
        for file in race.canaries() {
            set(file, 0, 0o700);
        }
        race.before = race.now();
        race
    }

    /// The group, the mode and the time of the last change of all that nobody may change.
    fn now(&self) -> Vec<((u32, u32), (i64, i64))> {
        let state = |file: &PathBuf| {
            let metadata = fs::symlink_metadata(file).unwrap();
            (of(file), (metadata.ctime(), metadata.ctime_nsec()))
        };
        self.canaries().iter().map(state).collect()
    }

    fn canaries(&self) -> [PathBuf; 4] {
        ["", "file", "sub", "sub/file"].map(|name| self.canary.path().join(name))
    }

    fn is_untouched(&self) -> bool {
        self.now() == self.before
    }

    /// Puts links into the places of directories and files, files into those of directories, and
    /// all back.
    fn swap(&self, subs: &[File]) {
        let root = File::open(self.volume.path()).unwrap();
        let swap = |one: &File, name: &str, other: &File, other_name: &str| {
            renameat_with(one, name, other, other_name, RenameFlags::EXCHANGE).unwrap();
        };
        for (at, sub) in subs.iter().enumerate() {
            swap(&root, &format!("sub{at}"), &root, &format!("to-sub{at}"));
            swap(&root, &format!("file{at}"), &root, &format!("to-file{at}"));
            swap(sub, "sub", sub, "file");
            swap(sub, "file", &root, &format!("to-file{at}"));
        }
    }

    /// Runs something again and again while links take the places of files. Returns after how many
    /// rounds the canary was changed.
    fn run(&self, rounds: u64, mut round: impl FnMut(u32)) -> Option<u64> {
        let stop = AtomicBool::new(false);
        // By path one of them may be a link to the canary, which nobody shall swap.
        let path = |at| self.volume.path().join(format!("sub{at}"));
        let subs: Vec<File> = (0..8).map(|at| File::open(path(at)).unwrap()).collect();
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    self.swap(&subs);
                }
            });
            let _stop = StopAtEnd(&stop);
            let mut changed = None;
            for at in 0..rounds {
                // Of files that are right nothing would be written.
                round(GROUPS[usize::try_from(at % 2).unwrap()]);
                if !self.is_untouched() {
                    changed = Some(at);
                    break;
                }
            }
            changed
        })
    }
}

/// Ends the other thread, also if a test fails.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Looks at a path, and then changes what is at that path, as the kubelet does.
fn by_path(dir: &Path, group: u32) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if metadata.is_dir() {
            by_path(&path, group);
        }
        let _ = lchown(&path, None, Some(group));
        if !metadata.is_symlink() {
            let mode = fs::Permissions::from_mode(metadata.mode() & 0o7777 | 0o660);
            let _ = fs::set_permissions(&path, mode);
        }
    }
}

#[test]
fn a_canary_outside_is_never_changed() {
    as_root(|| {
        let race = Race::new();
        let rounds = setting("VOLUME_RACE_ROUNDS", 200);
        let changed = race.run(rounds, |group| {
            Ownership::new(group).apply(race.volume.path()).unwrap();
            MetricsDu::new(race.volume.path()).metrics().unwrap();
        });
        assert_eq!(changed, None);
        println!("{rounds} rounds, and the canary is as it was");
    });
}

/// This shows that the test above can fail.
#[test]
fn by_path_it_is_changed() {
    as_root(|| {
        let race = Race::new();
        let changed = race.run(100_000, |group| by_path(race.volume.path(), group));
        println!("by path the canary was changed in round {changed:?}");
        assert!(changed.is_some());
        // The test's own folder is removed as it is.
        File::open(race.canary.path()).unwrap();
    });
}
