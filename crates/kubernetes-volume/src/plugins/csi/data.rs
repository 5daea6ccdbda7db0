//! The file by which a volume can be torn down after a restart, with the content of a kubelet's.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use kubernetes_mount::mount::Mount;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::plugins::shared::{dirs, is_mounted, still_mounted};
use crate::{Error, Result};

const FILE: &str = "vol_data.json";

/// The new content, before it gets the name of the file.
const NEW_FILE: &str = "vol_data.json.new";

/// What is known about a volume. The order of the fields is that of the keys in a kubelet's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VolumeData {
    #[serde(
        rename = "attachmentID",
        default,
        skip_serializing_if = "String::is_empty"
    )]
    pub(super) attachment_id: String,
    pub(super) driver_name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) node_name: String,
    #[serde(
        rename = "seLinuxMountContext",
        default,
        skip_serializing_if = "String::is_empty"
    )]
    pub(super) selinux_mount_context: String,
    #[serde(
        rename = "specVolID",
        default,
        skip_serializing_if = "String::is_empty"
    )]
    pub(super) spec_vol_id: String,
    pub(super) volume_handle: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) volume_lifecycle_mode: String,
}

impl VolumeData {
    /// Writes the file of a directory. An interrupted call leaves the file as it was.
    pub(super) fn save(&self, dir: &Path) -> Result<()> {
        if Self::load(dir).is_ok_and(|found| found.as_ref() == Some(self)) {
            return Ok(());
        }
        let mut text = serde_json::to_string(self).map_err(Error::other)?;
        text.push('\n');
        let (file, new) = (dir.join(FILE), dir.join(NEW_FILE));
        let write = || {
            let mut open = File::create(&new)?;
            open.write_all(text.as_bytes())?;
            open.sync_all()?;
            fs::rename(&new, &file)
        };
        write().map_err(Error::io("write", &file))
    }

    /// Reads the file of a directory. Nothing if there is none.
    pub(super) fn load(dir: &Path) -> Result<Option<Self>> {
        let file = dir.join(FILE);
        let text = match fs::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", &file)(error)),
        };
        serde_json::from_slice(&text).map(Some).map_err(|error| {
            Error::invalid(format!(
                "{} doesn't say which volume this is: {error}",
                file.display()
            ))
        })
    }

    /// Reads the file of a directory, which must be there.
    pub(super) fn required(dir: &Path) -> Result<Self> {
        Self::load(dir)?.ok_or_else(|| {
            Error::invalid(format!(
                "{} is absent, so that it is not known which volume this is",
                dir.join(FILE).display()
            ))
        })
    }
}

/// Removes the empty directory at which a volume was mounted, its file and the directory of both.
/// Fails, and removes nothing, while the volume is mounted.
pub(super) fn remove(mounter: &dyn Mount, mount_path: &Path) -> Result<()> {
    if is_mounted(mounter, mount_path)? {
        return Err(still_mounted(mount_path).into());
    }
    dirs::remove_empty(mount_path)?;
    let dir = above(mount_path)?;
    for name in [FILE, NEW_FILE] {
        dirs::remove_file(&dir.join(name))?;
    }
    dirs::remove_empty(&dir)
}

/// Removes the same where no file says which volume it is: nothing was mounted there, or no longer
/// is. If something is, it is an error that the file is absent.
pub(super) fn remove_unknown(mounter: &dyn Mount, mount_path: &Path) -> Result<()> {
    if is_mounted(mounter, mount_path)? {
        return VolumeData::required(&above(mount_path)?).map(drop);
    }
    remove(mounter, mount_path)
}

/// Removes what a failed attempt left. Its error says more than one of tidying up.
pub(super) fn after_failure(mounter: &dyn Mount, mount_path: &Path) {
    if let Err(error) = remove(mounter, mount_path) {
        warn!("what a failed attempt left can't be removed: {error}");
    }
}

/// Returns the directory above a mount point, which has the file.
pub(super) fn above(mount_path: &Path) -> Result<PathBuf> {
    let above = mount_path.parent().filter(|path| path.is_absolute());
    above.map(Path::to_owned).ok_or_else(|| {
        Error::invalid(format!(
            "{mount_path:?} is not the absolute path of a volume"
        ))
    })
}
