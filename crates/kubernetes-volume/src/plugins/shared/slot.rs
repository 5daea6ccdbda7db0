//! The host of a plugin.

use std::sync::Arc;

use kubernetes_mount::mount::{HostUtils, LinuxHostUtils};

use crate::interfaces::VolumeHost;
use crate::{Error, Result};

/// The host, once the manager has passed it to the plugin.
#[derive(Clone, Default)]
pub(crate) struct Slot(Option<Arc<dyn VolumeHost>>);

impl Slot {
    pub(crate) fn set(&mut self, host: Arc<dyn VolumeHost>) {
        self.0 = Some(host);
    }

    /// Returns the host, or an error if `init` was never called.
    pub(crate) fn get(&self, plugin: &str) -> Result<Arc<dyn VolumeHost>> {
        self.0.clone().ok_or_else(|| {
            Error::invalid(format!(
                "the plugin {plugin} is used before it was initialized"
            ))
        })
    }
}

/// Returns the tools for the files of the host.
pub(crate) fn host_utils(host: &dyn VolumeHost) -> Arc<dyn HostUtils> {
    match host.as_kubelet() {
        Some(kubelet) => kubelet.host_util(),
        None => Arc::new(LinuxHostUtils),
    }
}
