//! Steps of a node part, repeated and after a crash.

use std::error::Error as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kubernetes_csi_driver::model::Mount;
use kubernetes_csi_driver::mounts::{
    bind_directory, bind_file, give_group, is_mounted, mount_device, problems, unbind, unmount,
    usage,
};
use kubernetes_csi_driver::node::UsageUnit;
use kubernetes_csi_driver::{Code, Error};
use root_tests::{Loop, as_root, unless_busy};
use tempfile::TempDir;

/// Folders of a volume, and of a Pod, of which the target isn't there.
fn folders() -> (TempDir, PathBuf, PathBuf) {
    let folder = TempDir::new().unwrap();
    let (volume, pod) = (folder.path().join("volume"), folder.path().join("pod"));
    fs::create_dir(&volume).unwrap();
    fs::create_dir(&pod).unwrap();
    fs::write(volume.join("data"), "data").unwrap();
    let target = pod.join("mount");
    (folder, volume, target)
}

fn options(target: &Path) -> String {
    let mounts = fs::read_to_string("/proc/thread-self/mountinfo").unwrap();
    let of = |line: &&str| line.split(' ').nth(4) == target.to_str();
    let line = mounts.lines().rev().find(of).unwrap();
    line.split(' ').nth(5).unwrap().to_owned()
}

/// Unmounts what a program that another test starts may still have open.
fn unmounted(target: &Path) {
    let unmount = || {
        unmount(target).map_err(|error| {
            let mut kind = io::ErrorKind::Other;
            let mut cause = error.source();
            while let Some(inner) = cause {
                kind = inner.downcast_ref().map_or(kind, io::Error::kind);
                cause = inner.source();
            }
            io::Error::new(kind, error)
        })
    };
    unless_busy(unmount).unwrap();
}

fn code(result: Result<(), Error>) -> Code {
    result.unwrap_err().code()
}

#[test]
fn a_directory_is_bound_once() {
    as_root(|| {
        let (_folder, volume, target) = folders();
        let noatime = Mount::default().with_flags(["noatime"]);
        for _ in 0..3 {
            bind_directory(&volume, &target, &noatime, false).unwrap();
            assert_eq!(fs::read_to_string(target.join("data")).unwrap(), "data");
        }
        assert!(
            options(&target).contains("rw,noatime"),
            "{}",
            options(&target)
        );
        fs::write(target.join("more"), "").unwrap();
        for _ in 0..3 {
            unbind(&target).unwrap();
            assert!(!target.exists() && !is_mounted(&target).unwrap());
        }
        assert!(volume.join("more").exists());
    });
}

#[test]
fn what_is_there_in_another_way_is_an_error() {
    as_root(|| {
        let (folder, volume, target) = folders();
        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        let mount = Mount::default();
        bind_directory(&volume, &target, &mount, true).unwrap();
        assert!(options(&target).starts_with("ro"));
        assert!(fs::write(target.join("more"), "").is_err());
        assert_eq!(
            code(bind_directory(&other, &target, &mount, true)),
            Code::AlreadyExists
        );
        assert_eq!(
            code(bind_directory(&volume, &target, &mount, false)),
            Code::AlreadyExists
        );
        unmounted(&target);
        assert!(target.is_dir());
        let missing = folder.path().join("missing");
        assert_eq!(
            code(bind_directory(&missing, &target, &mount, true)),
            Code::NotFound
        );
        unbind(&target).unwrap();
    });
}

/// As the kubelet repeats it for a volume with the mount option `ro`, or that is staged so.
#[test]
fn what_an_option_or_the_source_makes_read_only_is_bound_once() {
    as_root(|| {
        let (folder, volume, target) = folders();
        for flags in [&["ro"][..], &["rw", "noatime,ro"]] {
            let mount = Mount::default().with_flags(flags.iter().copied());
            for _ in 0..3 {
                bind_directory(&volume, &target, &mount, false).unwrap();
                assert!(options(&target).starts_with("ro"));
            }
            let plain = bind_directory(&volume, &target, &Mount::default(), false);
            assert_eq!(code(plain), Code::AlreadyExists);
            unbind(&target).unwrap();
        }
        let writable = Mount::default().with_flags(["ro", "rw"]);
        for _ in 0..2 {
            bind_directory(&volume, &target, &writable, false).unwrap();
            assert!(options(&target).starts_with("rw"));
        }
        unbind(&target).unwrap();

        let staged = folder.path().join("staged");
        bind_directory(&volume, &staged, &Mount::default(), true).unwrap();
        for _ in 0..3 {
            bind_directory(&staged, &target, &Mount::default(), false).unwrap();
            assert!(options(&target).starts_with("ro"));
        }
        unbind(&target).unwrap();
        unbind(&staged).unwrap();
    });
}

#[test]
fn what_is_writable_does_not_become_read_only() {
    as_root(|| {
        let (_folder, volume, target) = folders();
        let mount = Mount::default().with_flags(["noexec"]);
        bind_directory(&volume, &target, &mount, false).unwrap();
        assert_eq!(
            code(bind_directory(&volume, &target, &mount, true)),
            Code::AlreadyExists
        );
        let options = options(&target);
        assert!(
            options.starts_with("rw") && options.contains("noexec"),
            "{options}"
        );
        unbind(&target).unwrap();
    });
}

#[test]
fn a_device_is_bound_to_a_file() {
    as_root(|| {
        let (folder, _, target) = folders();
        let device = Loop::empty(&folder.path().join("image"));
        for _ in 0..2 {
            bind_file(device.path(), &target, false).unwrap();
        }
        let usage = usage(&target).unwrap();
        assert_eq!(
            (usage.len(), usage[0].unit, usage[0].total),
            (1, UsageUnit::Bytes, 16 << 20)
        );
        for _ in 0..2 {
            unbind(&target).unwrap();
            assert!(!target.exists());
        }
    });
}

#[test]
fn several_mounts_at_a_path_all_go() {
    as_root(|| {
        let (folder, volume, target) = folders();
        let mount = Mount::default();
        bind_directory(&volume, &target, &mount, false).unwrap();
        let flags = nix::mount::MsFlags::MS_BIND;
        for _ in 0..2 {
            let none = None::<&str>;
            nix::mount::mount(Some(folder.path()), &target, none, flags, none).unwrap();
        }
        unbind(&target).unwrap();
        assert!(!target.exists() && volume.join("data").exists());
    });
}

#[test]
fn only_what_was_made_is_removed() {
    let (_folder, volume, target) = folders();
    fs::write(&target, "somebody's").unwrap();
    assert_eq!(code(unbind(&target)), Code::Internal);
    assert_eq!(code(unbind(&volume)), Code::Internal);
    assert!(target.exists() && volume.join("data").exists());
    unbind(&volume.join("missing/path")).unwrap();
}

#[test]
fn usage_counts_bytes_and_inodes() {
    let (_folder, volume, target) = folders();
    let found = usage(&volume).unwrap();
    let units: Vec<_> = found.iter().map(|usage| usage.unit).collect();
    assert_eq!(units, [UsageUnit::Bytes, UsageUnit::Inodes]);
    assert!(
        found
            .iter()
            .all(|usage| usage.used.unwrap() + usage.available.unwrap() <= usage.total)
    );
    assert_eq!(usage(&target).unwrap_err().code(), Code::NotFound);
}

/// Kubernetes has to undo what may be mounted, which it doesn't after a code that is final.
#[test]
fn what_may_be_mounted_is_no_final_error() {
    use kubernetes_mount::Error as Mounting;
    let failed = || Mounting::other("mount.x: no answer");
    let uncertain = Error::from(failed().uncertain());
    assert_eq!(uncertain.code(), Code::DeadlineExceeded);
    assert_eq!(uncertain.message(), "mount.x: no answer");
    assert!(!uncertain.is_final());
    assert!(!Error::from(Mounting::invalid("x").uncertain()).is_final());
    for nothing_was_done in [failed(), failed().transient()] {
        assert_eq!(Error::from(nothing_was_done).code(), Code::Internal);
    }
}

/// A loop device of an empty image, and a folder to mount it at.
fn device(folder: &TempDir) -> (Loop, PathBuf) {
    let target = folder.path().join("staged");
    fs::create_dir(&target).unwrap();
    (Loop::empty(&folder.path().join("image")), target)
}

fn set_size(folder: &TempDir, size: u64) {
    let image = folder.path().join("image");
    let image = fs::File::options().write(true).open(image);
    image.unwrap().set_len(size).unwrap();
}

fn of_type(fs_type: &str) -> Mount {
    let mut mount = Mount::default().with_flags(["noatime"]);
    mount.fs_type = Some(fs_type.to_owned());
    mount
}

/// XFS, as ext4 that is mounted grows only with the capability `CAP_SYS_RESOURCE`.
#[test]
fn a_device_is_formatted_once_and_grows() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let (device, target) = device(&folder);
        set_size(&folder, 300 << 20);
        device.resize();
        mount_device(device.path(), &target, &of_type("xfs")).unwrap();
        fs::write(target.join("data"), "data").unwrap();
        mount_device(device.path(), &target, &of_type("xfs")).unwrap();
        assert!(options(&target).contains("noatime"));
        assert_eq!(problems(&target).unwrap(), []);
        let total = usage(&target).unwrap()[0].total;
        unmounted(&target);

        // As a copy of a smaller volume.
        set_size(&folder, 900 << 20);
        device.resize();
        mount_device(device.path(), &target, &Mount::default()).unwrap();
        assert_eq!(fs::read_to_string(target.join("data")).unwrap(), "data");
        let grown = usage(&target).unwrap()[0].total;
        unmounted(&target);
        assert!(grown > 2 * total, "{grown} after {total}");
    });
}

/// As a copy that is larger than its source, and that nobody may write.
#[test]
fn a_device_that_is_read_only_does_not_grow() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let (device, target) = device(&folder);
        let read_only = Mount::default().with_flags(["ro"]);
        let empty = mount_device(device.path(), &target, &read_only);
        assert_eq!(code(empty), Code::FailedPrecondition);
        mount_device(device.path(), &target, &Mount::default()).unwrap();
        let total = usage(&target).unwrap()[0].total;
        unmounted(&target);
        set_size(&folder, 32 << 20);
        device.resize();
        for _ in 0..2 {
            mount_device(device.path(), &target, &read_only).unwrap();
            assert!(options(&target).starts_with("ro"));
            assert_eq!(usage(&target).unwrap()[0].total, total);
        }
        let writable = mount_device(device.path(), &target, &Mount::default());
        assert_eq!(code(writable), Code::AlreadyExists);
        unmounted(&target);
    });
}

#[test]
fn a_device_keeps_what_it_has() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let (device, target) = device(&folder);
        mount_device(device.path(), &target, &of_type("ext4")).unwrap();
        let other = Loop::empty(&folder.path().join("other"));
        let busy = mount_device(other.path(), &target, &of_type("ext4"));
        assert_eq!(code(busy), Code::AlreadyExists);
        let read_only = of_type("ext4").with_flags(["ro"]);
        let other_way = mount_device(device.path(), &target, &read_only);
        assert_eq!(code(other_way), Code::AlreadyExists);
        unmounted(&target);
        let wrong = mount_device(device.path(), &target, &of_type("xfs"));
        assert_eq!(code(wrong), Code::FailedPrecondition);
        let wrong = mount_device(device.path(), &target, &of_type("../xfs"));
        assert_eq!(code(wrong), Code::InvalidArgument);
        for option in ["loop", "a\0b"] {
            let mount = Mount::default().with_flags([option]);
            let wrong = mount_device(device.path(), &target, &mount);
            assert_eq!(code(wrong), Code::InvalidArgument, "{option:?}");
        }
        assert_eq!(problems(&target).unwrap()[0].reason, "NotMounted");
    });
}

#[test]
fn a_file_system_that_has_stopped_is_a_problem() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let (device, target) = device(&folder);
        mount_device(device.path(), &target, &of_type("ext4")).unwrap();
        // What ext4 does after an error, when it is mounted so.
        let stopped = std::process::Command::new("mount")
            .args(["-o", "remount,abort"])
            .arg(&target)
            .status();
        assert!(stopped.unwrap().success());
        let found = problems(&target).unwrap();
        unmounted(&target);
        assert_eq!(found[0].reason, "ReadOnlyAfterErrors", "{found:?}");
    });
}

#[test]
fn files_get_a_group() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("data"), "").unwrap();
        give_group(folder.path(), "4242", false).unwrap();
        let data = fs::metadata(folder.path().join("data")).unwrap();
        assert_eq!(std::os::unix::fs::MetadataExt::gid(&data), 4242);
        for wrong in ["wheel", "-1", "4294967295", "4294967296"] {
            let given = give_group(folder.path(), wrong, false);
            assert_eq!(code(given), Code::InvalidArgument, "{wrong}");
        }
    });
}
