//! The kernel's table of mounts, `/proc/thread-self/mountinfo`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{MountError, MountPoint};
use crate::{Error, Result};

/// The table of the calling thread, which may be in another mount namespace than its process.
const TABLE: &str = "/proc/thread-self/mountinfo";

/// The most attempts to read the table when it changes meanwhile.
const ATTEMPTS: usize = 50;

/// A line of the table of mounts, see `proc_pid_mountinfo(5)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MountInfo {
    /// The mount's number. It can be given to another mount after this one is unmounted.
    pub id: u64,
    /// The number of the mount that this one is in.
    pub parent_id: u64,
    /// The device's major number.
    pub major: u32,
    /// The device's minor number.
    pub minor: u32,
    /// The directory of the file system that is mounted, `/` unless it is a bind mount.
    pub root: PathBuf,
    /// The mount point.
    pub mount_point: PathBuf,
    /// The options of this mount, such as `ro`.
    pub mount_options: Vec<String>,
    /// The propagation, such as `shared:1`.
    pub optional_fields: Vec<String>,
    /// The type of the file system, with its subtype if it has one (`fuse.sshfs`).
    pub fs_type: String,
    /// The mounted device or share.
    pub source: OsString,
    /// The options of the file system, which all its mounts share.
    pub super_options: Vec<String>,
}

impl MountInfo {
    /// Returns the line for this mount, without the line's end.
    #[must_use]
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = format!(
            "{} {} {}:{} ",
            self.id, self.parent_id, self.major, self.minor
        )
        .into_bytes();
        escape(self.root.as_os_str().as_bytes(), false, &mut line);
        line.push(b' ');
        escape(self.mount_point.as_os_str().as_bytes(), false, &mut line);
        line.push(b' ');
        join(&self.mount_options, &mut line);
        for field in &self.optional_fields {
            line.push(b' ');
            escape(field.as_bytes(), false, &mut line);
        }
        line.extend_from_slice(b" - ");
        escape(self.fs_type.as_bytes(), false, &mut line);
        line.push(b' ');
        escape(self.source.as_bytes(), false, &mut line);
        line.push(b' ');
        join(&self.super_options, &mut line);
        line
    }

    /// Returns true if the files of the mount have SELinux labels, which a runtime can change.
    #[must_use]
    pub fn has_selinux_labels(&self) -> bool {
        let mut options = self.super_options.iter().chain(&self.mount_options);
        options.any(|option| option == "seclabel")
    }

    /// Returns the SELinux label of all files, if they were mounted with one, without the quotes
    /// that it has in the table.
    ///
    /// ```
    /// let table = b"26 1 8:1 / /data rw - xfs /dev/sda1 rw,context=\"u:r:t:s0:c1,c2\",noquota\n";
    /// let mounts = kubernetes_mount::mount::parse_mount_info(table)?;
    /// assert_eq!(mounts[0].selinux_context(), Some("u:r:t:s0:c1,c2"));
    /// # Ok::<(), kubernetes_mount::Error>(())
    /// ```
    #[must_use]
    pub fn selinux_context(&self) -> Option<&str> {
        let mut options = self.super_options.iter();
        let label = options.find_map(|option| option.strip_prefix("context="));
        label.map(|label| label.trim_matches('"'))
    }

    /// Returns the mount as [`Mount::list`](super::Mount::list) does: the options of the file
    /// system follow those of the mount, and `ro` holds if one of both says so.
    #[must_use]
    pub fn to_mount_point(&self) -> MountPoint {
        let mut options = self.mount_options.clone();
        let read_only = [&self.mount_options, &self.super_options]
            .iter()
            .any(|options| options.iter().any(|option| option == "ro"));
        if read_only {
            options
                .iter_mut()
                .filter(|option| *option == "rw")
                .for_each(|option| {
                    "ro".clone_into(option);
                });
        }
        for option in &self.super_options {
            if option != "rw" && !options.contains(option) {
                options.push(option.clone());
            }
        }
        MountPoint {
            device: self.source.to_string_lossy().into_owned(),
            path: self.mount_point.clone(),
            fs_type: self.fs_type.clone(),
            options,
        }
    }
}

/// Returns the mounts of a table, in its order.
///
/// ```
/// let table = b"26 1 8:1 / /data\\040files rw shared:1 - ext4 /dev/sda1 rw\n";
/// let mounts = kubernetes_mount::mount::parse_mount_info(table)?;
/// assert_eq!(mounts[0].mount_point.to_str(), Some("/data files"));
/// assert_eq!(mounts[0].fs_type, "ext4");
/// # Ok::<(), kubernetes_mount::Error>(())
/// ```
///
/// # Errors
///
/// [`MountError::DamagedTable`] for the first line that can't be read.
pub fn parse_mount_info(table: &[u8]) -> Result<Vec<MountInfo>> {
    let table = table.strip_suffix(b"\n").unwrap_or(table);
    if table.is_empty() {
        return Ok(Vec::new());
    }
    let lines = table.split(|byte| *byte == b'\n').enumerate();
    lines
        .map(|(index, line)| {
            let damaged = |reason| MountError::DamagedTable {
                line: index + 1,
                reason,
            };
            parse_line(line).map_err(|reason| damaged(reason).into())
        })
        .collect()
}

/// Returns the mounts of the calling thread's mount namespace, as they were at one moment.
///
/// # Errors
///
/// When the table can't be read, is damaged, or changes all the time.
pub fn read_mount_info() -> Result<Vec<MountInfo>> {
    parse_mount_info(&read_consistently(Path::new(TABLE))?)
}

/// The kernel returns the table in parts, between which mounts come and go. It also says whether
/// that has happened.
fn read_consistently(path: &Path) -> Result<Vec<u8>> {
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    let mut table = Vec::with_capacity(1 << 16);
    for _ in 0..ATTEMPTS {
        table.clear();
        file.seek(SeekFrom::Start(0))
            .map_err(Error::io("seek in", path))?;
        file.read_to_end(&mut table)
            .map_err(Error::io("read", path))?;
        let mut changes = [PollFd::new(&file, PollFlags::PRI)];
        poll(
            &mut changes,
            Some(&Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            }),
        )
        .map_err(Error::io("wait for changes of", path))?;
        let changed = changes
            .iter()
            .any(|fd| fd.revents().contains(PollFlags::PRI));
        if !changed {
            return Ok(table);
        }
    }
    Err(MountError::ChangingTable { attempts: ATTEMPTS }.into())
}

fn parse_line(line: &[u8]) -> Result<MountInfo, &'static str> {
    let mut fields = line.split(|byte| *byte == b' ');
    let mut next = |missing| fields.next().ok_or(missing);
    let id = number(next("the mount's number is missing")?)?;
    let parent_id = number(next("the parent's number is missing")?)?;
    let device = next("the device's numbers are missing")?;
    let colon = device.iter().position(|byte| *byte == b':');
    let (major, minor) = colon
        .and_then(|colon| device.split_at_checked(colon))
        .ok_or("the device's numbers have no colon")?;
    let (major, minor) = (number(major)?, number(minor.get(1..).unwrap_or_default())?);
    let root = path(next("the root is missing")?)?;
    let mount_point = path(next("the mount point is missing")?)?;
    let mount_options = split(next("the mount options are missing")?);
    let mut optional_fields = Vec::new();
    loop {
        match next("the separator, a single hyphen, is missing")? {
            b"-" => break,
            field => optional_fields.push(text(field)),
        }
    }
    let fs_type = text(next("the type of the file system is missing")?);
    // It may be empty: then there are two spaces.
    let source = OsString::from_vec(unescape(next("the source is missing")?).0);
    let super_options = split(next("the file system's options are missing")?);
    Ok(MountInfo {
        id,
        parent_id,
        major,
        minor,
        root,
        mount_point,
        mount_options,
        optional_fields,
        fs_type,
        source,
        super_options,
    })
}

fn number<T: std::str::FromStr>(field: &[u8]) -> Result<T, &'static str> {
    let digits = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(field).ok().filter(|_| digits);
    text.and_then(|text| text.parse().ok())
        .ok_or("a number is none, or is too great")
}

/// The kernel escapes all backslashes of paths, so that another one is damage. File systems
/// don't do so with their options.
fn path(field: &[u8]) -> Result<PathBuf, &'static str> {
    match unescape(field) {
        (path, true) if !path.is_empty() => Ok(PathBuf::from(OsString::from_vec(path))),
        (_, true) => Err("a path is empty"),
        (_, false) => Err("a path has a backslash without three octal digits"),
    }
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(&unescape(field).0).into_owned()
}

/// Splits before the escapes are resolved, since a comma inside of an option is escaped, or the
/// option is quoted, as a context of SELinux with categories is.
fn split(field: &[u8]) -> Vec<String> {
    if field.is_empty() {
        return Vec::new();
    }
    let mut is_quoted = false;
    let is_end = |byte: &u8| {
        is_quoted ^= *byte == b'"';
        *byte == b',' && !is_quoted
    };
    field.split(is_end).map(text).collect()
}

/// Returns the bytes without escapes, and whether all backslashes were escapes.
fn unescape(field: &[u8]) -> (Vec<u8>, bool) {
    let mut plain = Vec::with_capacity(field.len());
    let mut clean = true;
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        if first != b'\\' {
            plain.push(first);
            rest = after;
            continue;
        }
        match after {
            [
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                after @ ..,
            ] => {
                plain.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = after;
            }
            _ => {
                plain.push(first);
                clean = false;
                rest = after;
            }
        }
    }
    (plain, clean)
}

fn escape(plain: &[u8], comma: bool, line: &mut Vec<u8>) {
    for &byte in plain {
        let special = matches!(byte, b' ' | b'\t' | b'\n' | b'\\' | b'#');
        if special || (comma && byte == b',') {
            line.extend_from_slice(format!("\\{byte:03o}").as_bytes());
        } else {
            line.push(byte);
        }
    }
}

fn join(options: &[String], line: &mut Vec<u8>) {
    for (index, option) in options.iter().enumerate() {
        if index > 0 {
            line.push(b',');
        }
        escape(option.as_bytes(), true, line);
    }
}

/// Returns the last mount at a path, which covers the others there.
pub(super) fn topmost<'a>(mounts: &'a [MountInfo], path: &Path) -> Option<&'a MountInfo> {
    let path: &OsStr = path.as_os_str();
    mounts
        .iter()
        .rev()
        .find(|mount| mount.mount_point.as_os_str() == path)
}
