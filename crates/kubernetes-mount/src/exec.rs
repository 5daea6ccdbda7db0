//! Running commands, with a limit of time.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::masking::Secrets;

/// The kept output of a command, in bytes. The rest is read and dropped.
const MAX_OUTPUT: usize = 1 << 20;

/// The time in which children of a command may print after it has ended.
const GRACE: Duration = Duration::from_millis(200);

/// The output of a command that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The exit status.
    pub status: ExitStatus,
    /// Its standard output, at most 1 MiB.
    pub stdout: Vec<u8>,
    /// Its standard error, at most 1 MiB.
    pub stderr: Vec<u8>,
}

/// An error of running a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The command can't be started.
    #[error("can't run {command}: {source}")]
    Start {
        /// The program and its arguments.
        command: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The command exceeded its time limit, and was killed with its children.
    #[error("{command} was killed, because it took more than {limit:?}")]
    TimedOut {
        /// The program and its arguments.
        command: String,
        /// The time limit.
        limit: Duration,
    },
    /// The command ended with a failure.
    #[error("{command} failed ({status}): {output}")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// The exit status.
        status: ExitStatus,
        /// Its shortened output.
        output: String,
    },
    /// The command printed unparsable output.
    #[error("{command} printed unparsable output: {reason}: {output}")]
    BadOutput {
        /// The program and its arguments.
        command: String,
        /// The parse error.
        reason: String,
        /// Its shortened output.
        output: String,
    },
}

impl ExecError {
    /// Returns the error with masked secrets in all its texts.
    #[must_use]
    pub fn masked(self, secrets: &Secrets) -> Self {
        let mask = |text: String| secrets.mask(&text);
        match self {
            Self::Start { command, source } => Self::Start {
                command: mask(command),
                source,
            },
            Self::TimedOut { command, limit } => Self::TimedOut {
                command: mask(command),
                limit,
            },
            Self::Failed {
                command,
                status,
                output,
            } => Self::Failed {
                command: mask(command),
                status,
                output: mask(output),
            },
            Self::BadOutput {
                command,
                reason,
                output,
            } => Self::BadOutput {
                command: mask(command),
                reason: mask(reason),
                output: mask(output),
            },
        }
    }
}

/// Runs commands. A host may run them elsewhere, such as in another mount namespace.
pub trait Exec: Send + Sync {
    /// Runs the program with the arguments and waits for its end, however it ends.
    ///
    /// # Errors
    ///
    /// When it can't be started, or takes longer than the limit.
    fn run(&self, program: &Path, args: &[&OsStr], limit: Duration) -> Result<Output, ExecError>;
}

/// Runs commands as children of this process, each in a process group of its own, with
/// `LC_ALL=C`, so that what they print can be read.
///
/// The output of a command until its end is returned. Processes that it has started may print for
/// another 200 ms; after that they run on, and their output is dropped: a helper for FUSE leaves
/// such a daemon.
///
/// ```
/// use std::ffi::OsStr;
/// use std::path::Path;
/// use std::time::Duration;
/// use kubernetes_mount::exec::{Exec, Local};
///
/// let (program, args) = (Path::new("echo"), [OsStr::new("hello")]);
/// let output = Local.run(program, &args, Duration::from_secs(60))?.success(program, &args)?;
/// assert_eq!(output.stdout, b"hello\n");
/// # Ok::<(), kubernetes_mount::exec::ExecError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Exec for Local {
    fn run(&self, program: &Path, args: &[&OsStr], limit: Duration) -> Result<Output, ExecError> {
        let mut child = Command::new(program)
            .args(args)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|source| ExecError::Start {
                command: shown(program, args),
                source,
            })?;
        let mut stdout = Pipe::new(child.stdout.take());
        let mut stderr = Pipe::new(child.stderr.take());
        let ended = group(&child).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // A limit that no clock reaches is none.
        let ends = Instant::now().checked_add(limit);
        let status = loop {
            if let Ok(Some(status)) = child.try_wait() {
                break status;
            }
            stdout.read_all();
            stderr.read_all();
            let left = ends.map_or(Duration::MAX, |ends| ends - Instant::now().min(ends));
            if left.is_zero() {
                kill(child);
                return Err(ExecError::TimedOut {
                    command: shown(program, args),
                    limit,
                });
            }
            // Without a descriptor of the child, its end is seen at the next look.
            let longest = Duration::from_millis(if ended.is_some() { 60_000 } else { 10 });
            wait(&[&stdout, &stderr], ended.as_ref(), left.min(longest));
        };
        let ends = Instant::now() + GRACE;
        loop {
            // In any case once: what the child has printed is in the pipes.
            stdout.read_all();
            stderr.read_all();
            let left = ends - Instant::now().min(ends);
            if left.is_zero() || (stdout.is_closed() && stderr.is_closed()) {
                break;
            }
            wait(&[&stdout, &stderr], None, left);
        }
        Ok(Output {
            status,
            stdout: stdout.finish(),
            stderr: stderr.finish(),
        })
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

/// Returns the beginning of the output of a command, without the end of the last line.
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

/// The read end of a pipe for the output of a command.
struct Pipe {
    /// Nothing after all writers have closed it.
    file: Option<File>,
    kept: Vec<u8>,
}

impl Pipe {
    fn new(end: Option<impl Into<OwnedFd>>) -> Self {
        let file = end.map(|end| File::from(end.into()));
        // The other end blocks as before.
        let file = file.filter(|file| ioctl_fionbio(file, true).is_ok());
        Self {
            file,
            kept: Vec::new(),
        }
    }

    fn is_closed(&self) -> bool {
        self.file.is_none()
    }

    /// Reads the available output without waiting, and drops the excess.
    fn read_all(&mut self) {
        let mut buffer = [0; 8192];
        while let Some(file) = &mut self.file {
            match file.read(&mut buffer) {
                Ok(0) => self.file = None,
                Ok(read) => {
                    let room = MAX_OUTPUT.saturating_sub(self.kept.len());
                    self.kept.extend(buffer.iter().take(read.min(room)));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.file = None,
            }
        }
    }

    /// Returns the kept output. A thread goes on reading: closing the pipe would kill a daemon that
    /// still has it and prints.
    fn finish(self) -> Vec<u8> {
        if let Some(mut file) = self.file {
            let reader = thread::Builder::new().name("daemon-output".to_owned());
            let _ = reader.spawn(move || {
                let _ = ioctl_fionbio(&file, false);
                let _ = io::copy(&mut file, &mut io::sink());
            });
        }
        self.kept
    }
}

/// Waits until there is something to read, or the child has ended.
fn wait(pipes: &[&Pipe], ended: Option<&OwnedFd>, limit: Duration) {
    let pipes = pipes.iter().filter_map(|pipe| pipe.file.as_ref());
    let mut fds: Vec<PollFd<'_>> = pipes
        .map(|pipe| PollFd::new(pipe, PollFlags::IN))
        .chain(ended.map(|fd| PollFd::new(fd, PollFlags::IN)))
        .collect();
    if let Ok(limit) = Timespec::try_from(limit) {
        // After an error, such as a signal, the callers look again.
        let _ = poll(&mut fds, Some(&limit));
    }
}

fn group(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Kills the child and its own children, which are in its process group.
fn kill(mut child: Child) {
    if let Some(group) = group(&child) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    // A process that waits for a device or a server ends only when that answers.
    let ends = Instant::now() + Duration::from_secs(1);
    while Instant::now() < ends {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    let _ = thread::Builder::new()
        .name("killed-command".to_owned())
        .spawn(move || {
            let _ = child.wait();
        });
}
