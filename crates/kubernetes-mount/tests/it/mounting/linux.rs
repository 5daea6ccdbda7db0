//! Mounting for real.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use kubernetes_mount::Error;
use kubernetes_mount::mount::{
    ForceUnmount, Mount, MountError, binds_at_once, clean_up_mount_point, is_corrupted,
    unmount_lazily, unmount_with_force,
};
use root_tests::as_root;

use super::tools::{Dir, info, mounter, unmount};

fn has(options: &[String], wanted: &[&str]) -> bool {
    wanted
        .iter()
        .all(|wanted| options.iter().any(|option| option == wanted))
}

fn mount(source: &Path, target: &Path, fs_type: &str, options: &[&str]) {
    mounter().mount(source, target, fs_type, options).unwrap();
}

#[track_caller]
fn assert_read_only(dir: &Path) {
    let error = File::create(dir.join("new")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ReadOnlyFilesystem);
}

#[test]
fn a_file_system_is_mounted_listed_and_unmounted() {
    as_root(|| {
        let dir = Dir::new();
        let target = dir.dir("target");
        let options = ["noexec", "size=64k", "defaults,nofail", "mode=0750"];
        mount(Path::new("its name"), &target, "tmpfs", &options);
        let listed = mounter().list().unwrap();
        let mount = listed.iter().find(|mount| mount.path == target).unwrap();
        assert_eq!(
            (mount.device.as_str(), mount.fs_type.as_str()),
            ("its name", "tmpfs")
        );
        assert!(
            has(&mount.options, &["rw", "noexec", "size=64k", "mode=750"]),
            "{mount:?}"
        );
        assert!(mounter().is_mount_point(&target).unwrap());
        unmount(&target);
        assert!(!mounter().is_mount_point(&target).unwrap());

        let error = mounter().unmount(&target).unwrap_err();
        let Error::Mount(error) = error else {
            panic!("{error}")
        };
        assert!(matches!(*error, MountError::NotMounted { .. }), "{error}");

        let error = mounter().unmount(&dir.path().join("none")).unwrap_err();
        assert!(error.to_string().contains("No such file"), "{error}");
    });
}

#[test]
fn sensitive_options_make_bind_mounts_too() {
    as_root(|| {
        let dir = Dir::new();
        let (source, target) = (dir.tmpfs("source", &[]), dir.dir("target"));
        let mount = |sensitive: &[&str]| {
            mounter().mount_sensitive(&source, &target, "", &["nosuid"], sensitive)
        };
        // A remount alone makes none.
        let error = mount(&["remount", "ro"]).unwrap_err();
        assert!(
            error.to_string().contains("is it a mount point?"),
            "{error}"
        );
        mount(&["ro", "bind"]).unwrap();
        assert!(has(&info(&target).mount_options, &["ro", "nosuid"]));
        assert_read_only(&target);
    });
}

#[test]
fn a_read_only_bind_mount_keeps_other_flags() {
    as_root(|| {
        let dir = Dir::new();
        let source = dir.tmpfs("source", &["nosuid", "nodev", "noexec", "noatime"]);
        let target = dir.dir("target");
        mount(&source, &target, "", &["bind", "ro", "vers=4", "_netdev"]);
        let options = info(&target).mount_options;
        assert!(
            has(&options, &["ro", "nosuid", "nodev", "noexec", "noatime"]),
            "{options:?}"
        );
        assert_read_only(&target);
        fs::write(source.join("file"), "the source is writable").unwrap();

        mount(
            &source,
            &target,
            "",
            &["bind", "remount", "rw", "exec", "nosymfollow"],
        );
        let options = info(&target).mount_options;
        assert!(has(
            &options,
            &["rw", "nosuid", "nodev", "noatime", "nosymfollow"]
        ));
        assert!(!has(&options, &["noexec"]));
        fs::write(target.join("file"), "writable again").unwrap();
    });
}

/// Not even for a moment: what somebody writes meanwhile is never in the source.
#[test]
fn a_read_only_bind_mount_can_never_be_written() {
    as_root(|| {
        assert!(binds_at_once(), "the kernel is older than 5.12");
        let dir = Dir::new();
        let (source, target) = (dir.dir("source"), dir.dir("target"));
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::write(target.join("file"), "");
                }
            });
            let mounted = panic::catch_unwind(|| {
                for _ in 0..500 {
                    mount(&source, &target, "", &["bind", "ro"]);
                    unmount(&target);
                }
            });
            done.store(true, Ordering::Relaxed);
            mounted.unwrap();
        });
        assert!(target.join("file").exists());
        assert_eq!(fs::read_dir(&source).unwrap().count(), 0);
    });
}

#[test]
fn a_remount_changes_what_it_names() {
    as_root(|| {
        let dir = Dir::new();
        let target = dir.tmpfs("target", &["nosuid", "relatime", "size=64k"]);
        mount(
            Path::new("tmpfs"),
            &target,
            "tmpfs",
            &["remount", "ro", "size=128k"],
        );
        let mount_info = info(&target);
        assert!(has(
            &mount_info.mount_options,
            &["ro", "nosuid", "relatime"]
        ));
        assert!(has(&mount_info.super_options, &["ro", "size=128k"]));

        // Options that aren't named stay.
        mount(
            Path::new("tmpfs"),
            &target,
            "tmpfs",
            &["remount", "noatime"],
        );
        let mount_info = info(&target);
        assert!(has(&mount_info.mount_options, &["ro", "nosuid", "noatime"]));
        assert!(!has(&mount_info.mount_options, &["relatime"]));

        mount(Path::new("tmpfs"), &target, "", &["remount", "rw", "suid"]);
        let mount_info = info(&target);
        assert!(has(&mount_info.super_options, &["rw", "size=128k"]));
        assert!(!has(&mount_info.mount_options, &["nosuid"]));

        let plain = dir.dir("plain");
        let error = mounter()
            .mount(Path::new("x"), &plain, "", &["remount", "ro"])
            .unwrap_err();
        assert!(
            error.to_string().contains("is it a mount point?"),
            "{error}"
        );
    });
}

/// Flags of mounts from outside can't be taken back in a new user namespace.
#[test]
fn times_of_access_are_kept_and_taken_back() {
    as_root(|| {
        // The options of the mount, those of the remount, and the words in the mount table.
        let rows: [(&str, &str, &[&str]); 8] = [
            ("noatime", "atime", &["relatime"]),
            ("noatime", "nodiratime", &["noatime", "nodiratime"]),
            ("relatime", "strictatime", &[]),
            ("strictatime", "ro", &[]),
            ("strictatime", "nodiratime", &["nodiratime"]),
            ("strictatime,nodiratime", "diratime", &[]),
            ("strictatime", "nostrictatime", &["relatime"]),
            ("nodiratime", "noatime,atime,diratime", &["relatime"]),
        ];
        for (first, second, wanted) in rows {
            for of_file_system in [true, false] {
                let dir = Dir::new();
                let target = dir.tmpfs("target", &[first]);
                let options: &[&str] = if of_file_system {
                    &["remount", second]
                } else {
                    &["bind", "remount", second]
                };
                mount(Path::new("tmpfs"), &target, "", options);
                let mut found = info(&target).mount_options;
                found.retain(|option| option.contains("atime"));
                found.sort();
                assert_eq!(found, wanted, "{first}, then {second}");
            }
        }
    });
}

#[test]
fn a_mount_that_lacks_what_was_asked_for_is_undone() {
    as_root(|| {
        let dir = Dir::new();
        dir.tmpfs("source", &["nosuid"]);
        dir.dir("target");
        let output = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount"])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "mounting::linux::in_a_user_namespace",
                "--ignored",
                "--nocapture",
            ])
            .env("VOLUME_TEST_DIR", dir.path())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && printed.contains("1 passed"),
            "{output:?}"
        );
    });
}

#[test]
#[ignore = "a_mount_that_lacks_what_was_asked_for_is_undone runs it"]
fn in_a_user_namespace() {
    let dir = PathBuf::from(std::env::var_os("VOLUME_TEST_DIR").unwrap());
    let (source, target) = (dir.join("source"), dir.join("target"));
    mount(&source, &target, "", &["bind", "ro"]);
    unmount(&target);
    let error = mounter()
        .mount(&source, &target, "", &["bind", "suid"])
        .unwrap_err();
    assert!(
        error.to_string().contains("Operation not permitted"),
        "{error}"
    );
    assert!(!mounter().is_mount_point(&target).unwrap());
}

#[test]
fn a_target_may_be_a_symbolic_link() {
    as_root(|| {
        let dir = Dir::new();
        let (source, target) = (dir.dir("source"), dir.dir("target"));
        let link = dir.path().join("link");
        symlink(&target, &link).unwrap();
        mount(&source, &link, "", &["bind", "ro"]);
        assert_read_only(&target);
        assert!(mounter().is_mount_point(&target).unwrap());
        assert!(!mounter().is_mount_point(&link).unwrap());
    });
}

#[test]
fn mount_points_of_all_kinds_are_recognized() {
    as_root(|| {
        let dir = Dir::new();
        let tmpfs = dir.tmpfs("tmpfs", &[]);
        let bound = dir.dir("bound");
        mount(&dir.dir("plain"), &bound, "", &["bind"]);
        let file = dir.file("file", "");
        mount(&dir.file("other", "content"), &file, "", &["bind", "ro"]);
        let link = dir.path().join("link");
        symlink(&tmpfs, &link).unwrap();
        let dangling = dir.path().join("dangling");
        symlink("nowhere", &dangling).unwrap();
        fs::create_dir(tmpfs.join("inside")).unwrap();

        let rows = [
            (tmpfs.clone(), true),
            (bound, true),
            (file, true),
            (PathBuf::from("/"), true),
            (PathBuf::from("/proc"), true),
            (dir.path().join("plain"), false),
            (dir.path().join("other"), false),
            (tmpfs.join("inside"), false),
            (link, false),
            // Links are not followed, wherever they lead.
            (dangling, false),
            // Relative to the package's folder, where its tests run.
            (PathBuf::from("src"), false),
        ];
        for (path, expected) in rows {
            assert_eq!(
                mounter().is_mount_point(&path).unwrap(),
                expected,
                "{path:?}"
            );
        }
        for absent in [dir.path().join("none"), PathBuf::from("none")] {
            let error = mounter().is_mount_point(&absent).unwrap_err();
            let Error::Io { source, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(source.kind(), ErrorKind::NotFound);
        }
    });
}

#[test]
fn paths_of_all_bytes_are_mounted() {
    as_root(|| {
        let dir = Dir::new();
        let names = [
            &b"with space"[..],
            b"line\nend",
            b"back\\slash\\040",
            b"#",
            b"\xff\xfe",
            b"\t",
        ];
        for name in names {
            let target = dir.dir(OsStr::from_bytes(name));
            mount(Path::new("tmpfs"), &target, "tmpfs", &[]);
            mount(Path::new("tmpfs"), &target, "tmpfs", &["remount", "ro"]);
            assert!(
                mounter()
                    .list()
                    .unwrap()
                    .iter()
                    .any(|mount| mount.path == target)
            );
            assert!(mounter().is_mount_point(&target).unwrap());
            unmount(&target);
        }
    });
}

#[test]
fn other_mounts_of_a_directory_are_found() {
    as_root(|| {
        let dir = Dir::new();
        let tmpfs = dir.tmpfs("tmpfs", &[]);
        let (a, b, sub) = (dir.dir("a"), dir.dir("b"), dir.dir("sub"));
        fs::create_dir(tmpfs.join("inner")).unwrap();
        mount(&tmpfs, &a, "", &["bind"]);
        mount(&tmpfs, &b, "", &["bind", "ro"]);
        mount(&tmpfs.join("inner"), &sub, "", &["bind"]);
        let refs = |path: &Path| mounter().mount_refs(path).unwrap();
        assert_eq!(refs(&tmpfs), [a.clone(), b.clone()]);
        assert_eq!(refs(&a), [tmpfs.clone(), b.clone()]);
        assert_eq!(refs(&tmpfs.join("inner")), [&*sub]);
        assert_eq!(refs(&sub), [] as [PathBuf; 0]);
        assert_eq!(refs(&dir.path().join("none/none")), [] as [PathBuf; 0]);

        // Another mount over one of them.
        mount(Path::new("tmpfs"), &a, "tmpfs", &[]);
        assert_eq!(refs(&a), [] as [PathBuf; 0]);
        assert_eq!(refs(&b), [tmpfs, a]);
    });
}

#[test]
fn a_mount_that_is_refused_says_why() {
    as_root(|| {
        let dir = Dir::new();
        let target = dir.dir("target");
        let none = dir.path().join("none");
        let file = dir.file("file", "");
        let rows: &[(&Path, &Path, &str, &[&str], &str)] = &[
            (
                Path::new("x"),
                &target,
                "nosuchfs",
                &["ro"],
                "does not know this type",
            ),
            (&file, &target, "ext4", &[], "needs a block device"),
            (
                Path::new("x"),
                &target,
                "tmpfs",
                &["nosuchoption"],
                "wrong options",
            ),
            (&none, &target, "", &["bind"], "No such file or directory"),
            (&target, &none, "", &["bind"], "No such file or directory"),
            (&file, &target, "", &["bind"], "Not a directory"),
        ];
        for (source, target, fs_type, options, text) in rows {
            let error = mounter()
                .mount(source, target, fs_type, options)
                .unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
            assert!(
                error.to_string().contains(target.to_str().unwrap()),
                "{error}"
            );
            let Error::Mount(error) = error else {
                panic!("{error}")
            };
            assert!(matches!(*error, MountError::Refused { .. }));
        }
        assert!(!mounter().is_mount_point(&target).unwrap());
    });
}

#[test]
fn what_is_in_use_is_unmounted_lazily_only() {
    as_root(|| {
        let dir = Dir::new();
        let target = dir.tmpfs("target", &[]);
        let open = File::create(target.join("file")).unwrap();
        for error in [
            mounter().unmount(&target).unwrap_err(),
            unmount_with_force(&target, Duration::from_secs(60)).unwrap_err(),
        ] {
            let Error::Io { source, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(source.kind(), ErrorKind::ResourceBusy);
        }
        unmount_lazily(&target).unwrap();
        assert!(!mounter().is_mount_point(&target).unwrap());
        open.set_len(1).unwrap();

        let target = dir.tmpfs("target", &[]);
        mounter()
            .unmount_with_force(&target, Duration::from_secs(60))
            .unwrap();
        assert!(!mounter().is_mount_point(&target).unwrap());
        assert!(unmount_lazily(&target).is_err());
    });
}

#[test]
fn unmounting_follows_no_symbolic_link() {
    as_root(|| {
        let dir = Dir::new();
        let target = dir.tmpfs("target", &[]);
        let link = dir.path().join("link");
        symlink(&target, &link).unwrap();
        // With a slash at its end, the kernel would follow it.
        for link in [link.clone(), PathBuf::from(format!("{}/", link.display()))] {
            assert!(!mounter().is_mount_point(&link).unwrap());
            assert!(mounter().unmount(&link).is_err());
            assert!(unmount_lazily(&link).is_err());
            assert!(clean_up_mount_point(&mounter(), &link, true).is_err());
            assert!(mounter().is_mount_point(&target).unwrap());
        }
    });
}

#[test]
fn errors_of_broken_mounts_are_told_from_others() {
    let os = std::io::Error::from_raw_os_error;
    // ENOTCONN, ESTALE, EIO, EACCES, EHOSTDOWN; then ENOENT, EBUSY, EINVAL.
    for (number, expected) in [
        (107, true),
        (116, true),
        (5, true),
        (13, true),
        (112, true),
        (2, false),
        (16, false),
        (22, false),
    ] {
        assert_eq!(is_corrupted(&os(number)), expected, "{number}");
        let error = Error::io("look at", "/a")(os(number));
        assert_eq!(is_corrupted(&error), expected, "{error}");
        assert_eq!(is_corrupted(&error.transient()), expected);
    }
    assert!(!is_corrupted(&Error::invalid("no number")));
}
