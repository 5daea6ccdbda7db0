//! Stops the servers when the test process ends, however it ends.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Reads process ids until the other end of the pipe is closed, then kills those processes and
/// removes the folder. It ignores the signals that are meant for the test process.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
ids=
while read -r id; do ids="$ids $id"; done
[ -z "$ids" ] || kill -KILL $ids
rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }
"#;

/// A shell at the other end of a pipe.
///
/// Only the test process keeps the pipe open. The operating system closes it when that process
/// ends, in whatever way: no code has to run then, and no signal has to be handled.
pub(crate) struct Watchdog {
    shell: Child,
    /// Closed by taking it.
    pipe: Option<OwnedFd>,
}

impl Watchdog {
    /// Starts a watchdog that removes a folder in the end.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            // A reader of the test's output must not wait for the watchdog to end.
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let pipe = shell.stdin.take().map(OwnedFd::from);
        Ok(Self { shell, pipe })
    }

    /// Returns the pipe's end for a process, which writes its id as a line and then closes it.
    pub(crate) fn line(&self) -> io::Result<Stdio> {
        let pipe = self.pipe.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(pipe.try_clone()?.into())
    }

    /// Kills the processes and removes the folder; both are done when this returns.
    pub(crate) fn finish(&mut self) {
        self.pipe = None;
        // An error can't be reported to anybody.
        let _ = self.shell.wait();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.finish();
    }
}
