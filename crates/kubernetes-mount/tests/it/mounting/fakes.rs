//! The fakes behave as what they stand for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kubernetes_mount::Error;
use kubernetes_mount::exec::{Exec, ExecError};
use kubernetes_mount::mount::Mount;
use kubernetes_mount::testing::{FakeAction, FakeAnswer, FakeExec, FakeMounter};

#[test]
fn mounts_are_kept_and_recorded() {
    let fake = Arc::new(FakeMounter::new());
    let mounter: Arc<dyn Mount> = fake.clone();
    let [a, b, c] = ["/a", "/b", "/c"].map(Path::new);
    mounter
        .mount(Path::new("/dev/x"), a, "ext4", &["noatime"])
        .unwrap();
    mounter
        .mount_sensitive(a, b, "", &["bind"], &["key"])
        .unwrap();
    mounter.mount(Path::new("tmpfs"), a, "tmpfs", &[]).unwrap();
    assert_eq!(mounter.list().unwrap().len(), 3);
    assert_eq!(fake.mount_points()[1].device, "/dev/x");
    assert_eq!(fake.mount_points()[1].fs_type, "ext4");
    // The last one at a path counts.
    assert_eq!(mounter.mount_refs(a).unwrap(), [] as [PathBuf; 0]);
    mounter.unmount(a).unwrap();
    assert_eq!(mounter.mount_refs(a).unwrap(), [b]);
    mounter
        .mount(Path::new(""), b, "", &["bind", "remount", "ro"])
        .unwrap();
    assert_eq!(fake.mount_points()[1].options, ["bind", "ro"]);
    assert!(mounter.mount(Path::new(""), c, "", &["remount"]).is_err());
    assert!(mounter.unmount(c).is_err());
    assert!(mounter.is_mount_point(b).unwrap() && !mounter.is_mount_point(c).unwrap());

    let sensitive = |action: &FakeAction| matches!(action, FakeAction::Mount { sensitive, .. } if sensitive == &["key"]);
    assert_eq!(fake.count(sensitive), 1);
    assert_eq!(fake.changes().len(), 7);
    assert_eq!(fake.actions().len(), 12);
    fake.clear_actions();
    assert!(fake.actions().is_empty());
    assert_eq!(fake.mount_points().len(), 2);
}

#[test]
fn the_other_mounts_of_a_device_are_its_references() {
    let fake = FakeMounter::new();
    let [a, b, c, other] = ["/a", "/b", "/c", "/other"].map(Path::new);
    for (device, path) in [
        ("/dev/x", a),
        ("/dev/y", other),
        ("/dev/x", b),
        ("/dev/x", c),
    ] {
        fake.mount(Path::new(device), path, "ext4", &[]).unwrap();
    }
    assert_eq!(fake.mount_refs(b).unwrap(), [a, c]);
    assert_eq!(fake.mount_refs(other).unwrap(), [] as [PathBuf; 0]);
}

#[test]
fn a_hook_fails_one_action() {
    let mounter = FakeMounter::new().with_hook(|number, _| match number {
        1 => Err(Error::invalid("the second").transient()),
        _ => Ok(()),
    });
    let mount = || mounter.mount(Path::new("x"), Path::new("/a"), "tmpfs", &[]);
    mount().unwrap();
    assert!(mount().unwrap_err().is_transient());
    mount().unwrap();
    assert_eq!(mounter.mount_points().len(), 2);
    assert_eq!(mounter.changes().len(), 3);
}

#[test]
fn commands_are_answered_in_turn() {
    let fake = Arc::new(
        FakeExec::new()
            .answer("a", FakeAnswer::exit_with(3, "out", "err"))
            .answer("a", FakeAnswer::signal(9))
            .answer("b", FakeAnswer::Hangs)
            .answer("c", FakeAnswer::success("")),
    );
    let exec: Arc<dyn Exec> = fake.clone();
    let limit = Duration::from_secs(3);
    let run = |program: &str| exec.run(Path::new(program), &[OsStr::new("-x")], limit);
    let output = run("a").unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        (&output.stdout[..], &output.stderr[..]),
        (&b"out"[..], &b"err"[..])
    );
    let signal = std::os::unix::process::ExitStatusExt::signal(&run("a").unwrap().status);
    assert_eq!(signal, Some(9));
    assert!(matches!(run("b"), Err(ExecError::TimedOut { .. })));
    assert!(matches!(run("a"), Err(ExecError::Start { .. })));
    assert_eq!(fake.commands(), ["a -x", "a -x", "b -x", "a -x"]);
    assert_eq!(fake.unused_answers(), 1);
    assert_eq!(fake.calls()[0].limit, limit);
}
