//! The sources of an inline volume: which is the first, which are too many, and what is checked
//! in the first.

use conformance::rules::{Probe, text};
use proptest::prelude::*;
use serde_json::{Value, json};

const INLINE: &str = "spec.source.inlineVolumeSpec";

/// The errors of a volume with these sources, without the path that they all start with.
fn errors(sources: Value) -> Vec<String> {
    let mut volume = sources;
    volume["accessModes"] = json!(["ReadWriteOnce"]);
    let source = json!({ "inlineVolumeSpec": volume });
    let spec = json!({"attacher": "csi.example.com", "nodeName": "n", "source": source});
    let probe =
        Probe::<storage_v1::VolumeAttachment>::of(json!({"metadata": {"name": "a"}, "spec": spec}));
    let answer = probe.create(json!({}));
    let short = |error: &String| error.replace(&format!("{INLINE}."), "");
    answer.errors().iter().map(short).collect()
}

/// The volume is never accepted, as it isn't one of CSI; these errors it has in addition.
#[track_caller]
fn check(source: &str, value: Value, expected: &[&str]) {
    let mut expected = expected.to_vec();
    expected.push("Required csi");
    expected.sort_unstable();
    assert_eq!(errors(json!({ source: value })), expected, "{source}");
}

const IQN: &str = "iqn.2001-04.com.example:disk";

/// Sources without errors.
fn good() -> Vec<(&'static str, Value)> {
    let iscsi = json!({"targetPortal": "p", "iqn": IQN, "lun": 255});
    let azure = json!({"diskName": "d", "diskURI": "https://e"});
    let scale = json!({"gateway": "g", "system": "s", "volumeName": "v", "secretRef": {}});
    vec![
        ("hostPath", json!({"path": "/a", "type": "Socket"})),
        (
            "gcePersistentDisk",
            json!({"pdName": "d", "partition": 255}),
        ),
        (
            "awsElasticBlockStore",
            json!({"volumeID": "v", "partition": 0}),
        ),
        ("glusterfs", json!({"endpoints": "e", "path": "p"})),
        ("flocker", json!({"datasetName": "n"})),
        ("nfs", json!({"server": "s", "path": "/p"})),
        ("rbd", json!({"monitors": [""], "image": "i"})),
        (
            "quobyte",
            json!({"registry": "h:1,[::1]:2,:", "volume": "v", "tenant": text(64)}),
        ),
        ("cephfs", json!({"monitors": [""]})),
        ("iscsi", iscsi),
        (
            "cinder",
            json!({"volumeID": "v", "secretRef": {"name": "n", "namespace": "n"}}),
        ),
        ("fc", json!({"targetWWNs": ["w"], "lun": 0})),
        (
            "flexVolume",
            json!({"driver": "d", "options": {"xk8s.io/a": "", "a/k8s.io": ""}}),
        ),
        ("azureFile", json!({"secretName": "s", "shareName": "s"})),
        ("vsphereVolume", json!({"volumePath": "p"})),
        ("photonPersistentDisk", json!({"pdID": "p"})),
        ("portworxVolume", json!({"volumeID": "v"})),
        ("azureDisk", azure),
        ("scaleIO", scale),
        (
            "storageos",
            json!({"volumeName": text(63), "secretRef": {"name": "n", "namespace": "n"}}),
        ),
    ]
}

#[test]
fn sources_without_an_error() {
    for (source, value) in good() {
        check(source, value, &[]);
    }
}

#[test]
fn one_source_is_needed() {
    let none = format!("Required {INLINE}");
    assert_eq!(errors(json!({})), [&*none, "Required csi"]);
}

/// Whatever comes after the first is refused and not looked into, except flexVolume.
#[test]
fn further_sources() {
    let mut all = json!({"csi": {}, "local": {}});
    for (source, value) in good() {
        all[source] = if source == "hostPath" || source == "flexVolume" {
            value
        } else {
            json!({})
        };
    }
    all["azureDisk"] = json!({});
    let mut expected: Vec<_> = good().into_iter().map(|(source, _)| source).collect();
    expected.retain(|source| !matches!(*source, "hostPath" | "flexVolume"));
    expected.extend(["csi", "local"]);
    let named = |source: &&str| match *source {
        "cephfs" => "Forbidden cephFS (cephfs)".to_owned(),
        other => format!("Forbidden {other}"),
    };
    let mut expected: Vec<_> = expected.iter().map(named).collect();
    expected.sort();
    let told: Vec<_> = errors(all);
    assert_eq!(told, expected);
}

/// A flexVolume is looked into even as a second source, and is the first for what follows.
#[test]
fn flex_volume_is_never_a_second() {
    let two = errors(json!({"hostPath": {"path": "/"}, "flexVolume": {}}));
    assert_eq!(two, ["Required csi", "Required flexVolume.driver"]);
    let two = errors(json!({"flexVolume": {"driver": "d"}, "azureFile": {}}));
    assert_eq!(two, ["Forbidden azureFile", "Required csi"]);
    let two = errors(json!({"flexVolume": {"driver": "d"}, "local": {}}));
    assert_eq!(two, ["Forbidden local", "Required csi"]);
}

#[test]
fn paths_and_disks() {
    check(
        "hostPath",
        json!({"path": "", "type": "x"}),
        &["Required hostPath.path"],
    );
    let both = ["Invalid hostPath.path", "NotSupported hostPath.type"];
    check("hostPath", json!({"path": "/a/../b", "type": "x"}), &both);
    check("hostPath", json!({"path": "..a/b.."}), &[]);
    let gce = [
        "Required persistentDisk.pdName (gcePersistentDisk.pdName)",
        "Invalid persistentDisk.partition (gcePersistentDisk.partition)",
    ];
    check(
        "gcePersistentDisk",
        json!({"pdName": "", "partition": 256}),
        &gce,
    );
    let aws = ["Required awsElasticBlockStore.volumeID"];
    check("awsElasticBlockStore", json!({"volumeID": ""}), &aws);
    let partition = ["Invalid awsElasticBlockStore.partition"];
    check(
        "awsElasticBlockStore",
        json!({"volumeID": "v", "partition": -1}),
        &partition,
    );
    let local = ["Required local.path", "Required nodeAffinity"];
    check("local", json!({"path": ""}), &local);
    check("local", json!({"path": "a"}), &["Required nodeAffinity"]);
    let local = ["Invalid local.path", "Required nodeAffinity"];
    check("local", json!({"path": "a/.."}), &local);
}

#[test]
fn network_file_systems() {
    let empty = ["Required glusterfs.endpoints", "Required glusterfs.path"];
    check("glusterfs", json!({}), &empty);
    for (namespace, is_good) in [(text(63), true), (text(64), false), (text(0), false)] {
        let value = json!({"endpoints": "e", "path": "p", "endpointsNamespace": namespace});
        let error = ["Invalid glusterfs.endpointsNamespace"];
        check("glusterfs", value, if is_good { &[] } else { &error });
    }
    check("flocker", json!({}), &["Required flocker"]);
    check(
        "flocker",
        json!({"datasetName": "a", "datasetUUID": "b"}),
        &["Invalid flocker"],
    );
    check(
        "flocker",
        json!({"datasetName": "a/b"}),
        &["Invalid flocker.datasetName"],
    );
    check("flocker", json!({"datasetUUID": "a/b"}), &[]);
    let empty = [
        "Required nfs.server",
        "Required nfs.path",
        "Invalid nfs.path",
    ];
    check("nfs", json!({}), &empty);
    check(
        "nfs",
        json!({"server": "s", "path": "p"}),
        &["Invalid nfs.path"],
    );
    check(
        "rbd",
        json!({"monitors": []}),
        &["Required rbd.monitors", "Required rbd.image"],
    );
    check(
        "cephfs",
        json!({"monitors": []}),
        &["Required cephfs.monitors"],
    );
    check(
        "quobyte",
        json!({}),
        &["Required quobyte.registry", "Required quobyte.volume"],
    );
    let tenant = json!({"registry": "bad", "volume": "v", "tenant": text(65)});
    check("quobyte", tenant, &["Required quobyte.tenant"]);
    for bad in [
        "h", "h:1,h", "a:b:c", "[::1]", "[::1]2", "a[:1", "[a]]:1", "[a]:1]", "[a:1", ",",
    ] {
        let registry = json!({"registry": bad, "volume": "v"});
        check("quobyte", registry, &["Invalid quobyte.registry"]);
    }
}

#[test]
fn iscsi() {
    let with = |member: &str, value: Value| {
        let mut source = json!({"targetPortal": "p", "iqn": IQN, "lun": 0});
        source[member] = value;
        source
    };
    check(
        "iscsi",
        json!({}),
        &["Required iscsi.targetPortal", "Required iscsi.iqn"],
    );
    for lun in [-1, 256] {
        check("iscsi", with("lun", json!(lun)), &["Invalid iscsi.lun"]);
    }
    let (short, long) = (text(15), text(16));
    let good = [
        IQN,
        "iqnX:iqn.2001-04.a:b:c",
        &format!("eui.{long}"),
        &format!("naa.{long}{long}"),
    ];
    for name in good {
        check("iscsi", with("iqn", json!(name)), &[]);
        check("iscsi", with("initiatorName", json!(name)), &[]);
    }
    let bad = [
        "iqn",
        "other",
        "iqn.2001-4.a:b",
        "iqn.2001-04.a",
        "iqn.2001-04.a:",
        "iqn.2001-04.a:b c",
        "iqn.2001-04.a_b:c",
        " iqn.2001-04.a:b",
        &format!("eui.{short}"),
        &format!("eui.{long}x"),
        &format!("naa.{long}{short}"),
    ];
    for name in bad {
        check("iscsi", with("iqn", json!(name)), &["Invalid iscsi.iqn"]);
        let initiator = ["Invalid iscsi.initiatorname (iscsi.initiatorName)"];
        check("iscsi", with("initiatorName", json!(name)), &initiator);
    }
    for chap in ["chapAuthDiscovery", "chapAuthSession"] {
        check(
            "iscsi",
            with(chap, json!(true)),
            &["Required iscsi.secretRef"],
        );
        check("iscsi", with(chap, json!(false)), &[]);
    }
    check(
        "iscsi",
        with("secretRef", json!({})),
        &["Required iscsi.secretRef.name"],
    );
    check("iscsi", with("secretRef", json!({"name": "n"})), &[]);
    let portal = |bytes: usize| json!({"targetPortal": text(bytes), "iqn": IQN, "lun": 0, "initiatorName": IQN});
    check("iscsi", portal(63), &[]);
    check(
        "iscsi",
        portal(64),
        &["Invalid iscsi.targetportal (iscsi.targetPortal)"],
    );
    check("iscsi", with("targetPortal", json!(text(64))), &[]);
}

#[test]
fn fibre_channel_and_flex() {
    check("fc", json!({}), &["Required fc.targetWWNs"]);
    check("fc", json!({"wwids": ["w"], "lun": 256}), &[]);
    check("fc", json!({"targetWWNs": ["w"]}), &["Required fc.lun"]);
    check("fc", json!({"targetWWNs": ["w"], "lun": 255}), &[]);
    check(
        "fc",
        json!({"targetWWNs": ["w"], "lun": 256}),
        &["Invalid fc.lun"],
    );
    let both = json!({"targetWWNs": ["w"], "wwids": ["w"], "lun": 1});
    check("fc", both, &["Invalid fc.targetWWNs"]);
    for key in ["kubernetes.io/a", "a.K8s.io/b/c", "k8s.io"] {
        let error = format!("Invalid flexVolume.options[{key}]");
        check(
            "flexVolume",
            json!({"driver": "d", "options": {key: ""}}),
            &[&error],
        );
    }
}

#[test]
fn clouds() {
    let empty = [
        "Required azureFile.secretName",
        "Required azureFile.shareName",
    ];
    check("azureFile", json!({}), &empty);
    let namespace = json!({"secretName": "s", "shareName": "s", "secretNamespace": ""});
    check(
        "azureFile",
        namespace,
        &["Required azureFile.secretNamespace"],
    );
    check(
        "vsphereVolume",
        json!({}),
        &["Required vsphereVolume.volumePath"],
    );
    check(
        "photonPersistentDisk",
        json!({}),
        &["Required photonPersistentDisk.pdID"],
    );
    check(
        "portworxVolume",
        json!({}),
        &["Required portworxVolume.volumeID"],
    );
    check(
        "cinder",
        json!({"secretRef": {}}),
        &[
            "Required cinder.volumeID",
            "Required cinder.secretRef.name",
            "Required cinder.secretRef.namespace",
        ],
    );
    let empty = [
        "Required azureDisk.diskName",
        "Required azureDisk.diskURI",
        "NotSupported azureDisk.diskURI",
    ];
    check("azureDisk", json!({}), &empty);
    let disk = |kind: &str, uri: &str| json!({"diskName": "d", "kind": kind, "diskURI": uri});
    check("azureDisk", disk("Managed", "/subscriptions/x"), &[]);
    check("azureDisk", disk("Dedicated", "https://x"), &[]);
    check(
        "azureDisk",
        disk("Managed", "https://x"),
        &["NotSupported azureDisk.diskURI"],
    );
    check(
        "azureDisk",
        disk("Other", "https://x"),
        &["NotSupported azureDisk.kind"],
    );
    let mode = json!({"diskName": "d", "diskURI": "https://x", "cachingMode": ""});
    check("azureDisk", mode, &["NotSupported azureDisk.cachingMode"]);
    let empty = [
        "Required scaleIO.gateway",
        "Required scaleIO.system",
        "Required scaleIO.volumeName",
    ];
    check("scaleIO", json!({"secretRef": {}}), &empty);
    check(
        "storageos",
        json!({"secretRef": {}}),
        &[
            "Required storageos.volumeName",
            "Required storageos.secretRef.name",
            "Required storageos.secretRef.namespace",
        ],
    );
    let long = json!({"volumeName": text(64), "volumeNamespace": "A"});
    check(
        "storageos",
        long,
        &[
            "Invalid storageos.volumeName",
            "Invalid storageos.volumeNamespace",
        ],
    );
    check(
        "storageos",
        json!({"volumeName": "v", "volumeNamespace": ""}),
        &[],
    );
}

/// The regular expressions by which Kubernetes validates a name of iSCSI, by its beginning.
const ISCSI_NAMES: [(&str, &str); 3] = [
    (
        "iqn",
        r"iqn\.[0-9]{4}-[0-9]{2}\.[0-9A-Za-z.-]+:[^,;*&$|\t\n\f\r ]+$",
    ),
    ("eui", "^eui.[0-9A-Za-z]{16}$"),
    ("naa", "^naa.[0-9A-Za-z]{32}$"),
];

/// Texts that are, or nearly are, names of iSCSI.
fn near_iscsi_names() -> impl Strategy<Value = String> {
    let near = prop_oneof![
        "[a,]?iqn\\.[0-9]{4}-[0-9]{2}\\.[a-zA-Z.:-]{0,4}:[a-z:,]{0,3}",
        "iqn[a. ]{0,2}iqn\\.[0-9]{4}-[0-9]{2}\\.[a.-]{1,2}:[a:]{1,3}",
        "eui(?s:.)[0-9A-Za-z]{15,17}",
        "naa(?s:.)[0-9A-Za-z]{31,33}",
        "(iqn|eui|naa)(?s:.){0,40}",
    ];
    // One character anywhere makes the difference.
    let changed = (near, any::<prop::sample::Index>(), any::<Option<char>>());
    changed.prop_map(|(mut text, at, other)| {
        let at = at.index(text.len() + 1);
        if let Some(other) = other.filter(|_| text.is_char_boundary(at)) {
            text.insert(at, other);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    /// The rule has plain code instead of the regular expressions, and accepts the same texts.
    #[test]
    fn iscsi_names_are_those_of_the_expressions(name in near_iscsi_names()) {
        let form = ISCSI_NAMES.iter().find(|(prefix, _)| name.starts_with(prefix));
        let is_name = form.is_some_and(|(_, expression)| {
            regex_lite::Regex::new(expression).unwrap().is_match(&name)
        });
        let iscsi = json!({"targetPortal": "p", "iqn": name, "lun": 0});
        let refused = errors(json!({ "iscsi": iscsi })).contains(&"Invalid iscsi.iqn".to_owned());
        let is_empty = name.is_empty();
        prop_assert_eq!(refused, !is_name && !is_empty, "{:?}", name);
    }
}
