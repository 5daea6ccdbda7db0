//! Fields that a server sets, drops and leaves, for each kind and version.

use conformance::rules::{Probe, Ruled};
use kubernetes_kinds::Release;
use kubernetes_validation::Target;
use serde_json::{Value, json};

mod storage_class {
    use super::*;

    conformance::each_version! {
        [defaults, given_values_stay]
        v1: storage_v1::StorageClass;
        v1beta1: storage_v1beta1::StorageClass;
    }

    fn probe<K: Ruled>() -> Probe<K> {
        Probe::of(json!({"metadata": {"name": "c"}, "provisioner": "p"}))
    }

    fn defaults<K: Ruled>() {
        let mut expected = json!({
            "metadata": {"name": "c"}, "provisioner": "p", "reclaimPolicy": "Delete",
            "volumeBindingMode": "Immediate",
        });
        expected["apiVersion"] = json!(K::API_VERSION);
        expected["kind"] = json!("StorageClass");
        assert_eq!(probe::<K>().stored(json!({})), expected);
    }

    fn given_values_stay<K: Ruled>() {
        let given = json!({"reclaimPolicy": "", "volumeBindingMode": "Later"});
        let stored = probe::<K>().stored(given);
        assert_eq!(stored["reclaimPolicy"], "");
        assert_eq!(stored["volumeBindingMode"], "Later");
    }
}

mod csi_driver {
    use super::*;

    conformance::each_version! {
        [defaults, given_values_stay, by_release_and_gate, dropped_fields]
        v1: storage_v1::CSIDriver;
        v1beta1: storage_v1beta1::CSIDriver;
    }

    fn probe<K: Ruled>(minor: u16) -> Probe<K> {
        Probe::of(json!({"metadata": {"name": "d"}, "spec": {}})).in_1(minor)
    }

    fn defaults<K: Ruled>() {
        let mut expected = json!({
            "attachRequired": true, "podInfoOnMount": false, "storageCapacity": false,
            "requiresRepublish": false, "fsGroupPolicy": "ReadWriteOnceWithFSType",
            "volumeLifecycleModes": ["Persistent"],
        });
        assert_eq!(probe::<K>(27).stored(json!({}))["spec"], expected);
        expected["seLinuxMount"] = json!(false);
        assert_eq!(probe::<K>(36).stored(json!({}))["spec"], expected);
        expected["preventPodSchedulingIfMissing"] = json!(false);
        assert_eq!(probe::<K>(37).stored(json!({}))["spec"], expected);
        let empty = json!({"spec": {"volumeLifecycleModes": []}});
        assert_eq!(probe::<K>(37).stored(empty)["spec"], expected);
    }

    fn given_values_stay<K: Ruled>() {
        let spec = json!({
            "attachRequired": false, "podInfoOnMount": true, "storageCapacity": true,
            "requiresRepublish": true, "fsGroupPolicy": "", "seLinuxMount": true,
            "volumeLifecycleModes": ["Ephemeral"], "preventPodSchedulingIfMissing": true,
        });
        assert_eq!(probe::<K>(37).stored(json!({ "spec": spec }))["spec"], spec);
    }

    fn by_release_and_gate<K: Ruled>() {
        let fields = [
            ("SELinuxMountReadWriteOncePod", "seLinuxMount", 25, 28, 36),
            (
                "VolumeLimitScaling",
                "preventPodSchedulingIfMissing",
                36,
                37,
                99,
            ),
        ];
        for (gate, field, alpha, on, locked) in fields {
            let sets = |minor: u16, given: Option<bool>| {
                let mut target = Target::new(Release::new(1, minor));
                if let Some(given) = given {
                    target = target.with_gate(gate, given);
                }
                let stored = probe::<K>(minor).by(target).stored(json!({}));
                stored["spec"].get(field).is_some()
            };
            assert!(!sets(alpha - 1, Some(true)), "{field} is unknown");
            assert!(
                sets(alpha, Some(true)) && !sets(on - 1, None),
                "{field} is off"
            );
            assert!(sets(on, None) && !sets(on, Some(false)), "{field} is on");
            assert!(
                sets(locked, Some(false)) || locked == 99,
                "{field} stays on"
            );
        }
    }

    fn dropped_fields<K: Ruled>() {
        let fields = [
            ("seLinuxMount", json!(true), 28),
            ("nodeAllocatableUpdatePeriodSeconds", json!(10), 35),
            ("serviceAccountTokenInSecrets", json!(true), 35),
            ("preventPodSchedulingIfMissing", json!(true), 37),
        ];
        for (field, value, on) in fields {
            let patch = json!({"spec": {field: value}});
            let stored = |minor| probe::<K>(minor).stored(patch.clone());
            assert_eq!(stored(on - 1)["spec"].get(field), None, "{field}");
            assert_eq!(stored(on)["spec"].get(field), Some(&value), "{field}");
            // An object that is stored with the field keeps it.
            let target = Target::new(Release::new(1, on - 1));
            let old = probe::<K>(on).object(patch.clone());
            let mut new = old.clone();
            new.drop_disabled(Some(&old), &target);
            assert_eq!(new, old);
        }
    }
}

mod volume_attachment {
    use super::*;

    conformance::each_version! {
        [volume_sources, nothing_else]
        v1: storage_v1::VolumeAttachment;
        v1beta1: storage_v1beta1::VolumeAttachment;
        v1alpha1: storage_v1alpha1::VolumeAttachment;
    }

    fn stored<K: Ruled>(volume: Value) -> Value {
        let source = json!({ "inlineVolumeSpec": volume });
        let spec = json!({"attacher": "a", "nodeName": "n", "source": source});
        let probe = Probe::<K>::of(json!({"metadata": {"name": "a"}, "spec": spec}));
        probe.stored(json!({}))["spec"]["source"]["inlineVolumeSpec"].clone()
    }

    /// Each source with what is set where all is absent, and what is where all is empty.
    fn volume_sources<K: Ruled>() {
        let rbd = json!({"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"});
        let iscsi = json!({"iscsiInterface": "default"});
        let azure = json!({
            "cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": false, "kind": "Shared"
        });
        let scale = json!({"fsType": "xfs", "storageMode": "ThinProvisioned"});
        let sources = [
            ("rbd", rbd, true),
            ("iscsi", iscsi, true),
            ("azureDisk", azure, false),
            ("scaleIO", scale, true),
            ("hostPath", json!({"type": ""}), false),
        ];
        for (source, defaults, also_for_empty) in sources {
            let stored = |given: Value| stored::<K>(json!({ source: given }))[source].clone();
            let absent = stored(json!({}));
            for (field, value) in defaults.as_object().unwrap() {
                assert_eq!(absent[field], *value, "{source}.{field}");
                let other = match value {
                    Value::Bool(_) => json!(true),
                    _ => json!("other"),
                };
                assert_eq!(stored(json!({field: other}))[field], other);
                if value.is_string() {
                    let empty = stored(json!({field: ""}))[field].clone();
                    assert_eq!(empty == *value, also_for_empty || value == "", "{field}");
                }
            }
        }
    }

    fn nothing_else<K: Ruled>() {
        let csi = json!({"csi": {"driver": "d", "volumeHandle": "h"}, "mountOptions": ["a"]});
        assert_eq!(stored::<K>(csi.clone()), csi);
    }

    #[test]
    fn status() {
        let spec = json!({"attacher": "a", "nodeName": "n", "source": {}});
        let good = json!({"metadata": {"name": "a"}, "spec": spec});
        let status = json!({"status": {"attached": true}});
        let probe = Probe::<storage_v1::VolumeAttachment>::of(good.clone());
        assert_eq!(
            probe.stored(status.clone())["status"],
            json!({"attached": false})
        );
        assert_eq!(
            probe.stored(json!({}))["status"],
            json!({"attached": false})
        );
        let probe = Probe::<storage_v1beta1::VolumeAttachment>::of(good);
        assert_eq!(probe.stored(status)["status"], json!({"attached": true}));
        assert_eq!(probe.stored(json!({})).get("status"), None);
    }
}

mod unchanged {
    use super::*;

    fn check<K: Ruled>() {
        let mut object = K::sample();
        object.set_defaults(&Target::new(storage_v1::KUBERNETES));
        assert_eq!(object, K::sample());
    }

    // Kinds without any default.
    conformance::each! { check =>
        csi_node: storage_v1::CSINode;
        csi_node_v1beta1: storage_v1beta1::CSINode;
        csi_storage_capacity: storage_v1::CSIStorageCapacity;
        csi_storage_capacity_v1beta1: storage_v1beta1::CSIStorageCapacity;
        csi_storage_capacity_v1alpha1: storage_v1alpha1::CSIStorageCapacity;
        volume_attributes_class: storage_v1::VolumeAttributesClass;
        volume_attributes_class_v1beta1: storage_v1beta1::VolumeAttributesClass;
        volume_attributes_class_v1alpha1: storage_v1alpha1::VolumeAttributesClass;
        csi_v1alpha1_driver: storage_v1alpha1::csi::CSIDriver;
        csi_v1alpha1_node_info: storage_v1alpha1::csi::CSINodeInfo;
    }
}

mod claims {
    use super::*;
    use core_v1::PersistentVolumeClaim;
    use kubernetes_validation::Validate as _;

    /// A server reads a status before it drops fields.
    #[test]
    fn a_dropped_field_of_a_status_is_read() {
        let stored: PersistentVolumeClaim = serde_json::from_value(json!({
            "metadata": {"name": "c", "namespace": "n", "resourceVersion": "1"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }))
        .unwrap();
        let errors = |minor: u16, amount: &str| {
            let status = json!({"allocatedResources": {"storage": amount}});
            let mut claim = stored.clone();
            claim.status = serde_json::from_value(status).unwrap();
            let target = Target::new(Release::new(1, minor));
            let report = claim.default_and_validate_status(&stored, &target);
            let errors = report.errors.iter();
            let errors = errors.map(|error| format!("{} {}", error.error_type, error.path));
            errors.collect::<Vec<_>>()
        };
        // The gate of the field is off in 1.31, on from 1.32 on.
        for minor in [31, 37] {
            let bad = errors(minor, "much");
            assert_eq!(bad, ["Invalid value status.allocatedResources[storage]"]);
            assert!(errors(minor, "1Gi").is_empty());
        }
        assert_eq!(errors(31, "-1"), [""; 0]);
        assert_ne!(errors(37, "-1"), [""; 0]);
    }
}
