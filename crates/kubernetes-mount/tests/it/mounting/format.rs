//! Formatting and mounting, with commands that a test answers.

use std::path::Path;
use std::sync::Arc;

use kubernetes_mount::Error;
use kubernetes_mount::filesystem::{DiskFormat, FilesystemError, SafeFormatAndMount};
use kubernetes_mount::testing::{FakeAnswer, FakeExec, FakeMounter};

use super::tools::Dir;

const EXT4: &str = "DEVNAME=/dev/x\nTYPE=ext4\n";

/// The variant of an error.
fn kind(error: &Error) -> &'static str {
    let Error::Filesystem(error) = error else {
        return "other";
    };
    match **error {
        FilesystemError::NoDevice { .. } => "no device",
        FilesystemError::UnformattedReadOnly { .. } => "unformatted",
        FilesystemError::Mismatch { .. } => "mismatch",
        FilesystemError::PartitionTable { .. } => "partitions",
        FilesystemError::Ambiguous { .. } => "ambiguous",
        FilesystemError::Probe { .. } => "probe",
        FilesystemError::InUse { .. } => "in use",
        FilesystemError::Format { .. } => "format",
        FilesystemError::HasErrors { .. } => "errors",
        FilesystemError::Check { .. } => "check",
        FilesystemError::Mount { .. } => "mount",
        _ => "new",
    }
}

pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) fs_type: &'static str,
    pub(super) options: &'static [&'static str],
    pub(super) format_options: &'static [&'static str],
    pub(super) answers: Vec<(&'static str, FakeAnswer)>,
    pub(super) mount_fails: bool,
    /// The commands, without the device at their ends.
    pub(super) commands: &'static [&'static str],
    /// The kind of the error.
    pub(super) error: Option<&'static str>,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            what: "",
            fs_type: "ext4",
            options: &[],
            format_options: &[],
            answers: Vec::new(),
            mount_fails: false,
            commands: &[BLKID],
            error: None,
        }
    }
}

pub(super) const BLKID: &str = "blkid -p -s TYPE -s PTTYPE -o export";

pub(super) fn nothing() -> (&'static str, FakeAnswer) {
    ("blkid", FakeAnswer::exit(2))
}

pub(super) fn found(text: &str) -> (&'static str, FakeAnswer) {
    ("blkid", FakeAnswer::success(text))
}

pub(super) fn fsck(code: u8) -> (&'static str, FakeAnswer) {
    ("fsck", FakeAnswer::exit_with(code, "what fsck says", ""))
}

pub(super) fn check(rows: Vec<Row>) {
    for row in rows {
        let dir = Dir::new();
        let device = dir.image("device", 1 << 20);
        let mut exec = FakeExec::new();
        for (program, answer) in row.answers {
            exec = exec.answer(program, answer);
        }
        let exec = Arc::new(exec);
        let mount_fails = row.mount_fails;
        let mounter = Arc::new(FakeMounter::new().with_hook(move |_, _| {
            if mount_fails {
                Err(Error::invalid("it fails").uncertain())
            } else {
                Ok(())
            }
        }));
        let result = SafeFormatAndMount::new(mounter.clone(), exec.clone())
            .format_and_mount_sensitive(
                &device,
                Path::new("/target"),
                row.fs_type,
                row.options,
                &["secret"],
                row.format_options,
            );
        let commands = exec.commands();
        let expected: Vec<String> = row
            .commands
            .iter()
            .map(|text| format!("{text} {}", device.display()))
            .collect();
        assert_eq!(commands, expected, "{}", row.what);
        assert_eq!(exec.unused_answers(), 0, "{}", row.what);
        let error = result.as_ref().err();
        let inner = match error {
            Some(Error::Uncertain(inner)) => Some(&**inner),
            error => error,
        };
        assert_eq!(inner.map(kind), row.error, "{}: {error:?}", row.what);
        assert_eq!(mounter.mount_points().len(), usize::from(error.is_none()));
        if mount_fails {
            assert!(
                error.unwrap().is_uncertain(),
                "{}: the class stays",
                row.what
            );
        }
        if let Some(error) = error {
            assert!(
                error.to_string().contains(device.to_str().unwrap()),
                "{error}"
            );
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}

#[test]
fn an_empty_device_is_formatted() {
    check(vec![
        Row {
            what: "ext4",
            answers: vec![nothing(), ("mkfs.ext4", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.ext4 -F -m0"],
            ..Row::default()
        },
        Row {
            what: "ext3",
            fs_type: "ext3",
            answers: vec![nothing(), ("mkfs.ext3", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.ext3 -F -m0"],
            ..Row::default()
        },
        Row {
            what: "XFS",
            fs_type: "xfs",
            answers: vec![nothing(), ("mkfs.xfs", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.xfs -f"],
            ..Row::default()
        },
        Row {
            what: "another one",
            fs_type: "btrfs",
            answers: vec![nothing(), ("mkfs.btrfs", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.btrfs"],
            ..Row::default()
        },
        Row {
            what: "with options of the user",
            format_options: &["-b", "4096"],
            answers: vec![nothing(), ("mkfs.ext4", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.ext4 -F -m0 -b 4096"],
            ..Row::default()
        },
        Row {
            what: "the last of ro and rw holds",
            options: &["ro,noatime", "rw"],
            answers: vec![nothing(), ("mkfs.ext4", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.ext4 -F -m0"],
            ..Row::default()
        },
        Row {
            what: "mkfs fails",
            answers: vec![nothing(), ("mkfs.ext4", FakeAnswer::exit_with(1, "", "no"))],
            commands: &[BLKID, "mkfs.ext4 -F -m0"],
            error: Some("format"),
            ..Row::default()
        },
        Row {
            what: "mkfs hangs",
            answers: vec![nothing(), ("mkfs.ext4", FakeAnswer::Hangs)],
            commands: &[BLKID, "mkfs.ext4 -F -m0"],
            error: Some("format"),
            ..Row::default()
        },
        Row {
            what: "mkfs is missing",
            answers: vec![nothing()],
            commands: &[BLKID, "mkfs.ext4 -F -m0"],
            error: Some("format"),
            ..Row::default()
        },
        Row {
            what: "mounting fails afterwards",
            answers: vec![nothing(), ("mkfs.ext4", FakeAnswer::success(""))],
            commands: &[BLKID, "mkfs.ext4 -F -m0"],
            mount_fails: true,
            error: Some("mount"),
            ..Row::default()
        },
    ]);
}

#[test]
fn nothing_is_written_to_a_device_with_something_else() {
    let refused = |what, options, answer, error| Row {
        what,
        options,
        answers: vec![answer],
        error: Some(error),
        ..Row::default()
    };
    check(vec![
        refused("empty and read-only", &["ro"], nothing(), "unformatted"),
        refused(
            "empty and read-only",
            &["noatime,ro"],
            nothing(),
            "unformatted",
        ),
        refused("another file system", &[], found("TYPE=xfs\n"), "mismatch"),
        refused(
            "another, read-only",
            &["ro"],
            found("TYPE=xfs\n"),
            "mismatch",
        ),
        refused("LVM", &[], found("TYPE=LVM2_member\n"), "mismatch"),
        refused("encrypted", &[], found("TYPE=crypto_LUKS\n"), "mismatch"),
        refused("partitions", &[], found("PTTYPE=dos\n"), "partitions"),
        refused("both", &[], found("TYPE=ext4\nPTTYPE=gpt\n"), "partitions"),
        refused(
            "partitions, read-only",
            &["ro"],
            found("PTTYPE=gpt\n"),
            "partitions",
        ),
        refused("several", &[], ("blkid", FakeAnswer::exit(8)), "ambiguous"),
    ]);
}

#[test]
fn what_cannot_be_found_out_is_never_taken_for_empty() {
    let failed = |what, answers| Row {
        what,
        answers,
        error: Some("probe"),
        ..Row::default()
    };
    let answer = |answer| vec![("blkid", answer)];
    check(vec![
        failed("blkid is missing", vec![]),
        failed("blkid hangs", answer(FakeAnswer::Hangs)),
        failed("blkid is killed", answer(FakeAnswer::signal(9))),
        failed("wrong use", answer(FakeAnswer::exit(4))),
        failed("another code", answer(FakeAnswer::exit(1))),
        failed(
            "a complaint",
            answer(FakeAnswer::exit_with(2, "", "cannot open")),
        ),
        failed("nothing with success", answer(FakeAnswer::success(""))),
        failed(
            "an empty type",
            answer(FakeAnswer::success("TYPE=\nPTTYPE=\n")),
        ),
        failed(
            "another answer",
            answer(FakeAnswer::success("usage: blkid")),
        ),
        failed(
            "other keys",
            answer(FakeAnswer::success("DEVNAME=/dev/x\n")),
        ),
    ]);
}

#[test]
fn a_file_system_is_checked_before_it_is_mounted() {
    const BOTH: &[&str] = &[BLKID, "fsck -a"];
    let row = |what, answer, error| Row {
        what,
        answers: vec![found(EXT4), answer],
        commands: BOTH,
        error,
        ..Row::default()
    };
    let mut rows = vec![
        row("hangs", ("fsck", FakeAnswer::Hangs), Some("check")),
        row("is killed", ("fsck", FakeAnswer::signal(9)), Some("check")),
        Row {
            what: "fsck is missing",
            answers: vec![found(EXT4)],
            commands: BOTH,
            ..Row::default()
        },
        Row {
            what: "read-only",
            options: &["noatime", "ro"],
            answers: vec![found(EXT4)],
            ..Row::default()
        },
        Row {
            what: "XFS repairs itself",
            fs_type: "xfs",
            answers: vec![found("TYPE=xfs\n")],
            ..Row::default()
        },
        Row {
            what: "mounting fails afterwards",
            answers: vec![found(EXT4), fsck(0)],
            commands: BOTH,
            mount_fails: true,
            error: Some("mount"),
            ..Row::default()
        },
    ];
    // Fine, corrected, restart; and what fsck could not do, as in Kubernetes.
    for code in [0, 1, 2, 3, 8, 9, 16, 32, 127, 128] {
        rows.push(row("no errors are left", fsck(code), None));
    }
    // Errors are left, whatever else.
    for code in [4, 5, 6, 7, 12, 36] {
        rows.push(row("errors are left", fsck(code), Some("errors")));
    }
    check(rows);
}

#[test]
fn errors_name_both_sides() {
    let dir = Dir::new();
    let device = dir.image("device", 1 << 20);
    let text = |answer: FakeAnswer, more: Option<(&str, FakeAnswer)>| {
        let mut exec = FakeExec::new().answer("blkid", answer);
        if let Some((program, answer)) = more {
            exec = exec.answer(program, answer);
        }
        let mounter = SafeFormatAndMount::new(Arc::new(FakeMounter::new()), Arc::new(exec));
        let target = Path::new("/target");
        mounter
            .format_and_mount(&device, target, "ext4", &[])
            .unwrap_err()
            .to_string()
    };
    let mismatch = text(FakeAnswer::success("TYPE=xfs\n"), None);
    assert!(
        mismatch.contains("mounted as ext4, but it has xfs"),
        "{mismatch}"
    );
    let table = text(FakeAnswer::success("PTTYPE=gpt\n"), None);
    assert!(
        table.contains("ext4, but it has a partition table (gpt)"),
        "{table}"
    );
    let errors = text(FakeAnswer::success("TYPE=ext4\n"), Some(fsck(4)));
    assert!(
        errors.contains("by hand") && errors.contains("what fsck says"),
        "{errors}"
    );
    let mkfs = FakeAnswer::exit_with(1, "", "disk on fire");
    let failed = text(FakeAnswer::exit(2), Some(("mkfs.ext4", mkfs)));
    assert!(
        failed.contains("as ext4") && failed.contains("disk on fire"),
        "{failed}"
    );
}

#[test]
fn names_that_would_become_others_are_refused() {
    let exec = Arc::new(FakeExec::new());
    let mounter = SafeFormatAndMount::new(Arc::new(FakeMounter::new()), exec.clone());
    let dir = Dir::new();
    let device = dir.image("device", 1 << 20);
    for fs_type in ["../sh", "ext4 -x", "-f", "ext4/x"] {
        assert!(
            mounter
                .format_and_mount(&device, Path::new("/t"), fs_type, &[])
                .is_err()
        );
    }
    // A command would take it for an option; a directory is none; and one that isn't there.
    for device in [
        Path::new("-x"),
        Path::new("relative"),
        dir.path(),
        Path::new("/dev/null"),
    ] {
        assert!(
            mounter
                .format_and_mount(device, Path::new("/t"), "ext4", &[])
                .is_err()
        );
    }
    let none = dir.path().join("none");
    let error = mounter
        .format_and_mount(&none, Path::new("/t"), "ext4", &[])
        .unwrap_err();
    assert_eq!(kind(&error), "no device");
    assert_eq!(exec.calls(), []);
}

#[test]
fn what_is_on_a_device_is_returned() {
    let dir = Dir::new();
    let device = dir.image("device", 1 << 20);
    let rows = [
        (FakeAnswer::exit(2), DiskFormat::Unformatted),
        (
            FakeAnswer::success(EXT4),
            DiskFormat::Filesystem("ext4".to_owned()),
        ),
        (
            FakeAnswer::success("\nTYPE=a=b\n"),
            DiskFormat::Filesystem("a=b".to_owned()),
        ),
        (
            FakeAnswer::success("PTTYPE=dos\n"),
            DiskFormat::PartitionTable("dos".to_owned()),
        ),
    ];
    for (answer, expected) in rows {
        let exec = Arc::new(FakeExec::new().answer("blkid", answer));
        let mounter = SafeFormatAndMount::new(Arc::new(FakeMounter::new()), exec);
        assert_eq!(mounter.disk_format(&device).unwrap(), expected);
    }
}
