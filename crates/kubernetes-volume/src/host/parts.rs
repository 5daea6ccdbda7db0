//! The parts of a host that are set when it is built.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_mount::exec::Exec;
use kubernetes_mount::mount::{HostUtils, Mount};
use kubernetes_mount::subpath::Subpath;
use storage_v1::CSIDriver;

use super::tokens::Tokens;
use super::trust::Bundles;
use crate::Result;
use crate::interfaces::{CredentialBundle, EventRecorder, Lister};

/// Returns the object with a namespace and a name.
pub(super) type Get<T> = Arc<dyn Fn(&str, &str) -> Result<Arc<T>> + Send + Sync>;

/// Returns what was issued to a Pod for a source of one of its volumes.
pub(super) type Certificates =
    Arc<dyn Fn(&Pod, &str, usize) -> Result<CredentialBundle> + Send + Sync>;

/// The facts about the node.
#[derive(Clone, Default)]
pub(super) struct Facts {
    pub(super) host_name: String,
    pub(super) node_name: String,
    pub(super) host_ip: Option<IpAddr>,
    pub(super) allocatable: Option<BTreeMap<String, Quantity>>,
    pub(super) labels: Option<BTreeMap<String, String>>,
}

/// The tools of the host.
pub(super) struct Tools {
    pub(super) mounter: Arc<dyn Mount>,
    pub(super) host_utils: Arc<dyn HostUtils>,
    pub(super) exec: Arc<dyn Exec>,
    pub(super) subpather: Arc<dyn Subpath>,
    pub(super) secrets: Get<Secret>,
    pub(super) config_maps: Get<ConfigMap>,
    pub(super) tokens: Option<Tokens>,
    pub(super) trust_bundles: Option<Bundles>,
    pub(super) pod_certificates: Option<Certificates>,
    pub(super) csi_drivers: Arc<dyn Lister<CSIDriver>>,
    pub(super) recorder: Option<Arc<dyn EventRecorder>>,
}
