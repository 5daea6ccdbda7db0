//! The servers of one control plane, in their folder.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::keeper::Keeper;
use crate::server::Server;

/// Running servers. When they are dropped they end, and their folder is removed.
pub(crate) struct Servers {
    // First, because fields are dropped in this order: it must not be told of processes that are
    // gone, whose ids may be others' by then.
    keeper: Keeper,
    running: Vec<Server>,
    folder: PathBuf,
}

impl Servers {
    /// None yet, with a new folder that only this user can read.
    pub(crate) fn new() -> Result<Self, Error> {
        let fault = |e| Error::because("make a folder for the servers", &e);
        let folder = tempfile::Builder::new()
            .prefix("control-plane-")
            .tempdir()
            .map_err(fault)?;
        let keeper = Keeper::start(folder.path());
        let keeper = keeper.map_err(|e| Error::because("start a shell", &e))?;
        Ok(Self {
            keeper,
            running: Vec::new(),
            folder: folder.keep(),
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts one more.
    pub(crate) fn start(
        &mut self,
        program: &Path,
        flags: &[String],
    ) -> Result<(), Error> {
        let server = Server::start(program, flags, &self.folder, &self.keeper)?;
        self.running.push(server);
        Ok(())
    }

    /// The error of the first that has ended.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        self.running.iter_mut().try_for_each(Server::check)
    }

    /// What the last one wrote last.
    pub(crate) fn last_lines(&self) -> String {
        self.running.last().map_or_else(String::new, Server::last_lines)
    }
}
