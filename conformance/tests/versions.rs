//! All versions in one program, side by side.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use conformance::kind::Kind;
use k8s_openapi::Resource;
use kubernetes_kinds::{Lifecycle, Release, Replacement};
use serde_json::json;

/// What the facts say: introduced, deprecated, removed (minor releases of 1.x), replacement.
type Row = (u16, Option<u16>, Option<u16>, Option<(&'static str, &'static str)>);

fn expected(row: Row) -> Lifecycle {
    let (introduced, deprecated, removed, replacement) = row;
    Lifecycle {
        introduced: Release::new(1, introduced),
        deprecated: deprecated.map(|minor| Release::new(1, minor)),
        removed: removed.map(|minor| Release::new(1, minor)),
        replacement: replacement
            .map(|(api_version, kind)| Replacement { api_version, kind }),
    }
}

macro_rules! lifecycles {
    ($($test:ident: $kind:ty => $row:expr;)*) => {$(
        #[test]
        fn $test() {
            let lifecycle = <$kind as kubernetes_kinds::Kind>::LIFECYCLE.unwrap();
            assert_eq!(lifecycle, expected($row));
        }
    )*};
}

const V1: &str = "storage.k8s.io/v1";

mod lifecycle {
    use super::*;

    const fn served(introduced: u16) -> Row {
        (introduced, None, None, None)
    }

    const fn gone(
        introduced: u16,
        deprecated: u16,
        removed: u16,
        by: &'static str,
    ) -> Row {
        (introduced, Some(deprecated), Some(removed), Some((V1, by)))
    }

    lifecycles! {
        v1_csi_driver: storage_v1::CSIDriver => served(18);
        v1_csi_node: storage_v1::CSINode => served(17);
        v1_csi_storage_capacity: storage_v1::CSIStorageCapacity => served(24);
        v1_storage_class: storage_v1::StorageClass => served(6);
        v1_volume_attachment: storage_v1::VolumeAttachment => served(13);
        v1_volume_attributes_class: storage_v1::VolumeAttributesClass => served(34);
        v1beta1_csi_driver: storage_v1beta1::CSIDriver => gone(14, 19, 22, "CSIDriver");
        v1beta1_csi_node: storage_v1beta1::CSINode => gone(14, 17, 22, "CSINode");
        v1beta1_csi_storage_capacity: storage_v1beta1::CSIStorageCapacity =>
            gone(21, 24, 27, "CSIStorageCapacity");
        v1beta1_storage_class: storage_v1beta1::StorageClass =>
            gone(4, 19, 22, "StorageClass");
        v1beta1_volume_attachment: storage_v1beta1::VolumeAttachment =>
            gone(10, 19, 22, "VolumeAttachment");
        v1beta1_volume_attributes_class: storage_v1beta1::VolumeAttributesClass =>
            gone(31, 34, 37, "VolumeAttributesClass");
        v1alpha1_csi_storage_capacity: storage_v1alpha1::CSIStorageCapacity =>
            gone(19, 21, 24, "CSIStorageCapacity");
        v1alpha1_volume_attachment: storage_v1alpha1::VolumeAttachment =>
            gone(9, 21, 24, "VolumeAttachment");
        v1alpha1_volume_attributes_class: storage_v1alpha1::VolumeAttributesClass =>
            gone(29, 32, 35, "VolumeAttributesClass");
        csi_v1alpha1_csi_driver: storage_v1alpha1::csi::CSIDriver =>
            (12, None, Some(14), Some((V1, "CSIDriver")));
        csi_v1alpha1_csi_node_info: storage_v1alpha1::csi::CSINodeInfo =>
            (12, None, Some(14), Some((V1, "CSINode")));
    }
}

/// One manifest for each version of one kind, read by what its `apiVersion` says, and all in
/// the newest version at the end.
#[test]
fn three_versions_of_one_kind() {
    let documents = ["v1", "v1beta1", "v1alpha1"].map(|version| {
        json!({
            "apiVersion": format!("storage.k8s.io/{version}"),
            "kind": "VolumeAttributesClass",
            "metadata": {"name": version},
            "driverName": "csi.example.com",
            "parameters": {"iops": "5000"},
        })
    });
    let newest =
        documents.clone().map(|document| -> storage_v1::VolumeAttributesClass {
            match document["apiVersion"].as_str().unwrap() {
                storage_v1::VolumeAttributesClass::API_VERSION => {
                    serde_json::from_value(document).unwrap()
                }
                storage_v1beta1::VolumeAttributesClass::API_VERSION => {
                    let old: storage_v1beta1::VolumeAttributesClass =
                        serde_json::from_value(document).unwrap();
                    old.into()
                }
                storage_v1alpha1::VolumeAttributesClass::API_VERSION => {
                    let old: storage_v1alpha1::VolumeAttributesClass =
                        serde_json::from_value(document).unwrap();
                    old.into()
                }
                other => panic!("{other}"),
            }
        });
    for (newest, mut document) in newest.into_iter().zip(documents) {
        document["apiVersion"] = V1.into();
        assert_eq!(serde_json::to_value(&newest).unwrap(), document);
    }
}

/// Two of the older versions meet in the newest.
#[test]
fn from_one_older_version_to_another() {
    let alpha = storage_v1alpha1::VolumeAttachment::sample();
    let beta = storage_v1beta1::VolumeAttachment::from(
        storage_v1::VolumeAttachment::from(alpha.clone()),
    );
    assert_eq!(beta, storage_v1beta1::VolumeAttachment::sample());
    let back = storage_v1alpha1::VolumeAttachment::from(
        storage_v1::VolumeAttachment::from(beta),
    );
    assert_eq!(back, alpha);
}

/// `CSIDriver` is in three group-versions; none reads another's objects.
#[test]
fn one_name_in_two_groups() {
    let sample =
        serde_json::to_string(&storage_v1alpha1::csi::CSIDriver::sample()).unwrap();
    serde_json::from_str::<storage_v1::CSIDriver>(&sample).unwrap_err();
    serde_json::from_str::<storage_v1beta1::CSIDriver>(&sample).unwrap_err();
    let sample = serde_json::to_string(&storage_v1beta1::CSIDriver::sample()).unwrap();
    serde_json::from_str::<storage_v1::CSIDriver>(&sample).unwrap_err();
    serde_json::from_str::<storage_v1alpha1::csi::CSIDriver>(&sample).unwrap_err();
}
