//! Merging: random objects of every kind are merged as their documents say, and those of
//! storage.k8s.io/v1 as k8s-openapi merges them, but for what it doesn't do as a server does.

use conformance::arbitrary::check_all;
use conformance::kind::{Kind, Peer, Wire};
use conformance::related::{inside, is_granular, key, related, unique};
use conformance::{each_kind, each_newest_kind};
use fastrand::Rng;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, SecretReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};
use k8s_openapi::{DeepMerge, Metadata};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSIDriverSpec, CSINode, CSINodeDriver, CSINodeSpec, CSIStorageCapacity,
    FSGroupPolicy, StorageClass, TokenRequest, VolumeNodeResources, apply,
};

fn merged<T: DeepMerge>(mut ours: T, theirs: T) -> T {
    ours.merge_from(theirs);
    ours
}

/// Pairs of an object and another that has some of its keys, names and values.
fn pairs<K: Kind>() -> impl Strategy<Value = (Value, Value)> {
    (K::arbitrary(), K::arbitrary(), any::<u64>()).prop_map(|(a, b, seed)| {
        let [a, b] = [a, b].map(|object| serde_json::to_value(object).unwrap());
        let b = related(&mut Rng::with_seed(seed), &["apiVersion", "kind"], &a, &b);
        (a, b)
    })
}

fn read<T: Wire>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// The value as the type writes it, with the required fields that it lacks.
fn written<T: Wire>(value: &Value) -> Value {
    serde_json::to_value(read::<T>(value)).unwrap()
}

/// An object in which nothing is set changes nothing.
fn nothing_set<K: Kind>()
where
    K::Apply: DeepMerge,
{
    check_all(&K::arbitrary(), |object| {
        let applied = K::Apply::from(object);
        prop_assert_eq!(merged(applied.clone(), K::Apply::default()), applied);
        Ok(())
    });
}

mod nothing {
    use super::each_kind;
    each_kind!(super::nothing_set);
}

/// The rules, on JSON, from what the traits of a kind say of its lists.
struct Rules<K>(std::marker::PhantomData<K>);

impl<K: Kind + kubernetes_kinds::Kind> Rules<K> {
    fn merge(path: &str, ours: &Value, theirs: &Value) -> Value {
        match (ours, theirs) {
            (Value::Object(ours), Value::Object(theirs)) if is_granular::<K>(path) => {
                let mut all = ours.clone();
                for (name, value) in theirs {
                    let value = match ours.get(name) {
                        Some(ours) => Self::merge(&inside(path, name), ours, value),
                        None => value.clone(),
                    };
                    all.insert(name.clone(), value);
                }
                all.into()
            }
            (Value::Array(ours), Value::Array(theirs)) if is_granular::<K>(path) => {
                Self::merge_lists(path, ours, theirs).into()
            }
            (_, theirs) => theirs.clone(),
        }
    }

    fn merge_lists(path: &str, ours: &[Value], theirs: &[Value]) -> Vec<Value> {
        let at = |list: &[Value], element: &Value| {
            let wanted = key::<K>(path, element);
            list.iter()
                .position(|other| key::<K>(path, other) == wanted)
        };
        let mut all = Vec::new();
        let mut next = 0;
        for element in ours {
            match at(theirs, element) {
                None => all.push(element.clone()),
                Some(index) => {
                    let before = theirs.get(next..index).unwrap_or_default();
                    if next <= index && before.iter().all(|e| at(ours, e).is_none()) {
                        all.extend_from_slice(&theirs[next..=index]);
                        next = index + 1;
                    }
                }
            }
        }
        all.extend_from_slice(&theirs[next..]);
        for element in &mut all {
            if let (Some(a), Some(b)) = (at(ours, element), at(theirs, element)) {
                *element = Self::merge(&format!("{path}[]"), &ours[a], &theirs[b]);
            }
        }
        all
    }
}

fn twice<T: Wire + DeepMerge>(a: &Value, b: &Value) -> Result<(), TestCaseError> {
    let (a, b): (T, T) = (read(a), read(b));
    let once = merged(a, b.clone());
    prop_assert_eq!(&merged(once.clone(), b), &once);
    Ok(())
}

/// Every field of an apply type is merged by the rule that extraction has for it, and again without
/// effect. The same holds for an object that repeats keys, and for the full type.
///
/// An inline volume is left out: its paths are those of another crate.
fn by_the_rules<K: Kind + kubernetes_kinds::Kind + DeepMerge>()
where
    K::Apply: DeepMerge,
{
    check_all(&pairs::<K>(), |(a, b)| {
        twice::<K>(&a, &unique::<K>("", &written::<K>(&b)))?;
        twice::<K::Apply>(&a, &unique::<K>("", &written::<K::Apply>(&b)))?;
        let [a, b] = [a, b].map(|mut value| {
            if let Some(source) = value.pointer_mut("/spec/source") {
                source.as_object_mut().unwrap().remove("inlineVolumeSpec");
            }
            unique::<K>("", &written::<K::Apply>(&value))
        });
        let (ours, theirs): (K::Apply, K::Apply) = (read(&a), read(&b));
        let expected: K::Apply = read(&Rules::<K>::merge("", &a, &b));
        prop_assert_eq!(merged(ours, theirs), expected);
        Ok(())
    });
}

mod rules {
    use super::each_kind;
    each_kind!(super::by_the_rules);
}

/// Places that k8s-openapi and a server merge differently: objects that the document calls atomic,
/// whose fields it merges. So are owner references.
const OBJECTS: [&str; 28] = [
    "/nodeTopology",
    "/spec/cephfs/secretRef",
    "/spec/cinder/secretRef",
    "/spec/csi/controllerExpandSecretRef",
    "/spec/csi/controllerPublishSecretRef",
    "/spec/csi/nodeExpandSecretRef",
    "/spec/csi/nodePublishSecretRef",
    "/spec/csi/nodeStageSecretRef",
    "/spec/dataSource",
    "/spec/flexVolume/secretRef",
    "/spec/iscsi/secretRef",
    "/spec/nodeAffinity/required",
    "/spec/rbd/secretRef",
    "/spec/scaleIO/secretRef",
    "/spec/selector",
    "/spec/source/inlineVolumeSpec/cephfs/secretRef",
    "/spec/source/inlineVolumeSpec/cinder/secretRef",
    "/spec/source/inlineVolumeSpec/csi/controllerExpandSecretRef",
    "/spec/source/inlineVolumeSpec/csi/controllerPublishSecretRef",
    "/spec/source/inlineVolumeSpec/csi/nodeExpandSecretRef",
    "/spec/source/inlineVolumeSpec/csi/nodePublishSecretRef",
    "/spec/source/inlineVolumeSpec/csi/nodeStageSecretRef",
    "/spec/source/inlineVolumeSpec/flexVolume/secretRef",
    "/spec/source/inlineVolumeSpec/iscsi/secretRef",
    "/spec/source/inlineVolumeSpec/rbd/secretRef",
    "/spec/source/inlineVolumeSpec/scaleIO/secretRef",
    "/spec/source/inlineVolumeSpec/storageos/secretRef",
    "/spec/storageos/secretRef",
];

/// The lists to which k8s-openapi appends what they lack, while a server keeps the order of the
/// list that is applied.
const ORDER: [&str; 7] = [
    "/metadata/finalizers",
    "/metadata/ownerReferences",
    "/spec/drivers",
    "/spec/volumeLifecycleModes",
    "/status/conditions",
    "/status/healthStatus/healthConditions",
    "/status/storageHealth",
];

/// The value without what k8s-openapi merges otherwise.
fn comparable(mut value: Value) -> Value {
    for path in ORDER {
        if let Some(Value::Array(list)) = value.pointer_mut(path) {
            if path == "/metadata/ownerReferences" {
                list.iter_mut()
                    .for_each(|owner| *owner = owner["uid"].clone());
            }
            list.sort_by_key(ToString::to_string);
        }
    }
    for path in OBJECTS {
        if let Some(object @ Value::Object(_)) = value.pointer_mut(path) {
            *object = json!("merged otherwise");
        }
    }
    value
}

/// k8s-openapi merges its types alike, but for the differences above.
fn as_k8s_openapi<K: Peer + kubernetes_kinds::Kind + DeepMerge>()
where
    K::Peer: DeepMerge,
{
    check_all(&pairs::<K>(), |(a, b)| {
        let [a, b] = [a, b].map(|value| unique::<K>("", &written::<K>(&value)));
        let ours: K = merged(read(&a), read(&b));
        let theirs: K::Peer = merged(read(&a), read(&b));
        let ours = comparable(serde_json::to_value(ours).unwrap());
        prop_assert_eq!(ours, comparable(serde_json::to_value(theirs).unwrap()));
        Ok(())
    });
}

mod peers {
    use super::each_newest_kind;
    each_newest_kind!(super::as_k8s_openapi);
}

/// Each of the differences, with what a server makes of it.
#[test]
fn what_k8s_openapi_merges_otherwise() {
    let owner = |controller, block| OwnerReference {
        uid: "1".to_owned(),
        controller,
        block_owner_deletion: block,
        ..OwnerReference::default()
    };
    let with = |finalizers: &[&str], owner| {
        let mut class = StorageClass::new("fast", "csi.example.com");
        let names = finalizers.iter().map(|name| (*name).to_owned());
        class.metadata.finalizers = Some(names.collect());
        class.metadata.owner_references = Some(vec![owner]);
        class
    };
    let a = with(&["a/a", "b/b"], owner(Some(true), None));
    let b = with(&["b/b", "a/a"], owner(None, Some(true)));
    let both = merged(a.metadata().clone(), b.metadata().clone());
    assert_eq!(both.finalizers.unwrap(), ["a/a", "b/b"]);
    assert_eq!(
        both.owner_references.unwrap(),
        [owner(Some(true), Some(true))]
    );
    assert_eq!(merged(a, b.clone()), b);

    let selector = |key: &str| LabelSelector {
        match_labels: Some([(key.to_owned(), String::new())].into()),
        ..LabelSelector::default()
    };
    let both = merged(selector("a"), selector("b"));
    assert_eq!(both.match_labels.unwrap().len(), 2);
    let capacity = |key| CSIStorageCapacity::new("one", "fast").with_node_topology(selector(key));
    assert_eq!(merged(capacity("a"), capacity("b")), capacity("b"));

    let secret = |name: Option<&str>, namespace: Option<&str>| SecretReference {
        name: name.map(str::to_owned),
        namespace: namespace.map(str::to_owned),
    };
    let volume = |secret| {
        let volume = k8s_openapi::api::core::v1::PersistentVolumeSpec {
            csi: Some(CSIPersistentVolumeSource {
                node_stage_secret_ref: Some(secret),
                ..CSIPersistentVolumeSource::default()
            }),
            ..Default::default()
        };
        storage_v1::VolumeAttachmentSource::new().with_inline_volume_spec(volume)
    };
    let (a, b) = (secret(Some("a"), None), secret(None, Some("b")));
    assert_eq!(merged(a.clone(), b.clone()), secret(Some("a"), Some("b")));
    assert_eq!(merged(volume(a), volume(b.clone())), volume(b));
}

#[test]
fn lists_and_required_fields() {
    let driver = |modes: &[&str], audience: &str| {
        let spec = CSIDriverSpec::new()
            .with_volume_lifecycle_modes(modes.iter().copied())
            .with_fs_group_policy(FSGroupPolicy::File)
            .with_token_requests([TokenRequest::new(audience)]);
        CSIDriver::new("csi.example.com", spec)
    };
    let both = merged(driver(&["Persistent"], "a"), driver(&["Ephemeral"], "b"));
    assert_eq!(both, driver(&["Persistent", "Ephemeral"], "b"));

    // Those that both have are in the order of the second, the others where they were.
    let named = |names: &[&str]| {
        names
            .iter()
            .map(|name| CSINodeDriver::new(*name, "i-1"))
            .collect::<Vec<_>>()
    };
    for (a, b, both) in [
        (&["a", "b"][..], &["c", "b"][..], &["a", "c", "b"][..]),
        (&["a", "b", "c"], &["c", "a"], &["b", "c", "a"]),
        (&["b", "a", "x"], &["a", "b"], &["a", "x", "b"]),
        (&[], &["b", "a"], &["b", "a"]),
        (&["a"], &[], &["a"]),
    ] {
        let [a, b, both] = [a, b, both].map(|names| CSINodeSpec::new(named(names)));
        assert_eq!(merged(a, b), both);
    }

    // The fields of an element with the same name are merged, and a required field is replaced.
    let with = |node_id: &str, count: Option<i32>| {
        let mut driver = CSINodeDriver::new("a", node_id);
        driver.allocatable = Some(VolumeNodeResources { count });
        CSINode::new("node-1", CSINodeSpec::new([driver]))
    };
    assert_eq!(
        merged(with("i-1", Some(1)), with("", None)),
        with("", Some(1))
    );
    let applied = |driver: apply::CSINodeDriver| {
        let spec = apply::CSINodeSpec::new().with_drivers([driver.with_name("a")]);
        apply::CSINode::new("node-1").with_spec(spec)
    };
    let (a, b) = (apply::CSINodeDriver::new(), apply::CSINodeDriver::new());
    let both = apply::CSINodeDriver::new()
        .with_node_id("i-1")
        .with_topology_keys(["x"]);
    let (a, b) = (a.with_node_id("i-1"), b.with_topology_keys(["x"]));
    assert_eq!(merged(applied(a), applied(b)), applied(both));
}

#[test]
fn enumerations_are_replaced() {
    let unknown = FSGroupPolicy::from("Later");
    assert_eq!(merged(FSGroupPolicy::File, unknown.clone()), unknown);
}
