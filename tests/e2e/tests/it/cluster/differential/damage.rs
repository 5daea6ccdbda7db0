//! Changes that break rules, or come close: values on both sides of every limit.

use conformance::valid::Kind;
use fastrand::Rng;
use serde_json::{Value, json};

use super::{health, metadata, snapshots, sources, volumes};

/// A place in an object, as a JSON pointer, and the value that is put there; `null` removes it.
pub(crate) struct Damage {
    pub(crate) place: &'static str,
    pub(crate) value: Value,
}

/// Puts the value in its place. Returns false if the object has no such place.
pub(crate) fn apply(object: &mut Value, damage: &Damage) -> bool {
    let Some((parent, last)) = damage.place.rsplit_once('/') else {
        return false;
    };
    match object.pointer_mut(parent) {
        Some(Value::Object(parent)) => {
            if damage.value.is_null() {
                parent.remove(last).is_some()
            } else {
                parent.insert(last.to_owned(), damage.value.clone());
                true
            }
        }
        Some(Value::Array(list)) => {
            let slot = last
                .parse()
                .ok()
                .and_then(|index: usize| list.get_mut(index));
            let is_there = slot.is_some();
            slot.into_iter()
                .for_each(|slot| *slot = damage.value.clone());
            is_there
        }
        _ => false,
    }
}

/// Returns the changes to objects of a kind; some are only for new objects, whose names are free.
pub(crate) fn all(kind: Kind, is_new: bool) -> Vec<Damage> {
    let mut all = metadata::all(kind, is_new);
    if !kind.is_namespaced() {
        all.extend(texts("/metadata/namespace", &["default", "Not a name", ""]));
    }
    if !is_new && !kind.may_lack_version() {
        all.extend(texts("/metadata/resourceVersion", &["0", ""]));
    }
    all.extend(match kind {
        Kind::CsiDriver => csi_driver(),
        Kind::CsiNode => csi_node(),
        Kind::CsiStorageCapacity => csi_storage_capacity(),
        Kind::StorageClass => storage_class(),
        Kind::VolumeAttachment => volume_attachment(),
        Kind::VolumeAttributesClass | Kind::VolumeAttributesClassV1beta1 => {
            let mut all = texts("/driverName", QUALIFIED);
            all.extend(parameters());
            all
        }
        Kind::PersistentVolume => {
            let mut all = volumes::persistent_volume();
            all.extend(volumes::renamed());
            all
        }
        Kind::PersistentVolumeClaim => volumes::claim(),
        _ => snapshots::all(kind),
    });
    all
}

/// Returns a random change.
pub(crate) fn any<'d>(rng: &mut Rng, damages: &'d [Damage]) -> &'d Damage {
    &damages[rng.usize(..damages.len())]
}

pub(crate) fn at(place: &'static str, values: impl IntoIterator<Item = Value>) -> Vec<Damage> {
    values
        .into_iter()
        .map(|value| Damage { place, value })
        .collect()
}

pub(crate) fn texts(place: &'static str, values: &[&str]) -> Vec<Damage> {
    at(place, values.iter().map(|text| expand(text).into()))
}

/// Repeats the text before a `*`: `a*63` becomes 63 times `a`.
pub(crate) fn expand(text: &str) -> String {
    match text
        .split_once('*')
        .map(|(unit, count)| (unit, count.parse()))
    {
        Some((unit, Ok(count))) => unit.repeat(count),
        _ => text.to_owned(),
    }
}

pub(crate) const SUBDOMAINS: &[&str] = &[
    "",
    "a",
    "a.b",
    "a-b",
    "Upper",
    "a_b",
    "a..b",
    ".a",
    "a.",
    "-a",
    "a-",
    "a.-b",
    "ä",
    "a b",
    "0",
    "a*62",
    "a*63",
    "a*64",
    "a*252",
    "a*253",
    "a*254",
    "a/b",
    "K",
    "a\u{212a}",
    "İ",
];

pub(crate) const QUALIFIED: &[&str] = &[
    "",
    "a",
    "A",
    "a/b",
    "A/B",
    "a/b/c",
    "/a",
    "a/",
    "a_b",
    "a_b/c",
    "a.b/c_d",
    "-a",
    "a-",
    "a b",
    "ä",
    "a*63",
    "a*64",
    "x/a",
    "kubernetes.io/no-provisioner",
    "\u{212a}",
    "a.B-c/D",
];

const ODD_QUANTITIES: &[&str] = &[
    "", " ", "1 ", "  1", "\t1\n", "1 Gi", "much", "1.5.5", "1gi", "1e", "1e3", "+1", "0x10", "½",
];

pub(crate) const LABEL_VALUES: &[&str] =
    &["", "a", "A_b.c-d", "-a", "a-", "a b", "a/b", "a*63", "a*64"];

/// Maps of one byte less than 256 KiB, of as many, and of one more.
pub(crate) fn totals() -> Vec<Value> {
    let map = |length: usize| json!({"k": "v".repeat(length - 1)});
    vec![map((256 << 10) - 1), map(256 << 10), map((256 << 10) + 1)]
}

fn parameters() -> Vec<Damage> {
    let many = |count: usize| {
        (0..count)
            .map(|index| (format!("k{index}"), Value::from("v")))
            .collect()
    };
    let mut values = vec![
        Value::Null,
        json!({}),
        json!({"": "v"}),
        json!({"any key": "", "b": "c"}),
        json!({"fsType": null}),
        Value::Object(many(512)),
        Value::Object(many(513)),
    ];
    values.extend(totals());
    at("/parameters", values)
}

fn csi_driver() -> Vec<Damage> {
    let mut all = Vec::new();
    all.extend(at(
        "/spec/attachRequired",
        [json!(true), json!(false), Value::Null],
    ));
    all.extend(at("/spec/podInfoOnMount", [json!(true), Value::Null]));
    all.extend(texts("/spec/fsGroupPolicy", &["", "File", "file", "None"]));
    all.extend(at(
        "/spec/volumeLifecycleModes",
        [
            json!([]),
            json!(["Persistent"]),
            json!(["Ephemeral", "Persistent"]),
            json!(["Persistent", "Persistent"]),
            json!(["Persistent", "Other"]),
            json!([""]),
            json!([null]),
        ],
    ));
    let request = |seconds: i64| json!([{"audience": "a", "expirationSeconds": seconds}]);
    let repeated = json!([{"audience": "a"}, {"audience": "a", "expirationSeconds": 1}]);
    all.extend(at(
        "/spec/tokenRequests",
        [
            Value::Null,
            json!([]),
            json!([{"audience": ""}, {"audience": ""}]),
            json!([null]),
            json!([null, {"audience": "a"}]),
            repeated,
            request(599),
            request(600),
            request(1 << 32),
            request((1 << 32) + 1),
            request(-1),
        ],
    ));
    all.extend(at(
        "/spec/serviceAccountTokenInSecrets",
        [json!(true), json!(false)],
    ));
    let period = "/spec/nodeAllocatableUpdatePeriodSeconds";
    all.extend(at(
        period,
        [json!(-1), json!(0), json!(9), json!(10), Value::Null],
    ));
    all
}

fn csi_node() -> Vec<Damage> {
    let mut all = Vec::new();
    all.extend(texts("/spec/drivers/0/name", SUBDOMAINS));
    all.extend(texts(
        "/spec/drivers/1/name",
        &["d0.Example.com", "d0.example.com", "d9"],
    ));
    all.extend(texts(
        "/spec/drivers/0/nodeID",
        &["", "a", "a*255", "a*256", "a*257", "Ä/ö"],
    ));
    all.extend(at(
        "/spec/drivers/1/topologyKeys",
        QUALIFIED.iter().map(|k| json!([expand(k)])),
    ));
    all.extend(at(
        "/spec/drivers/0/topologyKeys",
        [
            json!(["a", "a"]),
            json!(["", ""]),
            json!([null, "a"]),
            json!([]),
            Value::Null,
            json!(["b", "a", "b"]),
        ],
    ));
    all.extend(at(
        "/spec/drivers/0/allocatable",
        [
            json!({"count": -1}),
            json!({"count": 0}),
            json!({}),
            Value::Null,
        ],
    ));
    all.extend(at("/spec/drivers", [json!([]), json!([null])]));
    all.extend(at(
        "/spec/drivers/2",
        [json!({"name": "d0.Example.com", "nodeID": "x"})],
    ));
    all
}

fn csi_storage_capacity() -> Vec<Damage> {
    let mut all = texts("/storageClassName", SUBDOMAINS);
    all.extend(texts(
        "/capacity",
        &["-1", "-0", "-1m", "-1n", "-0.1n", "0", "1.5Gi", "1e30"],
    ));
    all.extend(texts("/maximumVolumeSize", &["-1", "1"]));
    for place in ["/capacity", "/maximumVolumeSize"] {
        all.extend(texts(place, ODD_QUANTITIES));
        all.extend(at(
            place,
            [json!(5), json!(-5), json!(u64::MAX), json!(1e3), json!(0.5)],
        ));
    }
    all.extend(selectors("/nodeTopology"));
    all
}

/// Label selectors.
pub(crate) fn selectors(place: &'static str) -> Vec<Damage> {
    let mut all = Vec::new();
    let labels = QUALIFIED
        .iter()
        .map(|key| json!({"matchLabels": {expand(key): "a"}}));
    all.extend(at(place, labels));
    let values = LABEL_VALUES
        .iter()
        .map(|value| json!({"matchLabels": {"a": expand(value)}}));
    all.extend(at(place, values));
    let expression = |operator: &str, values: Value| {
        let mut requirement = json!({"key": "a", "operator": operator});
        if !values.is_null() {
            requirement["values"] = values;
        }
        json!({"matchExpressions": [requirement]})
    };
    all.extend(at(
        place,
        [
            Value::Null,
            json!({}),
            json!({"matchLabels": {}}),
            expression("In", json!([])),
            expression("In", Value::Null),
            expression("NotIn", json!(["a", "-"])),
            expression("Exists", json!(["a"])),
            expression("DoesNotExist", json!([])),
            expression("Gt", json!(["1"])),
            expression("", json!(["b b"])),
            json!({"matchExpressions": [{"key": "a/b/c", "operator": "Exists"}]}),
            json!({"matchLabels": {"beta.kubernetes.io/os": "linux", "a": "b"}}),
            json!({"matchLabels": {"a": null}}),
        ],
    ));
    all
}

fn storage_class() -> Vec<Damage> {
    let mut all = texts("/provisioner", QUALIFIED);
    all.extend(parameters());
    all.extend(texts(
        "/reclaimPolicy",
        &["", "Delete", "Retain", "Recycle", "delete"],
    ));
    let modes = ["", "Immediate", "WaitForFirstConsumer", "Never"];
    all.extend(texts("/volumeBindingMode", &modes));
    all.extend(at(
        "/mountOptions",
        [
            json!([]),
            json!(["a", "a"]),
            json!(["ro", null]),
            Value::Null,
        ],
    ));
    let term = |expressions: Value| json!({"matchLabelExpressions": expressions});
    let one = |key: &str, values: Value| term(json!([{"key": key, "values": values}]));
    let terms = [
        json!([]),
        json!([{}]),
        json!([null]),
        json!([term(json!([]))]),
        json!([one("a", json!(["b"])), {}]),
        json!([one("a", json!(["b", "c"])), one("a", json!(["c", "b"]))]),
        json!([one("a", json!(["b", "c"])), one("a", json!(["c"]))]),
        json!([one("a", json!([]))]),
        json!([one("a", json!(["b", "b"]))]),
        json!([term(
            json!([{"key": "a", "values": ["b"]}, {"key": "a", "values": ["c"]}])
        )]),
    ];
    all.extend(at("/allowedTopologies", terms));
    let keys = QUALIFIED
        .iter()
        .map(|key| json!([one(&expand(key), json!(["v"]))]));
    all.extend(at("/allowedTopologies", keys));
    all
}

fn volume_attachment() -> Vec<Damage> {
    let mut all = texts("/spec/attacher", SUBDOMAINS);
    all.extend(texts("/spec/nodeName", SUBDOMAINS));
    // With either of the sources, and with none.
    let named = json!({"persistentVolumeName": ""});
    let both = json!({
        "persistentVolumeName": "a", "inlineVolumeSpec": {"capacity": {"storage": "much"}},
    });
    all.extend(at("/spec/source", [json!({}), named, both, Value::Null]));
    all.extend(texts("/spec/source/persistentVolumeName", SUBDOMAINS));
    let spec = "/spec/source/inlineVolumeSpec";
    all.extend(at(
        spec,
        [
            Value::Null,
            json!({}),
            json!({"accessModes": ["ReadWriteOnce"]}),
        ],
    ));
    all.extend(at(
        "/spec/source/inlineVolumeSpec/accessModes",
        [
            Value::Null,
            json!([]),
            json!(["ReadWriteOncePod"]),
            json!(["ReadWriteOncePod", "ReadWriteOnce"]),
            json!(["ReadWriteOncePod", "Other"]),
            json!(["Other", ""]),
        ],
    ));
    all.extend(at(
        "/spec/source/inlineVolumeSpec/capacity",
        [
            json!({}),
            json!({"storage": "1Gi"}),
            json!({"storage": "much"}),
        ],
    ));
    all.extend(at(
        "/spec/source/inlineVolumeSpec/mountOptions",
        [json!(["ro", null])],
    ));
    all.extend(at(
        "/spec/source/inlineVolumeSpec/claimRef",
        [json!({}), json!({"name": "a", "namespace": "b"})],
    ));
    all.extend(at(
        "/spec/source/inlineVolumeSpec/nodeAffinity",
        [json!({})],
    ));
    let inline: [(&str, &[&str]); 7] = [
        ("/spec/source/inlineVolumeSpec/storageClassName", &["", "a"]),
        (
            "/spec/source/inlineVolumeSpec/volumeMode",
            &["", "Block", "Filesystem"],
        ),
        (
            "/spec/source/inlineVolumeSpec/persistentVolumeReclaimPolicy",
            &["", "Retain", "Delete"],
        ),
        (
            "/spec/source/inlineVolumeSpec/volumeAttributesClassName",
            &["", "B"],
        ),
        ("/spec/source/inlineVolumeSpec/csi/driver", SUBDOMAINS),
        ("/spec/source/inlineVolumeSpec/csi/volumeHandle", &["", "a"]),
        ("/spec/source/inlineVolumeSpec/csi/fsType", &["", "ext4"]),
    ];
    for (place, values) in inline {
        all.extend(texts(place, values));
    }
    for place in [
        "/spec/source/inlineVolumeSpec/csi/controllerPublishSecretRef",
        "/spec/source/inlineVolumeSpec/csi/controllerExpandSecretRef",
        "/spec/source/inlineVolumeSpec/csi/nodePublishSecretRef",
        "/spec/source/inlineVolumeSpec/csi/nodeExpandSecretRef",
    ] {
        all.extend(at(
            place,
            [
                json!({}),
                json!({"name": "a", "namespace": "b"}),
                json!({"name": "A", "namespace": "b.c"}),
                json!({"name": expand("a*254"), "namespace": expand("a*64")}),
            ],
        ));
    }
    all.extend(at("/spec/source/inlineVolumeSpec/csi", [Value::Null]));
    all.extend(sources::all(
        "/spec/source/inlineVolumeSpec",
        &json!({"accessModes": ["ReadWriteOnce"]}),
    ));
    all
}

/// Returns the changes to a status that is written by itself.
pub(crate) fn status(kind: Kind) -> Vec<Damage> {
    match kind {
        Kind::VolumeAttachment => {}
        Kind::CsiNode => return health::of_node(),
        kind if kind.is_custom() => return snapshots::status(kind),
        kind => return volumes::status(kind),
    }
    let mut all = metadata::all(kind, false);
    all.extend(at("/status/attached", [json!(true), json!(false)]));
    all.extend(at("/status", [json!({}), Value::Null]));
    all.extend(at("/status/attachmentMetadata", totals()));
    all.extend(at("/status/attachmentMetadata", [json!({"k": null})]));
    for place in ["/status/attachError", "/status/detachError"] {
        all.extend(at(
            place,
            [
                json!({"message": expand("m*1024")}),
                json!({"message": expand("m*1025")}),
                json!({"errorCode": -1}),
                json!({"errorCode": 0, "message": ""}),
            ],
        ));
    }
    all
}
