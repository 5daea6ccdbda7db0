//! The sources of volumes that a PersistentVolume and a VolumeAttachment describe, and those that
//! the latter may not have.

use serde_json::{Value, json};

use super::damage::{Damage, at, expand};

/// The sources of volumes beside CSI, none of which a VolumeAttachment may have: in a volume at
/// that place, with these fields.
pub(crate) fn all(spec: &'static str, base: &Value) -> Vec<Damage> {
    let secret = json!({"name": "a", "namespace": "b"});
    let iqn = "iqn.2001-04.com.example:storage";
    let initiator =
        |name: &str| json!({"targetPortal": "a", "iqn": iqn, "lun": 0, "initiatorName": name});
    let portal = json!({"targetPortal": expand("a*64"), "iqn": iqn, "lun": 0,
        "initiatorName": iqn});
    let disk = |kind: &str, uri: &str| json!({"diskName": "a", "diskURI": uri, "kind": kind, "cachingMode": "None"});
    let scale_io = json!({"gateway": "a", "system": "b", "volumeName": "c", "secretRef": secret});
    let table: Vec<(&'static str, Vec<Value>)> = vec![
        (
            "hostPath",
            vec![
                json!({"path": ""}),
                json!({"path": "/a/../b"}),
                json!({"path": "/a"}),
                json!({"path": "/a", "type": "Directory"}),
                json!({"path": "/a", "type": "Odd"}),
            ],
        ),
        (
            "gcePersistentDisk",
            vec![
                json!({"pdName": ""}),
                json!({"pdName": "a", "partition": 256}),
                json!({"pdName": "a", "partition": 255}),
                json!({"pdName": "a", "partition": -1}),
            ],
        ),
        (
            "awsElasticBlockStore",
            vec![
                json!({"volumeID": ""}),
                json!({"volumeID": "a", "partition": 256}),
                json!({"volumeID": "a"}),
            ],
        ),
        (
            "glusterfs",
            vec![
                json!({"endpoints": "", "path": ""}),
                json!({"endpoints": "a", "path": "b"}),
                json!({"endpoints": "a", "path": "b", "endpointsNamespace": ""}),
                json!({"endpoints": "a", "path": "b", "endpointsNamespace": "A"}),
            ],
        ),
        (
            "flocker",
            vec![
                json!({}),
                json!({"datasetName": "a", "datasetUUID": "b"}),
                json!({"datasetName": "a/b"}),
                json!({"datasetUUID": "b"}),
            ],
        ),
        (
            "nfs",
            vec![
                json!({"server": "", "path": ""}),
                json!({"server": "a", "path": "b"}),
                json!({"server": "a", "path": "/b"}),
            ],
        ),
        (
            "rbd",
            vec![
                json!({"monitors": [], "image": ""}),
                json!({"monitors": ["a"], "image": "b"}),
            ],
        ),
        (
            "quobyte",
            vec![
                json!({"registry": "", "volume": ""}),
                json!({"registry": "a", "volume": "b"}),
                json!({"registry": "a:1", "volume": "b"}),
                json!({"registry": "a:1,b", "volume": "b"}),
                json!({"registry": "a:1", "volume": "b", "tenant": expand("a*65")}),
            ],
        ),
        (
            "cephfs",
            vec![json!({"monitors": []}), json!({"monitors": ["a"]})],
        ),
        (
            "iscsi",
            vec![
                json!({"targetPortal": "", "iqn": "", "lun": 0}),
                json!({"targetPortal": "a", "iqn": "odd", "lun": 256}),
                json!({"targetPortal": "a", "iqn": "iqn.odd", "lun": 255}),
                json!({"targetPortal": "a", "iqn": "eui.0123456789abcdef", "lun": 0}),
                json!({"targetPortal": "a", "iqn": "eui.0123456789abcdeg", "lun": 0}),
                json!({"targetPortal": "a", "iqn": "naa.62004567BA64678D0123456789ABCDEF", "lun": 0}),
                json!({"targetPortal": "a", "iqn": "naa.62", "lun": 0}),
                json!({"targetPortal": "a", "iqn": iqn, "lun": 0, "chapAuthDiscovery": true}),
                json!({"targetPortal": "a", "iqn": iqn, "lun": 0, "secretRef": {}}),
                initiator("odd"),
                initiator("iqn.odd"),
                initiator(iqn),
                initiator(""),
                portal,
            ],
        ),
        (
            "cinder",
            vec![
                json!({"volumeID": ""}),
                json!({"volumeID": "a", "secretRef": {}}),
                json!({"volumeID": "a", "secretRef": secret}),
            ],
        ),
        (
            "fc",
            vec![
                json!({}),
                json!({"targetWWNs": ["a"]}),
                json!({"targetWWNs": ["a"], "lun": 256}),
                json!({"targetWWNs": ["a"], "lun": 0, "wwids": ["b"]}),
                json!({"wwids": ["b"]}),
                json!({"wwids": ["b"], "lun": 256}),
            ],
        ),
        (
            "flexVolume",
            vec![
                json!({"driver": ""}),
                json!({"driver": "a", "options": {"kubernetes.io/a": "b"}}),
                json!({"driver": "a", "options": {"K8s.io": "b", "x.k8s.io/y": "", "k8s.iox": ""}}),
            ],
        ),
        (
            "azureFile",
            vec![
                json!({"secretName": "", "shareName": ""}),
                json!({"secretName": "a", "shareName": "b", "secretNamespace": ""}),
            ],
        ),
        (
            "vsphereVolume",
            vec![json!({"volumePath": ""}), json!({"volumePath": "a"})],
        ),
        (
            "photonPersistentDisk",
            vec![json!({"pdID": ""}), json!({"pdID": "a"})],
        ),
        (
            "portworxVolume",
            vec![json!({"volumeID": ""}), json!({"volumeID": "a"})],
        ),
        (
            "azureDisk",
            vec![
                json!({"diskName": "", "diskURI": ""}),
                disk("Managed", "/subscriptions/a"),
                disk("Managed", "https://a"),
                disk("Shared", "https://a"),
                disk("Dedicated", "/subscriptions/a"),
                disk("Odd", "x"),
                json!({"diskName": "a", "diskURI": "https://a", "cachingMode": "Odd"}),
            ],
        ),
        (
            "scaleIO",
            vec![
                json!({"gateway": "", "system": "", "secretRef": {}}),
                scale_io,
            ],
        ),
        (
            "local",
            vec![
                json!({"path": ""}),
                json!({"path": "/a"}),
                json!({"path": "../a"}),
            ],
        ),
        (
            "storageos",
            vec![
                json!({}),
                json!({"volumeName": "a", "volumeNamespace": "b"}),
                json!({"volumeName": "A", "volumeNamespace": "B", "secretRef": {}}),
                json!({"volumeName": "a", "secretRef": {"name": "s", "namespace": "n"}}),
            ],
        ),
    ];
    let csi = ("csi", json!({"driver": "a", "volumeHandle": "b"}));
    let others = [
        ("fc", json!({"wwids": ["x"]})),
        ("flexVolume", json!({"driver": "x"})),
        ("local", json!({"path": "x"})),
    ];
    let mut all = Vec::new();
    for (field, values) in table {
        for value in values {
            // Alone, and beside another.
            let mut alone = base.clone();
            alone[field] = value;
            for others in [&[][..], std::slice::from_ref(&csi), &others] {
                let mut volume = alone.clone();
                for (name, value) in others {
                    volume[*name] = value.clone();
                }
                all.extend(at(spec, [volume]));
            }
        }
    }
    all
}
