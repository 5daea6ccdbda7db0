//! The topology of StorageClass and CSIStorageCapacity, as in [`storage_v1::topology`].

storage_v1::implement_allowed_topologies!(crate::StorageClass);
storage_v1::implement_storage_capacity!(crate::CSIStorageCapacity);
