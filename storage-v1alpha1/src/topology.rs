//! The topology of CSIStorageCapacity, as in [`storage_v1::topology`].

storage_v1::implement_storage_capacity!(crate::CSIStorageCapacity);
