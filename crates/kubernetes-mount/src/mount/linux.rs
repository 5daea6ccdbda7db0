//! Mounting by system calls.

use std::ffi::CString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Statx, StatxAttributes, StatxFlags, statx};
use rustix::io::Errno;
use rustix::mount as sys;
use rustix::mount::{MountFlags, UnmountFlags};

use super::at_once;
use super::helper::{self, Request};
use super::mountinfo::topmost;
use super::options::{self, Parsed};
use super::refs::refs_of;
use super::{ForceUnmount, Mount, MountError, MountInfo, MountPoint, read_mount_info};
use crate::exec::{Exec, Local};
use crate::masking::Secrets;
use crate::{Error, Result};

/// Types that few mount without a program.
const NEED_HELPER: &[&str] = &["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "fuse"];

/// Mounts in the mount namespace of the calling thread, by system calls.
///
/// A program `/sbin/mount.TYPE` is run if there is one, as mount(8) does: for NFS and CIFS it
/// finds out addresses. It gets the options as an argument, the sensitive ones too, so that who
/// may see the processes of the node can read them while it runs.
///
/// * A bind mount has `ro`, `nosuid`, `nodev` and `noexec` from the moment in which it is there, if
///   [`binds_at_once`](super::binds_at_once). Otherwise, and with other options, it is done twice:
///   bound, and then remounted. If the second fails, the first is undone.
/// * A remount keeps what is not named: `remount,ro` leaves `nosuid` as it is. `rw`, `suid`,
///   `dev`, `exec` take flags back. `rbind,ro` makes only the uppermost mount read-only.
/// * The mount point's propagation is changed with `shared`, `rslave` and so on, alone or with
///   a mount.
/// * Options of `fstab`, such as `_netdev`, `nofail` and `x-…`, are ignored.
///
/// ```no_run
/// use std::path::Path;
/// use kubernetes_mount::mount::{LinuxMounter, Mount};
///
/// let mounter = LinuxMounter::new();
/// let target = Path::new("/mnt/data");
/// mounter.mount(Path::new("/srv/data"), target, "", &["bind", "ro"])?;
/// assert!(mounter.is_mount_point(target)?);
/// mounter.unmount(target)?;
/// # Ok::<(), kubernetes_mount::Error>(())
/// ```
#[derive(Clone)]
pub struct LinuxMounter {
    exec: Arc<dyn Exec>,
    helper_dirs: Vec<PathBuf>,
    helper_limit: Duration,
}

impl std::fmt::Debug for LinuxMounter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinuxMounter")
            .field("helper_dirs", &self.helper_dirs)
            .finish()
    }
}

impl Default for LinuxMounter {
    fn default() -> Self {
        Self::new()
    }
}

impl LinuxMounter {
    /// Returns a mounter that runs helpers of `/sbin` for at most two minutes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            exec: Arc::new(Local),
            helper_dirs: vec![PathBuf::from("/sbin"), PathBuf::from("/usr/sbin")],
            helper_limit: Duration::from_secs(120),
        }
    }

    /// Sets the runner of helpers, and their time limit.
    #[must_use]
    pub fn with_exec(mut self, exec: Arc<dyn Exec>, limit: Duration) -> Self {
        (self.exec, self.helper_limit) = (exec, limit);
        self
    }

    /// Sets the directories with the programs `mount.TYPE`. With none, all is done by system
    /// calls.
    #[must_use]
    pub fn with_helper_dirs(mut self, dirs: Vec<PathBuf>) -> Self {
        self.helper_dirs = dirs;
        self
    }
}

impl Mount for LinuxMounter {
    fn mount_sensitive(
        &self,
        source: &Path,
        target: &Path,
        fs_type: &str,
        options: &[&str],
        sensitive: &[&str],
    ) -> Result<()> {
        let parsed = options::parse(options, sensitive)?;
        check_type(fs_type)?;
        let call = Call {
            source,
            target: &fs::canonicalize(target).unwrap_or_else(|_| target.to_owned()),
            fs_type,
            displayed: options::displayed(options, sensitive),
            parsed: &parsed,
            may_need_helper: needs_helper(fs_type),
        };
        tracing::debug!(
            source = %source.display(), target = %target.display(), fs_type,
            options = call.displayed, "mount",
        );
        let helper = helper::find(&self.helper_dirs, fs_type);
        match helper.filter(|_| !parsed.bind) {
            Some(helper) => {
                let secrets = Secrets::in_options(sensitive);
                let request = Request {
                    source,
                    target: call.target,
                    options: &parsed.helper.join(","),
                    displayed: &helper::displayed(&parsed.helper, &secrets),
                    secrets: &secrets,
                };
                helper.mount(&*self.exec, &request, self.helper_limit)
            }
            None => call.run(),
        }
    }

    fn unmount(&self, target: &Path) -> Result<()> {
        tracing::debug!(target = %target.display(), "unmount");
        unmount(target, UnmountFlags::empty())
    }

    fn list(&self) -> Result<Vec<MountPoint>> {
        Ok(read_mount_info()?
            .iter()
            .map(MountInfo::to_mount_point)
            .collect())
    }

    fn is_mount_point(&self, path: &Path) -> Result<bool> {
        is_mount_point(path)
    }

    fn mount_refs(&self, path: &Path) -> Result<Vec<PathBuf>> {
        let Some(path) = canonical(path)? else {
            return Ok(Vec::new());
        };
        let mounts = read_mount_info()?;
        Ok(refs_of(&mounts, own_mount(&mounts, &path), &path))
    }

    fn as_force_unmount(&self) -> Option<&dyn ForceUnmount> {
        Some(self)
    }
}

/// A mount that is done by system calls.
struct Call<'a> {
    source: &'a Path,
    /// The path without symbolic links, so that it can be unmounted.
    target: &'a Path,
    fs_type: &'a str,
    /// The options for messages.
    displayed: String,
    parsed: &'a Parsed,
    may_need_helper: bool,
}

impl Call<'_> {
    fn run(&self) -> Result<()> {
        if self.parsed.remount {
            self.remount()?;
            return self.propagate();
        }
        if self.fs_type.is_empty() && self.parsed.only_propagation() {
            return self.propagate();
        }
        let rest = if !self.parsed.bind {
            self.new_mount()?;
            Ok(())
        } else if self.bind_at_once() {
            Ok(())
        } else {
            self.bind()?;
            self.remount_bind()
        };
        rest.and_then(|()| self.propagate())
            .inspect_err(|_| self.undo())
    }

    fn new_mount(&self) -> Result<()> {
        if self.fs_type.is_empty() {
            let text = "a mount needs the type of the file system, unless it is a bind mount";
            return Err(Error::invalid(text));
        }
        let data = self.data()?;
        sys::mount(
            self.source,
            self.target,
            self.fs_type,
            self.parsed.set,
            data.as_c_str(),
        )
        .map_err(|errno| self.refused(errno))
    }

    /// Binds with all flags, or does nothing and returns false.
    fn bind_at_once(&self) -> bool {
        let Parsed {
            set,
            clear,
            recursive,
            ref data,
            ..
        } = *self.parsed;
        if !data.is_empty() {
            // Such as the NFS version: mount options of a volume reach its bind mounts too.
            tracing::debug!(target = %self.target.display(), "a bind mount ignores options");
        }
        let has_flags = !(set | clear).is_empty();
        has_flags && at_once::bind(self.source, self.target, recursive, set, clear)
    }

    fn bind(&self) -> Result<()> {
        let bound = if self.parsed.recursive {
            sys::mount_bind_recursive(self.source, self.target)
        } else {
            sys::mount_bind(self.source, self.target)
        };
        bound.map_err(|errno| self.refused(errno))
    }

    /// Gives a new bind mount the flags that the first call has ignored.
    fn remount_bind(&self) -> Result<()> {
        if self.parsed.set.is_empty() && self.parsed.clear.is_empty() {
            return Ok(());
        }
        let existing = options::flags_of_mount(&self.existing()?.mount_options);
        let flags = self.parsed.over(existing);
        if flags == existing {
            return Ok(());
        }
        sys::mount_remount(self.target, flags | MountFlags::BIND, "")
            .map_err(|errno| self.refused(errno))
    }

    fn remount(&self) -> Result<()> {
        let existing = self.existing()?;
        let of_mount = options::flags_of_mount(&existing.mount_options);
        let result = if self.parsed.bind {
            let flags = self.parsed.over(of_mount) | MountFlags::BIND;
            sys::mount_remount(self.target, flags, "")
        } else {
            let of_both = of_mount | options::flags_of(&existing.super_options);
            sys::mount_remount(
                self.target,
                self.parsed.over(of_both),
                self.data()?.as_c_str(),
            )
        };
        result.map_err(|errno| self.refused(errno))
    }

    fn propagate(&self) -> Result<()> {
        for flags in &self.parsed.propagation {
            sys::mount_change(self.target, *flags).map_err(|errno| self.refused(errno))?;
        }
        Ok(())
    }

    /// Unmounts what has not got all that was asked for, such as `ro`.
    fn undo(&self) {
        let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
        if let Err(error) = sys::unmount(self.target, flags) {
            tracing::warn!(target = %self.target.display(), %error, "can't undo a mount");
        }
    }

    fn existing(&self) -> Result<MountInfo> {
        let mounts = read_mount_info()?;
        let found = own_mount(&mounts, self.target);
        let found = found.filter(|mount| mount.mount_point == self.target);
        found.cloned().ok_or_else(|| self.refused(Errno::INVAL))
    }

    /// Returns the options for the file system. The kernel would cut off what is longer.
    fn data(&self) -> Result<CString> {
        let data = self.parsed.data.join(",");
        let limit = rustix::param::page_size();
        if data.len() >= limit {
            return Err(Error::invalid(format!(
                "the mount options for {} have {} bytes, the kernel reads less than {limit}",
                self.target.display(),
                data.len(),
            )));
        }
        CString::new(data).map_err(|_| Error::invalid("a mount option has a zero byte"))
    }

    fn refused(&self, errno: Errno) -> Error {
        let hint = match errno {
            Errno::NODEV if !self.may_need_helper => {
                "; the kernel does not know this type of file system".to_owned()
            }
            _ if self.may_need_helper => {
                format!("; no program /sbin/mount.{} is installed", self.fs_type)
            }
            Errno::INVAL if self.parsed.remount => "; is it a mount point?".to_owned(),
            Errno::INVAL => "; wrong options, or no such file system on it".to_owned(),
            Errno::NOTBLK => "; it needs a block device".to_owned(),
            _ => String::new(),
        };
        let error = MountError::Refused {
            device: self.source.to_owned(),
            target: self.target.to_owned(),
            fs_type: self.fs_type.to_owned(),
            options: self.displayed.clone(),
            cause: io::Error::from(errno),
            hint,
        };
        error.into()
    }
}

/// The type becomes a part of the name of a program.
fn check_type(fs_type: &str) -> Result<()> {
    let known = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    if fs_type.chars().all(known) && !fs_type.starts_with(['.', '-']) {
        return Ok(());
    }
    let text = "has other characters than letters, digits, dots, hyphens and underscores";
    Err(Error::invalid(format!(
        "the type of file system {fs_type:?} {text}"
    )))
}

fn needs_helper(fs_type: &str) -> bool {
    let general = fs_type
        .split_once('.')
        .map_or(fs_type, |(general, _)| general);
    NEED_HELPER.contains(&general)
}

/// Unmounts what is mounted exactly here.
pub(super) fn unmount(target: &Path, flags: UnmountFlags) -> Result<()> {
    match sys::unmount(&*no_slash(target), flags | UnmountFlags::NOFOLLOW) {
        Err(Errno::INVAL) if matches!(is_mount_point(target), Ok(false)) => {
            Err(MountError::NotMounted {
                path: target.to_owned(),
            }
            .into())
        }
        result => result.map_err(Error::io("unmount", target)),
    }
}

/// Looks at a path without asking the server of a network file system.
pub(super) fn look(path: &Path) -> Result<Statx, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT | AtFlags::STATX_DONT_SYNC;
    statx(
        CWD,
        &*no_slash(path),
        flags,
        StatxFlags::TYPE | StatxFlags::MNT_ID,
    )
}

/// Returns the path without a slash at the end, for which the kernel would follow a symbolic link.
fn no_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

fn is_mount_point(path: &Path) -> Result<bool> {
    match look(path) {
        Ok(stat)
            if stat
                .stx_attributes_mask
                .contains(StatxAttributes::MOUNT_ROOT) =>
        {
            Ok(stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
        }
        // A kernel before 5.8.
        Ok(_) => in_table(path),
        // The mount can't be looked at, but the table can list it.
        Err(errno) if errno != Errno::NOENT && errno != Errno::NOTDIR => match in_table(path) {
            Ok(true) => Ok(true),
            _ => Err(Error::io("look at", path)(errno)),
        },
        Err(errno) => Err(Error::io("look at", path)(errno)),
    }
}

fn in_table(path: &Path) -> Result<bool> {
    let Some(path) = canonical(path)? else {
        return Ok(false);
    };
    Ok(topmost(&read_mount_info()?, &path).is_some())
}

/// Returns the path as the table of mounts has it, without looking at what is mounted there, or
/// nothing if its directory doesn't exist. The last component isn't a symbolic link.
pub(super) fn canonical(path: &Path) -> Result<Option<PathBuf>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return match fs::canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            result => result.map(Some).map_err(Error::io("resolve", path)),
        };
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    match fs::canonicalize(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result
            .map(|dir| Some(dir.join(name)))
            .map_err(Error::io("resolve", parent)),
    }
}

/// Returns the mount that a path is in.
pub(super) fn own_mount<'a>(mounts: &'a [MountInfo], path: &Path) -> Option<&'a MountInfo> {
    let by_number = look(path).ok().filter(|stat| stat.stx_mask & MNT_ID != 0);
    by_number
        .and_then(|stat| mounts.iter().find(|mount| mount.id == stat.stx_mnt_id))
        .or_else(|| {
            mounts
                .iter()
                .rev()
                .find(|mount| path.starts_with(&mount.mount_point))
        })
}

const MNT_ID: u32 = StatxFlags::MNT_ID.bits();
