//! Looking at the files of the node.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use kubernetes_mount::mount::{FileType, HostUtils, LinuxHostUtils, Mount, MountPoint};
use kubernetes_mount::testing::FakeMounter;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use root_tests::{Loop, as_root};

use super::tools::{Dir, mounter, run, unmount};

const HOST: LinuxHostUtils = LinuxHostUtils;

#[test]
fn files_of_all_types_are_told_apart() {
    let dir = Dir::new();
    let file = dir.file("file", "");
    let (socket, fifo, link) = (
        dir.path().join("socket"),
        dir.path().join("fifo"),
        dir.path().join("link"),
    );
    let _listener = UnixListener::bind(&socket).unwrap();
    mkfifo(&fifo, Mode::S_IRWXU).unwrap();
    symlink(&file, &link).unwrap();
    for (path, expected) in [
        (dir.path(), FileType::Directory),
        (&file, FileType::File),
        (&socket, FileType::Socket),
        (&fifo, FileType::Fifo),
        (Path::new("/dev/null"), FileType::CharDevice),
        (&link, FileType::File),
    ] {
        assert_eq!(HOST.file_type(path).unwrap(), expected, "{path:?}");
        assert!(HOST.path_exists(path).unwrap());
        assert!(!HOST.path_is_device(path).unwrap());
        assert!(HOST.device_opened(path).is_err(), "{path:?}");
    }
    assert!(HOST.file_type(&dir.path().join("none")).is_err());
}

#[test]
fn a_path_that_leads_nowhere_does_not_exist() {
    let dir = Dir::new();
    let link = dir.path().join("link");
    symlink("none", &link).unwrap();
    let below_file = dir.file("file", "").join("x");
    for path in [link, below_file, dir.path().join("none")] {
        assert!(!HOST.path_exists(&path).unwrap());
        assert!(HOST.eval_host_symlinks(&path).is_err());
    }
}

#[test]
fn directories_and_files_are_made_once() {
    let dir = Dir::new();
    let deep = dir.path().join("a/b/c");
    HOST.make_dir(&deep).unwrap();
    HOST.make_dir(&deep).unwrap();
    let file = deep.join("file");
    HOST.make_file(&file).unwrap();
    fs::write(&file, "content").unwrap();
    HOST.make_file(&file).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "content");

    let fifo = dir.path().join("fifo");
    mkfifo(&fifo, Mode::S_IRWXU).unwrap();
    for other in [&deep, &fifo] {
        let error = HOST.make_file(other).unwrap_err();
        assert!(error.to_string().contains("File exists"), "{error}");
    }
    assert!(HOST.make_dir(&file).is_err());
    assert!(HOST.make_file(&dir.path().join("none/file")).is_err());
}

#[test]
fn owner_mode_and_links_are_read() {
    let dir = Dir::new();
    let path = dir.dir("real");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o2751)).unwrap();
    assert_eq!(HOST.mode(&path).unwrap(), 0o2751);
    let me = (
        nix::unistd::geteuid().as_raw(),
        nix::unistd::getegid().as_raw(),
    );
    assert_eq!(HOST.owner(&path).unwrap(), me);
    let link = dir.path().join("link");
    symlink("real", &link).unwrap();
    assert_eq!(HOST.eval_host_symlinks(&link).unwrap(), path);
    assert!(HOST.mode(&dir.path().join("none")).is_err());
}

#[test]
fn a_volume_name_comes_from_the_other_mount() {
    let dir = Path::new("/plugins/disk/mounts");
    let mount = |device: &str, path: &str| MountPoint {
        device: device.to_owned(),
        path: path.into(),
        ..MountPoint::default()
    };
    let mounter = FakeMounter::new().with_mounts([
        mount("/dev/a", "/plugins/disk/mounts/volume-a"),
        mount("/dev/a", "/pods/1/a"),
        mount("/dev/b", "/plugins/disk/mounts/zone/volume-b"),
        mount("/dev/b", "/pods/1/b"),
        mount("/dev/c", "/elsewhere/c"),
        mount("/dev/c", "/pods/1/c"),
        mount("/dev/d", "/pods/1/d"),
    ]);
    let name = |path: &str| {
        HOST.device_name_from_mount(&mounter, Path::new(path), dir)
            .ok()
    };
    assert_eq!(name("/pods/1/a").as_deref(), Some("volume-a"));
    assert_eq!(name("/pods/1/b").as_deref(), Some("zone/volume-b"));
    // Not the plugin's: the last part of the path.
    assert_eq!(name("/pods/1/c").as_deref(), Some("c"));
    assert_eq!(name("/pods/1/d"), None);
    assert_eq!(name("/pods/1/none"), None);
}

#[test]
fn a_device_is_in_use_while_it_is_mounted() {
    as_root(|| {
        let dir = Dir::new();
        let device = Loop::new(&dir.image("image", 8 << 20));
        assert_eq!(
            HOST.file_type(device.path()).unwrap(),
            FileType::BlockDevice
        );
        assert!(HOST.path_is_device(device.path()).unwrap());
        assert!(!HOST.device_opened(device.path()).unwrap());
        run("mkfs.ext4", &["-q".as_ref(), device.path().as_ref()]);
        let target: PathBuf = dir.dir("target");
        mounter()
            .mount(device.path(), &target, "ext4", &[])
            .unwrap();
        assert!(HOST.device_opened(device.path()).unwrap());
        unmount(&target);
        assert!(!HOST.device_opened(device.path()).unwrap());
    });
}

#[test]
fn labels_are_those_of_the_file_system() {
    as_root(|| {
        let dir = Dir::new();
        // No kernel here has SELinux.
        assert!(!HOST.selinux_support(&dir.tmpfs("tmpfs", &[])).unwrap());
        assert!(HOST.selinux_support(&dir.path().join("none")).is_err());
        // No kernel of the tests has SELinux.
        let context = HOST.selinux_mount_context(&dir.path().join("tmpfs"));
        assert_eq!(context.unwrap(), None);
        assert!(
            HOST.selinux_mount_context(&dir.path().join("none"))
                .is_err()
        );
    });
}
