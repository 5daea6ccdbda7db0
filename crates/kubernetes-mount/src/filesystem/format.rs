//! Formatting a device if nothing is on it, and mounting it.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::check::check;
use super::device::is_block_device;
use super::{DiskFormat, FilesystemError, TimeLimits, disk_format};
use crate::exec::Exec;
use crate::mount::{Mount, are_read_only, device_in_use};
use crate::{Error, Result};

/// Types for which `fsck` does nothing: they repair themselves when they are mounted.
const UNCHECKED: &[&str] = &["xfs", "btrfs"];

/// The type with which an empty device is formatted if none is asked for.
const DEFAULT: &str = "ext4";

/// Formats devices that are empty, checks others, and mounts them (`SafeFormatAndMount`).
///
/// A device with another file system, with a partition table, or whose content can't be found
/// out is an error, and is never written to. ext2 and ext3 are no other file systems than ext4,
/// which mounts them, unless types are [strict](Self::with_strict_types).
#[derive(Clone)]
pub struct SafeFormatAndMount {
    mounter: Arc<dyn Mount>,
    exec: Arc<dyn Exec>,
    limits: TimeLimits,
    strict_types: bool,
}

impl std::fmt::Debug for SafeFormatAndMount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SafeFormatAndMount")
            .field("limits", &self.limits)
            .field("strict_types", &self.strict_types)
            .finish()
    }
}

impl SafeFormatAndMount {
    /// Returns a formatter with the default time limits.
    #[must_use]
    pub fn new(mounter: Arc<dyn Mount>, exec: Arc<dyn Exec>) -> Self {
        Self {
            mounter,
            exec,
            limits: TimeLimits::default(),
            strict_types: false,
        }
    }

    /// Sets whether a device must have exactly the type that is asked for. The default is no:
    /// ext2 and ext3 are mounted as ext4. Kubernetes' own lets the kernel decide for all types.
    #[must_use]
    pub fn with_strict_types(mut self, strict: bool) -> Self {
        self.strict_types = strict;
        self
    }

    /// Sets how long commands may take.
    #[must_use]
    pub fn with_limits(mut self, limits: TimeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the content of a device.
    ///
    /// # Errors
    ///
    /// As [`disk_format`].
    pub fn disk_format(&self, device: &Path) -> Result<DiskFormat> {
        disk_format(&*self.exec, &self.limits, device)
    }

    /// Formats the device if nothing is on it, otherwise checks its file system, and mounts it.
    /// With an empty `fs_type`, or `auto`, an empty device becomes ext4, and another one is mounted
    /// as what it is.
    ///
    /// * A device is formatted with `mkfs.TYPE`: ext2, ext3 and ext4 with `-F -m0`, so that no
    ///   blocks are kept for root, XFS with `-f`.
    /// * `fsck -a` checks a file system unless it is mounted read-only (`ro`), is XFS or btrfs,
    ///   which need none, or is in use. Errors that are repaired are fine.
    ///
    /// # Errors
    ///
    /// [`FilesystemError`] if the device is missing, has something else on it, can't be
    /// formatted, has errors, or can't be mounted.
    pub fn format_and_mount(
        &self,
        device: &Path,
        target: &Path,
        fs_type: &str,
        options: &[&str],
    ) -> Result<()> {
        self.format_and_mount_sensitive(device, target, fs_type, options, &[], &[])
    }

    /// Does the same as [`format_and_mount`](Self::format_and_mount), with mount options that
    /// appear in no message, and with more options for `mkfs`, which follow ours.
    ///
    /// # Errors
    ///
    /// As [`format_and_mount`](Self::format_and_mount).
    pub fn format_and_mount_sensitive(
        &self,
        device: &Path,
        target: &Path,
        fs_type: &str,
        options: &[&str],
        sensitive: &[&str],
        format_options: &[&str],
    ) -> Result<()> {
        let asked = Some(fs_type).filter(|fs_type| !matches!(*fs_type, "" | "auto"));
        if let Some(fs_type) = asked {
            check_fs_type(fs_type)?;
        }
        let read_only = are_read_only(&[options, sensitive].concat());
        let found = self.disk_format(device)?;
        let fs_type = match (asked, &found) {
            (Some(asked), _) => asked,
            (None, DiskFormat::Filesystem(found)) => found,
            (None, _) => DEFAULT,
        };
        match &found {
            DiskFormat::Unformatted if read_only => {
                return Err(FilesystemError::UnformattedReadOnly {
                    device: device.to_owned(),
                    wanted: fs_type.to_owned(),
                }
                .into());
            }
            DiskFormat::Unformatted => self.format(device, fs_type, format_options)?,
            DiskFormat::Filesystem(found) if self.can_mount(found, fs_type) => {
                if !read_only {
                    self.check(device, found)?;
                }
            }
            DiskFormat::Filesystem(found) => {
                return Err(FilesystemError::Mismatch {
                    device: device.to_owned(),
                    wanted: asked.unwrap_or("auto").to_owned(),
                    found: found.clone(),
                }
                .into());
            }
            DiskFormat::PartitionTable(table) => {
                return Err(FilesystemError::PartitionTable {
                    device: device.to_owned(),
                    wanted: fs_type.to_owned(),
                    table: table.clone(),
                }
                .into());
            }
        }
        let mounted = self
            .mounter
            .mount_sensitive(device, target, fs_type, options, sensitive);
        mounted.map_err(|error| of_class(error, |source| mount_failed(device, fs_type, source)))
    }

    /// Returns true if what was found can be mounted as a type. Parts of volume groups and arrays,
    /// encrypted devices and swap space have a type too, and are no file systems.
    fn can_mount(&self, found: &str, fs_type: &str) -> bool {
        let is_file_system =
            !found.ends_with("_member") && !matches!(found, "crypto_LUKS" | "swap");
        let is_older_ext = fs_type == "ext4" && matches!(found, "ext2" | "ext3");
        is_file_system && (found == fs_type || is_older_ext && !self.strict_types)
    }

    fn format(&self, device: &Path, fs_type: &str, options: &[&str]) -> Result<()> {
        if is_block_device(device)? && device_in_use(device)? {
            return Err(FilesystemError::InUse {
                device: device.to_owned(),
            }
            .into());
        }
        let own: &[&str] = match fs_type {
            // Forced: the whole device is wanted, rather than a partition.
            "ext2" | "ext3" | "ext4" => &["-F", "-m0"],
            "xfs" => &["-f"],
            _ => &[],
        };
        let program = format!("mkfs.{fs_type}");
        let program = Path::new(&program);
        let mut args: Vec<&OsStr> = own.iter().chain(options).map(OsStr::new).collect();
        args.push(device.as_os_str());
        tracing::info!(device = %device.display(), fs_type, "format");
        let result = self.exec.run(program, &args, self.limits.format);
        result
            .and_then(|output| output.success(program, &args))
            .map_err(|error| FilesystemError::Format {
                device: device.to_owned(),
                fs_type: fs_type.to_owned(),
                source: Box::new(error.into()),
            })?;
        Ok(())
    }

    fn check(&self, device: &Path, fs_type: &str) -> Result<()> {
        if UNCHECKED.contains(&fs_type) {
            return Ok(());
        }
        if is_block_device(device)? && device_in_use(device)? {
            tracing::info!(device = %device.display(), "in use, and not checked");
            return Ok(());
        }
        check(
            &*self.exec,
            self.limits.check,
            device,
            fs_type,
            ("fsck", &["-a"]),
        )
    }
}

fn mount_failed(device: &Path, fs_type: &str, source: Error) -> Error {
    FilesystemError::Mount {
        device: device.to_owned(),
        fs_type: fs_type.to_owned(),
        source: Box::new(source),
    }
    .into()
}

/// Changes an error, and keeps its class outside, where callers look for it.
fn of_class(error: Error, change: impl FnOnce(Error) -> Error) -> Error {
    match error {
        Error::Transient(inner) => change(*inner).transient(),
        Error::Uncertain(inner) => change(*inner).uncertain(),
        other => change(other),
    }
}

/// The type becomes a part of the name of a program.
fn check_fs_type(fs_type: &str) -> Result<()> {
    let known = |char: char| char.is_ascii_alphanumeric() || char == '_';
    if !fs_type.is_empty() && fs_type.chars().all(known) {
        return Ok(());
    }
    let text = "must consist of letters, digits and underscores";
    Err(Error::invalid(format!(
        "the type of file system {fs_type:?} {text}"
    )))
}
