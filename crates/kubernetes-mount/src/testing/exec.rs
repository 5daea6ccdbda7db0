//! A runner of commands with the answers of a test.

use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Mutex;
use std::time::Duration;

use super::lock;
use crate::exec::{Exec, ExecError, Output, shown};

/// The answer of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FakeAnswer {
    /// It ends and has printed something.
    Ends(Output),
    /// It takes longer than the limit. The test doesn't wait for that.
    Hangs,
    /// It is not installed.
    Missing,
}

impl FakeAnswer {
    /// Returns a success with this standard output.
    #[must_use]
    pub fn success(stdout: &str) -> Self {
        Self::exit_with(0, stdout, "")
    }

    /// Returns an end with this exit code, which prints nothing.
    #[must_use]
    pub fn exit(code: u8) -> Self {
        Self::exit_with(code, "", "")
    }

    /// Returns an end with this exit code, standard output and standard error.
    #[must_use]
    pub fn exit_with(code: u8, stdout: &str, stderr: &str) -> Self {
        Self::Ends(Output {
            status: ExitStatus::from_raw(i32::from(code) << 8),
            stdout: stdout.into(),
            stderr: stderr.into(),
        })
    }

    /// Returns an end by a signal, such as 9.
    #[must_use]
    pub fn signal(number: u8) -> Self {
        Self::Ends(Output {
            status: ExitStatus::from_raw(i32::from(number & 0x7f)),
            stdout: Vec::new(),
            stderr: Vec::new(),
        })
    }
}

/// A command that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeCall {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The time that it had.
    pub limit: Duration,
}

impl FakeCall {
    /// Returns the command as a person would type it.
    #[must_use]
    pub fn shown(&self) -> String {
        let args: Vec<&OsStr> = self.args.iter().map(OsString::as_os_str).collect();
        shown(&self.program, &args)
    }
}

/// Runs nothing: returns the answers of a test, and records the calls.
///
/// Each program has a queue of answers. A program without one is not installed.
///
/// ```
/// use std::path::Path;
/// use std::time::Duration;
/// use kubernetes_mount::exec::Exec;
/// use kubernetes_mount::testing::{FakeAnswer, FakeExec};
///
/// let exec = FakeExec::new().answer("fsck", FakeAnswer::exit(4));
/// let output = exec.run(Path::new("fsck"), &["-a".as_ref()], Duration::MAX).unwrap();
/// assert_eq!(output.status.code(), Some(4));
/// assert_eq!(exec.commands(), ["fsck -a"]);
/// ```
#[derive(Debug, Default)]
pub struct FakeExec {
    answers: Mutex<HashMap<PathBuf, VecDeque<FakeAnswer>>>,
    calls: Mutex<Vec<FakeCall>>,
}

impl FakeExec {
    /// Returns a runner with no program installed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next answer of a program.
    #[must_use]
    pub fn answer(self, program: impl Into<PathBuf>, answer: FakeAnswer) -> Self {
        lock(&self.answers)
            .entry(program.into())
            .or_default()
            .push_back(answer);
        self
    }

    /// Returns the calls so far, in their order.
    #[must_use]
    pub fn calls(&self) -> Vec<FakeCall> {
        lock(&self.calls).clone()
    }

    /// Returns the calls so far as a person would type them.
    #[must_use]
    pub fn commands(&self) -> Vec<String> {
        lock(&self.calls).iter().map(FakeCall::shown).collect()
    }

    /// Returns the programs that were called, in their order.
    #[must_use]
    pub fn programs(&self) -> Vec<String> {
        let calls = lock(&self.calls);
        calls
            .iter()
            .map(|call| call.program.display().to_string())
            .collect()
    }

    /// Returns how many answers nobody has asked for.
    #[must_use]
    pub fn unused_answers(&self) -> usize {
        lock(&self.answers).values().map(VecDeque::len).sum()
    }
}

impl Exec for FakeExec {
    fn run(&self, program: &Path, args: &[&OsStr], limit: Duration) -> Result<Output, ExecError> {
        lock(&self.calls).push(FakeCall {
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            limit,
        });
        let answer = lock(&self.answers)
            .get_mut(program)
            .and_then(VecDeque::pop_front);
        let command = shown(program, args);
        match answer.unwrap_or(FakeAnswer::Missing) {
            FakeAnswer::Ends(output) => Ok(output),
            FakeAnswer::Hangs => Err(ExecError::TimedOut { command, limit }),
            FakeAnswer::Missing => Err(ExecError::Start {
                command,
                source: io::ErrorKind::NotFound.into(),
            }),
        }
    }
}
