//! Builds a host.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_mount::exec::{Exec, Local};
use kubernetes_mount::mount::{HostUtils, LinuxHostUtils, LinuxMounter, Mount};
use kubernetes_mount::subpath::{LinuxSubpath, Subpath};
use storage_v1::CSIDriver;

use super::StandaloneHost;
use super::layout::Layout;
use super::parts::{Certificates, Facts, Get, Tools};
use super::tokens::Tokens;
use super::trust::{Bundles, TrustBundle};
use crate::interfaces::{CredentialBundle, EventRecorder, Lister};
use crate::{Error, Result};

impl StandaloneHost {
    /// Returns a builder of a host with that root directory, which is made if it doesn't exist.
    pub fn builder(root: impl Into<PathBuf>) -> StandaloneHostBuilder {
        StandaloneHostBuilder::new(root.into())
    }
}

/// Builds a [`StandaloneHost`]. All settings have defaults.
#[must_use]
pub struct StandaloneHostBuilder {
    root: PathBuf,
    facts: Facts,
    mounter: Option<Arc<dyn Mount>>,
    host_utils: Option<Arc<dyn HostUtils>>,
    exec: Option<Arc<dyn Exec>>,
    subpather: Option<Arc<dyn Subpath>>,
    secrets: Get<Secret>,
    config_maps: Get<ConfigMap>,
    tokens: Option<Tokens>,
    trust_bundles: Option<Bundles>,
    pod_certificates: Option<Certificates>,
    csi_drivers: Arc<dyn Lister<CSIDriver>>,
    recorder: Option<Arc<dyn EventRecorder>>,
}

impl StandaloneHostBuilder {
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            root,
            facts: Facts::default(),
            mounter: None,
            host_utils: None,
            exec: None,
            subpather: None,
            secrets: Arc::new(|namespace, name| Err(absent("secret", namespace, name))),
            config_maps: Arc::new(|namespace, name| Err(absent("configmap", namespace, name))),
            tokens: None,
            trust_bundles: None,
            pod_certificates: None,
            csi_drivers: Arc::new(Drivers::default()),
            recorder: None,
        }
    }

    /// Sets the name of the Node object. Without it, it is the name of the machine.
    pub fn node_name(mut self, name: impl Into<String>) -> Self {
        self.facts.node_name = name.into();
        self
    }

    /// Sets the name of the machine. Without it, the kernel's is asked for.
    pub fn host_name(mut self, name: impl Into<String>) -> Self {
        self.facts.host_name = name.into();
        self
    }

    /// Sets an address of the node.
    pub fn host_ip(mut self, ip: IpAddr) -> Self {
        self.facts.host_ip = Some(ip);
        self
    }

    /// Sets the allocatable resources of the node, as quantities: `("memory", "2Gi")`.
    pub fn allocatable<K: Into<String>, V: Into<String>>(
        mut self,
        resources: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let resources = resources.into_iter();
        let resources = resources.map(|(name, amount)| (name.into(), Quantity(amount.into())));
        self.facts.allocatable = Some(resources.collect());
        self
    }

    /// Sets the labels of the node.
    pub fn labels<K: Into<String>, V: Into<String>>(
        mut self,
        labels: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let labels = labels
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()));
        self.facts.labels = Some(labels.collect());
        self
    }

    /// Sets a function that returns a Secret by its namespace and name, or
    /// [`Error::NotFound`]. Without it there are none.
    pub fn secrets(
        mut self,
        secrets: impl Fn(&str, &str) -> Result<Arc<Secret>> + Send + Sync + 'static,
    ) -> Self {
        self.secrets = Arc::new(secrets);
        self
    }

    /// Sets the Secrets themselves.
    pub fn secret_objects(self, secrets: impl IntoIterator<Item = Secret>) -> Self {
        let secrets = secrets.into_iter();
        let secrets = map(secrets.map(|secret| {
            (
                key(&secret.metadata.namespace, &secret.metadata.name),
                Arc::new(secret),
            )
        }));
        self.secrets(move |namespace, name| find(&secrets, "secret", namespace, name))
    }

    /// Sets a function that returns a ConfigMap by its namespace and name, or
    /// [`Error::NotFound`]. Without it there are none.
    pub fn config_maps(
        mut self,
        maps: impl Fn(&str, &str) -> Result<Arc<ConfigMap>> + Send + Sync + 'static,
    ) -> Self {
        self.config_maps = Arc::new(maps);
        self
    }

    /// Sets the ConfigMaps themselves.
    pub fn config_map_objects(self, maps: impl IntoIterator<Item = ConfigMap>) -> Self {
        let maps = maps.into_iter();
        let maps = map(maps.map(|map| {
            (
                key(&map.metadata.namespace, &map.metadata.name),
                Arc::new(map),
            )
        }));
        self.config_maps(move |namespace, name| find(&maps, "configmap", namespace, name))
    }

    /// Sets a function that answers requests for tokens, by the namespace and the name of the
    /// service account. Without it, tokens are [not supported](Error::NotSupported).
    ///
    /// As a kubelet does, the host asks again when a fifth of a token's lifetime is left, or when
    /// it is 24 hours old; if that fails, it uses the old token until it expires. An answer
    /// without `expirationTimestamp`, or one that has expired, is never used again.
    pub fn tokens(
        mut self,
        tokens: impl Fn(&str, &str, &TokenRequest) -> Result<TokenRequest> + Send + Sync + 'static,
    ) -> Self {
        self.tokens = Some(Tokens::new(Arc::new(tokens)));
        self
    }

    /// Sets a function that returns all ClusterTrustBundles. Without it, they are
    /// [not supported](Error::NotSupported).
    pub fn trust_bundles(
        mut self,
        bundles: impl Fn() -> Result<Vec<Arc<TrustBundle>>> + Send + Sync + 'static,
    ) -> Self {
        self.trust_bundles = Some(Arc::new(bundles));
        self
    }

    /// Sets a function that returns what was issued to a Pod for the source of a volume with this
    /// number, by a PodCertificateRequest. Without it, certificates of Pods are
    /// [not supported](Error::NotSupported).
    ///
    /// The function makes the key and the request, and renews the certificate. As a kubelet does,
    /// the host takes only the certificates from the chain, without what is between them.
    pub fn pod_certificates(
        mut self,
        certificates: impl Fn(&Pod, &str, usize) -> Result<CredentialBundle> + Send + Sync + 'static,
    ) -> Self {
        self.pod_certificates = Some(Arc::new(certificates));
        self
    }

    /// Sets the CSIDrivers of the cluster, such as a cache of kube. Without it there are none.
    pub fn csi_drivers(mut self, drivers: Arc<dyn Lister<CSIDriver>>) -> Self {
        self.csi_drivers = drivers;
        self
    }

    /// Sets the CSIDrivers themselves.
    pub fn csi_driver_objects(self, drivers: impl IntoIterator<Item = CSIDriver>) -> Self {
        let drivers = drivers.into_iter();
        let named = drivers.map(|driver| {
            let name = driver.metadata.name.clone().unwrap_or_default();
            (name, Arc::new(driver))
        });
        self.csi_drivers(Arc::new(Drivers(named.collect())))
    }

    /// Sets the recorder of events. Without it, none are recorded.
    pub fn event_recorder(mut self, recorder: Arc<dyn EventRecorder>) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Sets the mounter. Without it, the kernel mounts, in the mount namespace of the calling
    /// thread.
    pub fn mounter(mut self, mounter: Arc<dyn Mount>) -> Self {
        self.mounter = Some(mounter);
        self
    }

    /// Sets the tools for the files of the node. Without it, they are this program's.
    pub fn host_utils(mut self, utils: Arc<dyn HostUtils>) -> Self {
        self.host_utils = Some(utils);
        self
    }

    /// Sets the runner of commands, such as `mkfs.ext4`. Without it, they are children of this
    /// program.
    pub fn exec(mut self, exec: Arc<dyn Exec>) -> Self {
        self.exec = Some(exec);
        self
    }

    /// Sets the implementation that prepares parts of volumes.
    pub fn subpather(mut self, subpather: Arc<dyn Subpath>) -> Self {
        self.subpather = Some(subpather);
        self
    }

    /// Builds the host, and makes the root directory with mode 0750 if it doesn't exist.
    ///
    /// # Errors
    ///
    /// When the root is a relative path, or can't be made.
    pub fn build(self) -> Result<Arc<StandaloneHost>> {
        let root = self.root;
        if !root.is_absolute() {
            return Err(Error::invalid(format!(
                "the root directory {root:?} is relative; mounts need an absolute path"
            )));
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o750)
            .create(&root)
            .map_err(Error::io("create the directory", &root))?;
        // The table of mounts has paths without links.
        let root = fs::canonicalize(&root).map_err(Error::io("look at", &root))?;
        let mut facts = self.facts;
        if facts.host_name.is_empty() {
            let file = Path::new("/proc/sys/kernel/hostname");
            let name = fs::read_to_string(file).map_err(Error::io("read", file))?;
            facts.host_name = name.trim().to_owned();
        }
        if facts.node_name.is_empty() {
            facts.node_name = facts.host_name.to_lowercase();
        }
        let mounter = self
            .mounter
            .unwrap_or_else(|| Arc::new(LinuxMounter::new()));
        let tools = Tools {
            host_utils: self.host_utils.unwrap_or_else(|| Arc::new(LinuxHostUtils)),
            exec: self.exec.unwrap_or_else(|| Arc::new(Local)),
            subpather: self
                .subpather
                .unwrap_or_else(|| Arc::new(LinuxSubpath::new())),
            mounter,
            secrets: self.secrets,
            config_maps: self.config_maps,
            tokens: self.tokens,
            trust_bundles: self.trust_bundles,
            pod_certificates: self.pod_certificates,
            csi_drivers: self.csi_drivers,
            recorder: self.recorder,
        };
        let layout = Layout::new(root);
        Ok(Arc::new(StandaloneHost {
            layout,
            facts,
            tools,
            plugins: OnceLock::new(),
        }))
    }
}

/// CSIDrivers that don't change.
#[derive(Default)]
struct Drivers(BTreeMap<String, Arc<CSIDriver>>);

impl Lister<CSIDriver> for Drivers {
    fn get(&self, name: &str) -> Option<Arc<CSIDriver>> {
        self.0.get(name).cloned()
    }

    fn list(&self) -> Vec<Arc<CSIDriver>> {
        self.0.values().cloned().collect()
    }
}

type Objects<T> = BTreeMap<(String, String), Arc<T>>;

fn map<T>(objects: impl Iterator<Item = ((String, String), Arc<T>)>) -> Objects<T> {
    objects.collect()
}

fn key(namespace: &Option<String>, name: &Option<String>) -> (String, String) {
    let namespace = namespace.clone().filter(|namespace| !namespace.is_empty());
    (
        namespace.unwrap_or_else(|| "default".to_owned()),
        name.clone().unwrap_or_default(),
    )
}

fn find<T>(
    objects: &Objects<T>,
    kind: &'static str,
    namespace: &str,
    name: &str,
) -> Result<Arc<T>> {
    let found = objects.get(&(namespace.to_owned(), name.to_owned()));
    found.cloned().ok_or_else(|| absent(kind, namespace, name))
}

fn absent(kind: &'static str, namespace: &str, name: &str) -> Error {
    Error::NotFound {
        kind,
        name: format!("{namespace}/{name}"),
    }
}
