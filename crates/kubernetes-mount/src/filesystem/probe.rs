//! Probing the content of a device.

use std::ffi::OsStr;
use std::path::Path;

use super::device::{check_readable, is_block_device};
use super::{FilesystemError, TimeLimits};
use crate::exec::{Exec, ExecError, Output, shortened, shown};
use crate::{Error, Result};

/// The content of a device, see [`disk_format`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiskFormat {
    /// No known content.
    Unformatted,
    /// A file system, such as `ext4`, or another use of the whole device, such as `LVM2_member`.
    Filesystem(String),
    /// A partition table, such as `dos` or `gpt`.
    PartitionTable(String),
}

/// Returns the content of a device (`GetDiskFormat`). `blkid` probes it, and reads the device
/// itself instead of its cache.
///
/// # Errors
///
/// [`FilesystemError::NoDevice`] if the device doesn't exist, [`FilesystemError::Ambiguous`] if
/// it has the marks of several file systems, and [`FilesystemError::Probe`] if it can't be read
/// or `blkid` fails.
pub fn disk_format(exec: &dyn Exec, limits: &TimeLimits, device: &Path) -> Result<DiskFormat> {
    is_block_device(device)?;
    let failed = |source: Error| {
        Error::from(FilesystemError::Probe {
            device: device.to_owned(),
            source: Box::new(source),
        })
    };
    check_readable(device).map_err(failed)?;
    let program = Path::new("blkid");
    let args = ["-p", "-s", "TYPE", "-s", "PTTYPE", "-o", "export"].map(OsStr::new);
    let args = [&args[..], &[device.as_os_str()]].concat();
    let output = exec
        .run(program, &args, limits.probe)
        .map_err(|error| failed(error.into()))?;
    match output.status.code() {
        Some(0) => {
            let bad = |reason: &str| ExecError::BadOutput {
                command: shown(program, &args),
                reason: reason.to_owned(),
                output: shortened(&output.stdout),
            };
            parse(&output).map_err(|reason| failed(bad(reason).into()))
        }
        // Nothing was found. What `blkid` can't read is the same to it, but it was read above.
        Some(2) if output.stdout.is_empty() && output.stderr.is_empty() => {
            Ok(DiskFormat::Unformatted)
        }
        Some(8) => Err(FilesystemError::Ambiguous {
            device: device.to_owned(),
        }
        .into()),
        _ => {
            let error = ExecError::Failed {
                command: shown(program, &args),
                status: output.status,
                output: shortened(&[output.stderr, output.stdout].concat()),
            };
            Err(failed(error.into()))
        }
    }
}

/// Reads lines such as `TYPE=ext4`. An answer that isn't understood must not become "nothing".
fn parse(output: &Output) -> Result<DiskFormat, &'static str> {
    let text = std::str::from_utf8(&output.stdout).map_err(|_| "it is not UTF-8")?;
    let (mut fs_type, mut table) = (None, None);
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once('=').ok_or("a line has no equals sign")?;
        match key {
            "TYPE" => fs_type = Some(value),
            "PTTYPE" => table = Some(value),
            _ => {}
        }
    }
    match (fs_type, table) {
        // Also with a type: then it has both.
        (_, Some(table)) if !table.is_empty() => Ok(DiskFormat::PartitionTable(table.to_owned())),
        (Some(fs_type), _) if !fs_type.is_empty() => Ok(DiskFormat::Filesystem(fs_type.to_owned())),
        _ => Err("it has neither a type nor a partition table"),
    }
}
