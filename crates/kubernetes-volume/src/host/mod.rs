//! A host for plugins outside of a kubelet: a root directory, and functions that return objects.
//!
//! ```no_run
//! use std::sync::Arc;
//! use kubernetes_volume::host::StandaloneHost;
//! use kubernetes_volume::plugins;
//! use kubernetes_volume::{MounterArgs, Spec, VolumeConfig, VolumeOptions};
//! # use k8s_openapi::api::core::v1::{Pod, Volume};
//!
//! # fn example(pod: Pod, volume: Volume) -> kubernetes_volume::Result<()> {
//! let host = StandaloneHost::builder("/var/lib/example")
//!     .node_name("node-1")
//!     .allocatable([("memory", "2Gi")])
//!     .build()?;
//! let manager = host.start(plugins::all(VolumeConfig::default()), None)?;
//!
//! let spec = Spec::from(volume);
//! let plugin = manager.find_plugin_by_spec(&spec)?;
//! let mounter = plugin.new_mounter(&spec, &pod, &VolumeOptions::default())?;
//! mounter.set_up(&MounterArgs::default())?;
//! println!("{} uses {:?} bytes", mounter.path().display(), mounter.metrics()?.used);
//! # Ok(())
//! # }
//! ```

mod builder;
mod layout;
mod on_disk;
mod parts;
mod pem;
mod tokens;
mod trust;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

pub use builder::StandaloneHostBuilder;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_mount::exec::Exec;
use kubernetes_mount::mount::{HostUtils, Mount};
use kubernetes_mount::subpath::Subpath;
use layout::Layout;
pub use on_disk::VolumeOnDisk;
use parts::{Facts, Tools};
use storage_v1::CSIDriver;
use tracing::warn;
pub use trust::TrustBundle;

use crate::interfaces::{
    CredentialBundle, EventRecorder, KubeletVolumeHost, Lister, Mounter, Unmounter, VolumeHost,
    VolumePlugin,
};
use crate::manager::VolumePluginManager;
use crate::plugins::names;
use crate::probe::DynamicPluginProber;
use crate::{Error, Result, Spec, VolumeOptions};

/// A host over a root directory, with the layout of the kubelet's.
///
/// | path under the root | is |
/// |---|---|
/// | `pods/UID/volumes/PLUGIN/NAME` | where a volume is mounted for a Pod |
/// | `pods/UID/plugins/PLUGIN` | what a plugin keeps for a Pod |
/// | `pods/UID/volumeDevices/PLUGIN` | devices of a Pod |
/// | `plugins/PLUGIN` | what a plugin keeps for the node, with the slash of its name |
/// | `plugins/kubernetes.io/csi` | what CSI drivers mount once for the node, see [`csi`](crate::plugins::csi) |
/// | `plugins/kubernetes.io/flexvolume/DRIVER/mounts` | devices that a FlexVolume driver mounts once for the node |
///
/// In the directories of Pods the slash in the name of a plugin is `~`. The path functions of
/// [`VolumeHost`] can't fail: a name that is not that of one directory becomes `~invalid`, so that
/// no path leaves the root. Plugins and [`volume_dir`](Self::volume_dir) refuse such names.
///
/// Only root writes to the root directory; volumes' content may be anybody's.
pub struct StandaloneHost {
    layout: Layout,
    facts: Facts,
    tools: Tools,
    plugins: OnceLock<Weak<VolumePluginManager>>,
}

impl StandaloneHost {
    /// Returns the root directory, without symbolic links.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.layout.root()
    }

    /// Returns where a volume is mounted for a Pod, as
    /// [`pod_volume_dir`](VolumeHost::pod_volume_dir).
    ///
    /// # Errors
    ///
    /// When a name is empty, `.` or `..`, has a slash or is too long, or when that of the plugin
    /// isn't a qualified name.
    pub fn volume_dir(&self, uid: &str, plugin: &str, volume: &str) -> Result<PathBuf> {
        names::check("UID of the Pod", uid)?;
        names::check_plugin(plugin)?;
        names::check("name of a volume", volume)?;
        Ok(self.pod_volume_dir(uid, plugin, volume))
    }

    /// Returns a manager of the plugins and of those that the prober finds. The host also uses it
    /// where a plugin needs another. A host has one manager.
    ///
    /// # Errors
    ///
    /// When a plugin can't be initialized, or the host has a manager already.
    pub fn start(
        self: &Arc<Self>,
        plugins: Vec<Box<dyn VolumePlugin>>,
        prober: Option<Box<dyn DynamicPluginProber>>,
    ) -> Result<Arc<VolumePluginManager>> {
        let manager = VolumePluginManager::new();
        manager.init_plugins(plugins, prober, self.clone())?;
        let manager = Arc::new(manager);
        self.use_manager(&manager)?;
        Ok(manager)
    }

    /// Uses the plugins of a manager that was made elsewhere, and is kept there.
    ///
    /// # Errors
    ///
    /// When the host has a manager already.
    pub fn use_manager(&self, manager: &Arc<VolumePluginManager>) -> Result<()> {
        self.plugins
            .set(Arc::downgrade(manager))
            .map_err(|_| Error::invalid("the host has a manager of plugins already"))
    }

    fn trust_bundles(&self) -> Result<Vec<Arc<TrustBundle>>> {
        match &self.tools.trust_bundles {
            Some(bundles) => bundles(),
            None => Err(Error::NotSupported(
                "reading clustertrustbundles".to_owned(),
            )),
        }
    }

    fn plugin_of(&self, spec: &Spec) -> Result<Arc<dyn VolumePlugin>> {
        let manager = self.plugins.get().and_then(Weak::upgrade).ok_or_else(|| {
            Error::invalid("the host has no manager of plugins; call `start` or `use_manager`")
        })?;
        Ok(manager.find_plugin_by_spec(spec)?)
    }
}

impl VolumeHost for StandaloneHost {
    fn plugin_dir(&self, plugin_name: &str) -> PathBuf {
        self.layout.plugin(plugin_name)
    }

    fn volume_device_plugin_dir(&self, plugin_name: &str) -> PathBuf {
        self.layout.plugin(plugin_name).join("volumeDevices")
    }

    fn pods_dir(&self) -> PathBuf {
        self.layout.pods()
    }

    fn pod_volume_dir(&self, pod_uid: &str, plugin_name: &str, volume_name: &str) -> PathBuf {
        self.layout
            .of_pod(pod_uid, "volumes", plugin_name)
            .join(layout::part(volume_name))
    }

    fn pod_plugin_dir(&self, pod_uid: &str, plugin_name: &str) -> PathBuf {
        self.layout.of_pod(pod_uid, "plugins", plugin_name)
    }

    fn pod_volume_device_dir(&self, pod_uid: &str, plugin_name: &str) -> PathBuf {
        self.layout.of_pod(pod_uid, "volumeDevices", plugin_name)
    }

    fn new_wrapper_mounter(
        &self,
        volume_name: &str,
        spec: &Spec,
        pod: &Pod,
        options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        let spec = named(volume_name, spec)?;
        self.plugin_of(&spec)?.new_mounter(&spec, pod, options)
    }

    fn new_wrapper_unmounter(
        &self,
        volume_name: &str,
        spec: &Spec,
        pod_uid: &str,
    ) -> Result<Box<dyn Unmounter>> {
        let spec = named(volume_name, spec)?;
        self.plugin_of(&spec)?.new_unmounter(volume_name, pod_uid)
    }

    fn mounter(&self, _plugin_name: &str) -> Arc<dyn Mount> {
        self.tools.mounter.clone()
    }

    fn exec(&self, _plugin_name: &str) -> Arc<dyn Exec> {
        self.tools.exec.clone()
    }

    fn subpather(&self) -> Arc<dyn Subpath> {
        self.tools.subpather.clone()
    }

    fn host_name(&self) -> String {
        self.facts.host_name.clone()
    }

    fn node_name(&self) -> String {
        self.facts.node_name.clone()
    }

    fn host_ip(&self) -> Result<IpAddr> {
        let ip = self.facts.host_ip;
        ip.ok_or_else(|| Error::NotSupported("the node's address".to_owned()))
    }

    fn node_allocatable(&self) -> Result<BTreeMap<String, Quantity>> {
        let resources = self.facts.allocatable.clone();
        resources.ok_or_else(|| {
            Error::NotSupported("reading the allocatable resources of the node".to_owned())
        })
    }

    fn node_labels(&self) -> Result<BTreeMap<String, String>> {
        let labels = self.facts.labels.clone();
        labels.ok_or_else(|| Error::NotSupported("the node's labels".to_owned()))
    }

    fn secret(&self, namespace: &str, name: &str) -> Result<Arc<Secret>> {
        (self.tools.secrets)(namespace, name)
    }

    fn config_map(&self, namespace: &str, name: &str) -> Result<Arc<ConfigMap>> {
        (self.tools.config_maps)(namespace, name)
    }

    fn service_account_token(
        &self,
        namespace: &str,
        name: &str,
        request: &TokenRequest,
    ) -> Result<TokenRequest> {
        match &self.tools.tokens {
            Some(tokens) => tokens.get(namespace, name, request),
            None => Err(Error::NotSupported(format!(
                "a token of the service account {namespace}/{name}"
            ))),
        }
    }

    fn delete_service_account_token(&self, pod_uid: &str) {
        if let Some(tokens) = &self.tools.tokens {
            tokens.forget(pod_uid);
        }
    }

    fn event_recorder(&self) -> Option<Arc<dyn EventRecorder>> {
        self.tools.recorder.clone()
    }

    fn as_kubelet(&self) -> Option<&dyn KubeletVolumeHost> {
        Some(self)
    }
}

impl KubeletVolumeHost for StandaloneHost {
    fn set_kubelet_error(&self, error: Option<&Error>) {
        if let Some(error) = error {
            warn!("volume plugins can't work: {error}");
        }
    }

    fn csi_driver_lister(&self) -> Arc<dyn Lister<CSIDriver>> {
        self.tools.csi_drivers.clone()
    }

    fn csi_drivers_synced(&self) -> bool {
        true
    }

    fn wait_for_cache_sync(&self) -> Result<()> {
        Ok(())
    }

    fn host_util(&self) -> Arc<dyn HostUtils> {
        self.tools.host_utils.clone()
    }

    fn trust_anchors_by_name(&self, name: &str, allow_missing: bool) -> Result<Vec<u8>> {
        let bundles = self.trust_bundles()?;
        trust::by_name(&bundles, name, allow_missing, &self.facts.node_name)
    }

    fn trust_anchors_by_signer(
        &self,
        signer_name: &str,
        label_selector: Option<&LabelSelector>,
        allow_missing: bool,
    ) -> Result<Vec<u8>> {
        let (bundles, node) = (self.trust_bundles()?, &self.facts.node_name);
        trust::by_signer(&bundles, signer_name, label_selector, allow_missing, node)
    }

    fn pod_certificate_credential_bundle(
        &self,
        pod: &Pod,
        volume_name: &str,
        source_index: usize,
    ) -> Result<CredentialBundle> {
        let Some(certificates) = &self.tools.pod_certificates else {
            return Err(Error::NotSupported("a certificate of the Pod".to_owned()));
        };
        let mut bundle = certificates(pod, volume_name, source_index)?;
        let chain = String::from_utf8_lossy(&bundle.certificate_chain);
        bundle.certificate_chain = pem::certificates(pem::blocks(&chain));
        Ok(bundle)
    }
}

/// The volume under the name that it has inside of another.
fn named(volume_name: &str, spec: &Spec) -> Result<Spec> {
    names::check("name of a volume", volume_name)?;
    let mut spec = spec.clone();
    if let Some(volume) = &mut spec.volume {
        volume.name = volume_name.to_owned();
    }
    Ok(spec)
}
