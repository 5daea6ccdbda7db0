//! The topology of CSIStorageCapacity.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::topology::StorageCapacity;

use crate::CSIStorageCapacity;

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
