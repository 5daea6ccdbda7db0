//! The program that plugins run in.

use std::any::Any;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference, Pod, Secret};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_mount::exec::Exec;
use kubernetes_mount::mount::{HostUtils, Mount};
use kubernetes_mount::subpath::Subpath;
use storage_v1::CSIDriver;

use super::{Mounter, Unmounter};
use crate::{Error, Result, Spec, VolumeOptions};

/// The program that plugins run in, such as the kubelet.
///
/// Methods with a default return that this host has no such thing.
pub trait VolumeHost: Send + Sync {
    /// Returns the directory for data of a plugin. It may not exist.
    fn plugin_dir(&self, plugin_name: &str) -> PathBuf;

    /// Returns the directory for the devices of a plugin. It may not exist.
    fn volume_device_plugin_dir(&self, plugin_name: &str) -> PathBuf;

    /// Returns the directory with one directory for each Pod.
    fn pods_dir(&self) -> PathBuf;

    /// Returns the directory at which a volume is mounted for a Pod. It may not exist.
    fn pod_volume_dir(&self, pod_uid: &str, plugin_name: &str, volume_name: &str) -> PathBuf;

    /// Returns the directory for what a plugin keeps for a Pod. It may not exist.
    fn pod_plugin_dir(&self, pod_uid: &str, plugin_name: &str) -> PathBuf;

    /// Returns the directory for the devices of a plugin in a Pod. It may not exist.
    fn pod_volume_device_dir(&self, pod_uid: &str, plugin_name: &str) -> PathBuf;

    /// Returns a mounter of another plugin, of whose volume this one is made: a secret is
    /// written to an emptyDir.
    ///
    /// # Errors
    ///
    /// When no plugin is found, or it refuses the volume.
    fn new_wrapper_mounter(
        &self,
        volume_name: &str,
        spec: &Spec,
        pod: &Pod,
        options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>>;

    /// Returns the unmounter that belongs to
    /// [`new_wrapper_mounter`](Self::new_wrapper_mounter).
    ///
    /// # Errors
    ///
    /// When no plugin is found.
    fn new_wrapper_unmounter(
        &self,
        volume_name: &str,
        spec: &Spec,
        pod_uid: &str,
    ) -> Result<Box<dyn Unmounter>>;

    /// Returns the mounter of a plugin.
    fn mounter(&self, plugin_name: &str) -> Arc<dyn Mount>;

    /// Returns the runner of commands of a plugin.
    fn exec(&self, plugin_name: &str) -> Arc<dyn Exec>;

    /// Returns the implementation that prepares parts of volumes.
    fn subpather(&self) -> Arc<dyn Subpath>;

    /// Returns the name of the machine.
    fn host_name(&self) -> String;

    /// Returns the name of the Node object.
    fn node_name(&self) -> String;

    /// Returns an address of the node.
    ///
    /// # Errors
    ///
    /// When it is not known.
    fn host_ip(&self) -> Result<IpAddr> {
        Err(Error::NotSupported("the node's address".to_owned()))
    }

    /// Returns the allocatable resources of the node, such as `memory`.
    ///
    /// # Errors
    ///
    /// When it is not known.
    fn node_allocatable(&self) -> Result<BTreeMap<String, Quantity>> {
        Err(Error::NotSupported(
            "reading the allocatable resources of the node".to_owned(),
        ))
    }

    /// Returns the labels of the Node object.
    ///
    /// # Errors
    ///
    /// When they are not known.
    fn node_labels(&self) -> Result<BTreeMap<String, String>> {
        Err(Error::NotSupported("the node's labels".to_owned()))
    }

    /// Returns a Secret.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if it doesn't exist; otherwise why it can't be read.
    fn secret(&self, namespace: &str, name: &str) -> Result<Arc<Secret>>;

    /// Returns a ConfigMap.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if it doesn't exist; otherwise why it can't be read.
    fn config_map(&self, namespace: &str, name: &str) -> Result<Arc<ConfigMap>>;

    /// Returns a token of a service account.
    ///
    /// # Errors
    ///
    /// When the request is refused.
    fn service_account_token(
        &self,
        namespace: &str,
        name: &str,
        request: &TokenRequest,
    ) -> Result<TokenRequest> {
        let _ = (namespace, name, request);
        Err(Error::NotSupported(
            "a token of a service account".to_owned(),
        ))
    }

    /// Forgets the tokens of a Pod.
    fn delete_service_account_token(&self, pod_uid: &str) {
        let _ = pod_uid;
    }

    /// Returns the recorder of events, or nothing if nobody reads them.
    fn event_recorder(&self) -> Option<Arc<dyn EventRecorder>> {
        None
    }

    /// Returns the client of the API server.
    #[cfg(feature = "kube")]
    fn kube_client(&self) -> Option<kube::Client> {
        None
    }

    /// Returns the cloud's client, to be downcast. Kubernetes itself has none since 1.31.
    fn cloud_provider(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// Returns the host if it is a kubelet.
    fn as_kubelet(&self) -> Option<&dyn KubeletVolumeHost> {
        None
    }
}

/// A host that is a kubelet.
pub trait KubeletVolumeHost: VolumeHost {
    /// Reports that plugins can't work: the Node becomes not ready, with this message. `None` takes
    /// it back.
    fn set_kubelet_error(&self, error: Option<&Error>);

    /// Starts the caches behind the listers, such as kube's reflectors. A host that does so when it
    /// is made leaves this as it is. It must not block.
    fn start_caches(&self) {}

    /// Returns the CSIDrivers of the cluster.
    fn csi_driver_lister(&self) -> Arc<dyn Lister<CSIDriver>>;

    /// Returns true if the CSIDrivers were read once.
    fn csi_drivers_synced(&self) -> bool;

    /// Waits until the CSIDrivers were read once.
    ///
    /// # Errors
    ///
    /// When that takes too long.
    fn wait_for_cache_sync(&self) -> Result<()>;

    /// Returns the tools for the files of the node.
    fn host_util(&self) -> Arc<dyn HostUtils>;

    /// Returns the certificates of a ClusterTrustBundle in PEM, each once, and nothing between
    /// them.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if it doesn't exist, unless it may be missing: then there are none.
    fn trust_anchors_by_name(&self, name: &str, allow_missing: bool) -> Result<Vec<u8>> {
        let _ = allow_missing;
        Err(Error::NotSupported(format!(
            "reading the clustertrustbundle {name:?}"
        )))
    }

    /// Returns the same of all ClusterTrustBundles of a signer that have some labels. No selector
    /// matches none of them, an empty one matches all.
    ///
    /// # Errors
    ///
    /// When the selector is invalid, or matches none and that isn't allowed.
    fn trust_anchors_by_signer(
        &self,
        signer_name: &str,
        label_selector: Option<&LabelSelector>,
        allow_missing: bool,
    ) -> Result<Vec<u8>> {
        let _ = (label_selector, allow_missing);
        Err(Error::NotSupported(format!(
            "reading clustertrustbundles of the signer {signer_name:?}"
        )))
    }

    /// Returns the key and the certificate that were issued to the Pod for one of the sources of a
    /// projected volume, counted from 0. It doesn't wait for a certificate: the volume is set up
    /// again later.
    ///
    /// # Errors
    ///
    /// When there is no certificate yet, or the signer has refused it.
    fn pod_certificate_credential_bundle(
        &self,
        pod: &Pod,
        volume_name: &str,
        source_index: usize,
    ) -> Result<CredentialBundle> {
        let _ = (pod, source_index);
        Err(Error::NotSupported(format!(
            "requesting a certificate for the volume {volume_name:?} of a Pod"
        )))
    }
}

/// A private key and the certificate that a signer has issued for it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CredentialBundle {
    /// The key in PEM, as PKCS #8.
    pub private_key: Vec<u8>,
    /// The certificate in PEM, followed by those of its issuers.
    pub certificate_chain: Vec<u8>,
}

/// Shows no key.
impl std::fmt::Debug for CredentialBundle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CredentialBundle").finish_non_exhaustive()
    }
}

/// A cache of objects without a namespace.
pub trait Lister<K>: Send + Sync {
    /// Returns the object of that name.
    fn get(&self, name: &str) -> Option<Arc<K>>;

    /// Returns all objects.
    fn list(&self) -> Vec<Arc<K>>;
}

/// The severity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// Information.
    Normal,
    /// A problem.
    Warning,
}

/// An event of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The object.
    pub object: ObjectReference,
    /// The severity.
    pub event_type: EventType,
    /// The reason, as one word in capitals, such as `VolumePermissionChangeInProgress`.
    pub reason: String,
    /// A description for people.
    pub message: String,
}

/// Records events. A host implements it for its API server, such as with kube's `Recorder`.
pub trait EventRecorder: Send + Sync {
    /// Records an event. It must not block for long, and never fails: events may be lost.
    fn record(&self, event: Event);
}

#[cfg(feature = "kube")]
impl<K> Lister<K> for kube::runtime::reflector::Store<K>
where
    K: kube::Resource<DynamicType = ()> + Clone + Send + Sync + 'static,
{
    fn get(&self, name: &str) -> Option<Arc<K>> {
        Self::get(self, &kube::runtime::reflector::ObjectRef::new(name))
    }

    fn list(&self) -> Vec<Arc<K>> {
        self.state()
    }
}
