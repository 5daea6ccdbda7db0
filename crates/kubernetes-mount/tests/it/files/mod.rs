//! Ownership and metrics of real files.

mod metrics;
mod oracle;
mod ownership;
mod progress;
mod races;
mod skipped;
mod trees;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// The group and the permissions of a file, not of what a link leads to.
fn of(path: impl AsRef<Path>) -> (u32, u32) {
    let metadata = fs::symlink_metadata(path).unwrap();
    (metadata.gid(), metadata.mode() & 0o7777)
}

fn set(path: impl AsRef<Path>, gid: u32, mode: u32) {
    std::os::unix::fs::chown(&path, None, Some(gid)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Runs a test as a user who may not do everything.
fn as_nobody(test: impl FnOnce() + Send) {
    use rustix::thread::{Gid, Uid, set_thread_groups};
    use rustix::thread::{set_thread_res_gid, set_thread_res_uid};
    if !nix::unistd::geteuid().is_root() {
        return test();
    }
    std::thread::scope(|scope| {
        let test = scope.spawn(|| {
            let (uid, gid) = (Uid::from_raw(65534), Gid::from_raw(65534));
            set_thread_groups(&[]).unwrap();
            set_thread_res_gid(gid, gid, gid).unwrap();
            // From here on only this thread, and those that it starts, are nobody.
            set_thread_res_uid(uid, uid, uid).unwrap();
            test();
        });
        if let Err(panic) = test.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Runs a test in a process of its own, for what is of the whole process.
fn alone(name: &str, test: impl FnOnce()) {
    const ALONE: &str = "VOLUME_TEST_ALONE";
    if std::env::var(ALONE).is_ok_and(|alone| alone == name) {
        return test();
    }
    let program = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new(program);
    let output = command
        .args(["--exact", name, "--nocapture"])
        .env(ALONE, name)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    // A name that is none would pass as well.
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{output:?}"
    );
}
