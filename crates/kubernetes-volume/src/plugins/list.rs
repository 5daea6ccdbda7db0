//! The list of all plugins that need no driver.

use super::{EmptyDirPlugin, FilesPlugin, HostPathPlugin, ImagePlugin, LocalPlugin, NfsPlugin};
use crate::VolumeConfig;
use crate::interfaces::VolumePlugin;

/// Returns the plugins of this module that need no driver, for a
/// [manager](crate::manager::VolumePluginManager).
///
/// The configuration is that of hostPath and NFS, the only ones that have any.
#[must_use]
pub fn all(config: VolumeConfig) -> Vec<Box<dyn VolumePlugin>> {
    vec![
        Box::new(EmptyDirPlugin::new()),
        Box::new(HostPathPlugin::new(config.clone())),
        Box::new(LocalPlugin::new()),
        Box::new(NfsPlugin::new(config)),
        Box::new(ImagePlugin),
        Box::new(FilesPlugin::config_map()),
        Box::new(FilesPlugin::secret()),
        Box::new(FilesPlugin::downward_api()),
        Box::new(FilesPlugin::projected()),
    ]
}
