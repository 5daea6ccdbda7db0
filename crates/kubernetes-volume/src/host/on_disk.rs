//! Pods and volumes on disk, for a program that was restarted.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kubernetes_mount::subpath::SUBPATHS;

use super::StandaloneHost;
use crate::interfaces::VolumeHost;
use crate::plugins::dirs::{
    DEVICE_MOUNTS, FLEX_VOLUMES, device_mounts, entries, exists, flex_device_mounts, remove_empty,
};
use crate::plugins::{DELETING, EMPTY_DIR};
use crate::{Error, Result};

/// A volume of which something is on disk: it is mounted, or setting it up or tearing it down was
/// interrupted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VolumeOnDisk {
    /// The UID of its Pod.
    pub pod_uid: String,
    /// The name of its plugin.
    pub plugin_name: String,
    /// Its name.
    pub volume_name: String,
    /// The mount point, now or earlier.
    pub path: PathBuf,
}

impl StandaloneHost {
    /// Returns the UIDs of the Pods that have a directory.
    ///
    /// # Errors
    ///
    /// When the directories can't be read.
    pub fn pods_on_disk(&self) -> Result<Vec<String>> {
        names(&self.layout.pods())
    }

    /// Returns the volumes of a Pod of which something is on disk: to unmount them, pass their
    /// names to [`new_unmounter`](crate::interfaces::VolumePlugin::new_unmounter) of their
    /// plugins, in this order. hostPath volumes leave nothing there.
    ///
    /// # Errors
    ///
    /// When the directories can't be read.
    pub fn volumes_on_disk(&self, pod_uid: &str) -> Result<Vec<VolumeOnDisk>> {
        let mut found = BTreeSet::new();
        let volumes = self.layout.pod(pod_uid).join("volumes");
        for plugin in names(&volumes)? {
            for volume in names(&volumes.join(&plugin))? {
                let volume = volume.strip_suffix(DELETING).unwrap_or(&volume);
                found.insert((plugin.replace('~', "/"), volume.to_owned()));
            }
        }
        // The markers of volumes whose directory is gone, or was never made.
        for volume in names(&self.pod_plugin_dir(pod_uid, EMPTY_DIR))? {
            let is_wrapped = volume.strip_prefix("wrapped_");
            let is_wrapped =
                is_wrapped.is_some_and(|own| found.iter().any(|(_, name)| name == own));
            if !is_wrapped {
                found.insert((EMPTY_DIR.to_owned(), volume));
            }
        }
        let found = found
            .into_iter()
            .map(|(plugin_name, volume_name)| VolumeOnDisk {
                path: self.pod_volume_dir(pod_uid, &plugin_name, &volume_name),
                pod_uid: pod_uid.to_owned(),
                plugin_name,
                volume_name,
            });
        Ok(found.collect())
    }

    /// Returns the names of the plugins that have mounted devices once for the node, to ask
    /// [`device_mounts_on_disk`](Self::device_mounts_on_disk) for each.
    ///
    /// # Errors
    ///
    /// When the directories can't be read.
    pub fn device_plugins_on_disk(&self) -> Result<Vec<String>> {
        let plugins = self.layout.plugins();
        let mut found = plugins_with_devices(&plugins)?;
        found.extend(plugins_with_devices(&plugins.join(FLEX_VOLUMES))?);
        Ok(found)
    }

    /// Returns where devices of volumes are mounted once for the node, by a plugin.
    ///
    /// # Errors
    ///
    /// When the directories can't be read.
    pub fn device_mounts_on_disk(&self, plugin_name: &str) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for dir in [
            device_mounts(self, plugin_name),
            flex_device_mounts(self, plugin_name),
        ] {
            found.extend(names(&dir)?.into_iter().map(|name| dir.join(name)));
        }
        Ok(found)
    }

    /// Removes the directories of plugins that are empty. Can be repeated.
    ///
    /// # Errors
    ///
    /// When one can't be removed for another reason.
    pub fn remove_empty_plugin_dirs(&self) -> Result<()> {
        let plugins = self.layout.plugins();
        remove_empty_plugins(&plugins.join(FLEX_VOLUMES))?;
        remove_empty_plugins(&plugins)
    }

    /// Unmounts all parts of volumes (`subPath`) of a Pod, before its volumes are torn down. Can be
    /// repeated.
    ///
    /// # Errors
    ///
    /// When something of a part is still there.
    pub fn clean_subpaths(&self, pod_uid: &str) -> Result<()> {
        let pod = self.layout.pod(pod_uid);
        for volume in names(&pod.join(SUBPATHS))? {
            self.tools.subpather.clean_subpaths(&pod, &volume)?;
        }
        Ok(())
    }

    /// Removes the directories of a Pod whose volumes are all torn down. Can be repeated.
    ///
    /// # Errors
    ///
    /// When something is left in them: nothing but empty directories is removed.
    pub fn remove_pod(&self, pod_uid: &str) -> Result<()> {
        let pod = self.layout.pod(pod_uid);
        for kind in ["volumes", "plugins", "volumeDevices"] {
            let dir = pod.join(kind);
            for plugin in names(&dir)? {
                remove_empty(&dir.join(plugin))?;
            }
            remove_empty(&dir)?;
        }
        remove_empty(&pod)
    }
}

/// The names of the plugins whose directory, in this one, has mounts of devices.
fn plugins_with_devices(dir: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for first in directories(dir)? {
        // A plugin keeps what it wants in its directory.
        for second in directories(&dir.join(&first))? {
            if second == DEVICE_MOUNTS {
                found.push(first.clone());
            } else if exists(&dir.join(&first).join(&second).join(DEVICE_MOUNTS))? {
                found.push(format!("{first}/{second}"));
            }
        }
    }
    Ok(found)
}

/// Removes the empty ones of the directories of plugins in a directory, and that one.
fn remove_empty_plugins(dir: &Path) -> Result<()> {
    for first in directories(dir)? {
        let first = dir.join(first);
        for second in directories(&first)? {
            remove_if_empty(&first.join(&second).join(DEVICE_MOUNTS))?;
            remove_if_empty(&first.join(second))?;
        }
        remove_if_empty(&first)?;
    }
    remove_if_empty(dir)
}

fn remove_if_empty(dir: &Path) -> Result<()> {
    match fs::remove_dir(dir) {
        Err(error)
            if !matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::DirectoryNotEmpty
            ) =>
        {
            Err(Error::io("remove the directory", dir)(error))
        }
        _ => Ok(()),
    }
}

/// The names of the directories in a directory, sorted. None if it is a file.
fn directories(dir: &Path) -> Result<Vec<String>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = names(dir)?;
    found.retain(|name| dir.join(name).is_dir());
    Ok(found)
}

/// The names in a directory, sorted. None if it doesn't exist. Those that aren't UTF-8 are an
/// error: no volume is named so.
fn names(dir: &Path) -> Result<Vec<String>> {
    let name = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_str().map(str::to_owned).ok_or_else(|| {
            Error::invalid(format!(
                "{} has the name {name:?}, which no volume has",
                dir.display()
            ))
        })
    };
    entries(dir)?.into_iter().map(name).collect()
}
