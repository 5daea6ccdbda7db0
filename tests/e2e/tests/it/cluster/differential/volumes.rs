//! PersistentVolumes and claims: changes that break rules, or come close.

use conformance::valid::Kind;
use serde_json::{Value, json};

use super::damage::{Damage, QUALIFIED, SUBDOMAINS, at, expand, selectors, texts};
use super::{health, metadata, sources};

/// Returns the changes to a PersistentVolume, beside its metadata.
pub(crate) fn persistent_volume() -> Vec<Damage> {
    let base = json!({"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
    let mut all = sources::all("/spec", &base);
    // In an order in which nothing takes away what follows.
    all.extend(modes());
    all.extend(at("/spec/capacity", sizes()));
    all.extend(at(
        "/spec/capacity",
        [
            Value::Null,
            json!({}),
            json!({"inodes": "1"}),
            json!({"storage": "1Gi", "inodes": "-1"}),
            json!({"storage": "1Gi", "": "1m"}),
        ],
    ));
    let policies = ["", "Delete", "Recycle", "Retain", "Keep"];
    all.extend(texts("/spec/persistentVolumeReclaimPolicy", &policies));
    all.extend(texts("/spec/storageClassName", SUBDOMAINS));
    all.extend(volume_mode());
    all.extend(texts("/spec/volumeAttributesClassName", SUBDOMAINS));
    all.extend(at("/spec/volumeAttributesClassName", [Value::Null]));
    all.extend(at(
        "/spec/mountOptions",
        [json!(["ro", "ro"]), json!([]), Value::Null],
    ));
    all.extend(at(
        "/spec/claimRef",
        [
            json!({}),
            json!({"namespace": "A b", "name": ""}),
            Value::Null,
        ],
    ));
    all.extend(at("/spec/nodeAffinity", affinities()));
    all.extend(at("/metadata/annotations", annotations()));
    all.extend(csi());
    all.extend(at("/spec", paths(&base)));
    all.extend(at("/spec/hostPath/path", [json!("/other")]));
    all.extend(at(
        "/spec/local/fsType",
        [json!(""), json!("xfs"), Value::Null],
    ));
    all.extend(at("/spec/local", [Value::Null]));
    all.extend(at("/spec/iscsi/readOnly", [json!(true)]));
    all.extend(at("/spec", [json!({}), Value::Null]));
    all
}

fn modes() -> Vec<Damage> {
    at(
        "/spec/accessModes",
        [
            Value::Null,
            json!([]),
            json!(["ReadWriteOncePod"]),
            json!(["ReadWriteOncePod", "ReadWriteOnce"]),
            json!(["ReadWriteOncePod", "Other"]),
            json!(["ReadWriteMany", "ReadWriteMany"]),
            json!(["Other", ""]),
            json!([null]),
        ],
    )
}

fn volume_mode() -> Vec<Damage> {
    let mut all = texts("/spec/volumeMode", &["", "Block", "Filesystem", "File"]);
    all.extend(at("/spec/volumeMode", [Value::Null]));
    all
}

/// Sizes under the name that Kubernetes knows.
fn sizes() -> Vec<Value> {
    let sizes = [
        "0",
        "-1",
        "-1m",
        "-1n",
        "1n",
        "1u",
        "999u",
        "1m",
        "1500m",
        "0.5",
        "1.0000001",
        "1Gi",
        "2Gi",
        "5Gi",
        "10Gi",
        "1e30",
        "much",
        "",
        " 1Gi",
        "9223372036854775807",
        "9223372036854775807.5",
        "9223372036854775808",
        "-9223372036854775808",
        "18446744073709551617",
        "99999999999999999999",
        "9300000000000000k",
        "10E",
        "9Ei",
        "-9Ei",
        "1e3",
    ];
    let mut all: Vec<_> = sizes.iter().map(|size| json!({"storage": size})).collect();
    all.push(json!({"storage": 5}));
    all.push(json!({"storage": null}));
    all.push(json!({"storage": 0.5}));
    all
}

fn annotations() -> Vec<Value> {
    let mount_options = "volume.beta.kubernetes.io/mount-options";
    let class = "volume.beta.kubernetes.io/storage-class";
    vec![
        json!({mount_options: "ro"}),
        json!({mount_options: ""}),
        json!({class: "fast"}),
        json!({class: ""}),
        json!({class: "slow", mount_options: "ro"}),
    ]
}

fn csi() -> Vec<Damage> {
    let mut all = texts("/spec/csi/driver", SUBDOMAINS);
    all.extend(texts("/spec/csi/volumeHandle", &["", "a"]));
    all.extend(texts("/spec/csi/fsType", &["", "ext4", "xfs"]));
    all.extend(at(
        "/spec/csi/volumeAttributes",
        [json!({}), json!({"a": ""}), json!({"": "b"}), Value::Null],
    ));
    all.extend(at("/spec/csi/readOnly", [json!(true)]));
    for place in [
        "/spec/csi/controllerPublishSecretRef",
        "/spec/csi/controllerExpandSecretRef",
        "/spec/csi/nodePublishSecretRef",
        "/spec/csi/nodeStageSecretRef",
        "/spec/csi/nodeExpandSecretRef",
    ] {
        all.extend(at(
            place,
            [
                json!({}),
                json!({"name": "a", "namespace": "b"}),
                json!({"name": "A", "namespace": "b.c"}),
                json!({"name": expand("a*254"), "namespace": expand("a*64")}),
                Value::Null,
            ],
        ));
    }
    all.extend(at("/spec/csi", [Value::Null]));
    all
}

/// Paths of the node itself, with a policy that deletes what is there, and a portal with and
/// without an initiator.
fn paths(base: &Value) -> Vec<Value> {
    let with = |fields: Value| {
        let mut spec = base.clone();
        let fields = fields.as_object().into_iter().flatten();
        for (name, value) in fields {
            spec[name] = value.clone();
        }
        spec
    };
    let mut all = Vec::new();
    for path in [
        "/", "//", "/.", "/a/..", "/a", "a", ".", "", "/../..", "/./b/../",
    ] {
        let source = json!({"path": path});
        all.push(with(json!({
            "hostPath": source, "persistentVolumeReclaimPolicy": "Recycle",
        })));
    }
    let iqn = "iqn.2001-04.com.example:storage";
    for length in [40, 50, 52, 54, 56, 58, 60] {
        let portal = "p".repeat(length);
        all.push(with(json!({"iscsi": {
            "targetPortal": portal, "iqn": iqn, "lun": 0, "initiatorName": iqn,
        }})));
    }
    let terms = json!({"required": {"nodeSelectorTerms": [{}]}});
    all.push(with(
        json!({"local": {"path": "/a"}, "nodeAffinity": terms}),
    ));
    all.push(with(json!({"local": {"path": "/a"}, "nodeAffinity": {}})));
    all.push(with(
        json!({"nfs": {"server": "a", "path": "/b"}, "volumeAttributesClassName": "a"}),
    ));
    all
}

fn affinities() -> Vec<Value> {
    let terms = |terms: Value| json!({"required": {"nodeSelectorTerms": terms}});
    let requirement = |key: &str, operator: &str, values: Value| {
        let mut requirement = json!({"key": key, "operator": operator});
        if !values.is_null() {
            requirement["values"] = values;
        }
        requirement
    };
    let label = |operator: &str, values: Value| {
        terms(json!([{"matchExpressions": [requirement("a", operator, values)]}]))
    };
    let field = |key: &str, operator: &str, values: Value| {
        terms(json!([{"matchFields": [requirement(key, operator, values)]}]))
    };
    let mut all = vec![
        Value::Null,
        json!({}),
        json!({"required": {}}),
        terms(json!([])),
        terms(json!([{}])),
        terms(json!([{}, {"matchExpressions": [], "matchFields": []}])),
        label("In", json!([])),
        label("NotIn", Value::Null),
        label("Exists", json!(["a"])),
        label("Exists", json!([])),
        label("DoesNotExist", json!(["a"])),
        label("Gt", json!(["a"])),
        label("Gt", json!([])),
        label("Lt", json!(["1", "2"])),
        label("Near", json!(["1"])),
        label("", Value::Null),
        label("In", json!(["-", "a b", "a"])),
        label("In", json!([expand("a*64"), null])),
        field("metadata.name", "In", json!(["node-1"])),
        field("metadata.name", "In", json!(["Node"])),
        field("metadata.name", "In", json!(["a", "b"])),
        field("metadata.name", "NotIn", json!([])),
        field("metadata.name", "Exists", Value::Null),
        field("metadata.uid", "In", json!(["a_b"])),
        field("", "Gt", json!(["1"])),
    ];
    for key in QUALIFIED.iter().copied().chain([
        "beta.kubernetes.io/arch",
        "failure-domain.beta.kubernetes.io/region",
        "node-role.kubernetes.io/master",
    ]) {
        let requirement = requirement(&expand(key), "Exists", Value::Null);
        all.push(terms(json!([{"matchExpressions": [requirement]}])));
    }
    for (deprecated, _) in RENAMED {
        all.push(terms(json!([{"matchExpressions": [
            requirement(deprecated, "In", json!(["a", "b"])),
        ]}])));
    }
    all
}

/// Deprecated labels of nodes, and what an update may replace them by.
const RENAMED: [(&str, &str); 3] = [
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "topology.kubernetes.io/zone",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
    ),
];

/// Replaces deprecated labels in the node affinity of a stored object.
pub(crate) fn renamed() -> Vec<Damage> {
    let place = "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/key";
    let mut all: Vec<_> = RENAMED
        .iter()
        .flat_map(|(old, new)| texts(place, &[old, new]))
        .collect();
    all.extend(texts(place, &["other"]));
    let values = "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values";
    all.extend(at(values, [json!(["c"])]));
    all.extend(at(
        "/spec/nodeAffinity/required/nodeSelectorTerms/1",
        [json!({})],
    ));
    all
}

/// Returns the changes to a claim, beside its metadata.
pub(crate) fn claim() -> Vec<Damage> {
    let mut all = modes();
    all.extend(selectors("/spec/selector"));
    all.extend(at("/spec/resources/requests", sizes()));
    all.extend(at("/spec/resources/limits", sizes()));
    all.extend(at(
        "/spec/resources",
        [
            Value::Null,
            json!({}),
            json!({"limits": {"storage": "1Gi"}}),
            json!({"requests": {}}),
            json!({"requests": {"storage": "1Gi", "inodes": "5"}}),
            json!({"requests": {"storage": "much"}, "limits": {"cpu": "many"}}),
        ],
    ));
    all.extend(texts("/spec/storageClassName", SUBDOMAINS));
    all.extend(at(
        "/spec/storageClassName",
        [Value::Null, json!("fast"), json!("slow")],
    ));
    all.extend(volume_mode());
    all.extend(texts("/spec/volumeAttributesClassName", SUBDOMAINS));
    all.extend(at("/spec/volumeAttributesClassName", [Value::Null]));
    all.extend(texts("/spec/volumeName", &["", "a", "A b"]));
    all.extend(at("/spec/volumeName", [Value::Null]));
    all.extend(at("/spec/dataSource", references()));
    all.extend(at("/spec/dataSourceRef", references()));
    let both = |source: Value, reference: Value| {
        json!({
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
            "dataSource": source, "dataSourceRef": reference,
        })
    };
    let snapshot = references().swap_remove(3);
    let abroad = json!({"kind": "PersistentVolumeClaim", "name": "a", "namespace": "b"});
    let claim = json!({"kind": "PersistentVolumeClaim", "name": "a"});
    all.extend(at(
        "/spec",
        [
            both(snapshot.clone(), snapshot.clone()),
            both(snapshot.clone(), claim.clone()),
            both(claim.clone(), abroad.clone()),
            both(Value::Null, abroad),
            both(json!({"kind": "Secret", "name": "a"}), Value::Null),
        ],
    ));
    all.extend(at("/metadata/annotations", annotations()));
    all.extend(at("/spec", [json!({}), Value::Null]));
    all
}

/// References to objects that a volume is filled from.
fn references() -> Vec<Value> {
    let mut all = vec![
        Value::Null,
        json!({}),
        json!({"kind": "PersistentVolumeClaim", "name": "a"}),
        json!({"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "a"}),
        json!({"apiGroup": "", "kind": "PersistentVolumeClaim", "name": "a"}),
        json!({"apiGroup": "", "kind": "Pod", "name": ""}),
        json!({"kind": "Pod", "name": "a"}),
        json!({"apiGroup": "example.com", "kind": "Backup", "name": "a"}),
        json!({"apiGroup": "example.com", "kind": "Backup", "name": "b", "namespace": "c"}),
        json!({"apiGroup": "example.com", "kind": "Backup", "name": "b", "namespace": ""}),
        json!({"apiGroup": "example.com", "kind": "", "name": "b", "namespace": "A.b"}),
    ];
    for group in ["a_b", "A", "a..b"] {
        all.push(json!({"apiGroup": group, "kind": "Backup", "name": "a"}));
    }
    all
}

/// Returns the changes to a status, and to the metadata that is written with it.
pub(crate) fn status(kind: Kind) -> Vec<Damage> {
    let mut all = metadata::all(kind, false);
    all.extend(texts(
        "/status/phase",
        &["", "Bound", "Lost", "Available", "Odd"],
    ));
    all.extend(at("/status", [json!({}), Value::Null]));
    if kind == Kind::PersistentVolume {
        all.extend(texts("/status/message", &["", "m*2000"]));
        all.extend(texts("/status/reason", &["", "Odd one"]));
        let time = json!("2024-01-02T03:04:05Z");
        all.extend(at("/status/lastPhaseTransitionTime", [time, Value::Null]));
        all.extend(at("/spec/storageClassName", [json!("-")]));
        return all;
    }
    all.extend(at(
        "/status/accessModes",
        [json!([]), json!(["Odd"]), json!([null])],
    ));
    for place in ["/status/capacity", "/status/allocatedResources"] {
        all.extend(at(place, sizes()));
        all.extend(at(place, [json!({}), Value::Null]));
        let keys = QUALIFIED.iter().map(|key| json!({expand(key): "1"}));
        all.extend(at(place, keys));
        let keys = [
            "example.com/inodes",
            "kubernetes.io/x",
            "a.kubernetes.io/b",
            "requests.storage",
        ];
        all.extend(at(place, keys.map(|key| json!({key: "-1"}))));
    }
    let place = "/status/allocatedResourceStatuses";
    all.extend(at(
        place,
        [json!({}), Value::Null, json!({"storage": null})],
    ));
    let keys = QUALIFIED
        .iter()
        .map(|key| json!({expand(key): "NodeResizePending"}));
    all.extend(at(place, keys));
    let values = [
        "",
        "ControllerResizeInProgress",
        "ControllerResizeInfeasible",
        "NodeResizePending",
        "NodeResizeInProgress",
        "NodeResizeInfeasible",
        "NodeResizeFailed",
    ];
    all.extend(at(place, values.map(|value| json!({"storage": value}))));
    all.extend(at(
        place,
        [json!({"cpu": "Odd", "example.com/x": "NodeResizePending"})],
    ));
    all.extend(texts(
        "/status/currentVolumeAttributesClassName",
        &["", "A b"],
    ));
    let modify = |status: &str| json!({"status": status, "targetVolumeAttributesClassName": ""});
    all.extend(at(
        "/status/modifyVolumeStatus",
        ["", "Odd", "Pending"].map(modify),
    ));
    let condition = json!({"type": "Resizing", "status": "Odd"});
    let conditions = [
        json!([condition, condition]),
        json!([{"type": "", "status": ""}]),
        json!([{"type": "Odd", "status": "True", "lastProbeTime": "2024-01-02T03:04:05Z"}]),
        json!([null]),
        json!([]),
    ];
    all.extend(at("/status/conditions", conditions));
    all.extend(health::of_claim());
    all
}
