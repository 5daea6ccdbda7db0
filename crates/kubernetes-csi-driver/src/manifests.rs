//! The objects of a cluster that follow from what a driver declares.

use storage_v1::{CSIDriver, CSIDriverSpec, StorageClass, VolumeBindingMode};

use crate::Services;

impl Services {
    /// Returns the CSIDriver, with the name of the driver.
    ///
    /// `attachRequired` is true if the driver has [`attachments`](crate::Driver::attachments); a
    /// CSIDriver without the field has true. Set what doesn't follow from parts of the driver:
    ///
    /// | a driver that | sets |
    /// |---|---|
    /// | has inline volumes | `volumeLifecycleModes` and `podInfoOnMount`, without which [`is_inline`](crate::node::NodePublish::is_inline) is false for all |
    /// | has volumes of several nodes, or without a type of file system, that get the group of a Pod | `fsGroupPolicy: File` |
    /// | runs beside csi-provisioner with `--enable-capacity` | `storageCapacity`; without that flag, Pods would wait forever |
    /// | uses tokens of Pods | `tokenRequests`, `requiresRepublish` |
    /// | has volumes with a label of SELinux each | `seLinuxMount` |
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use kubernetes_csi_driver::{Driver, Result, async_trait, node::*};
    /// use kubernetes_csi_driver::storage_v1::VolumeLifecycleMode::{Ephemeral, Persistent};
    /// # struct Disks;
    /// # #[async_trait]
    /// # impl Node for Disks {
    /// #     async fn info(&self) -> Result<NodeInfo> { Ok(NodeInfo::default()) }
    /// #     async fn publish(&self, _: NodePublish) -> Result<()> { Ok(()) }
    /// #     async fn unpublish(&self, _: NodeUnpublish) -> Result<()> { Ok(()) }
    /// # }
    ///
    /// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    /// let driver = Driver::new("disk.csi.example.com", "1.0.0").node(Arc::new(Disks));
    /// let mut object = driver.build()?.csi_driver();
    /// object.spec.volume_lifecycle_modes = Some(vec![Persistent, Ephemeral]);
    /// object.spec.pod_info_on_mount = Some(true);
    /// // `serde_json::to_string_pretty(&object)` is what `kubectl apply` reads.
    /// # assert_eq!(object.spec.attach_required, Some(false));
    /// # Ok(())
    /// # }
    /// ```
    pub fn csi_driver(&self) -> CSIDriver {
        let has_attachments = self.driver.attachments.is_some();
        let spec = CSIDriverSpec::new().with_attach_required(has_attachments);
        CSIDriver::new(self.name(), spec)
    }

    /// Returns a StorageClass of the driver.
    ///
    /// Volumes can grow if the driver declares [`growth`](crate::Driver::growth). With
    /// [`topology`](crate::Driver::topology), a volume is created when the scheduler has chosen a
    /// node for its first Pod, and otherwise at once.
    pub fn storage_class(&self, name: impl Into<String>) -> StorageClass {
        let mode = match self.driver.has_topology {
            true => VolumeBindingMode::WaitForFirstConsumer,
            false => VolumeBindingMode::Immediate,
        };
        let class = StorageClass::new(name, self.name()).with_volume_binding_mode(mode);
        match self.driver.growth {
            Some(_) => class.with_allow_volume_expansion(true),
            None => class,
        }
    }
}
