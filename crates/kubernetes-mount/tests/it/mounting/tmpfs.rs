//! `noswap` of file systems in memory.

use std::path::Path;

use kubernetes_mount::Error;
use kubernetes_mount::mount::{LinuxMounter, Mount, Noswap, read_mount_info};
use kubernetes_mount::testing::{FakeAction, FakeMounter};
use root_tests::as_root;

#[test]
fn kernels_that_have_it() {
    let first = "         0          0 4294967295\n";
    for (uid_map, release, expected) in [
        (first, "6.18.44-fc-v657\n", Noswap::Supported),
        (first, "6.4.0", Noswap::Supported),
        (first, "7.0-rc1", Noswap::Supported),
        (first, "10.1", Noswap::Supported),
        (first, "6.3.13", Noswap::Unknown),
        (first, "5.14.0-427.el9", Noswap::Unknown),
        (first, "", Noswap::Unknown),
        (first, "six", Noswap::Unknown),
        ("", "6.4.0", Noswap::Supported),
        ("0 1000 1\n", "6.4.0", Noswap::Refused),
        ("0 0 65536\n", "6.4.0", Noswap::Refused),
        ("0 0 1\n 1 100000 65536\n", "6.4.0", Noswap::Refused),
    ] {
        assert_eq!(
            Noswap::of(uid_map, release),
            expected,
            "{uid_map} {release}"
        );
    }
}

/// The options of each mount that was tried, on kernels that have the option and on others.
#[test]
fn mounts_that_are_tried() {
    let (with, without) = (vec!["size=1k", "noswap"], vec!["size=1k"]);
    let rows = [
        (Noswap::Supported, true, vec![with.clone()]),
        (Noswap::Supported, false, vec![with.clone()]),
        (Noswap::Unknown, true, vec![with.clone()]),
        (Noswap::Unknown, false, vec![with, without.clone()]),
        (Noswap::Refused, false, vec![without]),
    ];
    for (noswap, has_it, expected) in rows {
        let mounter = FakeMounter::new().with_hook(move |_, action| match action {
            FakeAction::Mount { options, .. }
                if !has_it && options.iter().any(|option| option == "noswap") =>
            {
                Err(Error::other("an unknown option"))
            }
            _ => Ok(()),
        });
        let mounted = noswap.mount(&mounter, Path::new("/a"), &["size=1k"]);
        assert_eq!(mounted.is_ok(), has_it || noswap != Noswap::Supported);
        let tried = mounter.changes().into_iter().map(|action| match action {
            FakeAction::Mount { options, .. } => options,
            other => panic!("{other:?}"),
        });
        assert_eq!(tried.collect::<Vec<_>>(), expected, "{noswap:?} {has_it}");
    }
}

#[test]
fn this_kernel_has_what_it_says() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let mounter = LinuxMounter::new();
        let noswap = Noswap::of_kernel();
        noswap.mount(&mounter, dir.path(), &["size=64k"]).unwrap();
        let mounts = read_mount_info().unwrap();
        let mount = mounts.iter().find(|mount| mount.mount_point == dir.path());
        let options = &mount.unwrap().super_options;
        let has_it = options.iter().any(|option| option == "noswap");
        match noswap {
            Noswap::Supported => assert!(has_it, "{options:?}"),
            Noswap::Refused => assert!(!has_it, "{options:?}"),
            _ => {}
        }
        mounter.unmount(dir.path()).unwrap();
    });
}
