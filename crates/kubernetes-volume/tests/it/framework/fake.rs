//! A plugin and a host for tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Volume};
use kubernetes_volume::exec::{Exec, Local};
use kubernetes_volume::interfaces::{
    AttachableVolumePlugin, Attacher, BlockVolumePlugin, DeletableVolumePlugin, Deleter, Detacher,
    DeviceMountableVolumePlugin, DeviceMounter, DeviceUnmounter, EventRecorder,
    ExpandableVolumePlugin, KubeletVolumeHost, Lister, Mounter, NodeExpandableVolumePlugin,
    PersistentVolumePlugin, ProvisionableVolumePlugin, RecyclableVolumePlugin, Unmounter,
    VolumeHost, VolumePlugin, VolumePluginWithAttachLimits, VolumeProvisioner,
};
use kubernetes_volume::mount::{HostUtils, LinuxHostUtils, Mount};
use kubernetes_volume::subpath::Subpath;
use kubernetes_volume::{
    Error, NodeResizeOptions, ReconstructedVolume, Result, Spec, VolumeOptions,
};
use storage_v1::CSIDriver;

use super::forms::{Devices, Map, Storage};

/// The capabilities of a plugin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Can {
    /// All forms, or none.
    pub(crate) everything: bool,
    /// The result of `can_attach` and `can_device_mount`; nothing is an error.
    pub(crate) attach: Option<bool>,
}

/// A plugin for volumes whose name begins with a text.
pub(crate) struct Plugin {
    pub(crate) name: String,
    pub(crate) prefix: String,
    pub(crate) can: Can,
    /// The implementation of `init`.
    pub(crate) init: Box<dyn Fn() -> Result<()> + Send + Sync>,
}

impl Plugin {
    pub(crate) fn new(name: &str, prefix: &str) -> Self {
        Self {
            name: name.to_owned(),
            prefix: prefix.to_owned(),
            can: Can::default(),
            init: Box::new(|| Ok(())),
        }
    }

    pub(crate) fn full(name: &str, prefix: &str, attach: Option<bool>) -> Self {
        Self {
            can: Can {
                everything: true,
                attach,
            },
            ..Self::new(name, prefix)
        }
    }

    pub(crate) fn boxed(self) -> Box<dyn VolumePlugin> {
        Box::new(self)
    }

    fn attaches(&self) -> Result<bool> {
        self.can
            .attach
            .ok_or_else(|| Error::invalid("nobody knows"))
    }
}

pub(crate) fn spec(name: &str) -> Spec {
    Spec::from(Volume {
        name: name.to_owned(),
        ..Volume::default()
    })
}

macro_rules! forms {
    ($($method:ident: $form:ident;)*) => {$(
        fn $method(self: Arc<Self>) -> Option<Arc<dyn $form>> {
            if self.can.everything { Some(self) } else { None }
        }
    )*};
}

impl VolumePlugin for Plugin {
    fn init(&mut self, _host: Arc<dyn VolumeHost>) -> Result<()> {
        (self.init)()
    }

    fn plugin_name(&self) -> &str {
        &self.name
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        Ok(spec.name().to_owned())
    }

    fn can_support(&self, spec: &Spec) -> bool {
        spec.name().starts_with(&self.prefix)
    }

    fn new_mounter(&self, _: &Spec, _: &Pod, _: &VolumeOptions) -> Result<Box<dyn Mounter>> {
        Ok(Box::new(Storage))
    }

    fn new_unmounter(&self, _: &str, _: &str) -> Result<Box<dyn Unmounter>> {
        Ok(Box::new(Storage))
    }

    fn construct_volume_spec(&self, volume_name: &str, _: &Path) -> Result<ReconstructedVolume> {
        Ok(spec(volume_name).into())
    }

    forms! {
        as_persistent: PersistentVolumePlugin;
        as_recyclable: RecyclableVolumePlugin;
        as_deletable: DeletableVolumePlugin;
        as_provisionable: ProvisionableVolumePlugin;
        as_attachable: AttachableVolumePlugin;
        as_device_mountable: DeviceMountableVolumePlugin;
        as_expandable: ExpandableVolumePlugin;
        as_node_expandable: NodeExpandableVolumePlugin;
        as_block: BlockVolumePlugin;
        as_with_attach_limits: VolumePluginWithAttachLimits;
    }
}

impl PersistentVolumePlugin for Plugin {
    fn access_modes(&self) -> Vec<String> {
        vec!["ReadWriteOnce".to_owned()]
    }
}

impl RecyclableVolumePlugin for Plugin {
    fn recycle(&self, _: &str, _: &Spec, _: &dyn EventRecorder) -> Result<()> {
        Ok(())
    }
}

impl DeletableVolumePlugin for Plugin {
    fn new_deleter(&self, _: &Spec) -> Result<Box<dyn Deleter>> {
        Ok(Box::new(Storage))
    }
}

impl ProvisionableVolumePlugin for Plugin {
    fn new_provisioner(&self, _: &VolumeOptions) -> Result<Box<dyn VolumeProvisioner>> {
        Ok(Box::new(Storage))
    }
}

impl DeviceMountableVolumePlugin for Plugin {
    fn new_device_mounter(&self) -> Result<Box<dyn DeviceMounter>> {
        Ok(Box::new(Devices))
    }

    fn new_device_unmounter(&self) -> Result<Box<dyn DeviceUnmounter>> {
        Ok(Box::new(Devices))
    }

    fn device_mount_refs(&self, _: &Path) -> Result<Vec<PathBuf>> {
        Ok(vec![])
    }

    fn can_device_mount(&self, _: &Spec) -> Result<bool> {
        self.attaches()
    }
}

impl AttachableVolumePlugin for Plugin {
    fn new_attacher(&self) -> Result<Box<dyn Attacher>> {
        Ok(Box::new(Devices))
    }

    fn new_detacher(&self) -> Result<Box<dyn Detacher>> {
        Ok(Box::new(Devices))
    }

    fn can_attach(&self, _: &Spec) -> Result<bool> {
        self.attaches()
    }
}

impl ExpandableVolumePlugin for Plugin {
    fn expand_volume_device(&self, _: &Spec, new_size: u64, old_size: u64) -> Result<u64> {
        Ok(new_size.max(old_size))
    }

    fn requires_fs_resize(&self) -> bool {
        false
    }
}

impl NodeExpandableVolumePlugin for Plugin {
    fn requires_fs_resize(&self) -> bool {
        true
    }

    fn node_expand(&self, options: &NodeResizeOptions) -> Result<bool> {
        Ok(options.new_size > options.old_size)
    }
}

impl BlockVolumePlugin for Plugin {
    fn new_block_volume_mapper(
        &self,
        _: &Spec,
        _: &Pod,
        _: &VolumeOptions,
    ) -> Result<Box<dyn kubernetes_volume::interfaces::BlockVolumeMapper>> {
        Ok(Box::new(Map))
    }

    fn new_block_volume_unmapper(
        &self,
        _: &str,
        _: &str,
    ) -> Result<Box<dyn kubernetes_volume::interfaces::BlockVolumeUnmapper>> {
        Ok(Box::new(Map))
    }

    fn construct_block_volume_spec(&self, _: &str, name: &str, _: &Path) -> Result<Spec> {
        Ok(spec(name))
    }
}

impl VolumePluginWithAttachLimits for Plugin {
    fn volume_limits(&self) -> Result<std::collections::BTreeMap<String, i64>> {
        Ok([(self.volume_limit_key(&Spec::default()), 39)].into())
    }

    fn volume_limit_key(&self, _: &Spec) -> String {
        "storage-limits-example".to_owned()
    }
}

/// A host that has nothing.
pub(crate) struct Nothing;

impl VolumeHost for Nothing {
    fn plugin_dir(&self, plugin_name: &str) -> PathBuf {
        Path::new("/nowhere/plugins").join(plugin_name)
    }

    fn volume_device_plugin_dir(&self, plugin_name: &str) -> PathBuf {
        self.plugin_dir(plugin_name).join("volumeDevices")
    }

    fn pods_dir(&self) -> PathBuf {
        "/nowhere/pods".into()
    }

    fn pod_volume_dir(&self, pod_uid: &str, _: &str, volume_name: &str) -> PathBuf {
        self.pods_dir().join(pod_uid).join(volume_name)
    }

    fn pod_plugin_dir(&self, pod_uid: &str, plugin_name: &str) -> PathBuf {
        self.pods_dir().join(pod_uid).join(plugin_name)
    }

    fn pod_volume_device_dir(&self, pod_uid: &str, plugin_name: &str) -> PathBuf {
        self.pod_plugin_dir(pod_uid, plugin_name)
    }

    fn new_wrapper_mounter(
        &self,
        _: &str,
        _: &Spec,
        _: &Pod,
        _: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        Err(Error::NotSupported("wrapping".to_owned()))
    }

    fn new_wrapper_unmounter(&self, _: &str, _: &Spec, _: &str) -> Result<Box<dyn Unmounter>> {
        Err(Error::NotSupported("wrapping".to_owned()))
    }

    fn mounter(&self, _: &str) -> Arc<dyn Mount> {
        panic!("nothing is mounted here")
    }

    fn exec(&self, _: &str) -> Arc<dyn Exec> {
        Arc::new(Local)
    }

    fn subpather(&self) -> Arc<dyn Subpath> {
        panic!("nothing is mounted here")
    }

    fn host_name(&self) -> String {
        "node-a".to_owned()
    }

    fn node_name(&self) -> String {
        "node-a".to_owned()
    }

    fn secret(&self, namespace: &str, name: &str) -> Result<Arc<Secret>> {
        Err(Error::NotFound {
            kind: "secret",
            name: format!("{namespace}/{name}"),
        })
    }

    fn config_map(&self, namespace: &str, name: &str) -> Result<Arc<ConfigMap>> {
        Err(Error::NotFound {
            kind: "configMap",
            name: format!("{namespace}/{name}"),
        })
    }

    fn as_kubelet(&self) -> Option<&dyn KubeletVolumeHost> {
        Some(self)
    }
}

/// The number of times that the caches of a [`Nothing`] were started.
pub(crate) static STARTED: AtomicUsize = AtomicUsize::new(0);

impl KubeletVolumeHost for Nothing {
    fn set_kubelet_error(&self, _: Option<&Error>) {}

    fn start_caches(&self) {
        STARTED.fetch_add(1, Ordering::Relaxed);
    }

    fn csi_driver_lister(&self) -> Arc<dyn Lister<CSIDriver>> {
        panic!("there is no cluster here")
    }

    fn csi_drivers_synced(&self) -> bool {
        STARTED.load(Ordering::Relaxed) > 0
    }

    fn wait_for_cache_sync(&self) -> Result<()> {
        Ok(())
    }

    fn host_util(&self) -> Arc<dyn HostUtils> {
        Arc::new(LinuxHostUtils)
    }
}
