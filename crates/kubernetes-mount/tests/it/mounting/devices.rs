//! Formatting, checking and mounting real devices.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use kubernetes_mount::Error;
use kubernetes_mount::exec::Local;
use kubernetes_mount::filesystem::{DiskFormat, FilesystemError, SafeFormatAndMount, device_size};
use kubernetes_mount::mount::Mount;
use root_tests::{Loop, as_root};
use rustix::fs::OFlags;

use super::tools::{Dir, has, info, left_out, mounter, run, unmount};

const SIZE: u64 = 16 << 20;

fn formatter() -> SafeFormatAndMount {
    SafeFormatAndMount::new(Arc::new(mounter()), Arc::new(Local))
}

#[track_caller]
fn refused(device: &Path, fs_type: &str, options: &[&str]) -> FilesystemError {
    let target = Path::new("/proc");
    match formatter().format_and_mount(device, target, fs_type, options) {
        Err(Error::Filesystem(error)) => *error,
        other => panic!("{other:?}"),
    }
}

/// Fails unless the device has the content that it had.
struct Unchanged(Vec<u8>);

impl Unchanged {
    fn of(device: &Path) -> Self {
        Self(fs::read(device).unwrap())
    }

    #[track_caller]
    fn check(&self, device: &Path) {
        assert!(
            fs::read(device).unwrap() == self.0,
            "the device was written to"
        );
    }
}

fn format_mount_and_keep(fs_type: &str, size: u64) {
    as_root(|| {
        let dir = Dir::new();
        let device = Loop::new(&dir.image("image", size));
        let target = dir.dir("target");
        let mount = |options: &[&str]| {
            formatter()
                .format_and_mount(device.path(), &target, fs_type, options)
                .unwrap();
        };
        assert_eq!(
            formatter().disk_format(device.path()).unwrap(),
            DiskFormat::Unformatted
        );
        mount(&["noatime"]);
        let found = DiskFormat::Filesystem(fs_type.to_owned());
        assert_eq!(formatter().disk_format(device.path()).unwrap(), found);
        assert_eq!(info(&target).fs_type, fs_type);
        assert!(
            info(&target)
                .mount_options
                .iter()
                .any(|option| option == "noatime")
        );
        fs::write(target.join("file"), "content").unwrap();
        unmount(&target);

        // Now it is checked instead.
        mount(&[]);
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "content");
        // Twice, while it is in use.
        let second = dir.dir("second");
        formatter()
            .format_and_mount(device.path(), &second, fs_type, &[])
            .unwrap();
        unmount(&second);
        unmount(&target);

        mount(&["ro"]);
        assert!(fs::write(target.join("file"), "other").is_err());
        unmount(&target);
        let unchanged = Unchanged::of(device.path());
        let other = if fs_type == "ext4" { "xfs" } else { "ext4" };
        let error = refused(device.path(), other, &[]);
        assert!(matches!(error, FilesystemError::Mismatch { .. }), "{error}");
        unchanged.check(device.path());
    });
}

#[test]
fn ext4_is_made_once_and_kept() {
    format_mount_and_keep("ext4", SIZE);
}

#[test]
fn xfs_is_made_once_and_kept() {
    if has("mkfs.xfs") {
        format_mount_and_keep("xfs", 320 << 20);
    } else {
        left_out("XFS is made once and kept: mkfs.xfs is not installed");
    }
}

#[test]
fn a_partition_table_is_refused() {
    as_root(|| {
        let dir = Dir::new();
        let image = dir.image("image", SIZE);
        // An MBR with one Linux partition of 8192 sectors from sector 2048.
        let mut sector = [0; 512];
        sector[446 + 4] = 0x83;
        sector[446 + 8..446 + 12].copy_from_slice(&2048_u32.to_le_bytes());
        sector[446 + 12..446 + 16].copy_from_slice(&8192_u32.to_le_bytes());
        sector[510..].copy_from_slice(&[0x55, 0xaa]);
        fs::OpenOptions::new()
            .write(true)
            .open(&image)
            .unwrap()
            .write_at(&sector, 0)
            .unwrap();
        let device = Loop::new(&image);
        let unchanged = Unchanged::of(device.path());
        let error = refused(device.path(), "ext4", &[]);
        assert!(matches!(&error, FilesystemError::PartitionTable { table, .. } if table == "dos"));
        unchanged.check(device.path());
    });
}

#[test]
fn an_empty_device_is_not_mounted_read_only() {
    as_root(|| {
        let dir = Dir::new();
        let device = Loop::new(&dir.image("image", SIZE));
        let error = refused(device.path(), "ext4", &["ro"]);
        assert!(
            matches!(error, FilesystemError::UnformattedReadOnly { .. }),
            "{error}"
        );
        Unchanged(vec![0; usize::try_from(SIZE).unwrap()]).check(device.path());
    });
}

#[test]
fn an_empty_device_that_is_in_use_is_not_formatted() {
    as_root(|| {
        let dir = Dir::new();
        let device = Loop::new(&dir.image("image", SIZE));
        let flags = OFlags::EXCL.bits().cast_signed();
        let user = File::options()
            .read(true)
            .custom_flags(flags)
            .open(device.path())
            .unwrap();
        let error = refused(device.path(), "ext4", &[]);
        assert!(matches!(error, FilesystemError::InUse { .. }), "{error}");
        drop(user);
        Unchanged(vec![0; usize::try_from(SIZE).unwrap()]).check(device.path());
    });
}

#[test]
fn a_device_that_is_absent_is_named() {
    let dir = Dir::new();
    let device = dir.path().join("vdz");
    let error = refused(&device, "ext4", &[]);
    assert!(matches!(error, FilesystemError::NoDevice { .. }), "{error}");
    assert!(
        error.to_string().contains("attached to this node"),
        "{error}"
    );
    assert!(device_size(&device).is_err());
}

#[test]
fn a_device_that_loses_its_backing_is_not_taken_for_empty() {
    as_root(|| {
        let dir = Dir::new();
        let image = dir.image("image", SIZE);
        let device = Loop::new(&image);
        // Reads beyond the end of the file fail, as those of a broken disk do.
        File::options()
            .write(true)
            .open(&image)
            .unwrap()
            .set_len(0)
            .unwrap();
        let error = refused(device.path(), "ext4", &[]);
        assert!(matches!(error, FilesystemError::Probe { .. }), "{error}");
    });
}

#[test]
fn errors_that_need_a_person_are_not_mounted() {
    as_root(|| {
        let dir = Dir::new();
        let image = dir.image("image", SIZE);
        run("mkfs.ext4", &["-q".as_ref(), "-F".as_ref(), image.as_ref()]);
        // The root directory becomes a file: no repair without a person.
        let script = "set_inode_field <2> mode 0100644";
        run(
            "debugfs",
            &[
                "-w".as_ref(),
                "-R".as_ref(),
                script.as_ref(),
                image.as_ref(),
            ],
        );
        run(
            "tune2fs",
            &["-E".as_ref(), "force_fsck".as_ref(), image.as_ref()],
        );
        let device = Loop::new(&image);
        let error = refused(device.path(), "ext4", &[]);
        assert!(
            matches!(error, FilesystemError::HasErrors { .. }),
            "{error}"
        );
    });
}

#[test]
fn a_full_disk_fails_while_formatting() {
    as_root(|| {
        let dir = Dir::new();
        let small = dir.tmpfs("small", &["size=128k"]);
        let image = small.join("image");
        File::create(&image).unwrap().set_len(256 << 20).unwrap();
        let device = Loop::new(&image);
        let target = dir.dir("target");
        let error = formatter()
            .format_and_mount(device.path(), &target, "ext4", &[])
            .unwrap_err();
        let Error::Filesystem(error) = error else {
            panic!("{error}")
        };
        assert!(matches!(*error, FilesystemError::Format { .. }), "{error}");
        assert!(!mounter().is_mount_point(&target).unwrap());
        drop(device);
    });
}

#[test]
fn a_mount_that_fails_names_the_file_system() {
    as_root(|| {
        let dir = Dir::new();
        let image = dir.image("image", SIZE);
        run("mkfs.ext4", &["-q".as_ref(), "-F".as_ref(), image.as_ref()]);
        let device = Loop::new(&image);
        let target = dir.dir("target");
        let error = formatter()
            .format_and_mount(device.path(), &target, "ext4", &["nosuchoption"])
            .unwrap_err();
        assert!(
            error.to_string().starts_with("mount ext4, which is on"),
            "{error}"
        );
        let Error::Filesystem(error) = error else {
            panic!("{error}")
        };
        assert!(matches!(*error, FilesystemError::Mount { .. }), "{error}");
    });
}

#[test]
fn the_size_of_a_device_is_read() {
    let dir = Dir::new();
    let image = dir.image("image", SIZE + 512);
    assert_eq!(device_size(&image).unwrap(), SIZE + 512);
    assert!(device_size(dir.path()).is_err());
    as_root(|| {
        let device = Loop::new(&image);
        assert_eq!(device_size(device.path()).unwrap(), SIZE + 512);
    });
}
