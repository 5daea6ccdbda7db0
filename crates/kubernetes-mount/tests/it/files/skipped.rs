//! The conditions under which the files of a volume are not looked at.

use kubernetes_mount::ownership::{FsGroupChangePolicy, Ownership};
use root_tests::as_root;

use super::{of, set};

const GROUP: u32 = 3000;

/// The policy, whether the group is right, the mode of the root, and whether all else is skipped.
const ROWS: [(FsGroupChangePolicy, bool, u32, bool); 8] = [
    (FsGroupChangePolicy::OnRootMismatch, true, 0o2770, true),
    (FsGroupChangePolicy::OnRootMismatch, true, 0o2775, true),
    (FsGroupChangePolicy::OnRootMismatch, true, 0o0770, false),
    (FsGroupChangePolicy::OnRootMismatch, true, 0o2750, false),
    (FsGroupChangePolicy::OnRootMismatch, false, 0o2770, false),
    (FsGroupChangePolicy::Always, true, 0o2770, false),
    (FsGroupChangePolicy::Always, false, 0o2770, false),
    (FsGroupChangePolicy::Always, true, 0o0750, false),
];

#[test]
fn a_right_root_is_believed_only_if_asked_to() {
    as_root(|| {
        for (policy, right, mode, skipped) in ROWS {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("file");
            std::fs::write(&file, "").unwrap();
            set(&file, 0, 0o600);
            set(&dir, if right { GROUP } else { 0 }, mode);
            let done = Ownership::new(GROUP)
                .policy(policy)
                .apply(dir.path())
                .unwrap();
            let row = format!("{policy:?}, group {right}, {mode:o}");
            assert_eq!(done.skipped, skipped, "{row}");
            let wanted = if skipped { (0, 0o600) } else { (GROUP, 0o660) };
            assert_eq!(of(&file), wanted, "{row}");
        }
    });
}

#[test]
fn a_read_only_root_needs_less() {
    as_root(|| {
        for (mode, skipped) in [(0o2550, true), (0o2770, true), (0o2510, false)] {
            let dir = tempfile::tempdir().unwrap();
            set(&dir, GROUP, mode);
            let ownership = Ownership::new(GROUP).read_only(true);
            let ownership = ownership.policy(FsGroupChangePolicy::OnRootMismatch);
            let done = ownership.apply(dir.path()).unwrap();
            assert_eq!(done.skipped, skipped, "{mode:o}");
        }
    });
}
