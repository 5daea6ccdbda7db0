//! Loop devices: files that are used as block devices.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::makedev;

use crate::exec::{Exec, ExecError, shortened, shown};
use crate::{Error, Result};

const LOSETUP: &str = "losetup";

/// Attaches files to loop devices, with `losetup`.
///
/// Two callers that attach one file at the same time may get a device each: lock per file.
///
/// ```no_run
/// # use std::{path::Path, sync::Arc};
/// use kubernetes_mount::exec::Local;
/// use kubernetes_mount::filesystem::LoopDevices;
///
/// let devices = LoopDevices::new(Arc::new(Local));
/// let image = Path::new("/var/lib/images/one");
/// let device = devices.attach(image, false)?;
/// for device in devices.of(image)? {
///     devices.detach(&device.path)?;
/// }
/// # Ok::<(), kubernetes_mount::Error>(())
/// ```
#[derive(Clone)]
pub struct LoopDevices {
    exec: Arc<dyn Exec>,
    limit: Duration,
}

/// A loop device of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopDevice {
    /// The path, such as `/dev/loop0`.
    pub path: PathBuf,
    /// True if the kernel lets nobody write to it.
    pub read_only: bool,
    /// True if the kernel detaches it when nobody uses it any more: it was detached while it was in
    /// use, or `mount` attached it.
    pub is_ending: bool,
}

impl std::fmt::Debug for LoopDevices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoopDevices")
            .field("limit", &self.limit)
            .finish()
    }
}

impl LoopDevices {
    /// Returns one whose commands may take a minute.
    #[must_use]
    pub fn new(exec: Arc<dyn Exec>) -> Self {
        Self {
            exec,
            limit: Duration::from_secs(60),
        }
    }

    /// Sets how long a command may take.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the devices of a file, whichever path it was attached by.
    ///
    /// # Errors
    ///
    /// When they can't be listed.
    pub fn of(&self, file: &Path) -> Result<Vec<LoopDevice>> {
        let args = [
            "--list",
            "--noheadings",
            "--raw",
            "--output",
            "NAME,RO,AUTOCLEAR",
            "--associated",
        ];
        let args = args.map(OsStr::new);
        let args = [&args[..], &[file.as_os_str()]].concat();
        let printed = self.run(&args)?;
        let text = String::from_utf8_lossy(&printed);
        let devices = text.lines().map(|line| {
            let mut columns = line.split_whitespace();
            let mut next = || columns.next();
            match (next(), next(), next()) {
                (Some(path), Some(read_only), Some(is_ending)) => Ok(LoopDevice {
                    path: path.into(),
                    read_only: read_only == "1",
                    is_ending: is_ending == "1",
                }),
                _ => Err(bad_output(&args, "a line without three columns", &printed)),
            }
        });
        devices.collect()
    }

    /// Returns which files have devices: the device and inode numbers of each, as in its metadata.
    ///
    /// # Errors
    ///
    /// When they can't be listed.
    pub fn files(&self) -> Result<BTreeSet<(u64, u64)>> {
        // Not `--raw`, which escapes the spaces around the numbers.
        let args = [
            "--list",
            "--noheadings",
            "--output",
            "BACK-MAJ:MIN,BACK-INO",
        ];
        let args = args.map(OsStr::new);
        let printed = self.run(&args)?;
        let text = String::from_utf8_lossy(&printed);
        let files = text.lines().map(|line| {
            let mut columns = line.split_whitespace();
            let (major, minor) = columns.next()?.split_once(':')?;
            let device = makedev(major.parse().ok()?, minor.parse().ok()?);
            Some((device, columns.next()?.parse().ok()?))
        });
        let files: Option<_> = files.collect();
        files.ok_or_else(|| bad_output(&args, "a line without three numbers", &printed))
    }

    /// Returns the device of a file: one that it has, or a new one. A device to write and one to
    /// read only are different ones, whose caches know nothing of each other.
    ///
    /// # Errors
    ///
    /// When the file doesn't exist, the system has no loop devices, or the file has a device that
    /// is [ending](LoopDevice::is_ending), in a [transient](Error::is_transient) way: it can go at
    /// any moment.
    pub fn attach(&self, file: &Path, read_only: bool) -> Result<PathBuf> {
        let all = self.of(file)?;
        let mut fitting = all.iter().filter(|device| device.read_only == read_only);
        if let Some(device) = fitting.next() {
            if device.is_ending {
                let text = format!(
                    "{} is being detached, and still in use",
                    device.path.display()
                );
                return Err(Error::other(text).transient());
            }
            return Ok(device.path.clone());
        }
        let args = ["--find", "--show"].map(OsStr::new);
        let only: &[&OsStr] = if read_only {
            &[OsStr::new("--read-only")]
        } else {
            &[]
        };
        let args = [&args[..], only, &[file.as_os_str()]].concat();
        let printed = self.run(&args)?;
        let text = String::from_utf8_lossy(&printed);
        let device = Path::new(text.trim());
        if device.is_absolute() {
            Ok(device.to_owned())
        } else {
            Err(bad_output(&args, "not the path of a device", &printed))
        }
    }

    /// Detaches a device. One that is in use is detached when nobody uses it any more.
    ///
    /// # Errors
    ///
    /// When it is no attached device.
    pub fn detach(&self, device: &Path) -> Result<()> {
        self.run(&[OsStr::new("--detach"), device.as_os_str()])?;
        Ok(())
    }

    /// Gives a device the size of its file, which has become another one.
    ///
    /// # Errors
    ///
    /// When it is no attached device.
    pub fn resize(&self, device: &Path) -> Result<()> {
        self.run(&[OsStr::new("--set-capacity"), device.as_os_str()])?;
        Ok(())
    }

    fn run(&self, args: &[&OsStr]) -> Result<Vec<u8>> {
        let program = Path::new(LOSETUP);
        let output = self.exec.run(program, args, self.limit)?;
        Ok(output.success(program, args)?.stdout)
    }
}

fn bad_output(args: &[&OsStr], reason: &str, printed: &[u8]) -> Error {
    Error::from(ExecError::BadOutput {
        command: shown(Path::new(LOSETUP), args),
        reason: reason.to_owned(),
        output: shortened(printed),
    })
}
