//! The topology of StorageClass and CSIStorageCapacity.

use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::topology::{AllowedTopologies, StorageCapacity};

use crate::{CSIStorageCapacity, StorageClass};

impl AllowedTopologies for StorageClass {
    fn allowed_topologies(&self) -> &[TopologySelectorTerm] {
        self.allowed_topologies.as_deref().unwrap_or_default()
    }
}

impl StorageCapacity for CSIStorageCapacity {
    fn class(&self) -> &str {
        &self.storage_class_name
    }

    fn node_topology(&self) -> Option<&LabelSelector> {
        self.node_topology.as_ref()
    }

    fn volume_limit(&self) -> Option<&Quantity> {
        self.maximum_volume_size.as_ref().or(self.capacity.as_ref())
    }
}
