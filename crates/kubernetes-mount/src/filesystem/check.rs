//! Checking and repairing with `fsck`.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use super::FilesystemError;
use crate::Result;
use crate::exec::{Exec, ExecError, shortened, shown};

/// Errors were repaired, see fsck(8).
const CORRECTED: i32 = 1;
/// Errors are left. The code is a sum, 32 and less; 127 is a shell's "not found".
const UNCORRECTED: i32 = 4;

/// Checks the file system of a device and repairs what needs no person. As in Kubernetes, a
/// check that could not be done (8 and more) isn't an error: mounting shows what is wrong. One
/// that hung or was killed is: it may have been repairing.
pub(super) fn check(
    exec: &dyn Exec,
    limit: Duration,
    device: &Path,
    fs_type: &str,
    (program, options): (&str, &[&str]),
) -> Result<()> {
    let program = Path::new(program);
    let mut args: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
    args.push(device.as_os_str());
    let failed = |error: ExecError| FilesystemError::Check {
        device: device.to_owned(),
        fs_type: fs_type.to_owned(),
        source: Box::new(error.into()),
    };
    let output = match exec.run(program, &args, limit) {
        Err(ExecError::Start { command, source })
            if source.kind() == std::io::ErrorKind::NotFound =>
        {
            tracing::warn!(
                command,
                "not installed, so that the file system is not checked"
            );
            return Ok(());
        }
        result => result.map_err(failed)?,
    };
    let printed = shortened(&[&output.stdout[..], &output.stderr[..]].concat());
    match output.status.code() {
        Some(0) => Ok(()),
        Some(code) if code & UNCORRECTED != 0 && code < 64 => Err(FilesystemError::HasErrors {
            device: device.to_owned(),
            fs_type: fs_type.to_owned(),
            output: printed,
        }
        .into()),
        Some(CORRECTED) => {
            tracing::info!(device = %device.display(), output = printed, "errors corrected");
            Ok(())
        }
        Some(code) => {
            let device = device.display();
            tracing::warn!(%device, code, output = printed, "the check could not be done");
            Ok(())
        }
        None => Err(failed(ExecError::Failed {
            command: shown(program, &args),
            status: output.status,
            output: printed,
        })
        .into()),
    }
}
