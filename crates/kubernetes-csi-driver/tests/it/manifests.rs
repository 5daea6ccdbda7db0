//! The objects that follow from a declaration.

use kubernetes_csi_driver::storage_v1::{
    CSIDriver, CSIDriverSpec, StorageClass, VolumeBindingMode,
};
use kubernetes_csi_driver::{Driver, Growth};

use crate::support::Fake;

const NAME: &str = "fake.csi.example.com";

#[test]
fn a_driver_without_parts() {
    let services = Driver::new(NAME, "1").build().unwrap();
    let spec = CSIDriverSpec::new().with_attach_required(false);
    assert_eq!(services.csi_driver(), CSIDriver::new(NAME, spec));
    let class =
        StorageClass::new("fast", NAME).with_volume_binding_mode(VolumeBindingMode::Immediate);
    assert_eq!(services.storage_class("fast"), class);
}

/// The capacity isn't among it: without csi-provisioner's flag, no Pod could be scheduled.
#[test]
fn a_driver_with_parts() {
    let fake = Fake::new();
    let driver = Driver::new(NAME, "1")
        .topology()
        .growth(Growth::Offline)
        .controller(fake.clone())
        .attachments(fake.clone())
        .capacity(fake.clone())
        .expansion(fake);
    let services = driver.build().unwrap();
    let spec = CSIDriverSpec::new().with_attach_required(true);
    // Each part of a driver says the same.
    for services in [services.node_part(), services.controller_part()] {
        assert_eq!(services.csi_driver(), CSIDriver::new(NAME, spec.clone()));
        let class = StorageClass::new("fast", NAME)
            .with_allow_volume_expansion(true)
            .with_volume_binding_mode(VolumeBindingMode::WaitForFirstConsumer);
        assert_eq!(services.storage_class("fast"), class);
    }
}
