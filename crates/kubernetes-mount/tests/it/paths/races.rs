//! Whoever can write to a volume replaces its directories by links to others meanwhile.

use std::fs;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kubernetes_mount::atomic_writer::{AtomicWriter, FileProjection};
use kubernetes_mount::subpath::{LinuxSubpath, Subpath};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use root_tests::{as_root, setting};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::mounted::Pod;

/// A volume with a directory `dir` that has a `canary`, and a link `link` to the directory outside.
fn pod() -> Pod {
    let pod = Pod::new();
    fs::create_dir(pod.volume().join("dir")).unwrap();
    fs::write(pod.volume().join("dir/canary"), "inside").unwrap();
    symlink(pod.outside.path(), pod.volume().join("link")).unwrap();
    pod
}

/// Lets two names of a directory take each other's place.
fn exchange(dir: &Path, one: &str, other: &str) {
    let _ = renameat_with(
        CWD,
        dir.join(one),
        CWD,
        dir.join(other),
        RenameFlags::EXCHANGE,
    );
}

/// Runs something in rounds, until it says that it went outside, while another thread swaps.
fn race(rounds: u64, swap: impl Fn() + Sync, mut round: impl FnMut(u64) -> bool) -> Option<u64> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                swap();
            }
        });
        // The other thread must end in any case.
        let found = catch_unwind(AssertUnwindSafe(|| (0..rounds).find(|at| round(*at))));
        stop.store(true, Ordering::Relaxed);
        found.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn rounds() -> u64 {
    setting("VOLUME_RACE_ROUNDS", 200)
}

#[test]
fn a_part_is_never_outside_of_the_volume() {
    as_root(|| {
        let pod = pod();
        let (mut prepared_often, mut escaped) = (0, None);
        // The kernel refuses most paths while something is renamed, so more rounds may be needed.
        let ended = race(
            100 * rounds(),
            || exchange(&pod.volume(), "dir", "link"),
            |at| {
                if at >= rounds() && prepared_often > 0 {
                    return true;
                }
                let Ok(prepared) = pod.prepare("dir/canary") else {
                    return false;
                };
                prepared_often += 1;
                if fs::read_to_string(&prepared).unwrap() != "inside" {
                    escaped = Some(at);
                }
                pod.clean().unwrap();
                escaped.is_some()
            },
        );
        assert_eq!(escaped, None);
        assert!(prepared_often > 0);
        println!("{prepared_often} of {ended:?} rounds found the part");
    });
}

/// Checks that the path is in the volume, and mounts the path, as was done once.
fn by_path(pod: &Pod, target: &Path) -> Option<bool> {
    let path = pod.volume().join("dir/canary");
    let resolved = fs::canonicalize(&path).ok()?;
    if !resolved.starts_with(fs::canonicalize(pod.volume()).ok()?) {
        return None;
    }
    let none = None::<&str>;
    mount(Some(&path), target, none, MsFlags::MS_BIND, none).ok()?;
    let escaped = fs::read_to_string(target).unwrap() != "inside";
    // Whoever looks at all mounts keeps it busy for a moment.
    umount2(target, MntFlags::MNT_DETACH).unwrap();
    Some(escaped)
}

/// This shows that the test above can fail.
#[test]
fn by_path_it_is() {
    as_root(|| {
        let pod = pod();
        let target = pod.dir.path().join("target");
        fs::write(&target, "").unwrap();
        let escaped = race(
            1_000_000,
            || exchange(&pod.volume(), "dir", "link"),
            |_| by_path(&pod, &target) == Some(true),
        );
        println!("by path, round {escaped:?} was outside");
        assert!(escaped.is_some());
    });
}

#[test]
fn a_directory_is_never_made_outside() {
    as_root(|| {
        let pod = pod();
        let escaped = race(
            rounds(),
            || exchange(&pod.volume(), "dir", "link"),
            |at| {
                let path = format!("dir/made-{at}/deep");
                let _ = LinuxSubpath::new().safe_make_dir(Path::new(&path), &pod.volume(), 0o755);
                fs::read_dir(pod.outside.path()).unwrap().count() != 1
            },
        );
        assert_eq!(escaped, None);
        let path = Path::new("dir/made-by-path");
        let escaped = race(
            1_000_000,
            || exchange(&pod.volume(), "dir", "link"),
            |at| {
                let resolved = fs::canonicalize(pod.volume().join("dir")).unwrap();
                if resolved.starts_with(pod.volume()) {
                    let _ = fs::create_dir(pod.volume().join(path).with_extension(at.to_string()));
                }
                fs::read_dir(pod.outside.path()).unwrap().count() != 1
            },
        );
        assert!(escaped.is_some(), "by path it is");
    });
}

/// Swaps the directories of a writer for the link.
fn swap_data(volume: &Path) {
    for entry in fs::read_dir(volume).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("..1") {
            exchange(volume, &name, "link");
        }
    }
}

#[test]
fn no_file_is_written_outside() {
    as_root(|| {
        let pod = pod();
        let volume = pod.volume();
        let untouched = || {
            let canary = fs::read_to_string(pod.outside.path().join("canary"));
            canary.is_ok_and(|text| text == "outside")
                && fs::read_dir(pod.outside.path()).unwrap().count() == 1
        };
        let escaped = race(
            rounds(),
            || swap_data(&volume),
            |at| {
                let data = at.to_string().into();
                let file = FileProjection {
                    data,
                    mode: 0o644,
                    fs_user: Some(1000),
                };
                let files = ["canary", "sub/file"].map(|path| (path.to_owned(), file.clone()));
                let _ = AtomicWriter::new(&volume)
                    .unwrap()
                    .write(&files.into(), |_| Ok(()));
                !untouched()
            },
        );
        assert_eq!(escaped, None);
    });
}

/// This shows that the test above can fail.
#[test]
fn by_path_one_is() {
    as_root(|| {
        let pod = pod();
        let dir = pod.volume().join("dir");
        let swap = || exchange(&pod.volume(), "dir", "link");
        let escaped = race(1_000_000, swap, |_| {
            if fs::symlink_metadata(&dir).is_ok_and(|file| file.is_dir()) {
                let _ = fs::write(dir.join("canary"), "by path");
            }
            fs::read_to_string(pod.outside.path().join("canary")).unwrap() != "outside"
        });
        assert!(escaped.is_some());
    });
}
