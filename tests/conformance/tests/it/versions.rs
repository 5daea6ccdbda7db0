//! All versions in one program, side by side.

use conformance::facts::Facts;
use conformance::kind::Kind;
use k8s_openapi::Resource;
use serde_json::json;

const V1: &str = "storage.k8s.io/v1";

fn has_lifecycle<K: Facts + kubernetes_kinds::Kind>() {
    assert_eq!(
        <K as kubernetes_kinds::Kind>::LIFECYCLE,
        <K as Facts>::LIFECYCLE
    );
}

mod lifecycle {
    conformance::each_kind!(super::has_lifecycle);
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
    let newest = documents
        .clone()
        .map(|document| -> storage_v1::VolumeAttributesClass {
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
    let beta =
        storage_v1beta1::VolumeAttachment::from(storage_v1::VolumeAttachment::from(alpha.clone()));
    assert_eq!(beta, storage_v1beta1::VolumeAttachment::sample());
    let back = storage_v1alpha1::VolumeAttachment::from(storage_v1::VolumeAttachment::from(beta));
    assert_eq!(back, alpha);
}

/// `CSIDriver` is in three group-versions; none reads another's objects.
#[test]
fn one_name_in_two_groups() {
    let sample = serde_json::to_string(&storage_v1alpha1::csi::CSIDriver::sample()).unwrap();
    serde_json::from_str::<storage_v1::CSIDriver>(&sample).unwrap_err();
    serde_json::from_str::<storage_v1beta1::CSIDriver>(&sample).unwrap_err();
    let sample = serde_json::to_string(&storage_v1beta1::CSIDriver::sample()).unwrap();
    serde_json::from_str::<storage_v1::CSIDriver>(&sample).unwrap_err();
    serde_json::from_str::<storage_v1alpha1::csi::CSIDriver>(&sample).unwrap_err();
}
