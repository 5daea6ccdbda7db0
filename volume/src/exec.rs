//! Running commands, with a limit of time.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How much of what a command prints is kept, in bytes. The rest is read and dropped.
const MAX_OUTPUT: usize = 1 << 20;

/// What a command has printed, after it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output, at most 1 MiB.
    pub stdout: Vec<u8>,
    /// Its standard error, at most 1 MiB.
    pub stderr: Vec<u8>,
}

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// It can't be started.
    #[error("can't run {command}: {source}")]
    Start {
        /// The program and its arguments.
        command: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// It took too long, and was killed with all that it had started.
    #[error("{command} was killed, because it took more than {limit:?}")]
    TimedOut {
        /// The program and its arguments.
        command: String,
        /// The time that it had.
        limit: Duration,
    },
    /// It ended with a failure.
    #[error("{command} failed ({status}): {output}")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it printed, shortened.
        output: String,
    },
    /// It printed what can't be read.
    #[error("{command} printed what is no answer: {reason}: {output}")]
    BadOutput {
        /// The program and its arguments.
        command: String,
        /// What is wrong with it.
        reason: String,
        /// What it printed, shortened.
        output: String,
    },
}

/// Runs commands. A host may run them elsewhere, such as in another mount namespace.
pub trait Exec: Send + Sync {
    /// Runs the program with the arguments and waits for its end, however it ends.
    ///
    /// # Errors
    ///
    /// When it can't be started, or takes longer than the limit.
    fn run(
        &self,
        program: &Path,
        args: &[&OsStr],
        limit: Duration,
    ) -> Result<Output, ExecError>;
}

/// Runs commands as children of this process, each in a process group of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Exec for Local {
    fn run(
        &self,
        program: &Path,
        args: &[&OsStr],
        limit: Duration,
    ) -> Result<Output, ExecError> {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|source| ExecError::Start {
                command: shown(program, args),
                source,
            })?;
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        let ends = Instant::now() + limit;
        let status = wait(&mut child, ends);
        // What the command has started may still hold the pipes open.
        let (stdout, stderr) = (received(stdout, ends), received(stderr, ends));
        match (status, stdout, stderr) {
            (Some(status), Some(stdout), Some(stderr)) => Ok(Output {
                status,
                stdout,
                stderr,
            }),
            _ => {
                kill(&mut child);
                Err(ExecError::TimedOut {
                    command: shown(program, args),
                    limit,
                })
            }
        }
    }
}

impl Output {
    /// Returns itself if the command succeeded.
    ///
    /// # Errors
    ///
    /// [`ExecError::Failed`] if it did not.
    pub fn success(self, program: &Path, args: &[&OsStr]) -> Result<Self, ExecError> {
        if self.status.success() {
            return Ok(self);
        }
        let printed = if self.stderr.is_empty() {
            &self.stdout
        } else {
            &self.stderr
        };
        Err(ExecError::Failed {
            command: shown(program, args),
            status: self.status,
            output: shortened(printed),
        })
    }
}

/// Returns the command as a person would type it.
#[must_use]
pub fn shown(program: &Path, args: &[&OsStr]) -> String {
    let mut shown = OsString::from(program);
    for arg in args {
        shown.push(" ");
        shown.push(arg);
    }
    shown.to_string_lossy().into_owned()
}

/// Returns the beginning of what a command printed, without the last line's end.
#[must_use]
pub fn shortened(printed: &[u8]) -> String {
    const SHOWN: usize = 1000;
    let text = String::from_utf8_lossy(printed);
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads a pipe to its end in a thread, which ends when the last process closes the pipe.
fn collect(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = pipe.read(&mut buffer) {
            let room = MAX_OUTPUT.saturating_sub(kept.len());
            kept.extend_from_slice(&buffer[..read.min(room)]);
        }
        let _ = sender.send(kept);
    });
    receiver
}

fn received(pipe: Option<mpsc::Receiver<Vec<u8>>>, ends: Instant) -> Option<Vec<u8>> {
    let left = ends.saturating_duration_since(Instant::now());
    pipe?.recv_timeout(left).ok()
}

/// Waits for the child, more and more rarely.
fn wait(child: &mut Child, ends: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = ends.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Kills the child and what it has started, which are in its process group.
fn kill(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
