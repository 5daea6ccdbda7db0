//! Files that are given to a group.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use kubernetes_mount::Error;
use kubernetes_mount::ownership::{Applied, FsGroupChangePolicy, Ownership};
use nix::sys::stat::{Mode, SFlag, mknod};
use nix::unistd::mkfifo;
use root_tests::{as_root, unmount};

use super::{as_nobody, of, set};

const GROUP: u32 = 3000;

/// A directory with one below it, and a file in each.
fn tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    fs::write(dir.path().join("sub/file"), "").unwrap();
    dir
}

fn apply(dir: &tempfile::TempDir, policy: FsGroupChangePolicy) -> Applied {
    Ownership::new(GROUP)
        .policy(policy)
        .apply(dir.path())
        .unwrap()
}

#[test]
fn always_mends_a_directory_below_a_right_root() {
    as_root(|| {
        let dir = tree();
        apply(&dir, FsGroupChangePolicy::Always);
        set(dir.path().join("sub"), 0, 0o700);
        let done = apply(&dir, FsGroupChangePolicy::OnRootMismatch);
        assert!(done.skipped);
        assert_eq!(of(dir.path().join("sub")), (0, 0o700));
        let done = apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!((done.files, done.changed, done.failed), (4, 1, 0));
        assert_eq!(of(dir.path().join("sub")), (GROUP, 0o2770));
    });
}

#[test]
fn a_wrong_root_has_everything_mended() {
    as_root(|| {
        let dir = tree();
        apply(&dir, FsGroupChangePolicy::Always);
        set(dir.path().join("sub"), 0, 0o700);
        set(dir.path(), GROUP, 0o770);
        let done = apply(&dir, FsGroupChangePolicy::OnRootMismatch);
        assert_eq!((done.skipped, done.changed), (false, 2));
        assert_eq!(of(dir.path().join("sub")), (GROUP, 0o2770));
        assert_eq!(of(dir.path()), (GROUP, 0o2770));
    });
}

#[test]
fn no_permission_is_taken_away() {
    as_root(|| {
        // The mode, that of a file, and that of a directory, each also of a read-only volume.
        for (mode, file, directory, read_file, read_directory) in [
            (0o000, 0o660, 0o2770, 0o440, 0o2550),
            (0o600, 0o660, 0o2770, 0o640, 0o2750),
            (0o755, 0o775, 0o2775, 0o755, 0o2755),
            (0o777, 0o777, 0o2777, 0o777, 0o2777),
            (0o4711, 0o4771, 0o6771, 0o4751, 0o6751),
            (0o2711, 0o2771, 0o2771, 0o2751, 0o2751),
            (0o1700, 0o1760, 0o3770, 0o1740, 0o3750),
        ] {
            for (read_only, file, directory) in
                [(false, file, directory), (true, read_file, read_directory)]
            {
                let dir = tree();
                set(dir.path().join("file"), 0, mode);
                set(dir.path().join("sub"), 0, mode);
                Ownership::new(GROUP)
                    .read_only(read_only)
                    .apply(dir.path())
                    .unwrap();
                assert_eq!(of(dir.path().join("file")), (GROUP, file), "{mode:o}");
                assert_eq!(of(dir.path().join("sub")), (GROUP, directory), "{mode:o}");
            }
        }
    });
}

#[test]
fn a_program_keeps_the_bits_that_a_change_of_group_takes() {
    as_root(|| {
        let dir = tree();
        let program = dir.path().join("file");
        set(&program, 0, 0o6755);
        apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!(of(&program), (GROUP, 0o6775));
    });
}

#[test]
fn a_link_gets_the_group_and_not_what_it_leads_to() {
    as_root(|| {
        let outside = tree();
        let dir = tree();
        symlink(outside.path().join("file"), dir.path().join("to-file")).unwrap();
        symlink(outside.path(), dir.path().join("to-directory")).unwrap();
        symlink("/nowhere", dir.path().join("to-nothing")).unwrap();
        let before = [of(outside.path()), of(outside.path().join("file"))];
        let done = apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!((done.files, done.changed, done.failed), (7, 7, 0));
        for link in ["to-file", "to-directory", "to-nothing"] {
            assert_eq!(of(dir.path().join(link)).0, GROUP, "{link}");
        }
        assert_eq!(
            [of(outside.path()), of(outside.path().join("file"))],
            before
        );
    });
}

#[test]
fn what_is_no_regular_file_gets_it_too() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = |name| dir.path().join(name);
        mkfifo(&path("fifo"), Mode::from_bits_truncate(0o600)).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        set(path("socket"), 0, 0o600);
        let device = nix::sys::stat::makedev(1, 3);
        mknod(
            &path("device"),
            SFlag::S_IFCHR,
            Mode::from_bits_truncate(0o600),
            device,
        )
        .unwrap();
        fs::write(path("file"), "").unwrap();
        fs::hard_link(path("file"), path("linked")).unwrap();
        set(path("file"), 0, 0o600);
        let done = apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!(done.failed, 0);
        for name in ["fifo", "socket", "device", "file", "linked"] {
            assert_eq!(of(path(name)), (GROUP, 0o660), "{name}");
        }
    });
}

#[test]
fn nothing_is_written_that_is_right() {
    as_root(|| {
        use std::os::unix::fs::MetadataExt;
        let dir = tree();
        apply(&dir, FsGroupChangePolicy::Always);
        let changed = |name: &str| {
            let metadata = fs::metadata(dir.path().join(name)).unwrap();
            (metadata.ctime(), metadata.ctime_nsec())
        };
        let before = ["", "file", "sub", "sub/file"].map(changed);
        let done = apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!((done.files, done.changed), (4, 0));
        assert_eq!(["", "file", "sub", "sub/file"].map(changed), before);
    });
}

#[test]
fn a_directory_that_is_none_is_an_error_that_names_it() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["missing", "file"] {
        let path = dir.path().join(name);
        if name == "file" {
            fs::write(&path, "").unwrap();
        }
        let error = Ownership::new(GROUP).apply(&path).unwrap_err();
        assert!(
            matches!(&error, Error::Io { path: at, .. } if *at == path),
            "{error:?}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn the_group_that_is_none_is_invalid() {
    let dir = tree();
    let result = Ownership::new(u32::MAX).apply(dir.path());
    assert!(matches!(result, Err(Error::Invalid(_))), "{result:?}");
}

#[test]
fn files_that_cannot_be_changed_are_counted() {
    as_root(|| {
        let dir = tree();
        let read_only = dir.path().join("sub");
        make_read_only(&read_only);
        set(dir.path().join("file"), 0, 0o600);
        let done = apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!((done.files, done.failed), (4, 2));
        assert_eq!(of(dir.path().join("file")), (GROUP, 0o660));
        assert_eq!(of(dir.path()), (GROUP, 0o2775));
        unmount(&read_only);
    });
}

/// A root that is right would say that all files are.
#[test]
fn the_root_does_not_say_that_all_is_right_if_a_file_is_not() {
    as_root(|| {
        let dir = tree();
        let read_only = dir.path().join("sub");
        make_read_only(&read_only);
        for _ in 0..2 {
            let done = apply(&dir, FsGroupChangePolicy::OnRootMismatch);
            assert_eq!((done.skipped, done.failed), (false, 2));
            // The group gets in all the same.
            assert_eq!(of(dir.path()), (GROUP, 0o775));
        }
        unmount(&read_only);
        let done = apply(&dir, FsGroupChangePolicy::OnRootMismatch);
        assert_eq!((done.skipped, done.failed), (false, 0));
        assert_eq!(of(read_only.join("file")), (GROUP, 0o664));
        assert_eq!(of(dir.path()), (GROUP, 0o2775));
        assert!(apply(&dir, FsGroupChangePolicy::OnRootMismatch).skipped);
    });
}

/// Makes a directory read-only, as a mount of itself.
fn make_read_only(dir: &Path) {
    use nix::mount::{MsFlags, mount};
    let none = None::<&str>;
    mount(Some(dir), dir, none, MsFlags::MS_BIND, none).unwrap();
    let read_only = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
    mount(none, dir, none, read_only, none).unwrap();
}

#[test]
fn other_file_systems_inside_are_changed_too() {
    as_root(|| {
        use nix::mount::{MsFlags, mount};
        let dir = tree();
        let sub = dir.path().join("sub");
        mount(
            Some("tmpfs"),
            &sub,
            Some("tmpfs"),
            MsFlags::empty(),
            None::<&str>,
        )
        .unwrap();
        fs::write(sub.join("inside"), "").unwrap();
        apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!(of(sub.join("inside")), (GROUP, 0o664));
        unmount(&sub);
        assert_eq!(of(sub.join("file")), (0, 0o644));
    });
}

#[test]
fn a_directory_comes_after_all_that_is_in_it() {
    as_root(|| {
        use std::os::unix::fs::MetadataExt;
        let dir = tempfile::tempdir().unwrap();
        // Enough for several threads.
        for at in 0..100 {
            let sub = dir.path().join(format!("{}/{at}", at % 5));
            fs::create_dir_all(&sub).unwrap();
            for file in 0..40 {
                fs::write(sub.join(file.to_string()), "").unwrap();
            }
        }
        let changed = |path: &Path| {
            let metadata = fs::metadata(path).unwrap();
            (metadata.ctime(), metadata.ctime_nsec())
        };
        let done = apply(&dir, FsGroupChangePolicy::Always);
        assert_eq!((done.files, done.changed), (4106, 4106));
        let mut below = vec![dir.path().to_owned()];
        while let Some(parent) = below.pop() {
            let time = changed(&parent);
            for entry in fs::read_dir(&parent).unwrap() {
                let path = entry.unwrap().path();
                assert!(changed(&path) <= time, "{} came later", path.display());
                if path.is_dir() {
                    below.push(path);
                }
            }
        }
    });
}

#[test]
fn what_cannot_be_read_ends_it_and_leaves_the_root() {
    as_nobody(|| {
        let dir = tree();
        let group = of(&dir).0;
        let sub = dir.path().join("sub");
        let mode = |mode| fs::set_permissions(&sub, fs::Permissions::from_mode(mode));
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        mode(0).unwrap();
        let error = Ownership::new(group).apply(dir.path()).unwrap_err();
        mode(0o755).unwrap();
        assert!(
            matches!(&error, Error::Io { path, .. } if *path == sub),
            "{error:?}"
        );
        assert_eq!(of(dir.path()).1, 0o700);
        let done = Ownership::new(group).apply(dir.path()).unwrap();
        assert_eq!((done.files, done.failed), (4, 0));
        assert_eq!(of(dir.path()).1, 0o2770);
    });
}
