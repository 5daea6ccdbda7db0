//! The table of mounts.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use kubernetes_mount::Error;
use kubernetes_mount::mount::{
    Mount, MountError, MountInfo, parse_mount_info, read_mount_info, search_mount_points,
    selinux_mount_option,
};
use proptest::prelude::*;

use super::tools::{Dir, mounter};

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[test]
fn all_fields_are_read() {
    let line = b"36 35 98:0 /mnt1 /mnt2 rw,noatime shared:1 master:2 - ext3 /dev/root rw,errors=continue\n";
    let expected = MountInfo {
        id: 36,
        parent_id: 35,
        major: 98,
        minor: 0,
        root: "/mnt1".into(),
        mount_point: "/mnt2".into(),
        mount_options: strings(&["rw", "noatime"]),
        optional_fields: strings(&["shared:1", "master:2"]),
        fs_type: "ext3".to_owned(),
        source: "/dev/root".into(),
        super_options: strings(&["rw", "errors=continue"]),
    };
    assert_eq!(parse_mount_info(line).unwrap(), [expected]);
}

#[test]
fn lines_of_all_kinds_are_read() {
    type Check = fn(&MountInfo) -> bool;
    let rows: &[(&str, Check)] = &[
        ("1 0 0:1 / / rw - tmpfs none rw", |mount| {
            mount.optional_fields.is_empty()
        }),
        (r"1 0 0:1 / /a\040b rw - tmpfs none rw", |m| {
            m.mount_point == Path::new("/a b")
        }),
        (r"1 0 0:1 /x\134y / rw - tmpfs none rw", |m| {
            m.root == Path::new("/x\\y")
        }),
        (r"1 0 0:1 / /t\011n\012 rw - tmpfs n rw", |m| {
            m.mount_point == Path::new("/t\tn\n")
        }),
        (r"1 0 0:1 / / rw - nfs4 host:/a\043b rw", |m| {
            m.source == "host:/a#b"
        }),
        // An empty source, as of `mount -t tmpfs ""`.
        ("1 0 0:1 / / rw - tmpfs  rw,size=4k", |m| {
            m.source.is_empty()
        }),
        ("1 0 0:4 net:[4026532291] /run/ns rw - nsfs nsfs rw", |m| {
            m.root == Path::new("net:[4026532291]")
        }),
        ("1 0 0:1 /a//deleted /a rw - tmpfs none rw", |m| {
            m.root == Path::new("/a//deleted")
        }),
        // A comma inside of an option is escaped.
        (r"1 0 0:1 / / rw - overlay o rw,lowerdir=/a\054b", |m| {
            m.super_options.get(1).map(String::as_str) == Some("lowerdir=/a,b")
        }),
        // Or it is in quotes, as categories of SELinux are.
        (
            r#"1 0 0:1 / / rw - ext4 /dev/sda rw,context="u:object_r:t:s0:c1,c2",seclabel"#,
            |m| m.super_options[1..] == [r#"context="u:object_r:t:s0:c1,c2""#, "seclabel"],
        ),
        (
            "1 0 0:1 / / ro,nosuid - cgroup c rw,xattr,release_agent=/a/b,name=systemd",
            |m| {
                m.mount_options == ["ro", "nosuid"]
                    && m.super_options[1..] == ["xattr", "release_agent=/a/b", "name=systemd"]
            },
        ),
        // Options of file systems may have lone backslashes.
        (r"1 0 0:1 / / rw - cifs c rw,domain=a\b", |m| {
            m.super_options.get(1).map(String::as_str) == Some(r"domain=a\b")
        }),
        ("1 0 0:1 / / rw - fuse.sshfs user@host: rw", |m| {
            m.fs_type == "fuse.sshfs"
        }),
        ("1 0 0:1 / / rw future:1 field - tmpfs none rw", |m| {
            m.optional_fields.len() == 2
        }),
    ];
    for (line, check) in rows {
        let mounts = parse_mount_info(line.as_bytes()).unwrap();
        assert!(check(&mounts[0]), "{line}: {mounts:?}");
    }
}

#[test]
fn damaged_lines_are_errors_with_their_number() {
    const GOOD: &str = "1 0 0:1 / / rw - tmpfs none rw";
    let rows = [
        "",
        "x 0 0:1 / / rw - tmpfs none rw",
        "+1 0 0:1 / / rw - tmpfs none rw",
        "1 99999999999999999999 0:1 / / rw - tmpfs none rw",
        "1 0 01 / / rw - tmpfs none rw",
        "1 0 : / / rw - tmpfs none rw",
        "1 0 :1 / / rw - tmpfs none rw",
        "1 0 0: / / rw - tmpfs none rw",
        "1 0 x:1 / / rw - tmpfs none rw",
        "1 0 0:x / / rw - tmpfs none rw",
        "1 0 0:1:2 / / rw - tmpfs none rw",
        "1 0 0:1 / / rw tmpfs none rw",
        "1 0 0:1 / / rw -",
        "1 0 0:1 / / rw - tmpfs none",
        "1 0 0:1",
        "1 0 0:1  / rw - tmpfs none rw",
        r"1 0 0:1 / /a\04 rw - tmpfs none rw",
        r"1 0 0:1 / /a\777 rw - tmpfs none rw",
        r"1 0 0:1 / /a\ rw - tmpfs none rw",
    ];
    for row in rows {
        let table = format!("{GOOD}\n{row}\n{GOOD}\n");
        match parse_mount_info(table.as_bytes()) {
            Err(Error::Mount(error)) => {
                assert!(
                    matches!(*error, MountError::DamagedTable { line: 2, .. }),
                    "{error}"
                );
            }
            other => panic!("{row}: {other:?}"),
        }
    }
    assert_eq!(parse_mount_info(b"").unwrap(), []);
}

fn a_path() -> impl Strategy<Value = PathBuf> {
    let byte = any::<u8>().prop_filter("no path has it", |byte| *byte != 0);
    prop::collection::vec(byte, 0..12)
        .prop_map(|bytes| PathBuf::from(OsString::from_vec([&b"/"[..], &bytes].concat())))
}

fn options() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-z=, \\\\\n#ä]{1,8}", 0..4)
}

fn a_mount() -> impl Strategy<Value = MountInfo> {
    let numbers = (any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>());
    let optional = prop::collection::vec("[a-z]{2,6}:[0-9]{1,3}", 0..3);
    let texts = ("[a-z.]{1,8}", a_path(), optional);
    (numbers, a_path(), a_path(), options(), options(), texts).prop_map(
        |(numbers, root, mount_point, mount_options, super_options, texts)| MountInfo {
            id: numbers.0,
            parent_id: numbers.1,
            major: numbers.2,
            minor: numbers.3,
            root,
            mount_point,
            mount_options,
            optional_fields: texts.2,
            fs_type: texts.0,
            source: texts.1.into_os_string(),
            super_options,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(mounts in prop::collection::vec(a_mount(), 0..4)) {
        let lines: Vec<Vec<u8>> = mounts.iter().map(MountInfo::to_line).collect();
        prop_assert_eq!(parse_mount_info(&lines.join(&b'\n')).unwrap(), mounts);
    }

    #[test]
    fn garbage_never_panics(garbage in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_mount_info(&garbage);
    }

    #[test]
    fn garbage_of_fields_never_panics(garbage in "([0-9]{1,3}:?| |-|/|\\\\|,|\n|[a-z]){0,60}") {
        let _ = parse_mount_info(garbage.as_bytes());
    }
}

#[test]
fn the_own_table_is_read_and_written_back() {
    let table = fs::read("/proc/thread-self/mountinfo").unwrap();
    let mounts = parse_mount_info(&table).unwrap();
    let lines: Vec<Vec<u8>> = mounts.iter().map(MountInfo::to_line).collect();
    assert_eq!(parse_mount_info(&lines.join(&b'\n')).unwrap(), mounts);
    assert!(!read_mount_info().unwrap().is_empty());
}

#[test]
fn a_mount_is_read_only_if_it_or_its_file_system_is() {
    let rows = [
        ("rw,nosuid", "rw,size=1k", vec!["rw", "nosuid", "size=1k"]),
        ("ro", "rw", vec!["ro"]),
        (
            "rw,relatime",
            "ro,seclabel",
            vec!["ro", "relatime", "seclabel"],
        ),
    ];
    for (own, of_fs, expected) in rows {
        let line = format!("1 0 0:1 / /a {own} - tmpfs none {of_fs}");
        let mount = parse_mount_info(line.as_bytes())
            .unwrap()
            .remove(0)
            .to_mount_point();
        let mut options = mount.options.clone();
        options.dedup();
        assert_eq!(options, expected, "{line}");
        assert_eq!(
            (mount.path, mount.device.as_str()),
            (PathBuf::from("/a"), "none")
        );
    }
}

/// A disk with a volume's directory, which is bind mounted; another disk; and a mount over one.
const SEARCHED: &str = "\
1 0 8:1 / / rw - ext4 /dev/sda1 rw
2 1 8:16 / /volumes/disk rw - ext4 /dev/sdb rw
3 1 8:16 / /pods/a/disk rw - ext4 /dev/sdb rw
4 1 8:16 /sub /pods/b/sub rw - ext4 /dev/sdb rw
5 1 8:1 /volumes/local /pods/a/local rw - ext4 /dev/sda1 rw
6 1 0:40 / /pods/a/memory rw - tmpfs tmpfs rw
7 1 0:41 / /pods/b/memory rw - tmpfs tmpfs rw
8 1 8:32 / /covered rw - ext4 /dev/sdc rw
9 1 8:32 / /elsewhere rw - ext4 /dev/sdc rw
10 8 8:48 / /covered rw - ext4 /dev/sdd rw
11 1 8:16 / /pods/a/disk rw - ext4 /dev/sdb rw
12 1 0:42 / /volumes/shared rw - tmpfs tmpfs rw
13 1 0:42 / /pods/b/shared rw - tmpfs tmpfs rw
14 1 0:42 / /pods/a/shared rw - tmpfs tmpfs rw
15 1 0:43 / /data rw - tmpfs tmpfs rw
16 1 0:43 /part /volumes/part rw - tmpfs tmpfs rw
17 1 0:43 /other /volumes/other rw - tmpfs tmpfs rw
18 1 0:43 /part/inner /pods/a/inner rw - tmpfs tmpfs rw
19 1 8:1 /volumes/self /volumes/self rw - ext4 /dev/sda1 rw
20 1 8:1 /volumes/used /volumes/used rw - ext4 /dev/sda1 rw
21 1 8:1 /volumes/used /pods/a/used rw - ext4 /dev/sda1 rw
";

#[test]
fn other_mounts_of_the_same_directory_are_found() {
    let mounts = parse_mount_info(SEARCHED.as_bytes()).unwrap();
    let rows: &[(&str, &[&str])] = &[
        ("/volumes/disk", &["/pods/a/disk"]),
        ("/pods/a/disk", &["/volumes/disk"]),
        ("/pods/b/sub", &[]),
        ("/volumes/disk/sub", &["/pods/b/sub"]),
        ("/volumes/local", &["/pods/a/local"]),
        ("/pods/a/local", &[]),
        ("/pods/a/memory", &[]),
        // Mounts below it are hidden.
        ("/covered", &[]),
        ("/elsewhere", &["/covered"]),
        ("/none", &[]),
        // As the table orders them.
        ("/volumes/shared", &["/pods/b/shared", "/pods/a/shared"]),
        // Below a mount of a part of the file system.
        ("/volumes/part/inner", &["/pods/a/inner"]),
        // Mounted upon itself.
        ("/volumes/self", &[]),
        ("/volumes/used", &["/pods/a/used"]),
    ];
    for (path, expected) in rows {
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(
            search_mount_points(&mounts, Path::new(path)),
            expected,
            "{path}"
        );
    }
    assert!(search_mount_points(&[], Path::new("/a")).is_empty());
}

#[test]
fn a_table_that_changes_never_lacks_what_is_mounted() {
    root_tests::as_root(|| {
        let dir = Dir::new();
        let stable: Vec<_> = (0..60)
            .map(|number| dir.tmpfs(&format!("stable-{number}"), &[]))
            .collect();
        let changing = dir.dir("changing");
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    mounter()
                        .mount(Path::new("x"), &changing, "tmpfs", &[])
                        .unwrap();
                    mounter().unmount(&changing).unwrap();
                }
            });
            let mut read = 0;
            while read < root_tests::setting("VOLUME_TABLE_READS", 100) {
                match read_mount_info() {
                    Ok(mounts) => {
                        read += 1;
                        let all = stable
                            .iter()
                            .all(|path| mounts.iter().any(|mount| mount.mount_point == *path));
                        if !all {
                            done.store(true, Ordering::Relaxed);
                        }
                        assert!(all, "a mount is missing");
                    }
                    // It says that it could not.
                    Err(Error::Mount(error)) => {
                        assert!(
                            matches!(*error, MountError::ChangingTable { .. }),
                            "{error}"
                        );
                        read += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    });
}

/// Each row: options of a mount, those of its file system, whether files have labels, and the label
/// of all of them.
#[test]
fn labels_of_selinux() {
    let rows = [
        ("rw", "rw,seclabel", true, None),
        ("rw,seclabel", "rw", true, None),
        ("rw", "rw,noseclabel", false, None),
        ("rw", "rw,context=u:r:t:s0", false, Some("u:r:t:s0")),
        (
            "rw",
            "rw,context=\"u:r:t:s0:c1,c2\",a",
            false,
            Some("u:r:t:s0:c1,c2"),
        ),
        ("rw,context=u:r:t:s0", "rw,fscontext=u:r:t:s0", false, None),
    ];
    for (own, of_files, has_labels, label) in rows {
        let line = format!("26 1 8:1 / /data {own} - xfs /dev/sda1 {of_files}\n");
        let mounts = parse_mount_info(line.as_bytes()).unwrap();
        assert_eq!(mounts[0].has_selinux_labels(), has_labels, "{line}");
        assert_eq!(mounts[0].selinux_context(), label, "{line}");
        if let Some(label) = label {
            let option = selinux_mount_option(label);
            assert_eq!(option.replace('"', ""), format!("context={label}"));
        }
    }
}
