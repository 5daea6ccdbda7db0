//! Devices with another type of file system than is asked for.

use std::path::Path;
use std::sync::Arc;

use kubernetes_mount::filesystem::SafeFormatAndMount;
use kubernetes_mount::testing::{FakeAnswer, FakeExec, FakeMounter};

use super::format::{BLKID, Row, check, found, fsck, nothing};
use super::tools::Dir;

/// Without a type, a device is what it is, and ext4 if it is empty. ext4 mounts its predecessors.
#[test]
fn types_that_are_not_the_devices() {
    let row = |fs_type, found, is_checked, error| Row {
        what: fs_type,
        fs_type,
        answers: if is_checked {
            vec![("blkid", FakeAnswer::success(found)), fsck(0)]
        } else {
            vec![("blkid", FakeAnswer::success(found))]
        },
        commands: if is_checked {
            &[BLKID, "fsck -a"]
        } else {
            &[BLKID]
        },
        error,
        ..Row::default()
    };
    let mut rows = Vec::new();
    for fs_type in ["", "auto"] {
        rows.push(Row {
            what: "empty",
            fs_type,
            answers: vec![nothing(), ("mkfs.ext4", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.ext4 -F -m0"],
            ..Row::default()
        });
        rows.push(Row {
            what: "empty and read-only",
            fs_type,
            options: &["ro"],
            answers: vec![nothing()],
            error: Some("unformatted"),
            ..Row::default()
        });
        for found in ["TYPE=ext4\n", "TYPE=ext3\n", "TYPE=vfat\n"] {
            rows.push(row(fs_type, found, true, None));
        }
        rows.push(row(fs_type, "TYPE=xfs\n", false, None));
        for found in ["TYPE=LVM2_member\n", "TYPE=crypto_LUKS\n", "TYPE=swap\n"] {
            rows.push(row(fs_type, found, false, Some("mismatch")));
        }
        rows.push(row(fs_type, "PTTYPE=gpt\n", false, Some("partitions")));
    }
    for found in ["TYPE=ext2\n", "TYPE=ext3\n"] {
        rows.push(row("ext4", found, true, None));
    }
    rows.push(row("ext3", "TYPE=ext4\n", false, Some("mismatch")));
    rows.push(row("ext3", "TYPE=ext2\n", false, Some("mismatch")));
    rows.push(row("swap", "TYPE=swap\n", false, Some("mismatch")));
    check(rows);
}

#[test]
fn strict_types() {
    let dir = Dir::new();
    let device = dir.image("device", 1 << 20);
    for (strict, mounted) in [(false, 1), (true, 0)] {
        let (program, answer) = found("TYPE=ext3\n");
        let exec = FakeExec::new().answer(program, answer);
        let exec = if strict {
            exec
        } else {
            let (program, answer) = fsck(0);
            exec.answer(program, answer)
        };
        let mounter = Arc::new(FakeMounter::new());
        let formatter = SafeFormatAndMount::new(mounter.clone(), Arc::new(exec));
        let formatter = formatter.with_strict_types(strict);
        let result = formatter.format_and_mount(&device, Path::new("/target"), "ext4", &[]);
        assert_eq!(result.is_ok(), !strict);
        let mounts = mounter.mount_points();
        assert_eq!(mounts.len(), mounted);
        assert!(mounts.iter().all(|mount| mount.fs_type == "ext4"));
    }
}
