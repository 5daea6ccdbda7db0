//! Support of tests that need root: a mount namespace of their own, loop devices, programs, and
//! kills of programs at each of their steps.
//!
//! The packages whose tests mount use it: `kubernetes-mount`, `kubernetes-volume`, `csi-hostpath`,
//! `pod-volumes`.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by a panic"
)]

mod killed;

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

pub use killed::{Ended, killed_at, killed_while};

/// Runs a test that mounts, as root, in a mount namespace of its own.
///
/// Without root it says so on standard error, past the test harness, and does nothing. With
/// `VOLUME_TESTS_NEED_ROOT=1`, which CI sets, that is a failure.
///
/// The namespace is that of one new thread and of the threads and processes that it starts:
/// `/proc/self` is another one, `/proc/thread-self` is right.
pub fn as_root(test: impl FnOnce() + Send) {
    if !nix::unistd::geteuid().is_root() {
        let name = thread::current().name().unwrap_or("a test").to_owned();
        let needed = std::env::var_os("VOLUME_TESTS_NEED_ROOT").is_some();
        assert!(!needed, "{name} needs root");
        // The harness keeps what `eprintln!` prints of a test that passes.
        let _ = writeln!(std::io::stderr(), "left out, needs root: {name}");
        return;
    }
    thread::scope(|scope| {
        let test = scope.spawn(|| {
            unshare(CloneFlags::CLONE_NEWNS).unwrap();
            // Mounts of the test must not appear outside.
            let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
            mount(None::<&str>, "/", None::<&str>, private, None::<&str>).unwrap();
            test();
        });
        if let Err(panic) = test.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Unmounts a path that is free, as [`unless_busy`] says.
///
/// # Panics
///
/// When the path can't be unmounted.
pub fn unmount(path: &Path) {
    unless_busy(|| Ok(nix::mount::umount(path)?)).unwrap();
}

/// Unmounts something again while it is busy, for up to ten seconds.
///
/// A program that another test starts has the open files of this process until it runs, and
/// meanwhile their file systems are busy.
///
/// # Errors
///
/// The last error of `unmount`.
pub fn unless_busy(mut unmount: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        match unmount() {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy && Instant::now() < end => {
                thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

/// Returns a number from the environment: how much a test does, in full or in short.
pub fn setting(name: &str, short: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} isn't a number: {text:?}")),
        Err(_) => short,
    }
}

/// Returns the files in a folder that are loop devices, and whether nobody can write to those.
///
/// # Panics
///
/// When `losetup` fails.
pub fn loop_files(folder: &Path) -> Vec<(PathBuf, bool)> {
    let output = Command::new("losetup")
        .args([
            "--list",
            "--noheadings",
            "--raw",
            "--output",
            "RO,BACK-FILE",
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let listed = String::from_utf8(output.stdout).unwrap();
    let all = listed
        .lines()
        .filter_map(|line| line.trim().split_once(' '));
    let all = all.map(|(read_only, file)| (PathBuf::from(file), read_only == "1"));
    all.filter(|(file, _)| file.starts_with(folder)).collect()
}

/// A loop device, detached at the end.
#[derive(Debug)]
pub struct Loop(PathBuf);

impl Loop {
    /// Attaches a file to a device.
    ///
    /// # Panics
    ///
    /// When the system has no loop devices.
    #[must_use]
    pub fn new(image: &Path) -> Self {
        let output = Command::new("losetup")
            .args(["-f", "--show"])
            .arg(image)
            .output()
            .unwrap();
        assert!(output.status.success(), "no loop device here: {output:?}");
        Self(String::from_utf8(output.stdout).unwrap().trim().into())
    }

    /// Attaches a new empty file of 16 MiB to a device.
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    #[must_use]
    pub fn empty(image: &Path) -> Self {
        fs::File::create(image).unwrap().set_len(16 << 20).unwrap();
        Self::new(image)
    }

    /// Returns the path of the device.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Takes over the size of the image.
    ///
    /// # Panics
    ///
    /// When `losetup` fails.
    pub fn resize(&self) {
        let status = Command::new("losetup")
            .arg("-c")
            .arg(&self.0)
            .status()
            .unwrap();
        assert!(status.success());
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

/// Writes a program, by another process: what this one has open for writing, children of other
/// tests inherit, and nobody can run it meanwhile.
pub fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\"; chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(shell.wait().unwrap().success());
    assert_eq!(
        fs::metadata(path).unwrap().permissions().mode() & 0o777,
        0o755
    );
}
