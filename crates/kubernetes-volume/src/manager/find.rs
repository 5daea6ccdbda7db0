//! Lookups.

use std::sync::Arc;

use tracing::warn;

use super::noop::NoopExpandable;
use super::{FindError, Plugin, VolumePluginManager};
use crate::Spec;
use crate::interfaces::{
    AttachableVolumePlugin, BlockVolumePlugin, DeletableVolumePlugin, DeviceMountableVolumePlugin,
    ExpandableVolumePlugin, NodeExpandableVolumePlugin, PersistentVolumePlugin,
    ProvisionableVolumePlugin, RecyclableVolumePlugin, VolumePluginWithAttachLimits,
};

/// Names that Kubernetes has given up.
const DEPRECATED: [&str; 2] = ["kubernetes.io/cinder", "kubernetes.io/scaleio"];

/// The result of a lookup for a plugin that must be of a kind.
type Required<P> = Result<Arc<P>, FindError>;

/// The result of a lookup for a plugin that may be of a kind.
type Optional<P> = Result<Option<Arc<P>>, FindError>;

impl VolumePluginManager {
    /// Returns the plugin that supports a volume.
    ///
    /// # Errors
    ///
    /// When there is no volume, or not exactly one plugin supports it.
    pub fn find_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Result<Plugin, FindError> {
        let spec = spec.into();
        let spec = spec.ok_or(FindError::NoSpec)?;
        let matched = self
            .all()
            .into_iter()
            .filter(|(_, plugin)| plugin.can_support(spec));
        only(matched, || FindError::NotFound)
    }

    /// Returns the plugin of that name.
    ///
    /// # Errors
    ///
    /// When no plugin has the name, or a registered and a probed one.
    pub fn find_plugin_by_name(&self, name: &str) -> Result<Plugin, FindError> {
        let matched = self.all().into_iter().filter(|(other, _)| other == name);
        let plugin = only(matched, || FindError::NoSuchName(name.to_owned()))?;
        if DEPRECATED.contains(&name) {
            warn!(plugin = name, "Kubernetes no longer has this plugin");
        }
        Ok(plugin)
    }

    /// Returns the plugin that supports the volume, whose volumes outlive Pods.
    ///
    /// # Errors
    ///
    /// When there is none; the error names the volume.
    pub fn find_persistent_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Required<dyn PersistentVolumePlugin> {
        let spec = spec.into();
        let kind = "persistent";
        let found = self
            .find_plugin_by_spec(spec)
            .map_err(|error| error.about(kind, spec))?;
        found.as_persistent().ok_or(FindError::NotOfKind(kind))
    }

    /// Returns the plugin of that name, whose volumes outlive Pods.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find_persistent_plugin_by_name(
        &self,
        name: &str,
    ) -> Required<dyn PersistentVolumePlugin> {
        let found = self.find_plugin_by_name(name)?;
        found
            .as_persistent()
            .ok_or(FindError::NotOfKind("persistent"))
    }

    /// Returns the plugin of the volume, of whose volumes a node can have only so many.
    ///
    /// # Errors
    ///
    /// When there is none; the error names the volume.
    pub fn find_volume_plugin_with_limits_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Required<dyn VolumePluginWithAttachLimits> {
        let spec = spec.into();
        let kind = "attach limited";
        let found = self
            .find_plugin_by_spec(spec)
            .map_err(|error| error.about(kind, spec))?;
        found
            .as_with_attach_limits()
            .ok_or(FindError::NotOfKind(kind))
    }

    /// Returns the plugins of whose volumes a node can have only so many, by their names.
    #[must_use]
    pub fn list_volume_plugins_with_limits(&self) -> Vec<Arc<dyn VolumePluginWithAttachLimits>> {
        let all = self.all().into_iter();
        all.filter_map(|(_, plugin)| plugin.as_with_attach_limits())
            .collect()
    }

    /// Returns the plugin of the volume that can empty it.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find_recyclable_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Required<dyn RecyclableVolumePlugin> {
        let spec = spec.into();
        let found = self.find_plugin_by_spec(spec)?;
        found
            .as_recyclable()
            .ok_or(FindError::NotOfKind("recyclable"))
    }

    /// Returns the plugin of that name that can make volumes.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find_provisionable_plugin_by_name(
        &self,
        name: &str,
    ) -> Required<dyn ProvisionableVolumePlugin> {
        let found = self.find_plugin_by_name(name)?;
        found
            .as_provisionable()
            .ok_or(FindError::NotOfKind("provisionable"))
    }

    /// Returns the plugin of the volume that can make such ones.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find_creatable_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Required<dyn ProvisionableVolumePlugin> {
        let spec = spec.into();
        let found = self.find_plugin_by_spec(spec)?;
        found
            .as_provisionable()
            .ok_or(FindError::NotOfKind("creatable"))
    }

    /// Returns the plugin of the volume that can delete it.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find_deletable_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Required<dyn DeletableVolumePlugin> {
        let spec = spec.into();
        let found = self.find_plugin_by_spec(spec)?;
        found
            .as_deletable()
            .ok_or(FindError::NotOfKind("deletable"))
    }

    /// Returns the plugin of that name that can delete volumes.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find_deletable_plugin_by_name(&self, name: &str) -> Required<dyn DeletableVolumePlugin> {
        let found = self.find_plugin_by_name(name)?;
        found
            .as_deletable()
            .ok_or(FindError::NotOfKind("deletable"))
    }

    /// Returns the plugin of the volume if it must be attached.
    ///
    /// # Errors
    ///
    /// When no plugin supports the volume, or it can't say whether it attaches it.
    pub fn find_attachable_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Optional<dyn AttachableVolumePlugin> {
        let spec = spec.into();
        let Some(found) = self.find_plugin_by_spec(spec)?.as_attachable() else {
            return Ok(None);
        };
        let spec = spec.ok_or(FindError::NoSpec)?;
        let can = found.can_attach(spec);
        let can = can.map_err(|error| FindError::asked(found.plugin_name(), &error))?;
        Ok(can.then_some(found))
    }

    /// Returns the plugin of that name if it attaches volumes.
    ///
    /// # Errors
    ///
    /// When no plugin has the name.
    pub fn find_attachable_plugin_by_name(
        &self,
        name: &str,
    ) -> Optional<dyn AttachableVolumePlugin> {
        Ok(self.find_plugin_by_name(name)?.as_attachable())
    }

    /// Returns the plugin of the volume if its device is mounted once for the node.
    ///
    /// # Errors
    ///
    /// When no plugin supports the volume, or it can't say whether it mounts the device.
    pub fn find_device_mountable_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Optional<dyn DeviceMountableVolumePlugin> {
        let spec = spec.into();
        let Some(found) = self.find_plugin_by_spec(spec)?.as_device_mountable() else {
            return Ok(None);
        };
        let spec = spec.ok_or(FindError::NoSpec)?;
        let can = found.can_device_mount(spec);
        let can = can.map_err(|error| FindError::asked(found.plugin_name(), &error))?;
        Ok(can.then_some(found))
    }

    /// Returns the plugin of that name if it mounts devices once for the node.
    ///
    /// # Errors
    ///
    /// When no plugin has the name.
    pub fn find_device_mountable_plugin_by_name(
        &self,
        name: &str,
    ) -> Optional<dyn DeviceMountableVolumePlugin> {
        Ok(self.find_plugin_by_name(name)?.as_device_mountable())
    }

    /// Returns the plugin of the volume if a controller can grow it. For a FlexVolume without a
    /// plugin here, one that leaves all to the node.
    ///
    /// # Errors
    ///
    /// When no plugin supports the volume.
    pub fn find_expandable_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Optional<dyn ExpandableVolumePlugin> {
        let spec = spec.into();
        match (self.find_plugin_by_spec(spec), spec) {
            (Ok(found), _) => Ok(found.as_expandable()),
            (Err(_), Some(spec)) if spec.is_kubelet_expandable() => {
                let name = spec.kubelet_expandable_plugin_name().to_owned();
                Ok(Some(Arc::new(NoopExpandable { name })))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Returns the plugin of that name if a controller can grow its volumes.
    ///
    /// # Errors
    ///
    /// When no plugin has the name.
    pub fn find_expandable_plugin_by_name(
        &self,
        name: &str,
    ) -> Optional<dyn ExpandableVolumePlugin> {
        Ok(self.find_plugin_by_name(name)?.as_expandable())
    }

    /// Returns the plugin of the volume if Pods can use it as a device.
    ///
    /// # Errors
    ///
    /// When no plugin supports the volume.
    pub fn find_mapper_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Optional<dyn BlockVolumePlugin> {
        let spec = spec.into();
        Ok(self.find_plugin_by_spec(spec)?.as_block())
    }

    /// Returns the plugin of that name if Pods can use its volumes as devices.
    ///
    /// # Errors
    ///
    /// When no plugin has the name.
    pub fn find_mapper_plugin_by_name(&self, name: &str) -> Optional<dyn BlockVolumePlugin> {
        Ok(self.find_plugin_by_name(name)?.as_block())
    }

    /// Returns the plugin of the volume if the node can grow it.
    ///
    /// # Errors
    ///
    /// When no plugin supports the volume.
    pub fn find_node_expandable_plugin_by_spec<'a>(
        &self,
        spec: impl Into<Option<&'a Spec>>,
    ) -> Optional<dyn NodeExpandableVolumePlugin> {
        let spec = spec.into();
        Ok(self.find_plugin_by_spec(spec)?.as_node_expandable())
    }

    /// Returns the plugin of that name if the node can grow its volumes.
    ///
    /// # Errors
    ///
    /// When no plugin has the name.
    pub fn find_node_expandable_plugin_by_name(
        &self,
        name: &str,
    ) -> Optional<dyn NodeExpandableVolumePlugin> {
        Ok(self.find_plugin_by_name(name)?.as_node_expandable())
    }
}

impl FindError {
    fn about(self, kind: &'static str, spec: Option<&Spec>) -> Self {
        let spec = spec.map_or("", Spec::name).to_owned();
        Self::For {
            kind,
            spec,
            source: Box::new(self),
        }
    }

    fn asked(plugin: &str, error: &crate::Error) -> Self {
        Self::Asked {
            plugin: plugin.to_owned(),
            reason: error.to_string(),
        }
    }
}

/// Returns the only plugin; of several, all names in their order.
fn only(
    mut matched: impl Iterator<Item = (String, Plugin)>,
    none: impl FnOnce() -> FindError,
) -> Result<Plugin, FindError> {
    let Some((first, plugin)) = matched.next() else {
        return Err(none());
    };
    let mut names: Vec<_> = matched.map(|(name, _)| name).collect();
    if names.is_empty() {
        return Ok(plugin);
    }
    names.push(first);
    names.sort();
    Err(FindError::Multiple(names))
}
