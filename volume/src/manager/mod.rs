//! Stand-in.
use std::sync::{Arc, RwLock};

use crate::interfaces::{VolumeHost, VolumePlugin};
use crate::{Error, Result, Spec};

/// Stand-in.
#[derive(Default)]
pub struct VolumePluginManager {
    plugins: RwLock<Vec<Arc<dyn VolumePlugin>>>,
}

impl VolumePluginManager {
    /// Stand-in.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stand-in.
    pub fn init_plugins(
        &self,
        plugins: Vec<Box<dyn VolumePlugin>>,
        _prober: Option<()>,
        host: Arc<dyn VolumeHost>,
    ) -> Result<()> {
        for mut plugin in plugins {
            plugin.init(host.clone())?;
            self.plugins.write().map_err(|_| Error::invalid("lock"))?.push(plugin.into());
        }
        Ok(())
    }

    /// Stand-in.
    pub fn find_plugin_by_spec(&self, spec: &Spec) -> Result<Arc<dyn VolumePlugin>> {
        let plugins = self.plugins.read().map_err(|_| Error::invalid("lock"))?;
        let mut found = plugins.iter().filter(|plugin| plugin.can_support(spec));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one.clone()),
            (None, _) => Err(Error::invalid("no volume plugin matched")),
            _ => Err(Error::invalid("multiple volume plugins matched")),
        }
    }

    /// Stand-in.
    pub fn find_plugin_by_name(&self, name: &str) -> Result<Arc<dyn VolumePlugin>> {
        let plugins = self.plugins.read().map_err(|_| Error::invalid("lock"))?;
        let found = plugins.iter().find(|plugin| plugin.plugin_name() == name);
        found
            .cloned()
            .ok_or_else(|| Error::invalid(format!("no volume plugin matched name: {name}")))
    }
}
