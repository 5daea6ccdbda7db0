//! The kinds that a server knows.

use std::any::TypeId;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{
    Event as CoreEvent, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, Secret,
};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::api::storage::v1::{CSINode, StorageClass, VolumeAttachment};
use k8s_openapi::{ListableResource, NamespaceResourceScope};

/// The kinds whose objects can't be updated without their `resourceVersion`, besides custom
/// resources.
const CONDITIONAL: [&str; 5] = [
    "csidrivers",
    "csinodes",
    "csistoragecapacities",
    "leases",
    "volumeattachments",
];

/// The kinds of which a DELETE answers with a `Status`, and not with the deleted object.
const NOT_RETURNED: [&str; 5] = ["events", "leases", "namespaces", "nodes", "secrets"];

/// The kinds whose status may be set when they are created: a kubelet registers its node so.
const CREATED_WITH_STATUS: [&str; 1] = ["nodes"];

/// A kind, as the server has to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceType {
    /// Group and version, such as `storage.k8s.io/v1`.
    pub api_version: &'static str,
    /// The name in paths, such as `csidrivers`.
    pub plural: &'static str,
    /// The kind of an object.
    pub kind: &'static str,
    /// The kind of a list.
    pub list_kind: &'static str,
    /// True if objects are in namespaces.
    pub namespaced: bool,
    /// True if the status is a subresource.
    pub status: bool,
    /// True for a custom resource: its objects have a `generation`, and updates need a
    /// `resourceVersion`.
    pub custom: bool,
}

impl ResourceType {
    /// Returns the constants of a type of Kubernetes. `status` is true if the status is a
    /// subresource, which the type has no constant for.
    #[must_use]
    pub fn of<K>(status: bool) -> Self
    where
        K: ListableResource,
        K::Scope: 'static,
    {
        Self {
            api_version: K::API_VERSION,
            plural: K::URL_PATH_SEGMENT,
            kind: K::KIND,
            list_kind: K::LIST_KIND,
            namespaced: TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>(),
            status,
            custom: false,
        }
    }

    /// Returns the kinds of [`Server::start`](crate::Server::start): volumes, claims, classes,
    /// nodes, attachments, Pods, Secrets, namespaces, leases, and the events of both groups.
    #[must_use]
    pub fn built_in() -> Vec<Self> {
        vec![
            Self::of::<PersistentVolume>(true),
            Self::of::<PersistentVolumeClaim>(true),
            Self::of::<StorageClass>(false),
            Self::of::<CSINode>(true),
            Self::of::<VolumeAttachment>(true),
            Self::of::<Node>(true),
            Self::of::<Namespace>(true),
            Self::of::<Pod>(true),
            Self::of::<Secret>(false),
            Self::of::<Lease>(false),
            Self::of::<CoreEvent>(false),
            Self::of::<Event>(false),
        ]
    }

    /// The API group; that of the core kinds is empty.
    pub(crate) fn group(&self) -> &'static str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    /// The name of the resource in messages, such as `leases.coordination.k8s.io`.
    pub(crate) fn qualified(&self) -> String {
        match self.group() {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// The kind in messages, such as `Lease.coordination.k8s.io`.
    pub(crate) fn qualified_kind(&self) -> String {
        match self.group() {
            "" => self.kind.to_owned(),
            group => format!("{}.{group}", self.kind),
        }
    }

    /// Returns true if an update without `resourceVersion` is refused.
    pub(crate) fn needs_version(&self) -> bool {
        self.custom || CONDITIONAL.contains(&self.plural)
    }

    /// Returns true if a status in a create is ignored.
    pub(crate) fn drops_status(&self) -> bool {
        self.status && !CREATED_WITH_STATUS.contains(&self.plural)
    }

    /// Returns true if a DELETE answers with the deleted object.
    pub(crate) fn returns_deleted(&self) -> bool {
        !NOT_RETURNED.contains(&self.plural)
    }
}
