//! The request for a volume.

use std::collections::BTreeMap;

use core_v1::{
    ObjectReference, PersistentVolume, PersistentVolumeClaim, PersistentVolumeMode,
    PersistentVolumeReclaimPolicy, PersistentVolumeSpec,
};
use k8s_openapi::api::core::v1::{Node, TopologySelectorTerm};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{Metadata as _, Resource as _};

use crate::volume::{Claim, ClaimFields as _, ClassFields as _, Volume};
use crate::{names, rules};

/// A request for a volume of the type `V`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProvisionRequest<V: Volume = PersistentVolume> {
    /// The name of the volume: `pvc-` and the UID of the claim, or what
    /// [`volume_name`](crate::Provisioner::volume_name) returns. It is the same in each attempt, so
    /// storage should be found by it.
    pub volume_name: String,
    /// The claim.
    pub claim: V::Claim,
    /// The class of the claim.
    pub class: V::Class,
    /// The name of the node that the scheduler selected.
    pub selected_node_name: Option<String>,
    /// The object of that node, unless [nodes are not read](crate::Builder::read_selected_node).
    pub selected_node: Option<Node>,
}

impl ProvisionRequest {
    /// Returns the request that the controller makes for a claim of a class, for tests of a
    /// provisioner. The claim needs a UID.
    #[must_use]
    pub fn new<C: Claim>(claim: C, class: C::Class) -> ProvisionRequest<C::Volume> {
        let uid = claim.metadata().uid.as_deref().unwrap_or_default();
        ProvisionRequest {
            volume_name: rules::volume_name(names::VOLUME_NAME_PREFIX, uid),
            selected_node_name: rules::selected_node(&claim).map(str::to_owned),
            claim,
            class,
            selected_node: None,
        }
    }
}

impl<V: Volume> ProvisionRequest<V> {
    /// Sets the selected node and its name.
    #[must_use]
    pub fn with_selected_node(mut self, node: Node) -> Self {
        self.selected_node_name = node.metadata.name.clone();
        self.selected_node = Some(node);
        self
    }

    /// Returns the reclaim policy of the class, or the default `Delete`.
    #[must_use]
    pub fn reclaim_policy(&self) -> PersistentVolumeReclaimPolicy {
        rules::reclaim_policy(&self.class)
    }

    /// Returns the mount options of the class. Nothing has checked them.
    #[must_use]
    pub fn mount_options(&self) -> &[String] {
        let options = self.class.mount_options();
        options.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the parameters of the class.
    #[must_use]
    pub fn parameters(&self) -> &BTreeMap<String, String> {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        self.class.parameters().unwrap_or(&NONE)
    }

    /// Returns the topologies of the class that a volume may be in; empty for any.
    #[must_use]
    pub fn allowed_topologies(&self) -> &[TopologySelectorTerm] {
        let terms = self.class.allowed_topologies();
        terms.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the amount of storage that the claim requests.
    #[must_use]
    pub fn requested_storage(&self) -> Option<&Quantity> {
        rules::requested_storage(&self.claim)
    }

    /// Returns true if the claim asks for a raw block device.
    #[must_use]
    pub fn wants_block(&self) -> bool {
        rules::wants_block(&self.claim)
    }

    /// Returns the name of the VolumeAttributesClass that the claim asks for.
    ///
    /// A claim is only bound to a volume that names the same one; the controller sets it where a
    /// provisioner leaves it out.
    #[must_use]
    pub fn volume_attributes_class_name(&self) -> Option<&str> {
        rules::attributes_class(&self.claim)
    }

    /// Returns the volume that fits the request, all but its source: name, claim, capacity, access
    /// modes, volume mode, reclaim policy, mount options and VolumeAttributesClass.
    ///
    /// ```
    /// use core_v1::{HostPathVolumeSource, PersistentVolumeClaim};
    /// use kubernetes_provisioner::ProvisionRequest;
    /// use storage_v1::StorageClass;
    ///
    /// let mut claim = PersistentVolumeClaim::new("data");
    /// claim.metadata.uid = Some("1234".to_owned());
    /// let class = StorageClass::new("local", "example.com/host-path");
    /// let request = ProvisionRequest::new(claim, class);
    ///
    /// let mut volume = request.volume();
    /// let source = HostPathVolumeSource::new(format!("/data/{}", request.volume_name));
    /// volume.spec.get_or_insert_default().host_path = Some(source.into());
    /// assert_eq!(volume.metadata.name.as_deref(), Some("pvc-1234"));
    /// ```
    #[must_use]
    pub fn volume(&self) -> V {
        let mut spec = PersistentVolumeSpec::new()
            .with_persistent_volume_reclaim_policy(self.reclaim_policy())
            .with_volume_mode(if self.wants_block() {
                PersistentVolumeMode::Block
            } else {
                PersistentVolumeMode::Filesystem
            });
        spec.claim_ref = Some(Box::new(claim_reference(self.claim.metadata())));
        spec.access_modes = self.claim.access_modes();
        spec.mount_options = self.class.mount_options().cloned();
        spec.volume_attributes_class_name = self.volume_attributes_class_name().map(str::to_owned);
        spec.capacity = self
            .requested_storage()
            .map(|size| BTreeMap::from([("storage".to_owned(), size.clone())]));
        V::from_ours(PersistentVolume::new(&self.volume_name).with_spec(spec))
    }
}

/// Returns the reference of a volume to its claim. The control plane compares the UID; the resource
/// version is that of the claim for which the volume was made.
pub(crate) fn claim_reference(claim: &ObjectMeta) -> ObjectReference {
    let mut reference = ObjectReference::new()
        .with_api_version(PersistentVolumeClaim::API_VERSION)
        .with_kind(PersistentVolumeClaim::KIND);
    reference.namespace = claim.namespace.clone();
    reference.name = claim.name.clone();
    reference.uid = claim.uid.clone();
    reference.resource_version = claim.resource_version.clone();
    reference
}
