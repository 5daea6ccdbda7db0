//! Directories of volumes, and the marker of those that are set up.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use kubernetes_mount::mount::is_corrupted;
use rustix::fs::OFlags;

use crate::interfaces::VolumeHost;
use crate::plugins::EMPTY_DIR;
use crate::{Error, Result};

/// The mode of directories above volumes.
const ABOVE: u32 = 0o750;

/// The mode that a kubelet gives the directory above an emptyDir, in which files are written too.
const ABOVE_EMPTY_DIR: u32 = 0o755;

/// The directory of a plugin with the mounts of its devices.
pub(crate) const DEVICE_MOUNTS: &str = "mounts";

/// The directory of plugins in which a kubelet has the directories of all FlexVolume drivers.
pub(crate) const FLEX_VOLUMES: &str = "kubernetes.io/flexvolume";

/// Returns where the devices of a plugin are mounted once for the node.
pub(crate) fn device_mounts(host: &dyn VolumeHost, plugin: &str) -> PathBuf {
    host.plugin_dir(plugin).join(DEVICE_MOUNTS)
}

/// Returns the same for a FlexVolume driver.
pub(crate) fn flex_device_mounts(host: &dyn VolumeHost, driver: &str) -> PathBuf {
    device_mounts(host, &format!("{FLEX_VOLUMES}/{driver}"))
}

/// Returns true if the path exists, also as a dangling link, or as a mount whose server is gone.
pub(crate) fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) if is_corrupted(&error) => Ok(true),
        Err(error) => Err(Error::io("look at", path)(error)),
    }
}

/// Makes the directory of an emptyDir as [`make`] does.
pub(crate) fn make_empty_dir(path: &Path, mode: u32) -> Result<bool> {
    if let Some(above) = path.parent() {
        make_above(above)?;
        make_all(above, ABOVE_EMPTY_DIR)?;
    }
    make(path, mode)
}

/// Makes the directory of a volume and those above it. Returns whether it is new. A link at its
/// path is an error.
pub(crate) fn make(path: &Path, mode: u32) -> Result<bool> {
    make_above(path)?;
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

/// Makes the directory of a Pod, if it is absent.
pub(crate) fn make_pod_dir(path: &Path) -> Result<()> {
    make_all(path, ABOVE)
}

/// Makes the directories above a path.
fn make_above(path: &Path) -> Result<()> {
    path.parent().map_or(Ok(()), |above| make_all(above, ABOVE))
}

/// Makes a directory and those above it, where they are absent.
fn make_all(path: &Path, mode: u32) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
        .map_err(Error::io("create the directory", path))
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

/// Returns the paths in a directory, sorted. None if it doesn't exist.
pub(crate) fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("read", dir)(error)),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<_> = paths
        .collect::<std::io::Result<_>>()
        .map_err(Error::io("read", dir))?;
    paths.sort();
    Ok(paths)
}

/// Removes a file if it is there.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
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
        make(&self.dir, ABOVE)?;
        let file = self.file();
        File::create(&file).map_err(Error::io("create", &file))?;
        Ok(())
    }

    /// Takes the marker away. The volume may be half removed from now on.
    pub(crate) fn unset(&self) -> Result<()> {
        remove_file(&self.file())
    }

    /// Removes the directory of the marker, the last trace of the volume.
    pub(crate) fn remove(&self) -> Result<()> {
        self.unset()?;
        remove_empty(&self.dir)
    }
}
