//! The rules of decoding and encoding.

use conformance::doc::MAPS;
use conformance::each_kind;
use conformance::kind::{Kind, Wire};
use k8s_openapi::Resource;
use kubernetes_kinds::Lean;
use kubernetes_kinds::wire::Object;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSIDriverSpec, CSINode, FSGroupPolicy, PersistentVolumeReclaimPolicy, StorageClass,
    StorageHealthStatusType, TokenRequest, VolumeAttachment, VolumeAttachmentStatus,
    VolumeAttributesClass, VolumeBindingMode, VolumeLifecycleMode, VolumeNodeResources,
};
use storage_v1alpha1::csi;

/// Each version refuses the others' objects: they are to be converted, not misread.
const API_VERSIONS: [&str; 4] = [
    "storage.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1alpha1",
    "csi.storage.k8s.io/v1alpha1",
];

fn value<T: Wire>(object: &T) -> Value {
    serde_json::to_value(object).unwrap()
}

fn read<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    T::deserialize(value)
}

/// The JSON pointers of every object with fields, the whole document first.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(pointer.to_owned());
            for (name, value) in fields {
                if !MAPS.contains(&name.as_str()) {
                    objects(value, &format!("{pointer}/{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn objects_of(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    objects(value, "", &mut found);
    found
}

/// The sample as it is, and as the only item of a list.
fn documents<K: Kind>() -> [Value; 2] {
    let list: K::List = [K::sample()].into_iter().collect();
    [value(&K::sample()), value(&list)]
}

fn type_comes_first<K: Kind>() {
    let object = format!(
        r#"{{"apiVersion":"{}","kind":"{}","#,
        K::API_VERSION,
        K::KIND
    );
    for sample in [K::sample(), K::default()] {
        let json = serde_json::to_string(&sample).unwrap();
        assert!(json.starts_with(&object), "{json}");
    }
    let list: K::List = [K::default()].into_iter().collect();
    let json = serde_json::to_string(&list).unwrap();
    let start = format!(
        r#"{{"apiVersion":"{}","kind":"{}","#,
        K::API_VERSION,
        K::LIST_KIND
    );
    assert!(json.starts_with(&start), "{json}");
    assert!(json.contains(&format!(r#""items":[{object}"#)), "{json}");
}

fn check_type<T: Wire + Resource>(right: &Value) {
    let original: T = read(right).unwrap();
    for (field, expected) in [("apiVersion", T::API_VERSION), ("kind", T::KIND)] {
        let wrong = ["", "Pod", "\n", "v1"].into_iter().chain(API_VERSIONS);
        for wrong in wrong.filter(|wrong| *wrong != expected) {
            let mut document = right.clone();
            document[field] = wrong.into();
            let error = read::<T>(&document).unwrap_err().to_string();
            for part in [field, expected, &*wrong.escape_debug().to_string()] {
                assert!(error.contains(part), "{part:?} in {error}");
            }
        }
        for wrong in [json!(1), json!(true), json!({}), json!(["v1"])] {
            let mut document = right.clone();
            document[field] = wrong;
            let error = read::<T>(&document).unwrap_err().to_string();
            assert!(error.contains(field) && error.contains(expected), "{error}");
        }
        let mut document = right.clone();
        document[field] = Value::Null;
        assert_eq!(read::<T>(&document).unwrap(), original);
        document.as_object_mut().unwrap().remove(field);
        assert_eq!(read::<T>(&document).unwrap(), original);
    }
}

/// Neither may be wrong, and both may be missing, wherever they are among the fields.
fn type_is_checked<K: Kind>()
where
    K::List: Resource,
{
    let [object, list] = documents::<K>();
    check_type::<K>(&object);
    check_type::<K::List>(&list);

    let wrong_item = {
        let mut list = list.clone();
        list["items"][0]["kind"] = "Pod".into();
        list
    };
    read::<K::List>(&wrong_item).unwrap_err();
    let last = r#"{"metadata":{"name":"a"},"kind":"Pod"}"#;
    serde_json::from_str::<K>(last).unwrap_err();
}

fn each_null<T: Wire>(document: &Value) {
    let mut count = 0;
    for pointer in objects_of(document) {
        let names = document
            .pointer(&pointer)
            .unwrap()
            .as_object()
            .unwrap()
            .keys();
        for name in names {
            let mut null = document.clone();
            null.pointer_mut(&pointer).unwrap()[name] = Value::Null;
            let null = read::<T>(&null).unwrap_or_else(|e| panic!("{pointer}/{name}: {e}"));
            let mut absent = document.clone();
            let fields = absent
                .pointer_mut(&pointer)
                .unwrap()
                .as_object_mut()
                .unwrap();
            fields.remove(name);
            assert_eq!(null, read::<T>(&absent).unwrap(), "{pointer}/{name}");
            count += 1;
        }
    }
    assert!(count > 5, "only {count} fields tried");
}

/// `null` is the same as nothing, for every field, required or not, at every depth.
fn null_is_absent<K: Kind>() {
    let [object, list] = documents::<K>();
    each_null::<K>(&object);
    each_null::<K::List>(&list);
    assert_eq!(read::<K>(&json!({})).unwrap(), K::default());
    assert_eq!(read::<K::List>(&json!({})).unwrap(), K::List::default());
}

fn each_unknown<T: Wire>(document: &Value) {
    let original: T = read(document).unwrap();
    for pointer in objects_of(document) {
        for unknown in [
            json!(null),
            json!(1.5),
            json!({"a": [{"spec": {}}]}),
            json!([]),
        ] {
            let mut document = document.clone();
            document.pointer_mut(&pointer).unwrap()["fromTheFuture"] = unknown;
            assert_eq!(read::<T>(&document).unwrap(), original, "{pointer}");
        }
    }
}

/// Fields from a newer server are skipped, whatever they hold, at every depth.
fn unknown_is_skipped<K: Kind>() {
    let [object, list] = documents::<K>();
    each_unknown::<K>(&object);
    each_unknown::<K::List>(&list);
}

/// Objects are objects: nothing else passes for one, and the message says so.
fn only_objects<K: Kind>() {
    for wrong in [json!([]), json!("a"), json!(1), json!(null), json!([{}])] {
        let error = read::<K>(&wrong).unwrap_err().to_string();
        assert!(error.contains(&format!("a {} object", K::KIND)), "{error}");
        let error = read::<K::List>(&wrong).unwrap_err().to_string();
        assert!(
            error.contains(&format!("a {} object", K::LIST_KIND)),
            "{error}"
        );
    }
}

/// The fields that a type announces are those it writes, in that order: the samples set all.
fn fields_in_order<K: Kind + Object>() {
    let written = ciborium::Value::serialized(&K::sample()).unwrap();
    let names: Vec<&str> = written
        .as_map()
        .unwrap()
        .iter()
        .map(|(key, _)| key.as_text().unwrap())
        .collect();
    assert_eq!(names[..2], ["apiVersion", "kind"]);
    assert_eq!(names[2..], *K::FIELDS);
}

mod type_first {
    use super::*;
    each_kind!(super::type_comes_first);
}

mod type_checked {
    use super::*;
    each_kind!(super::type_is_checked);
}

mod nulls {
    use super::*;
    each_kind!(super::null_is_absent);
}

mod unknown_fields {
    use super::*;
    each_kind!(super::unknown_is_skipped);
}

mod wrong_shapes {
    use super::*;
    each_kind!(super::only_objects);
}

mod field_order {
    use super::*;
    each_kind!(super::fields_in_order);
}

/// The types inside: all their fields are set in the samples, too.
#[test]
fn inner_fields_in_order() {
    fn check<T: Object + Wire>(sample: &Value, pointer: &str) {
        let inner: T = read(sample.pointer(pointer).unwrap()).unwrap();
        let written = ciborium::Value::serialized(&inner).unwrap();
        let fields = written.as_map().unwrap().iter();
        let names: Vec<_> = fields.map(|(key, _)| key.as_text().unwrap()).collect();
        assert_eq!(names, T::FIELDS, "{}", T::NAME);
        // Kinds are checked; what is inside of them has no kind to check.
        assert!(!names.contains(&"apiVersion"), "{}", T::NAME);
    }
    let driver = value(&CSIDriver::sample());
    check::<CSIDriverSpec>(&driver, "/spec");
    check::<TokenRequest>(&driver, "/spec/tokenRequests/0");
    let node = value(&CSINode::sample());
    check::<storage_v1::CSINodeSpec>(&node, "/spec");
    check::<storage_v1::CSINodeDriver>(&node, "/spec/drivers/0");
    check::<VolumeNodeResources>(&node, "/spec/drivers/0/allocatable");
    check::<storage_v1::CSINodeStatus>(&node, "/status");
    check::<storage_v1::StorageHealth>(&node, "/status/storageHealth/0");
    check::<storage_v1::StorageHealthCondition>(
        &node,
        "/status/storageHealth/0/healthConditions/0",
    );
    let attachment = value(&VolumeAttachment::sample());
    check::<storage_v1::VolumeAttachmentSpec>(&attachment, "/spec");
    check::<storage_v1::VolumeAttachmentSource>(&attachment, "/spec/source");
    check::<VolumeAttachmentStatus>(&attachment, "/status");
    check::<storage_v1::VolumeError>(&attachment, "/status/attachError");
    let driver = value(&csi::CSIDriver::sample());
    check::<csi::CSIDriverSpec>(&driver, "/spec");
    let node = value(&csi::CSINodeInfo::sample());
    check::<csi::CSIDriverInfo>(&node, "/csiDrivers/0");
    check::<csi::CSINodeInfoSpec>(&node, "/spec");
    check::<csi::CSIDriverInfoSpec>(&node, "/spec/drivers/0");
    check::<csi::CSINodeInfoStatus>(&node, "/status");
    check::<csi::CSIDriverInfoStatus>(&node, "/status/drivers/0");
}

/// A value that no release knows is kept and written back, in every place of an enumeration.
#[test]
fn unknown_enum_values_are_kept() {
    fn check<K: Kind>(pointer: &str) {
        for unknown in ["FromTheFuture", "", "file", "Ünïcode", "a\"b\n"] {
            let mut document = value(&K::sample());
            *document.pointer_mut(pointer).unwrap() = unknown.into();
            let object: K = read(&document).unwrap();
            assert_eq!(value(&object), document, "{pointer}");
        }
        for wrong in [json!(1), json!({}), json!(false)] {
            let mut document = value(&K::sample());
            *document.pointer_mut(pointer).unwrap() = wrong;
            read::<K>(&document).unwrap_err();
        }
    }
    check::<CSIDriver>("/spec/fsGroupPolicy");
    check::<CSIDriver>("/spec/volumeLifecycleModes/0");
    check::<CSINode>("/status/storageHealth/0/healthConditions/0/status");
    check::<StorageClass>("/reclaimPolicy");
    check::<StorageClass>("/volumeBindingMode");
    check::<storage_v1beta1::CSIDriver>("/spec/fsGroupPolicy");
    check::<storage_v1beta1::StorageClass>("/reclaimPolicy");
    check::<csi::CSINodeInfo>("/status/drivers/0/volumePluginMechanism");
}

/// Known values never hide among the unknown, and all ways of making one agree.
#[test]
fn enum_values() {
    macro_rules! check {
        ($($name:ident: $($variant:ident)*;)*) => {$(
            let known = [$((stringify!($variant), $name::$variant)),*];
            assert_eq!(known.clone().map(|(text, _)| text), $name::known_values());
            for (text, variant) in known {
                assert_eq!($name::from(text), variant);
                assert_eq!($name::from(text.to_owned()), variant);
                assert_eq!(text.parse::<$name>().unwrap(), variant);
                assert_eq!(read::<$name>(&json!(text)).unwrap(), variant);
                assert_eq!($name::parse_known(text), Ok(variant.clone()));
                assert_eq!(variant.as_str(), text);
                assert_eq!(variant.to_string(), text);
            }
            let unknown = $name::from("other");
            assert!(matches!(&unknown, $name::Unknown(value) if value.as_str() == "other"));
            assert_eq!($name::parse_known("other").unwrap_err().value, "other");
            assert!($name::parse_known("").is_err());
        )*};
    }
    check! {
        FSGroupPolicy: ReadWriteOnceWithFSType File None;
        VolumeLifecycleMode: Persistent Ephemeral;
        StorageHealthStatusType: StorageUnreachable StorageDegraded;
        PersistentVolumeReclaimPolicy: Delete Recycle Retain;
        VolumeBindingMode: Immediate WaitForFirstConsumer;
    }
}

/// Zero, empty and false are values; only what is absent is left out.
#[test]
fn zeros_are_written() {
    let node = json!({"spec": {"drivers": [
        {"name": "", "nodeID": "", "topologyKeys": [], "allocatable": {"count": 0}},
        {"name": "a", "nodeID": "b", "allocatable": {}},
    ]}, "status": {"storageHealth": []}});
    let written = value(&read::<CSINode>(&node).unwrap());
    assert_eq!(
        (&written["spec"], &written["status"]),
        (&node["spec"], &node["status"])
    );

    let written = value(&CSINode::default());
    assert_eq!(written["spec"], json!({"drivers": []}));
    assert_eq!(written.get("status"), None);
    assert_eq!(
        value(&storage_v1::CSINodeList::default())["items"],
        json!([])
    );

    let written = value(&VolumeAttachmentStatus::default());
    assert_eq!(written, json!({"attached": false}));
    let written = value(&VolumeAttachment::default());
    assert_eq!(
        written["spec"],
        json!({"attacher": "", "nodeName": "", "source": {}})
    );

    let class = VolumeAttributesClass::new("a", "b").with_parameters([("", ""); 0]);
    assert_eq!(value(&class)["parameters"], json!({}));

    let spec = json!({
        "attachRequired": false,
        "nodeAllocatableUpdatePeriodSeconds": 0,
        "tokenRequests": [{"audience": "", "expirationSeconds": 0}],
        "volumeLifecycleModes": [],
    });
    assert_eq!(value(&read::<CSIDriverSpec>(&spec).unwrap()), spec);
}

/// Go leaves out or writes `null` for lists that are required here.
#[test]
fn absent_required_lists_are_empty() {
    for spec in [json!({}), json!({"drivers": null}), json!({"drivers": []})] {
        let node: CSINode = read(&json!({"spec": spec})).unwrap();
        assert!(node.spec.drivers.is_empty());
    }
    for list in [json!({}), json!({"items": null}), json!({"items": []})] {
        assert!(
            read::<storage_v1::CSINodeList>(&list)
                .unwrap()
                .items
                .is_empty()
        );
    }
}

/// A field that is there twice: the last one counts, as in Go, and each type is checked.
#[test]
fn duplicates() {
    let twice = r#"{"driverName":"a","driverName":"b","parameters":{"a":"1","a":"2"}}"#;
    let class: VolumeAttributesClass = serde_json::from_str(twice).unwrap();
    assert_eq!(
        class,
        VolumeAttributesClass {
            driver_name: "b".to_owned(),
            parameters: Some([("a".to_owned(), "2".to_owned())].into()),
            ..VolumeAttributesClass::default()
        }
    );
    // Of metadata, the last one of each field.
    let metadata = r#"{"metadata":{"name":"a","uid":"u"},"metadata":{"name":"b"},"metadata":null}"#;
    let class: VolumeAttributesClass = serde_json::from_str(metadata).unwrap();
    assert_eq!(class.metadata.name.as_deref(), Some("b"));
    assert_eq!(class.metadata.uid.as_deref(), Some("u"));
    let lean: Lean<VolumeAttributesClass> = serde_json::from_str(metadata).unwrap();
    assert_eq!(lean.metadata, class.metadata);
    let kinds = r#"{"kind":"VolumeAttributesClass","kind":"StorageClass"}"#;
    serde_json::from_str::<VolumeAttributesClass>(kinds).unwrap_err();
}

/// Numbers must fit, and strings are not numbers.
#[test]
fn numbers() {
    let count = |count: Value| read::<VolumeNodeResources>(&json!({"count": count}));
    assert_eq!(count(json!(i32::MAX)).unwrap().count, Some(i32::MAX));
    assert_eq!(count(json!(-1)).unwrap().count, Some(-1));
    for wrong in [
        json!(2_147_483_648_i64),
        json!("1"),
        json!(1.5),
        json!(true),
    ] {
        count(wrong).unwrap_err();
    }
}
