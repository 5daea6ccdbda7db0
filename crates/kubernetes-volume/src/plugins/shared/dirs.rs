//! Directories of volumes, and the marker of those that are set up.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::interfaces::VolumeHost;
use crate::plugins::EMPTY_DIR;
use crate::{Error, Result};

/// The mode of directories above volumes.
const ABOVE: u32 = 0o750;

/// The mode of the directory of a plugin's volumes in that of a Pod, unless it is one of
/// [`SHARED`].
pub(crate) const PRIVATE: u32 = 0o750;

/// The mode of that directory for emptyDir, and for volumes whose files are written into one.
pub(crate) const SHARED: u32 = 0o755;

/// The directory of a plugin with the mounts of its devices.
pub(crate) const DEVICE_MOUNTS: &str = "mounts";

/// Returns where the devices of a plugin are mounted once for the node.
pub(crate) fn device_mounts(host: &dyn VolumeHost, plugin: &str) -> PathBuf {
    host.plugin_dir(plugin).join(DEVICE_MOUNTS)
}

/// Returns true if the path exists, also as a dangling link.
pub(crate) fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("look at", path)(error)),
    }
}

/// Makes the directory of a volume, that of the plugin above it, and those above that. Returns
/// whether it is new. A link at its path is an error.
pub(crate) fn make(path: &Path, mode: u32, of_plugin: u32) -> Result<bool> {
    let above = path.parent();
    for (above, mode) in [(above.and_then(Path::parent), ABOVE), (above, of_plugin)] {
        let Some(above) = above else { continue };
        DirBuilder::new()
            .recursive(true)
            .mode(mode)
            .create(above)
            .map_err(Error::io("create the directory", above))?;
    }
    match DirBuilder::new().mode(mode).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path).map_err(Error::io("look at", path))?;
            if found.is_dir() {
                return Ok(false);
            }
            Err(Error::io("create the directory", path)(error))
        }
        Err(error) => Err(Error::io("create the directory", path)(error)),
    }
}

/// Gives a directory its mode, whatever the umask of the program is.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<()> {
    set(path, mode, OFlags::DIRECTORY)
}

/// Gives a directory or a file its mode.
pub(crate) fn set_mode_of(path: &Path, mode: u32) -> Result<()> {
    set(path, mode, OFlags::NONBLOCK)
}

fn set(path: &Path, mode: u32, flags: OFlags) -> Result<()> {
    // Opened, so that a link in its place is not followed.
    let flags = (OFlags::NOFOLLOW | flags).bits().cast_signed();
    let dir = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map_err(Error::io("open", path))?;
    let now = dir
        .metadata()
        .map_err(Error::io("look at", path))?
        .permissions()
        .mode();
    if now & 0o7777 == mode {
        return Ok(());
    }
    dir.set_permissions(Permissions::from_mode(mode))
        .map_err(Error::io("set the mode of", path))
}

/// Removes a directory if it is there and empty.
pub(crate) fn remove_empty(path: &Path) -> Result<()> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("remove the directory", path)(error))
        }
        _ => Ok(()),
    }
}

/// Says that a volume is set up: a file, kept beside the volumes of the Pod.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    dir: PathBuf,
}

impl Marker {
    pub(crate) fn new(host: &dyn VolumeHost, pod_uid: &str, volume_name: &str) -> Self {
        Self {
            dir: host.pod_plugin_dir(pod_uid, EMPTY_DIR).join(volume_name),
        }
    }

    fn file(&self) -> PathBuf {
        self.dir.join("ready")
    }

    pub(crate) fn is_set(&self) -> Result<bool> {
        exists(&self.file())
    }

    pub(crate) fn set(&self) -> Result<()> {
        make(&self.dir, ABOVE, PRIVATE)?;
        let file = self.file();
        File::create(&file).map_err(Error::io("create", &file))?;
        Ok(())
    }

    /// Takes the marker away. The volume may be half removed from now on.
    pub(crate) fn unset(&self) -> Result<()> {
        let file = self.file();
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::io("remove", &file)(error))
            }
            _ => Ok(()),
        }
    }

    /// Removes the directory of the marker, the last trace of the volume.
    pub(crate) fn remove(&self) -> Result<()> {
        self.unset()?;
        remove_empty(&self.dir)
    }
}
