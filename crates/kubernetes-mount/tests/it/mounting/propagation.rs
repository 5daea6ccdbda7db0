//! Mounts that appear in another place.

use std::fs;
use std::path::Path;

use kubernetes_mount::mount::Mount;
use root_tests::as_root;

use super::tools::{Dir, info, mounter};

/// Mounts a tmpfs under one mount, and returns whether it appears under another.
fn appears(from: &Path, to: &Path) -> bool {
    fs::create_dir_all(from.join("inner")).unwrap();
    mounter()
        .mount(Path::new("tmpfs"), &from.join("inner"), "tmpfs", &[])
        .unwrap();
    let appears = mounter().is_mount_point(&to.join("inner")).unwrap();
    mounter().unmount(&from.join("inner")).unwrap();
    assert!(!mounter().is_mount_point(&to.join("inner")).unwrap());
    appears
}

#[test]
fn mounts_propagate_as_they_were_told() {
    as_root(|| {
        // The options of the copy, and whether mounts come to it and go from it.
        let rows: &[(&[&str], bool, bool)] = &[
            (&["bind"], true, true),
            (&["bind", "rslave"], true, false),
            (&["bind", "slave", "ro"], true, false),
            (&["bind", "private"], false, false),
            (&["rbind", "rprivate"], false, false),
            (&["bind", "unbindable"], false, false),
        ];
        for (options, comes, goes) in rows {
            let dir = Dir::new();
            let source = dir.tmpfs("source", &["shared"]);
            assert!(info(&source).optional_fields[0].starts_with("shared:"));
            let target = dir.dir("target");
            fs::create_dir(source.join("inner")).unwrap();
            mounter().mount(&source, &target, "", options).unwrap();
            assert_eq!(appears(&source, &target), *comes, "{options:?}");
            assert_eq!(appears(&target, &source), *goes, "{options:?}");
        }
    });
}

#[test]
fn propagation_alone_can_be_changed() {
    as_root(|| {
        let dir = Dir::new();
        let target = dir.tmpfs("target", &["nosuid"]);
        let change = |option| {
            mounter()
                .mount(Path::new(""), &target, "", &[option])
                .unwrap()
        };
        let fields = || info(&target).optional_fields;
        assert!(fields().is_empty());
        change("rshared");
        assert!(fields()[0].starts_with("shared:"));
        change("private");
        assert!(fields().is_empty());
        change("unbindable");
        assert_eq!(fields(), ["unbindable"]);
        let options = info(&target).mount_options;
        assert!(
            options.iter().any(|option| option == "nosuid"),
            "{options:?}"
        );
        let error = mounter()
            .mount(&target, &dir.dir("other"), "", &["bind"])
            .unwrap_err();
        assert!(error.is_final());

        let plain = dir.dir("plain");
        assert!(
            mounter()
                .mount(Path::new(""), &plain, "", &["shared"])
                .is_err()
        );
    });
}

#[test]
fn a_recursive_bind_mount_has_what_is_mounted_below() {
    as_root(|| {
        let dir = Dir::new();
        let source = dir.tmpfs("source", &[]);
        let inner = dir.tmpfs("source/inner", &[]);
        fs::write(inner.join("file"), "").unwrap();
        let (plain, recursive) = (dir.dir("plain"), dir.dir("recursive"));
        mounter().mount(&source, &plain, "", &["bind"]).unwrap();
        mounter()
            .mount(&source, &recursive, "", &["rbind"])
            .unwrap();
        assert!(!plain.join("inner/file").exists());
        assert!(recursive.join("inner/file").exists());
    });
}
