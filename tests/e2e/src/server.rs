//! One server process.

use std::env;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::Error;
use crate::watchdog::Watchdog;

/// Writes its process id for the watchdog, and then becomes the program with the same id: the
/// program never runs without the watchdog knowing it. One that is started again adds to its log.
const SCRIPT: &str = r#"echo $$; exec "$@" >>"$0" 2>&1"#;

/// The number of lines of a log that are shown.
const LINES: usize = 20;
const BYTES: u64 = 16 * 1024;

/// The time that a server may take to end.
const LIMIT: Duration = Duration::from_secs(30);

/// A server and its log. It ends when it is dropped.
pub(crate) struct Server {
    name: String,
    /// The process, behind a lock because asking whether it has ended changes it.
    child: Mutex<Child>,
    log: PathBuf,
}

impl Server {
    /// Starts a program with its output in a log in the folder. `words` are its path or name and
    /// its arguments.
    pub(crate) fn start(
        name: &str,
        words: &[String],
        folder: &Path,
        watchdog: &Watchdog,
    ) -> Result<Self, Error> {
        let error = |e: io::Error| Error::because(&format!("start {name}"), &e);
        let log = folder.join(format!("{name}.log"));
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT]).arg(&log).args(words);
        // The user's environment variables for etcd and Kubernetes' tools must have no effect.
        command
            .env_clear()
            .envs(env::var_os("PATH").map(|path| ("PATH", path)));
        command
            // Go then collects garbage less often: an API server takes a quarter less CPU time.
            .env("GOGC", "400")
            .env("HOME", folder)
            .env("TMPDIR", folder)
            .current_dir(folder);
        command
            .stdin(Stdio::null())
            .stdout(watchdog.line().map_err(error)?);
        // Ctrl-C ends the test process, and then the watchdog ends this one.
        command.stderr(Stdio::null()).process_group(0);
        let child = command.spawn().map_err(error)?;
        Ok(Self {
            name: name.to_owned(),
            child: Mutex::new(child),
            log,
        })
    }

    /// The id of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .id()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns an error with the last lines of the log if the server has ended.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let status = self
            .child
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .try_wait();
        match status {
            Ok(None) => Ok(()),
            Ok(Some(status)) => {
                let log = self.last_lines();
                let mut error = Error::new(format!("{} ended with {status}; {log}", self.name));
                error.port_taken = log.contains("address already in use");
                Err(error)
            }
            Err(e) => Err(Error::because(&format!("look after {}", self.name), &e)),
        }
    }

    /// Sends a signal, and waits until the process has ended. Its id stays taken, because the
    /// watchdog will kill what has it.
    pub(crate) fn end(&self, signal: Signal) -> Result<(), Error> {
        let error = |e: io::Error| Error::because(&format!("end {}", self.name), &e);
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let id = Pid::from_child(&child);
        kill_process(id, signal).map_err(|e| error(e.into()))?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let deadline = Instant::now() + LIMIT;
        loop {
            let status = waitid(WaitId::Pid(id), options).map_err(|e| error(e.into()))?;
            if status.is_some() {
                return Ok(());
            }
            if Instant::now() >= deadline {
                let (name, log) = (&self.name, self.last_lines());
                let message = format!("{name} doesn't end by the signal {signal:?}; {log}");
                return Err(Error::new(message));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The last lines of the log, indented, below a line that names it.
    pub(crate) fn last_lines(&self) -> String {
        let text = match tail(&self.log) {
            Ok(text) => text,
            Err(e) => return format!("its log can't be read: {e}"),
        };
        let lines: Vec<_> = text.lines().collect();
        let shown = &lines[lines.len().saturating_sub(LINES)..];
        if shown.is_empty() {
            return "its log is empty".to_owned();
        }
        let shown: String = shown.iter().map(|line| format!("\n  {line}")).collect();
        format!("the end of its log:{shown}")
    }
}

/// The end of a file, as text.
fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        // As a rule the watchdog has killed the process, and this only reaps it.
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}
