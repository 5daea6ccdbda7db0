//! Programs that mount one type of file system, such as `/sbin/mount.nfs`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::MountError;
use crate::exec::{Exec, ExecError, shortened, shown};
use crate::masking::{MASKED, Secrets};
use crate::{Error, Result};

/// A program, found for a type of file system.
pub(super) struct Helper {
    program: PathBuf,
    /// The type, if the program is for several.
    fs_type: Option<String>,
}

/// The mount for a helper.
pub(super) struct Request<'a> {
    pub(super) source: &'a Path,
    pub(super) target: &'a Path,
    /// All options, sensitive ones too.
    pub(super) options: &'a str,
    /// The options for messages.
    pub(super) displayed: &'a str,
    pub(super) secrets: &'a Secrets,
}

/// Returns the program for a type, as mount(8) finds it: for `fuse.sshfs` that is
/// `mount.fuse.sshfs`, otherwise `mount.fuse`.
pub(super) fn find(dirs: &[PathBuf], fs_type: &str) -> Option<Helper> {
    let program = |name: &str| {
        let mut paths = dirs.iter().map(|dir| dir.join(format!("mount.{name}")));
        paths.find(|path| path.is_file())
    };
    if fs_type.is_empty() {
        return None;
    }
    if let Some(program) = program(fs_type) {
        return Some(Helper {
            program,
            fs_type: None,
        });
    }
    let (general, _) = fs_type.split_once('.')?;
    let program = program(general)?;
    Some(Helper {
        program,
        fs_type: Some(fs_type.to_owned()),
    })
}

impl Helper {
    /// Runs the program.
    pub(super) fn mount(
        &self,
        exec: &dyn Exec,
        request: &Request<'_>,
        limit: Duration,
    ) -> Result<()> {
        let args = self.args(request, request.options);
        let result = exec.run(&self.program, &args, limit);
        let (reason, timed_out) = match result {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                let printed = [output.stderr, output.stdout].concat();
                // Before it is shortened, which could cut a secret in two.
                let printed = request.secrets.mask(&String::from_utf8_lossy(&printed));
                (
                    format!("{}: {}", output.status, shortened(printed.as_bytes())),
                    false,
                )
            }
            // Their texts have the arguments.
            Err(ExecError::Start { source, .. }) => (format!("can't run it: {source}"), false),
            Err(ExecError::TimedOut { limit, .. }) => {
                (format!("killed, because it took more than {limit:?}"), true)
            }
            Err(ExecError::Failed { status, output, .. }) => (
                format!("{status}: {}", request.secrets.mask(&output)),
                false,
            ),
            Err(ExecError::BadOutput { reason, output, .. }) => {
                let text = format!("{reason}: {output}");
                (request.secrets.mask(&text), false)
            }
        };
        let error = Error::from(MountError::Helper {
            device: request.source.to_owned(),
            target: request.target.to_owned(),
            command: shown(&self.program, &self.args(request, request.displayed)),
            reason,
            timed_out,
        });
        Err(if timed_out { error.uncertain() } else { error })
    }

    fn args<'a>(&'a self, request: &Request<'a>, options: &'a str) -> Vec<&'a OsStr> {
        let mut args = vec![request.source.as_os_str(), request.target.as_os_str()];
        if !options.is_empty() {
            args.extend([OsStr::new("-o"), OsStr::new(options)]);
        }
        if let Some(fs_type) = &self.fs_type {
            args.extend([OsStr::new("-t"), OsStr::new(fs_type)]);
        }
        args
    }
}

/// Returns the options for messages: of those that the helper gets, each sensitive one is masked.
pub(super) fn displayed(options: &[String], secrets: &Secrets) -> String {
    let shown = options.iter().map(|option| {
        let masked = secrets.mask(option);
        if masked == *option {
            masked
        } else {
            MASKED.to_owned()
        }
    });
    shown.collect::<Vec<_>>().join(",")
}
