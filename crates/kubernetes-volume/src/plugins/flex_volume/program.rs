//! Runs the program of a driver.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kubernetes_mount::exec::{Exec, ExecError, Output, shortened};
use kubernetes_mount::masking::Secrets;
use tracing::debug;

use super::answer::{Answer, Command, Status};
use crate::probe::Driver;
use crate::{Error, Result};

/// A driver.
pub(super) struct Program {
    /// The name of its plugin.
    pub(super) name: String,
    path: PathBuf,
    limit: Duration,
    /// The commands that it has said not to support.
    unsupported: Mutex<BTreeSet<Command>>,
}

impl Program {
    pub(super) fn new(driver: &Driver, limit: Duration) -> Self {
        Self {
            name: driver.plugin_name.clone(),
            path: driver.executable.clone(),
            limit,
            unsupported: Mutex::default(),
        }
    }

    pub(super) fn with_limit(&self, limit: Duration) -> Self {
        Self {
            name: self.name.clone(),
            path: self.path.clone(),
            limit,
            unsupported: Mutex::default(),
        }
    }

    /// Runs a command; nothing if the driver doesn't support it. No error has the secrets.
    pub(super) fn call(
        &self,
        exec: &dyn Exec,
        command: Command,
        args: &[&str],
        secrets: &[String],
    ) -> Result<Option<Answer>> {
        self.call_for(exec, command, args, secrets, self.limit)
    }

    /// Runs a command that every driver has.
    pub(super) fn required(
        &self,
        exec: &dyn Exec,
        command: Command,
        args: &[&str],
    ) -> Result<Answer> {
        let answer = self.call(exec, command, args, &[])?;
        answer.ok_or_else(|| self.not_supported(command))
    }

    pub(super) fn not_supported(&self, command: Command) -> Error {
        Error::NotSupported(format!(
            "`{}` of the driver {}",
            command.as_str(),
            self.name
        ))
    }

    /// Does the same as [`call`](Self::call), with another time limit.
    pub(super) fn call_for(
        &self,
        exec: &dyn Exec,
        command: Command,
        args: &[&str],
        secrets: &[String],
        limit: Duration,
    ) -> Result<Option<Answer>> {
        let unsupported = || {
            self.unsupported
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if unsupported().contains(&command) {
            return Ok(None);
        }
        let secrets = Secrets::of(secrets.iter().cloned());
        let all: Vec<&OsStr> = std::iter::once(command.as_str())
            .chain(args.iter().copied())
            .map(OsStr::new)
            .collect();
        let output = exec
            .run(&self.path, &all, limit)
            .map_err(|error| error.masked(&secrets))?;
        let answer = self.answer(&output, &all, &secrets)?;
        debug!(driver = self.name, command = command.as_str(), status = ?answer.status, "answered");
        match answer.status {
            Status::NotSupported => {
                unsupported().insert(command);
                Ok(None)
            }
            Status::Failure => Err(Error::Driver {
                driver: self.name.clone(),
                command: command.as_str(),
                message: secrets.mask(&answer.message),
            }),
            // A driver that dies after its answer may have done half of it.
            Status::Success => {
                let done = output.success(&self.path, &all);
                done.map_err(|error| error.masked(&secrets))?;
                Ok(Some(answer))
            }
        }
    }

    /// Reads the answer, which a driver that fails may have printed too.
    fn answer(&self, output: &Output, args: &[&OsStr], secrets: &Secrets) -> Result<Answer> {
        // Kubernetes reads both; some drivers write to one, some to the other.
        let printed = match output.stdout.trim_ascii() {
            [] => &output.stderr,
            _ => &output.stdout,
        };
        Answer::parse(printed).map_err(|error| {
            let failed = output.clone().success(&self.path, args).err();
            let error = failed.unwrap_or_else(|| ExecError::BadOutput {
                command: kubernetes_mount::exec::shown(&self.path, args),
                reason: error.to_string(),
                output: shortened(&output.stdout),
            });
            error.masked(secrets).into()
        })
    }
}

/// Returns a path as an argument.
pub(super) fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        Error::invalid(format!(
            "the path {} must be UTF-8 for a driver",
            path.display()
        ))
    })
}
