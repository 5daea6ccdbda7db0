//! The steps of an update.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, Uid, chownat, fchmod, fchown, mkdirat, openat, readlinkat,
    renameat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use tracing::warn;

use super::current::{DATA, is_ours, open_directory, shown};
use super::{FileProjection, Payload};
use crate::remove::remove_at;
use crate::{Error, Result};

/// The link that takes the place of `..data`.
const NEW_DATA: &CStr = c"..data_tmp";

/// The link that takes the place of that of a file, which leads elsewhere.
const NEW_LINK: &CStr = c"..link_tmp";

/// The permissions of directories.
const DIRECTORY: Mode = Mode::from_raw_mode(0o755);

pub(super) struct Update<'a> {
    pub(super) dir: BorrowedFd<'a>,
    pub(super) path: &'a Path,
    pub(super) payload: &'a Payload,
}

impl Update<'_> {
    /// Writes the files to a new directory and lets `..data` lead there. Returns its name.
    pub(super) fn write(
        &self,
        set_permissions: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<CString> {
        let name = self.new_directory()?;
        let written = self
            .fill(&name, set_permissions)
            .and_then(|()| self.swap(&name));
        if let Err(error) = written {
            // Nobody has seen it.
            if let Err(left) = self.remove(&name) {
                warn!(path = %self.path.display(), error = %left, "can't remove unused files");
            }
            return Err(error);
        }
        Ok(name)
    }

    fn new_directory(&self) -> Result<CString> {
        let make = |error| Error::io("make a directory in", self.path)(error);
        let mut time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        loop {
            let name = format!("..{}.{:09}", time.as_secs(), time.subsec_nanos());
            let name = CString::new(name).map_err(|_| make(Errno::INVAL))?;
            match mkdirat(self.dir, &name, DIRECTORY) {
                Ok(()) => return Ok(name),
                // The clock was set back.
                Err(Errno::EXIST) => time += std::time::Duration::from_nanos(1),
                Err(error) => return Err(make(error)),
            }
        }
    }

    fn fill(&self, name: &CStr, set_permissions: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let path = shown(self.path, name);
        let top = open_directory(self.dir, name).map_err(Error::io("open", &path))?;
        // The umask may have taken permissions away.
        fchmod(&top, DIRECTORY).map_err(Error::io("set the mode of", &path))?;
        for (at, file) in self.payload {
            write_file(&top, at, file)
                .map_err(|Failed(action, error)| Error::io(action, path.join(at))(error))?;
        }
        // This leads to the directory that is open, whatever has its name by now.
        set_permissions(Path::new(&format!("/proc/self/fd/{}", top.as_raw_fd())))
    }

    fn swap(&self, name: &CStr) -> Result<()> {
        self.replace(NEW_DATA, name.to_bytes(), None, DATA)
    }

    /// Lets a name be a link, in place of what has the name, unless that is a directory.
    fn replace(
        &self,
        temporary: &CStr,
        target: &[u8],
        owner: Option<u32>,
        name: &CStr,
    ) -> Result<()> {
        let failed = |error| Error::io("link", shown(self.path, name))(error);
        self.remove(temporary)?;
        symlinkat(OsStr::from_bytes(target), self.dir, temporary).map_err(failed)?;
        let owned = match owner.map(Uid::from_raw) {
            None => Ok(()),
            owner => chownat(self.dir, temporary, owner, None, AtFlags::SYMLINK_NOFOLLOW),
        };
        owned
            .and_then(|()| renameat(self.dir, temporary, self.dir, name))
            .map_err(|error| {
                let _ = unlinkat(self.dir, temporary, AtFlags::empty());
                failed(error)
            })
    }

    /// The names that the volume shows, the first part of each path, and the owner of the first
    /// file there.
    fn names(&self) -> BTreeMap<&str, Option<u32>> {
        let mut names = BTreeMap::new();
        for (path, file) in self.payload {
            let name = path.split_once('/').map_or(path.as_str(), |(name, _)| name);
            names.entry(name).or_insert(file.fs_user);
        }
        names
    }

    /// Makes the links through which files are read.
    pub(super) fn link_files(&self) -> Result<()> {
        for (name, owner) in self.names() {
            let target = format!("..data/{name}");
            match readlinkat(self.dir, name, Vec::new()) {
                Ok(found) if found.to_bytes() == target.as_bytes() => continue,
                Ok(_) | Err(Errno::NOENT) => {}
                // As a kubelet does: such as the mount point of another volume, which hides the
                // files anyway.
                Err(Errno::INVAL) => {
                    let path = self.path.join(name);
                    warn!(path = %path.display(), "is in the way of a file of the volume, and stays");
                    continue;
                }
                Err(error) => {
                    return Err(Error::io("read", self.path.join(name))(error));
                }
            }
            let name = CString::new(name).map_err(|_| Error::invalid("a null byte"))?;
            self.replace(NEW_LINK, target.as_bytes(), owner, &name)?;
        }
        Ok(())
    }

    /// Removes the links of files that are no more, and all directories but the current one.
    pub(super) fn remove_rest(&self, current: &CStr) -> Result<()> {
        let read = |error| Error::io("read", self.path)(error);
        let names = self.names();
        let mut rest = Vec::new();
        // The descriptor of the writer has a position that must not move.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(self.dir, c".", flags, Mode::empty()).map_err(read)?;
        for entry in Dir::new(dir).map_err(read)? {
            let entry = entry.map_err(read)?;
            let name = entry.file_name();
            if name == current || name == DATA {
                continue;
            }
            let temporary = name == NEW_DATA || name == NEW_LINK;
            if temporary || is_ours(name) || self.is_old_link(name, &names) {
                rest.push(name.to_owned());
            }
        }
        rest.iter().try_for_each(|name| self.remove(name))
    }

    /// Returns true if a name is a link of this writer to a removed file.
    fn is_old_link(&self, name: &CStr, names: &BTreeMap<&str, Option<u32>>) -> bool {
        if name.to_str().is_ok_and(|name| names.contains_key(name)) {
            return false;
        }
        let own = [b"..data/", name.to_bytes()].concat();
        readlinkat(self.dir, name, Vec::new()).is_ok_and(|target| target.to_bytes() == own)
    }

    fn remove(&self, name: &CStr) -> Result<()> {
        let path: PathBuf = shown(self.path, name);
        remove_at(self.dir, OsStr::from_bytes(name.to_bytes()), &path)
    }
}

/// The failed action and its error.
struct Failed(&'static str, Errno);

/// Writes a file below a directory that nobody else uses, and makes the directories above it.
fn write_file(top: &OwnedFd, path: &str, file: &FileProjection) -> Result<(), Failed> {
    let failed = |action| move |error| Failed(action, error);
    let mut parts = path.split('/').peekable();
    let mut above = top
        .try_clone()
        .map_err(|error| Failed("open", Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    while let Some(part) = parts.next() {
        if parts.peek().is_some() {
            let made = mkdirat(&above, part, DIRECTORY);
            if made != Err(Errno::EXIST) {
                made.map_err(failed("make the directory of"))?;
            }
            let name = CString::new(part).map_err(|_| Failed("open", Errno::INVAL))?;
            above = open_directory(&above, &name).map_err(failed("open"))?;
            fchmod(&above, DIRECTORY).map_err(failed("set the mode of"))?;
            continue;
        }
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Nobody else reads it before it has its permissions.
        let new = openat(&above, part, flags, Mode::from_raw_mode(0o600));
        let mut new = File::from(new.map_err(failed("create"))?);
        new.write_all(&file.data)
            .map_err(|error| Failed("write", Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
        if let Some(user) = file.fs_user {
            let user = Some(Uid::from_raw(user));
            fchown(&new, user, None).map_err(failed("set the owner of"))?;
        }
        // After the owner, whose change takes setuid away.
        fchmod(new.as_fd(), Mode::from_raw_mode(file.mode & 0o7777))
            .map_err(failed("set the mode of"))?;
    }
    Ok(())
}
