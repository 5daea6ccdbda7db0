//! Sees to it that servers end, however the test process does.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Reads process ids until nobody holds the other end of the pipe any more, then ends those
/// processes and removes the folder. Signals meant for the test process must not end it early.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
ids=
while read -r id; do ids="$ids $id"; done
[ -z "$ids" ] || kill -KILL $ids
rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }
"#;

/// A shell at the other end of a pipe.
///
/// Only the test process keeps the pipe open, and the operating system closes it whichever way
/// that process ends: at its end no code has to run, and no signal has to be handled.
pub(crate) struct Keeper {
    shell: Child,
    /// Closed by taking it.
    pipe: Option<OwnedFd>,
}

impl Keeper {
    /// Starts one that removes a folder in the end.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            // Whoever waits for the end of the test's output must not wait for this one.
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let pipe = shell.stdin.take().map(OwnedFd::from);
        Ok(Self { shell, pipe })
    }

    /// The pipe's end for a process that is about to tell its id, a line, and then closes it.
    pub(crate) fn line(&self) -> io::Result<Stdio> {
        let pipe = self.pipe.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(pipe.try_clone()?.into())
    }

    /// Ends the processes and removes the folder; both are done when this returns.
    pub(crate) fn finish(&mut self) {
        self.pipe = None;
        // There is nobody to tell of an error.
        let _ = self.shell.wait();
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.finish();
    }
}
