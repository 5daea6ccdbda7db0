//! Unmounting all, and removing the directory.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kubernetes_mount::mount::{
    Mount, MountError, MountPoint, clean_up_mount_point, clean_up_mount_point_with_force,
    is_corrupted,
};
use kubernetes_mount::testing::{FakeAction, FakeMounter};
use kubernetes_mount::{Error, Result};
use root_tests::as_root;

use super::tools::{Dir, left_out, mounter};

const STALE: i32 = 116;
const ACCESS_NOT_PERMITTED: i32 = 1;

fn mounted(path: &Path, times: usize) -> FakeMounter {
    let mount = MountPoint {
        path: path.to_owned(),
        ..MountPoint::default()
    };
    FakeMounter::new().with_mounts(vec![mount; times])
}

fn unmounts(mounter: &FakeMounter) -> usize {
    mounter.count(FakeAction::is_change)
}

#[test]
fn what_is_mounted_is_unmounted_and_removed() {
    for extensive in [false, true] {
        for times in [0, 1, 3] {
            let dir = Dir::new();
            let path = dir.dir("target");
            let mounter = mounted(&path, times);
            clean_up_mount_point(&mounter, &path, extensive).unwrap();
            assert_eq!(unmounts(&mounter), times);
            assert!(!path.exists());
            // Again.
            clean_up_mount_point(&mounter, &path, extensive).unwrap();
            assert_eq!(unmounts(&mounter), times);
        }
    }
}

#[test]
fn a_path_that_does_not_exist_is_fine() {
    let dir = Dir::new();
    let file = dir.file("file", "");
    for path in [
        dir.path().join("none"),
        dir.path().join("none/none"),
        file.join("x"),
    ] {
        let mounter = FakeMounter::new();
        clean_up_mount_point(&mounter, &path, true).unwrap();
        assert!(mounter.actions().is_empty());
    }
}

#[test]
fn content_is_kept_and_said() {
    let dir = Dir::new();
    let path = dir.dir("target");
    fs::create_dir(path.join("data")).unwrap();
    for times in [0, 1] {
        let error = clean_up_mount_point(&mounted(&path, times), &path, false).unwrap_err();
        assert!(error.to_string().contains("is not empty"), "{error}");
        let Error::Mount(error) = error else {
            panic!("{error}")
        };
        assert!(matches!(*error, MountError::NotEmpty { .. }));
        assert!(path.join("data").exists());
    }
}

#[test]
fn an_empty_file_is_removed_and_nothing_else() {
    let dir = Dir::new();
    let empty = dir.file("empty", "");
    clean_up_mount_point(&mounted(&empty, 1), &empty, false).unwrap();
    assert!(!empty.exists());

    let full = dir.file("full", "data");
    assert!(clean_up_mount_point(&mounted(&full, 1), &full, false).is_err());
    assert!(full.exists());

    let (link, target) = (dir.path().join("link"), dir.dir("target"));
    symlink(&target, &link).unwrap();
    for path in [link.clone(), PathBuf::from(format!("{}/", link.display()))] {
        assert!(clean_up_mount_point(&FakeMounter::new(), &path, false).is_err());
        assert!(link.is_symlink() && target.exists());
    }
}

#[test]
fn an_unmount_that_fails_leaves_the_directory() {
    let dir = Dir::new();
    let path = dir.dir("target");
    let mounter = mounted(&path, 1).with_hook(|_, action| match action {
        FakeAction::Unmount { .. } => Err(Error::invalid("busy")),
        _ => Ok(()),
    });
    let error = clean_up_mount_point(&mounter, &path, false).unwrap_err();
    assert_eq!(error.to_string(), "busy");
    assert!(path.exists());
}

/// A mounter whose checks fail until it was asked to unmount.
fn broken(path: &Path, errno: i32) -> FakeMounter {
    let unmounted = AtomicUsize::new(0);
    mounted(path, 1).with_hook(move |_, action| match action {
        FakeAction::IsMountPoint { path } if unmounted.load(Ordering::Relaxed) == 0 => Err(
            Error::io("look at", path)(io::Error::from_raw_os_error(errno)),
        ),
        FakeAction::Unmount { .. } => {
            unmounted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        _ => Ok(()),
    })
}

#[test]
fn a_broken_mount_is_unmounted() {
    let dir = Dir::new();
    for extensive in [false, true] {
        let path = dir.dir("target");
        let mounter = broken(&path, STALE);
        clean_up_mount_point(&mounter, &path, extensive).unwrap();
        assert_eq!(unmounts(&mounter), 1);
        assert!(!path.exists());
    }
    let path = dir.dir("target");
    let mounter = broken(&path, ACCESS_NOT_PERMITTED);
    assert!(clean_up_mount_point(&mounter, &path, false).is_err());
    assert_eq!(unmounts(&mounter), 0);
    assert!(path.exists());
}

#[test]
fn force_has_its_limit() {
    let dir = Dir::new();
    let path = dir.dir("target");
    let (mounter, limit) = (mounted(&path, 2), Duration::from_secs(9));
    clean_up_mount_point_with_force(&mounter, &path, false, limit).unwrap();
    let force_after = Some(limit);
    let unmount = FakeAction::Unmount {
        target: path.clone(),
        force_after,
    };
    assert_eq!(mounter.changes(), [unmount.clone(), unmount]);
    assert!(!path.exists());
}

/// A mounter that takes nothing for a mount point, and may not unmount.
struct Odd {
    inner: FakeMounter,
    sees: bool,
    unmounts: bool,
}

impl Mount for Odd {
    fn mount(&self, s: &Path, t: &Path, fs_type: &str, options: &[&str]) -> Result<()> {
        self.inner.mount(s, t, fs_type, options)
    }
    fn mount_sensitive(
        &self,
        s: &Path,
        t: &Path,
        fs_type: &str,
        options: &[&str],
        sensitive: &[&str],
    ) -> Result<()> {
        self.inner
            .mount_sensitive(s, t, fs_type, options, sensitive)
    }
    fn unmount(&self, target: &Path) -> Result<()> {
        if self.unmounts {
            self.inner.unmount(target)
        } else {
            Ok(())
        }
    }
    fn list(&self) -> Result<Vec<MountPoint>> {
        self.inner.list()
    }
    fn is_mount_point(&self, path: &Path) -> Result<bool> {
        Ok(self.sees && self.inner.is_mount_point(path)?)
    }
    fn mount_refs(&self, path: &Path) -> Result<Vec<PathBuf>> {
        self.inner.mount_refs(path)
    }
}

#[test]
fn an_extensive_check_looks_at_the_list_too() {
    let dir = Dir::new();
    let path = dir.dir("target");
    let mounter = Odd {
        inner: mounted(&path, 1),
        sees: false,
        unmounts: true,
    };
    clean_up_mount_point(&mounter, &path, true).unwrap();
    assert_eq!(unmounts(&mounter.inner), 1);

    let path = dir.dir("target");
    let mounter = Odd {
        inner: mounted(&path, 1),
        sees: false,
        unmounts: true,
    };
    clean_up_mount_point(&mounter, &path, false).unwrap();
    assert_eq!(unmounts(&mounter.inner), 0);
}

#[test]
fn what_stays_mounted_is_an_error() {
    let dir = Dir::new();
    let path = dir.dir("target");
    let mounter = Odd {
        inner: mounted(&path, 1),
        sees: true,
        unmounts: false,
    };
    let error = clean_up_mount_point(&mounter, &path, false).unwrap_err();
    let Error::Mount(error) = error else {
        panic!("{error}")
    };
    assert!(matches!(*error, MountError::StillMounted { .. }), "{error}");
    assert!(path.exists());
}

#[test]
fn mounts_over_each_other_are_cleaned_up_for_real() {
    as_root(|| {
        let dir = Dir::new();
        let path = dir.dir("target");
        for _ in 0..3 {
            mounter()
                .mount(Path::new("tmpfs"), &path, "tmpfs", &[])
                .unwrap();
        }
        fs::write(path.join("file"), "in a mount, which goes away").unwrap();
        clean_up_mount_point(&mounter(), &path, true).unwrap();
        assert!(!path.exists());

        let file = dir.file("file", "");
        mounter()
            .mount(&dir.file("device", "data"), &file, "", &["bind"])
            .unwrap();
        clean_up_mount_point(&mounter(), &file, false).unwrap();
        assert!(!file.exists() && dir.path().join("device").exists());

        // In use.
        let path = dir.tmpfs("busy", &[]);
        let open = File::create(path.join("file")).unwrap();
        assert!(clean_up_mount_point(&mounter(), &path, false).is_err());
        drop(open);
        clean_up_mount_point(&mounter(), &path, false).unwrap();
    });
}

#[test]
fn a_fuse_mount_without_its_daemon_is_cleaned_up_for_real() {
    as_root(|| {
        let Ok(fuse) = File::options().read(true).write(true).open("/dev/fuse") else {
            left_out("a FUSE mount without its daemon: there is no /dev/fuse");
            return;
        };
        let dir = Dir::new();
        let path = dir.dir("target");
        let data = format!(
            "fd={},rootmode=40000,user_id=0,group_id=0",
            fuse.as_raw_fd()
        );
        mounter()
            .mount(Path::new("daemon"), &path, "fuse", &[&data])
            .unwrap();
        drop(fuse);
        let error = fs::metadata(&path).unwrap_err();
        assert!(is_corrupted(&error), "{error}");
        assert!(mounter().is_mount_point(&path).unwrap());
        let limit = Duration::from_secs(60);
        clean_up_mount_point_with_force(&mounter(), &path, false, limit).unwrap();
        assert!(!path.exists());
    });
}
