//! The servers of one control plane, in their folder.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::Error;
use crate::server::Server;
use crate::watchdog::Watchdog;

/// Running servers. When they are dropped they end, and their folder is removed.
pub(crate) struct Servers {
    // First, because fields are dropped in this order: it must not kill processes that are
    // gone, whose ids may belong to other processes by then.
    watchdog: Watchdog,
    running: Vec<Server>,
    /// Those that a test has ended, which are kept until the watchdog is done.
    ended: Vec<Server>,
    folder: PathBuf,
}

impl Servers {
    /// Returns no servers yet, with a new folder that only this user can read.
    pub(crate) fn new() -> Result<Self, Error> {
        let error = |e| Error::because("make a folder for the servers", &e);
        let folder = tempfile::Builder::new()
            .prefix("control-plane-")
            .tempdir()
            .map_err(error)?;
        let watchdog = Watchdog::start(folder.path());
        let watchdog = watchdog.map_err(|e| Error::because("start a shell", &e))?;
        Ok(Self {
            watchdog,
            running: Vec::new(),
            ended: Vec::new(),
            folder: folder.keep(),
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts another server, which is named as its program.
    pub(crate) fn start(&mut self, program: &Path, flags: &[String]) -> Result<(), Error> {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let words = [&[program.display().to_string()], flags].concat();
        self.start_by(&name, &words).map(|_| ())
    }

    /// Starts another server by a command that becomes it, and returns the id of its process.
    pub(crate) fn start_by(&mut self, name: &str, words: &[String]) -> Result<u32, Error> {
        let server = Server::start(name, words, &self.folder, &self.watchdog)?;
        let id = server.id();
        self.running.push(server);
        Ok(id)
    }

    /// Ends a server by a signal. It may be started again.
    pub(crate) fn end(&mut self, name: &str, signal: Signal) -> Result<(), Error> {
        let found = self.running.iter().position(|one| one.name() == name);
        let found = found.ok_or_else(|| Error::new(format!("no {name} is running")))?;
        let server = self.running.remove(found);
        let ended = server.end(signal);
        self.ended.push(server);
        ended
    }

    /// Returns the error of the first server that has ended by itself.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.running.iter().try_for_each(Server::check)
    }

    /// Returns the last lines of the log of one server.
    pub(crate) fn last_lines(&self, name: &str) -> String {
        self.find(name).map_or_else(String::new, Server::last_lines)
    }

    /// Returns the id of the process of one server.
    pub(crate) fn process(&self, name: &str) -> Option<u32> {
        self.find(name).map(Server::id)
    }

    fn find(&self, name: &str) -> Option<&Server> {
        self.running.iter().find(|server| server.name() == name)
    }

    /// Returns the last lines of every log, each below the name of its server.
    pub(crate) fn logs(&self) -> String {
        let logs = self.running.iter();
        let logs = logs.map(|server| format!("{}: {}", server.name(), server.last_lines()));
        logs.collect::<Vec<_>>().join("\n")
    }
}
