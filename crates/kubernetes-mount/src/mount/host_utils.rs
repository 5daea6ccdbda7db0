//! Looking at the files of the node.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::linux::own_mount;
use super::{Mount, MountInfo, read_mount_info};
use crate::{Error, Result};

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A socket.
    Socket,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
    /// A named pipe.
    Fifo,
}

/// Looks at the files of the node.
pub trait HostUtils: Send + Sync {
    /// Returns the type of a file, following symbolic links.
    ///
    /// # Errors
    ///
    /// When it doesn't exist or can't be looked at.
    fn file_type(&self, path: &Path) -> Result<FileType>;

    /// Returns true if a path exists.
    ///
    /// # Errors
    ///
    /// When that can't be found out.
    fn path_exists(&self, path: &Path) -> Result<bool>;

    /// Makes a directory and those above it. One that exists is left alone.
    ///
    /// # Errors
    ///
    /// When it can't be made, or something else is there.
    fn make_dir(&self, path: &Path) -> Result<()>;

    /// Makes an empty file, where a link leads if one is there. One that exists is left alone.
    ///
    /// # Errors
    ///
    /// When it can't be made, or something else is there.
    fn make_file(&self, path: &Path) -> Result<()>;

    /// Returns true if a program has the block device open.
    ///
    /// # Errors
    ///
    /// When it isn't a block device.
    fn device_opened(&self, path: &Path) -> Result<bool>;

    /// Returns true if the path is a block device.
    ///
    /// # Errors
    ///
    /// When it can't be looked at.
    fn path_is_device(&self, path: &Path) -> Result<bool>;

    /// Returns the path without symbolic links.
    ///
    /// # Errors
    ///
    /// When a part of it doesn't exist.
    fn eval_host_symlinks(&self, path: &Path) -> Result<PathBuf>;

    /// Returns the user and the group who own a file.
    ///
    /// # Errors
    ///
    /// When it can't be looked at.
    fn owner(&self, path: &Path) -> Result<(u32, u32)>;

    /// Returns the mode of a file, permissions only.
    ///
    /// # Errors
    ///
    /// When it can't be looked at.
    fn mode(&self, path: &Path) -> Result<u32>;

    /// Returns true if the file system has SELinux labels.
    ///
    /// # Errors
    ///
    /// When the table of mounts can't be read.
    fn selinux_support(&self, path: &Path) -> Result<bool>;

    /// Returns the SELinux label that all files of the mount at or above a path have, if it was
    /// mounted with one (`GetSELinuxMountContext`). Without an override there is none.
    ///
    /// # Errors
    ///
    /// When the table of mounts can't be read.
    fn selinux_mount_context(&self, path: &Path) -> Result<Option<String>> {
        let _ = path;
        Ok(None)
    }

    /// Returns the name of the volume's directory under a plugin's directory, from the other
    /// mounts of what is mounted at a path.
    ///
    /// # Errors
    ///
    /// When nothing is mounted there.
    fn device_name_from_mount(
        &self,
        mounter: &dyn Mount,
        mount_path: &Path,
        plugin_mount_dir: &Path,
    ) -> Result<String>;
}

/// Looks at the files that the calling thread sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinuxHostUtils;

impl HostUtils for LinuxHostUtils {
    fn file_type(&self, path: &Path) -> Result<FileType> {
        let file_type = metadata(path)?.file_type();
        if file_type.is_dir() {
            Ok(FileType::Directory)
        } else if file_type.is_file() {
            Ok(FileType::File)
        } else if file_type.is_socket() {
            Ok(FileType::Socket)
        } else if file_type.is_char_device() {
            Ok(FileType::CharDevice)
        } else if file_type.is_block_device() {
            Ok(FileType::BlockDevice)
        } else if file_type.is_fifo() {
            Ok(FileType::Fifo)
        } else {
            Err(Error::invalid(format!(
                "{} is of an unknown type",
                path.display()
            )))
        }
    }

    fn path_exists(&self, path: &Path) -> Result<bool> {
        match fs::metadata(path) {
            Ok(_) => Ok(true),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(Error::io("look at", path)(error)),
        }
    }

    fn make_dir(&self, path: &Path) -> Result<()> {
        fs::create_dir_all(path).map_err(Error::io("create the directory", path))
    }

    fn make_file(&self, path: &Path) -> Result<()> {
        // To open what exists could wait for the other end of a pipe.
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o644)
            .open(path);
        match made {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !self.path_exists(path)? {
                    // A link that leads nowhere yet.
                    let follow = OpenOptions::new()
                        .write(true)
                        .create(true)
                        .truncate(false)
                        .mode(0o644)
                        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
                        .open(path);
                    follow.map_err(Error::io("create the file", path))?;
                }
                if metadata(path)?.is_file() {
                    return Ok(());
                }
                Err(Error::io("create the file", path)(error))
            }
            Err(error) => Err(Error::io("create the file", path)(error)),
        }
    }

    fn device_opened(&self, path: &Path) -> Result<bool> {
        if !self.path_is_device(path)? {
            return Err(Error::invalid(format!(
                "{} is not a block device",
                path.display()
            )));
        }
        device_in_use(path)
    }

    fn path_is_device(&self, path: &Path) -> Result<bool> {
        Ok(metadata(path)?.file_type().is_block_device())
    }

    fn eval_host_symlinks(&self, path: &Path) -> Result<PathBuf> {
        fs::canonicalize(path).map_err(Error::io("resolve", path))
    }

    fn owner(&self, path: &Path) -> Result<(u32, u32)> {
        let metadata = metadata(path)?;
        Ok((metadata.uid(), metadata.gid()))
    }

    fn mode(&self, path: &Path) -> Result<u32> {
        Ok(metadata(path)?.permissions().mode() & 0o7777)
    }

    fn selinux_support(&self, path: &Path) -> Result<bool> {
        Ok(mount_of(path)?.is_some_and(|mount| mount.has_selinux_labels()))
    }

    fn selinux_mount_context(&self, path: &Path) -> Result<Option<String>> {
        let mount = mount_of(path)?;
        Ok(mount.and_then(|mount| mount.selinux_context().map(str::to_owned)))
    }

    fn device_name_from_mount(
        &self,
        mounter: &dyn Mount,
        mount_path: &Path,
        plugin_mount_dir: &Path,
    ) -> Result<String> {
        let refs = mounter.mount_refs(mount_path)?;
        if refs.is_empty() {
            let text = "is not mounted, or nowhere else";
            return Err(Error::invalid(format!("{} {text}", mount_path.display())));
        }
        let dir = fs::canonicalize(plugin_mount_dir)
            .unwrap_or_else(|_| plugin_mount_dir.components().collect());
        let below = refs.iter().find_map(|path| path.strip_prefix(&dir).ok());
        let name = below
            .filter(|below| !below.as_os_str().is_empty())
            .map(Path::as_os_str)
            .or_else(|| mount_path.file_name());
        let name = name.and_then(|name| name.to_str());
        name.map(str::to_owned).ok_or_else(|| {
            let text = "no volume name in UTF-8 for the mount at";
            Error::invalid(format!("{text} {}", mount_path.display()))
        })
    }
}

/// Returns the mount that a path is on.
fn mount_of(path: &Path) -> Result<Option<MountInfo>> {
    let path = fs::canonicalize(path).map_err(Error::io("resolve", path))?;
    Ok(own_mount(&read_mount_info()?, &path).cloned())
}

/// Returns true if a block device is mounted, or open exclusively, such as for a RAID.
pub(crate) fn device_in_use(path: &Path) -> Result<bool> {
    let flags = (OFlags::EXCL | OFlags::NONBLOCK).bits();
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(path);
    match opened {
        Ok(_) => Ok(false),
        Err(error) if Errno::from_io_error(&error) == Some(Errno::BUSY) => Ok(true),
        Err(error) => Err(Error::io("open", path)(error)),
    }
}

fn metadata(path: &Path) -> Result<fs::Metadata> {
    fs::metadata(path).map_err(Error::io("look at", path))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
