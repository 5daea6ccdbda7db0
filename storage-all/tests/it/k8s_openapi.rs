//! Conversion to k8s-openapi's types, with the report of lost fields, in whichever Kubernetes
//! release those are built for.
//!
//! `K8S_OPENAPI_ENABLED_VERSION=1.35 cargo test -p storage-all --features k8s-openapi-types`

use std::fmt::Debug;

use k8s_openapi::List;
use k8s_openapi::api::storage as theirs;
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::{self, Value, json};
use kubernetes_kinds::convert::{Converted, UnrepresentableField};
use kubernetes_kinds::counterpart::Counterpart;
use kubernetes_kinds::{FieldPath, Segment};
use storage_all::storage_v1;

/// Fields that the release lacks.
mod lacks {
    k8s_openapi::k8s_if_ge_1_37! {
        pub(super) const NODE: &[&str] = &[];
    }
    k8s_openapi::k8s_if_le_1_36! {
        pub(super) const NODE: &[&str] = &["status"];
    }
    k8s_openapi::k8s_if_ge_1_36! {
        pub(super) const DRIVER: &[&str] = &[];
    }
    k8s_openapi::k8s_if_1_35! {
        pub(super) const DRIVER: &[&str] = &["spec.preventPodSchedulingIfMissing"];
    }
    k8s_openapi::k8s_if_le_1_34! {
        pub(super) const DRIVER: &[&str] = &[
            "spec.preventPodSchedulingIfMissing",
            "spec.serviceAccountTokenInSecrets",
        ];
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// Takes the value at a path out of an object.
fn take(object: &mut Value, path: &FieldPath) -> Value {
    let (last, above) = path.segments().split_last().unwrap();
    let inside = above.iter().fold(object, |value, segment| match segment {
        Segment::Field(name) => &mut value[name.as_ref()],
        Segment::Index(at) => &mut value[at],
        Segment::Key(key) => &mut value[key],
    });
    match last {
        Segment::Field(name) => inside.as_object_mut().unwrap().remove(name.as_ref()),
        other => panic!("{other:?} isn't a field"),
    }
    .unwrap()
}

/// Converts what a JSON text says both ways, and compares it with what both types read of the text;
/// of ours that is without the fields that theirs lacks, which are all reported.
fn both_ways<Ours, Theirs>(value: &Value, lacks: &[String]) -> Ours
where
    Ours: Counterpart<Theirs = Theirs> + From<Theirs> + Clone,
    Ours: Debug + PartialEq + Serialize + DeserializeOwned,
    Theirs: TryFrom<Ours> + Clone + Debug + PartialEq + DeserializeOwned,
{
    let ours: Ours = read(value);
    let expected: Theirs = read(value);
    let Converted {
        object,
        unrepresentable,
    } = ours.clone().into_k8s_openapi();
    assert_eq!(object, expected);

    let mut rest = serde_json::to_value(&ours).unwrap();
    for UnrepresentableField { path, value } in &unrepresentable {
        assert_eq!(take(&mut rest, path), *value, "{path}");
    }
    let paths = unrepresentable.iter().map(|field| field.path.to_string());
    assert_eq!(Vec::from_iter(paths), lacks);
    assert_eq!(Ours::from(expected.clone()), read::<Ours>(&rest));

    // `try_from` refuses what would be lost, and takes the rest.
    assert_eq!(Theirs::try_from(ours.clone()).is_ok(), lacks.is_empty());
    assert_eq!(Theirs::try_from(read(&rest)).ok(), Some(expected));
    ours
}

/// An object and a list of two of it.
fn kind<Ours, Theirs, OurList>(value: &Value, lacks: &[&str])
where
    Ours: Counterpart<Theirs = Theirs> + From<Theirs> + Clone,
    Ours: Debug + PartialEq + Serialize + DeserializeOwned,
    Theirs: TryFrom<Ours> + Clone + Debug + PartialEq + DeserializeOwned,
    Theirs: k8s_openapi::ListableResource,
    OurList: Counterpart<Theirs = List<Theirs>> + From<List<Theirs>> + Clone,
    OurList: Debug + PartialEq + Serialize + DeserializeOwned,
    List<Theirs>: TryFrom<OurList> + Clone + Debug + PartialEq + DeserializeOwned,
{
    let lacks = lacks.iter().map(|path| (*path).to_owned());
    let lacks: Vec<String> = lacks.collect();
    both_ways::<Ours, Theirs>(value, &lacks);

    let list = json!({"metadata": {"resourceVersion": "7"}, "items": [value, value]});
    let each = (0..2).flat_map(|at| lacks.iter().map(move |path| (at, path)));
    let lacks = each.map(|(at, path)| format!("items[{at}].{path}"));
    both_ways::<OurList, List<Theirs>>(&list, &Vec::from_iter(lacks));
}

fn driver() -> Value {
    json!({
        "metadata": {"name": "csi.example.com", "labels": {"a": "b"}},
        "spec": {
            "attachRequired": true, "fsGroupPolicy": "SomeDay", "podInfoOnMount": true,
            "nodeAllocatableUpdatePeriodSeconds": 60, "requiresRepublish": true,
            "preventPodSchedulingIfMissing": true, "seLinuxMount": true,
            "serviceAccountTokenInSecrets": true, "storageCapacity": true,
            "tokenRequests": [{"audience": "vault", "expirationSeconds": 3600}],
            "volumeLifecycleModes": ["Persistent", "Sometimes"],
        },
    })
}

fn node() -> Value {
    json!({
        "metadata": {"name": "node-1"},
        "spec": {"drivers": [{
            "name": "csi.example.com", "nodeID": "i-0123", "topologyKeys": ["zone"],
            "allocatable": {"count": 16},
        }]},
        "status": {"storageHealth": [{"name": "csi.example.com", "healthConditions": [{
            "reason": "Slow", "status": "Degraded", "message": "slow",
            "lastTransitionTime": "2026-01-02T03:04:05Z",
        }]}]},
    })
}

fn attributes_class() -> Value {
    json!({
        "metadata": {"name": "gold"}, "driverName": "csi.example.com",
        "parameters": {"iops": "4000"},
    })
}

#[test]
fn drivers() {
    use storage_v1::{CSIDriver, CSIDriverList};
    kind::<CSIDriver, theirs::v1::CSIDriver, CSIDriverList>(&driver(), lacks::DRIVER);
}

#[test]
fn nodes() {
    use storage_v1::{CSINode, CSINodeList};
    kind::<CSINode, theirs::v1::CSINode, CSINodeList>(&node(), lacks::NODE);
}

#[test]
fn capacities() {
    use storage_v1::{CSIStorageCapacity, CSIStorageCapacityList};
    let value = json!({
        "metadata": {"name": "a", "namespace": "b"}, "storageClassName": "fast",
        "capacity": "10Gi", "maximumVolumeSize": "1Gi",
        "nodeTopology": {"matchLabels": {"zone": "a"}},
    });
    kind::<CSIStorageCapacity, theirs::v1::CSIStorageCapacity, CSIStorageCapacityList>(&value, &[]);
}

#[test]
fn classes() {
    use storage_v1::{StorageClass, StorageClassList};
    let value = json!({
        "metadata": {"name": "fast"}, "provisioner": "csi.example.com",
        "allowVolumeExpansion": true, "mountOptions": ["ro"], "parameters": {"a": "b"},
        "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}],
        "reclaimPolicy": "Recycle", "volumeBindingMode": "WaitForFirstConsumer",
    });
    kind::<StorageClass, theirs::v1::StorageClass, StorageClassList>(&value, &[]);
}

#[test]
fn attachments() {
    use storage_v1::{VolumeAttachment, VolumeAttachmentList};
    let error = json!({"message": "no", "errorCode": 8, "time": "2026-01-02T03:04:05Z"});
    let value = json!({
        "metadata": {"name": "a"},
        "spec": {
            "attacher": "csi.example.com", "nodeName": "node-1",
            "source": {
                "persistentVolumeName": "pv",
                "inlineVolumeSpec": {"capacity": {"storage": "1Gi"}},
            },
        },
        "status": {
            "attached": true, "attachmentMetadata": {"a": "b"},
            "attachError": error, "detachError": error,
        },
    });
    kind::<VolumeAttachment, theirs::v1::VolumeAttachment, VolumeAttachmentList>(&value, &[]);
}

/// Each version has the kind in some releases.
#[test]
fn attributes_classes() {
    let value = attributes_class();
    k8s_openapi::k8s_if_ge_1_34! {
        use storage_all::storage_v1 as v1;
        kind::<
            v1::VolumeAttributesClass,
            theirs::v1::VolumeAttributesClass,
            v1::VolumeAttributesClassList,
        >(&value, &[]);
    }
    k8s_openapi::k8s_if_le_1_36! {
        use storage_all::storage_v1beta1 as v1beta1;
        kind::<
            v1beta1::VolumeAttributesClass,
            theirs::v1beta1::VolumeAttributesClass,
            v1beta1::VolumeAttributesClassList,
        >(&value, &[]);
    }
    k8s_openapi::k8s_if_le_1_34! {
        use storage_all::storage_v1alpha1 as v1alpha1;
        kind::<
            v1alpha1::VolumeAttributesClass,
            theirs::v1alpha1::VolumeAttributesClass,
            v1alpha1::VolumeAttributesClassList,
        >(&value, &[]);
    }
}

k8s_openapi::k8s_if_le_1_35! {
    /// The error says what is lost and what to do.
    #[test]
    fn the_error() {
        let spec = storage_v1::CSIDriverSpec::new()
            .with_prevent_pod_scheduling_if_missing(true);
        let error = theirs::v1::CSIDriverSpec::try_from(spec).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the Kubernetes release of k8s-openapi's types lacks preventPodSchedulingIfMissing: \
             true: unset what it lacks, or select a later release of k8s-openapi"
        );
    }
}

k8s_openapi::k8s_if_ge_1_36! {
    /// `From` is implemented if nothing can be lost.
    #[test]
    fn without_an_error() {
        let spec = storage_v1::CSIDriverSpec::new()
            .with_prevent_pod_scheduling_if_missing(true);
        let spec: theirs::v1::CSIDriverSpec = spec.into();
        assert_eq!(spec.prevent_pod_scheduling_if_missing, Some(true));
    }
}
