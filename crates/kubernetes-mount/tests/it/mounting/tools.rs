//! Tools of the tests.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use kubernetes_mount::Error;
use kubernetes_mount::mount::{LinuxMounter, Mount, MountInfo, read_mount_info};
use tempfile::TempDir;

/// Says that a test was left out, past the test harness.
pub(super) fn left_out(why: &str) {
    let _ = writeln!(std::io::stderr(), "left out: {why}");
}

/// Returns true if a program is installed.
pub(super) fn has(program: &str) -> bool {
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&dirs).any(|dir| dir.join(program).is_file())
}

/// Runs a command that must succeed, and returns what it printed.
pub(super) fn run(program: &str, args: &[&OsStr]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A directory of its own for a test, without symbolic links in its path.
pub(super) struct Dir {
    _dir: TempDir,
    path: PathBuf,
}

impl Dir {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        Self { _dir: dir, path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a directory in it.
    pub(super) fn dir(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.path.join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Makes a file in it.
    pub(super) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a sparse file in it.
    pub(super) fn image(&self, name: &str, size: u64) -> PathBuf {
        let path = self.path.join(name);
        File::create(&path).unwrap().set_len(size).unwrap();
        path
    }

    /// Mounts a tmpfs in it.
    pub(super) fn tmpfs(&self, name: &str, options: &[&str]) -> PathBuf {
        let path = self.dir(name);
        mounter()
            .mount(Path::new("tmpfs"), &path, "tmpfs", options)
            .unwrap();
        path
    }
}

/// A mounter that runs no programs.
pub(super) fn mounter() -> LinuxMounter {
    LinuxMounter::new().with_helper_dirs(Vec::new())
}

/// Unmounts a path that is free.
pub(super) fn unmount(path: &Path) {
    root_tests::unless_busy(|| match mounter().unmount(path) {
        Err(Error::Io { source, .. }) => Err(source),
        outcome => {
            outcome.unwrap();
            Ok(())
        }
    })
    .unwrap();
}

/// The last mount at a path.
pub(super) fn info(path: &Path) -> MountInfo {
    let mounts = read_mount_info().unwrap();
    mounts
        .into_iter()
        .rfind(|mount| mount.mount_point == path)
        .unwrap()
}
