//! Growing file systems.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubernetes_mount::Error;
use kubernetes_mount::exec::Local;
use kubernetes_mount::filesystem::{FilesystemError, ResizeFs};
use kubernetes_mount::mount::Mount;
use kubernetes_mount::testing::{FakeAnswer, FakeExec};
use root_tests::{Loop, as_root};

use super::tools::{Dir, has, left_out, mounter, run, unmount};

const MIB: u64 = 1 << 20;
const BLKID: &str = "blkid -p -s TYPE -s PTTYPE -o export";

fn blkid(fs_type: &str) -> FakeExec {
    FakeExec::new().answer("blkid", FakeAnswer::success(&format!("TYPE={fs_type}\n")))
}

fn resizer(exec: FakeExec) -> (ResizeFs, Arc<FakeExec>) {
    let exec = Arc::new(exec);
    (ResizeFs::new(exec.clone()), exec)
}

/// An image with these bytes at these places.
fn image(dir: &Dir, size: u64, writes: &[(u64, &[u8])]) -> PathBuf {
    let path = dir.image("image", size);
    let file = File::options().write(true).open(&path).unwrap();
    for (offset, bytes) in writes {
        file.write_all_at(bytes, *offset).unwrap();
    }
    path
}

/// The superblock of ext with blocks of 4 KiB, 64-bit numbers or not.
fn ext(dir: &Dir, size: u64, blocks: u64, is_64_bit: bool) -> PathBuf {
    let low = u32::try_from(blocks & 0xffff_ffff).unwrap().to_le_bytes();
    let high = u32::try_from(blocks >> 32).unwrap().to_le_bytes();
    let features: [u8; 4] = if is_64_bit { [0x80, 0, 0, 0] } else { [0; 4] };
    image(
        dir,
        size,
        &[
            (1024 + 0x38, &[0x53, 0xef]),
            (1024 + 0x18, &[2, 0, 0, 0]),
            (1024 + 0x04, &low),
            (1024 + 0x60, &features),
            (1024 + 0x150, &high),
        ],
    )
}

fn needs(device: &Path, fs_type: &str) -> Result<bool, Error> {
    resizer(blkid(fs_type))
        .0
        .need_resize(device, Path::new("/target"))
}

#[test]
fn a_larger_device_needs_growing() {
    let dir = Dir::new();
    // Of the device, in KiB, and of ext4, in blocks of 4 KiB.
    let rows = [
        (1024, 256, false),
        (1024 + 3, 256, false),
        // One block more isn't growth: a rounding difference.
        (1024 + 4, 256, false),
        (1024 + 5, 256, true),
        (2048, 256, true),
        // The device has become smaller.
        (512, 256, false),
    ];
    for (kib, blocks, expected) in rows {
        let device = ext(&dir, kib << 10, blocks, true);
        assert_eq!(needs(&device, "ext4").unwrap(), expected, "{kib} KiB");
    }
    // The upper half counts only with the feature.
    let upper = 1 << 32;
    assert!(!needs(&ext(&dir, MIB, 256 | upper, true), "ext4").unwrap());
    assert!(needs(&ext(&dir, 2 * MIB, 256 | upper, false), "ext3").unwrap());
}

#[test]
fn sizes_of_other_file_systems_are_read() {
    let dir = Dir::new();
    let xfs = |size, blocks: u64| {
        let writes: &[(u64, &[u8])] = &[
            (0, b"XFSB"),
            (4, &4096_u32.to_be_bytes()),
            (8, &blocks.to_be_bytes()),
        ];
        image(&dir, size, writes)
    };
    assert!(!needs(&xfs(4 * MIB, 1024), "xfs").unwrap());
    assert!(needs(&xfs(8 * MIB, 1024), "xfs").unwrap());

    let btrfs = |size, bytes: u64| {
        let at = 64 << 10;
        let writes: &[(u64, &[u8])] = &[
            (at + 0x40, b"_BHRfS_M"),
            (at + 0x90, &4096_u32.to_le_bytes()),
            (at + 0xd1, &bytes.to_le_bytes()),
        ];
        image(&dir, size, writes)
    };
    assert!(!needs(&btrfs(4 * MIB, 4 * MIB), "btrfs").unwrap());
    assert!(needs(&btrfs(8 * MIB, 4 * MIB), "btrfs").unwrap());
}

#[test]
fn damaged_superblocks_are_errors() {
    let dir = Dir::new();
    for (fs_type, size) in [
        ("ext4", MIB),
        ("xfs", MIB),
        ("btrfs", MIB),
        ("ext4", 100),
        ("xfs", 10),
        ("btrfs", 1),
    ] {
        let error = needs(&dir.image("image", size), fs_type).unwrap_err();
        assert!(error.to_string().contains("no superblock"), "{error}");
    }
    // What can't be grown has no size here.
    let error = needs(&dir.image("image", MIB), "ntfs").unwrap_err();
    assert!(error.to_string().contains("ntfs"), "{error}");
    // A block size that no ext has.
    let writes: &[(u64, &[u8])] = &[(1024 + 0x38, &[0x53, 0xef]), (1024 + 0x18, &[200])];
    assert!(needs(&image(&dir, MIB, writes), "ext4").is_err());
}

#[test]
fn what_is_not_formatted_is_left_alone() {
    let dir = Dir::new();
    let device = dir.image("image", MIB);
    let exec = || FakeExec::new().answer("blkid", FakeAnswer::exit(2));
    let (need, _) = resizer(exec());
    assert!(!need.need_resize(&device, Path::new("/target")).unwrap());
    let (resize, exec) = resizer(exec());
    assert!(!resize.resize(&device, Path::new("/target")).unwrap());
    assert_eq!(exec.programs(), ["blkid"]);
}

#[test]
fn each_file_system_has_its_command() {
    let dir = Dir::new();
    let device = dir.image("image", MIB);
    let d = device.display().to_string();
    let rows = [
        (
            "ext4",
            vec![format!("e2fsck -f -p {d}"), format!("resize2fs {d}")],
        ),
        (
            "ext3",
            vec![format!("e2fsck -f -p {d}"), format!("resize2fs {d}")],
        ),
        ("xfs", vec!["xfs_growfs -d /target".to_owned()]),
        (
            "btrfs",
            vec!["btrfs filesystem resize max /target".to_owned()],
        ),
    ];
    for (fs_type, expected) in rows {
        let exec = ["e2fsck", "resize2fs", "xfs_growfs", "btrfs"]
            .iter()
            .fold(blkid(fs_type), |exec, program| {
                exec.answer(*program, FakeAnswer::success(""))
            });
        let (resize, exec) = resizer(exec);
        assert!(resize.resize(&device, Path::new("/target")).unwrap());
        let mut commands = exec.commands();
        assert_eq!(commands.remove(0), format!("{BLKID} {d}"));
        assert_eq!(commands, expected);
    }
}

#[test]
fn growing_that_fails_is_an_error_with_the_file_system() {
    let dir = Dir::new();
    let device = ext(&dir, MIB, 128, true);
    let target = Path::new("/target");
    let failing = |exec: FakeExec| {
        let error = resizer(exec).0.resize(&device, target).unwrap_err();
        let Error::Filesystem(inner) = error else {
            panic!("{error}")
        };
        (
            matches!(*inner, FilesystemError::Resize { .. }),
            inner.to_string(),
        )
    };
    let fsck_fine = |exec: FakeExec| exec.answer("e2fsck", FakeAnswer::success(""));
    let failure = FakeAnswer::exit_with(1, "", "no space");
    let (is_resize, text) = failing(fsck_fine(blkid("ext4")).answer("resize2fs", failure));
    assert!(
        is_resize && text.contains("ext4") && text.contains("no space"),
        "{text}"
    );
    let (is_resize, text) =
        failing(fsck_fine(blkid("ext4")).answer("resize2fs", FakeAnswer::Hangs));
    assert!(is_resize && text.contains("killed"), "{text}");
    let (is_resize, text) = failing(blkid("vfat"));
    assert!(
        is_resize && text.contains("growing vfat is not supported"),
        "{text}"
    );
    let exec = FakeExec::new().answer("blkid", FakeAnswer::success("PTTYPE=gpt\n"));
    let (is_resize, text) = failing(exec);
    assert!(
        is_resize && text.contains("partition table (gpt)"),
        "{text}"
    );
    let (_, text) = failing(blkid("ext4").answer("e2fsck", FakeAnswer::exit(4)));
    assert!(text.contains("by hand"), "{text}");
}

/// Grows an image, and the loop device on it.
fn grow(image: &Path, device: &Loop, size: u64) {
    File::options()
        .write(true)
        .open(image)
        .unwrap()
        .set_len(size)
        .unwrap();
    device.resize();
}

#[test]
fn ext4_that_is_not_mounted_grows() {
    as_root(|| {
        let dir = Dir::new();
        let image = dir.image("image", 16 * MIB);
        run("mkfs.ext4", &["-q".as_ref(), "-F".as_ref(), image.as_ref()]);
        let device = Loop::new(&image);
        let target = dir.dir("target");
        mounter()
            .mount(device.path(), &target, "ext4", &[])
            .unwrap();
        fs::write(target.join("file"), "content").unwrap();
        let before = rustix::fs::statvfs(&target).unwrap().f_blocks;
        unmount(&target);

        let resize = ResizeFs::new(Arc::new(Local));
        assert!(!resize.need_resize(device.path(), &target).unwrap());
        grow(&image, &device, 48 * MIB);
        assert!(resize.need_resize(device.path(), &target).unwrap());
        // It was mounted, so that `resize2fs` demands a check.
        assert!(resize.resize(device.path(), &target).unwrap());
        assert!(!resize.need_resize(device.path(), &target).unwrap());
        assert!(resize.resize(device.path(), &target).unwrap());

        mounter()
            .mount(device.path(), &target, "ext4", &[])
            .unwrap();
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "content");
        assert!(rustix::fs::statvfs(&target).unwrap().f_blocks > 2 * before);
        unmount(&target);
    });
}

#[test]
fn xfs_that_is_mounted_grows() {
    if !has("mkfs.xfs") {
        left_out("XFS that is mounted grows: mkfs.xfs is not installed");
        return;
    }
    as_root(|| {
        let dir = Dir::new();
        let image = dir.image("image", 320 * MIB);
        run("mkfs.xfs", &["-q".as_ref(), image.as_ref()]);
        let device = Loop::new(&image);
        let target = dir.dir("target");
        let resize = ResizeFs::new(Arc::new(Local));
        assert!(
            !resize.need_resize(device.path(), &target).unwrap(),
            "read from the device"
        );
        mounter().mount(device.path(), &target, "xfs", &[]).unwrap();
        assert!(
            !resize.need_resize(device.path(), &target).unwrap(),
            "asked of the kernel"
        );
        grow(&image, &device, 400 * MIB);
        assert!(resize.need_resize(device.path(), &target).unwrap());
        assert!(resize.resize(device.path(), &target).unwrap());
        assert!(!resize.need_resize(device.path(), &target).unwrap());
        unmount(&target);
    });
}

#[test]
fn a_device_that_cannot_be_written_needs_no_growing() {
    as_root(|| {
        let dir = Dir::new();
        let image = dir.image("image", 16 * MIB);
        run("mkfs.ext4", &["-q".as_ref(), "-F".as_ref(), image.as_ref()]);
        let device = Loop::new(&image);
        grow(&image, &device, 48 * MIB);
        let resize = ResizeFs::new(Arc::new(Local));
        assert!(resize.need_resize(device.path(), Path::new("/")).unwrap());
        run("blockdev", &["--setro".as_ref(), device.path().as_ref()]);
        assert!(!resize.need_resize(device.path(), Path::new("/")).unwrap());
        run("blockdev", &["--setrw".as_ref(), device.path().as_ref()]);
    });
}
