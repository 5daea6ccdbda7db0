//! Random mount options: mount(8) makes the same mounts of them, in the versions of util-linux that
//! mount by the same system call, before 2.39.

use std::cell::Cell;
use std::path::Path;
use std::process::Command;

use kubernetes_mount::mount::{Mount, read_mount_info};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use root_tests::as_root;

use super::tools::{Dir, left_out, mounter};

/// The options of every file system.
const OPTIONS: &[&str] = &[
    "ro",
    "rw",
    "nosuid",
    "suid",
    "nodev",
    "dev",
    "noexec",
    "exec",
    "sync",
    "async",
    "dirsync",
    "nodiratime",
    "diratime",
    "lazytime",
    "nolazytime",
    "nosymfollow",
    "symfollow",
    "silent",
    "loud",
    "mand",
    "nomand",
    "defaults",
    "auto",
    "noauto",
    "nofail",
    "_netdev",
    "user",
    "users",
    "nouser",
    "nousers",
    "owner",
    "group",
    "noowner",
    "nogroup",
    "x-systemd.automount",
    "comment=a",
];

/// One of these rows is used at a time: here the last time of access holds, of mount(8) the flags
/// of all are passed on, and the kernel chooses.
const ATIME: [[&str; 2]; 3] = [
    ["noatime", "atime"],
    ["relatime", "norelatime"],
    ["strictatime", "nostrictatime"],
];

/// The propagations, of which at most one is used: mount(8) has its own order for several.
const PROPAGATION: &[&str] = &[
    "private",
    "shared",
    "slave",
    "unbindable",
    "rprivate",
    "rshared",
    "rslave",
];

fn mount_8(args: &[&str], target: &Path) -> bool {
    let mut command = Command::new("mount");
    let output = command
        .arg("--no-mtab")
        .args(args)
        .arg(target)
        .output()
        .unwrap();
    output.status.success()
}

/// Returns true if this is mount(8) as described above.
fn is_comparable() -> bool {
    let output = Command::new("mount").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let version = text.split_once("util-linux 2.").map(|(_, version)| version);
    let minor = version.and_then(|version| version.split(['.', ' ']).next()?.parse().ok());
    minor.is_some_and(|minor: u32| minor < 39)
}

/// The options of a mount, those of its file system, and how it propagates.
fn state(path: &Path) -> Option<(Vec<String>, Vec<String>, Vec<String>)> {
    let mounts = read_mount_info().unwrap();
    let mount = mounts
        .into_iter()
        .rfind(|mount| mount.mount_point == path)?;
    let (mut own, mut all) = (mount.mount_options, mount.super_options);
    own.sort();
    all.sort();
    let kind = |field: &String| field.split(':').next().unwrap().to_owned();
    let fields = mount.optional_fields.iter().map(kind).collect();
    Some((own, all, fields))
}

#[test]
fn of_random_options_mount_8_makes_the_same() {
    as_root(|| {
        if !is_comparable() {
            return left_out("there is no mount(8) of util-linux before 2.39");
        }
        let mounted = Cell::new(0_u32);
        let options = |atime: [&'static str; 2]| {
            let flags = vec(
                prop_oneof![6 => select(OPTIONS), 1 => select(atime.to_vec())],
                1..6,
            );
            (flags, prop::option::of(select(PROPAGATION))).prop_map(|(mut flags, one)| {
                flags.extend(one);
                flags
            })
        };
        let cases = select(&ATIME[..])
            .prop_flat_map(move |atime| (options(atime), options(atime), 0..4_u8));
        TestRunner::new(Config {
            failure_persistence: None,
            ..Config::default()
        })
        .run(&cases, |(first, second, way)| {
            let dir = Dir::new();
            let (ours, theirs) = (dir.dir("ours"), dir.dir("theirs"));
            let source = dir.dir("source");
            let name = Path::new("name");
            let (is_bind, is_remounted) = (way >= 2, way % 2 == 1);
            let mut done = Vec::new();
            for (mut options, again) in [(first, false), (second, true)] {
                if again && !is_remounted {
                    continue;
                }
                if is_bind || is_remounted {
                    // mount(8) doesn't set it for a bind mount, and forgets it when it remounts.
                    options.retain(|option| !option.ends_with("strictatime"));
                }
                if is_bind {
                    options.push("bind");
                }
                if again {
                    // With these, mount(8) leaves a mount as it was: see
                    // `times_of_access_are_kept_and_taken_back`.
                    options.retain(|option| !["atime", "diratime", "norelatime"].contains(option));
                    options.push("remount");
                }
                let text = options.join(",");
                let (from, fs_type) = if is_bind {
                    (source.as_path(), "")
                } else {
                    (name, "tmpfs")
                };
                let own = mounter().mount(from, &ours, if again { "" } else { fs_type }, &options);
                let other = match (again, is_bind) {
                    (true, _) => mount_8(&["-o", &text], &theirs),
                    (_, true) => mount_8(&["-o", &text, source.to_str().unwrap()], &theirs),
                    (_, false) => mount_8(&["-t", "tmpfs", "-o", &text, "name"], &theirs),
                };
                done.push(text);
                mounted.set(mounted.get() + u32::from(other));
                prop_assert_eq!(own.is_ok(), other, "{:?}: {:?}", done, own);
                prop_assert_eq!(state(&ours), state(&theirs), "{:?}", done);
            }
            for path in [&ours, &theirs] {
                let _ = mounter().unmount(path);
            }
            Ok(())
        })
        .unwrap();
        assert!(mounted.get() > 0, "mount(8) has mounted nothing");
        println!("{} mounts and remounts", mounted.get());
    });
}
