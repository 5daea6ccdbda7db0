//! The objects of a cluster that belong to the driver.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use kubernetes_csi_driver::storage_v1::{FSGroupPolicy, VolumeLifecycleMode};
use kubernetes_manifests::scheme::to_yaml;

use crate::pools::Pools;
use crate::state::State;
use crate::{Declaration, HostPath};

/// The name of the StorageClass.
const CLASS: &str = "csi-hostpath";

impl HostPath {
    /// Returns the CSIDriver and a StorageClass, in YAML.
    ///
    /// # Errors
    ///
    /// When the name isn't one of a driver.
    pub fn manifests(declaration: &Declaration) -> Result<String, Box<dyn Error>> {
        // Nobody calls this driver, so that it needs neither a node nor a state.
        let hostpath = Self {
            node_id: String::new(),
            max_volumes: None,
            has_attach: declaration.enable_attach,
            accepted_parameters: BTreeSet::new(),
            max_volume_size: 0,
            pools: Pools::new(&[]),
            state: Arc::new(State::new(Path::new(""))),
        };
        let services = hostpath.services(&declaration.driver_name)?;
        let mut driver = services.csi_driver();
        // The driver then sees which volumes are inline ones.
        driver.spec.pod_info_on_mount = Some(true);
        driver.spec.fs_group_policy = Some(FSGroupPolicy::File);
        driver.spec.volume_lifecycle_modes = Some(vec![
            VolumeLifecycleMode::Persistent,
            VolumeLifecycleMode::Ephemeral,
        ]);
        let class = services.storage_class(CLASS);
        Ok(format!("{}---\n{}", to_yaml(&driver)?, to_yaml(&class)?))
    }
}
