//! Programs that mount one type of file system.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kubernetes_mount::Error;
use kubernetes_mount::exec::Local;
use kubernetes_mount::mount::{LinuxMounter, Mount, MountError};
use kubernetes_mount::testing::{FakeAnswer, FakeExec};
use root_tests::write_program;

use super::tools::Dir;

fn with(dir: &Dir, exec: &Arc<FakeExec>) -> LinuxMounter {
    LinuxMounter::new()
        .with_helper_dirs(vec![dir.path().to_owned()])
        .with_exec(exec.clone(), Duration::from_secs(7))
}

#[test]
fn a_helper_gets_what_mount_8_gives_it() {
    let dir = Dir::new();
    let target = dir.dir("target");
    let nfs = dir.file("mount.nfs", "");
    let fuse = dir.file("mount.fuse", "");
    let own = dir.file("mount.fuse.own", "");
    type Options = &'static [&'static str];
    let rows: &[(&str, Options, Options, &Path, &str)] = &[
        ("nfs", &[], &[], &nfs, ""),
        ("nfs", &["ro", "vers=4.1"], &[], &nfs, " -o ro,vers=4.1"),
        (
            "nfs",
            &["_netdev,nofail,ro", "x-a", "defaults"],
            &[],
            &nfs,
            " -o ro",
        ),
        ("nfs", &["ro"], &["sec=x", "y"], &nfs, " -o ro,sec=x,y"),
        ("nfs", &["remount", "rw"], &[], &nfs, " -o remount,rw"),
        ("fuse.sshfs", &["ro"], &[], &fuse, " -o ro -t fuse.sshfs"),
        ("fuse.own", &[], &[], &own, ""),
    ];
    for (fs_type, options, sensitive, program, rest) in rows {
        let exec = Arc::new(FakeExec::new().answer(*program, FakeAnswer::success("")));
        let source = Path::new("host:/export");
        with(&dir, &exec)
            .mount_sensitive(source, &target, fs_type, options, sensitive)
            .unwrap();
        let expected = format!(
            "{} host:/export {}{rest}",
            program.display(),
            target.display()
        );
        assert_eq!(exec.commands(), [expected]);
        assert_eq!(exec.calls()[0].limit, Duration::from_secs(7));
    }
}

#[test]
fn a_helper_that_fails_is_an_error_with_what_it_printed() {
    let dir = Dir::new();
    let program = dir.file("mount.nfs", "");
    let failure = FakeAnswer::exit_with(32, "", "mount.nfs: access denied, password hunter2");
    let exec = Arc::new(FakeExec::new().answer(program, failure));
    let error = with(&dir, &exec)
        .mount_sensitive(
            Path::new("host:/a"),
            dir.path(),
            "nfs",
            &["ro"],
            &["password=hunter2"],
        )
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("access denied, password <masked>"), "{text}");
    assert!(text.contains("-o ro,<masked>"), "{text}");
    assert!(text.contains("exit status: 32"), "{text}");
    assert!(error.is_final());
}

#[test]
fn a_helper_that_hangs_is_killed_and_may_have_mounted() {
    let dir = Dir::new();
    let program = dir.path().join("mount.slow");
    write_program(&program, "#!/bin/sh\nexec sleep 1000\n");
    let error = LinuxMounter::new()
        .with_helper_dirs(vec![dir.path().to_owned()])
        .with_exec(Arc::new(Local), Duration::from_millis(200))
        .mount(Path::new("a"), dir.path(), "slow", &[])
        .unwrap_err();
    assert!(error.is_uncertain());
    let Error::Uncertain(inner) = error else {
        panic!("{error}")
    };
    let Error::Mount(inner) = *inner else {
        panic!("{inner}")
    };
    assert!(
        matches!(
            *inner,
            MountError::Helper {
                timed_out: true,
                ..
            }
        ),
        "{inner}"
    );
}

#[test]
fn a_missing_helper_is_named() {
    let dir = Dir::new();
    let exec = Arc::new(FakeExec::new());
    let error = with(&dir, &exec)
        .mount(Path::new("host:/a"), dir.path(), "glusterfs", &[])
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no program /sbin/mount.glusterfs"),
        "{error}"
    );
    assert!(exec.calls().is_empty());
}
