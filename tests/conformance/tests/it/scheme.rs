//! Decodes any version as the requested one, with all generated crates in one scheme.

use conformance::kind::{Kind, scheme};
use conformance::samples::csi::{csi_node_info_1_12, csi_node_info_1_13};
use conformance::{each_kind, each_lossless_pair};
use k8s_openapi::serde_json::{Value, json};
use kubernetes_kinds::convert::{CONVERSION_DATA_ANNOTATION, Convert};
use kubernetes_kinds::{GroupVersion, GroupVersionKind};
use kubernetes_manifests::scheme::{AnyObject, Decoded, Scheme, Scope, to_yaml, to_yaml_all};
use storage_v1alpha1::csi;

/// Older as JSON and as YAML comes out as newer, as the conversion itself has it.
fn reads_older<Old: Kind, New: Kind + From<Old>>()
where
    Old::List: Into<New::List>,
{
    let (scheme, old) = (scheme(), Old::sample());
    let new = New::from(old.clone());
    let json = serde_json::to_string(&old).unwrap();
    let decoded: Decoded<New> = scheme.decode_json(&json).unwrap();
    assert_eq!(decoded.object, new);
    assert_eq!(decoded.read, GroupVersionKind::of::<Old>());
    assert_eq!(decoded.unrepresentable, []);
    let decoded: Decoded<New> = scheme.decode_yaml(&to_yaml(&old).unwrap()).unwrap();
    assert_eq!(decoded.object, new);

    let list: Old::List = [old].into_iter().collect();
    let json = serde_json::to_string(&list).unwrap();
    let decoded: Decoded<New::List> = scheme.decode_json(&json).unwrap();
    assert_eq!(decoded.object, list.into());
}

fn reads_newer<Old: Kind + From<New>, New: Kind>() {
    let new = New::sample();
    let json = serde_json::to_string(&new).unwrap();
    let decoded: Decoded<Old> = scheme().decode_json(&json).unwrap();
    assert_eq!(decoded.object, Old::from(new));
    assert_eq!(decoded.read, GroupVersionKind::of::<New>());
}

fn reads_csi<Old: Kind + Convert<New>, New: Kind + Convert<Old>>(old: Old) {
    let (scheme, new) = (scheme(), New::sample());
    let json = serde_json::to_string(&old).unwrap();
    let decoded: Decoded<New> = scheme.decode_json(&json).unwrap();
    let converted = old.clone().convert_preserving().unwrap();
    assert_eq!(decoded.object, converted.object);
    assert_eq!(decoded.unrepresentable, converted.unrepresentable);
    let again: Decoded<Old> = scheme
        .decode_json(serde_json::to_string(&decoded.object).unwrap())
        .unwrap();
    assert_eq!(again.object, old);

    let json = serde_json::to_string(&new).unwrap();
    let decoded: Decoded<Old> = scheme.decode_json(&json).unwrap();
    assert!(
        decoded
            .object
            .metadata()
            .annotations
            .as_ref()
            .unwrap()
            .contains_key(CONVERSION_DATA_ANNOTATION)
    );
    assert!(!decoded.unrepresentable.is_empty());
}

/// Canonical YAML of any kind: reading it gives the object, writing that the same bytes.
fn yaml_there_and_back<K: Kind>() {
    let (scheme, object) = (scheme(), K::sample());
    let yaml = to_yaml(&object).unwrap();
    let start = format!(
        "apiVersion: {}\nkind: {}\nmetadata:\n",
        K::API_VERSION,
        K::KIND
    );
    assert!(yaml.starts_with(&start), "{yaml}");
    let objects = scheme.decode_yaml_all(&yaml).unwrap();
    let [read] = objects.as_slice() else {
        panic!("{objects:?}")
    };
    assert_eq!(read.downcast_ref::<K>(), Some(&object));
    assert_eq!(to_yaml_all(&objects).unwrap(), yaml);
}

mod older {
    use super::*;
    each_lossless_pair!(super::reads_older);
}

mod newer {
    use super::*;
    each_lossless_pair!(super::reads_newer);
}

#[test]
fn csi_drivers() {
    reads_csi::<_, storage_v1::CSIDriver>(csi::CSIDriver::sample());
}

#[test]
fn csi_nodes_in_both_forms() {
    reads_csi::<_, storage_v1::CSINode>(csi_node_info_1_12());
    reads_csi::<_, storage_v1::CSINode>(csi_node_info_1_13());
}

mod yaml {
    use super::*;
    each_kind!(super::yaml_there_and_back);
}

/// From one old version to another, over v1.
#[test]
fn older_versions_meet_in_the_newest() {
    let scheme = scheme();
    let old = storage_v1alpha1::VolumeAttachment::sample();
    let json = serde_json::to_string(&old).unwrap();
    let beta: Decoded<storage_v1beta1::VolumeAttachment> = scheme.decode_json(&json).unwrap();
    assert_eq!(beta.object, storage_v1::VolumeAttachment::from(old).into());

    let old = csi_node_info_1_12();
    let json = serde_json::to_string(&old).unwrap();
    let beta: Decoded<storage_v1beta1::CSINode> = scheme.decode_json(&json).unwrap();
    let json = serde_json::to_string(&beta.object).unwrap();
    let back: Decoded<csi::CSINodeInfo> = scheme.decode_json(&json).unwrap();
    assert_eq!(back.object, old);
}

/// The declarations beside types of the package csi-api of Kubernetes 1.13.
#[test]
fn the_group_and_its_resources() {
    assert_eq!(
        csi::GROUP_VERSION.to_string(),
        "csi.storage.k8s.io/v1alpha1"
    );
    assert_eq!(csi::GROUP_VERSION.group, "csi.storage.k8s.io");
    let resource = csi::resource("csinodeinfos");
    assert_eq!(resource.to_string(), "csinodeinfos.csi.storage.k8s.io");

    let mut scheme = Scheme::new();
    storage_v1::add_to_scheme(&mut scheme);
    storage_v1beta1::add_to_scheme(&mut scheme);
    storage_v1alpha1::add_to_scheme(&mut scheme);
    csi::add_to_scheme(&mut scheme);
    let groups: Vec<_> = scheme.group_versions().map(ToString::to_string).collect();
    let all = ["v1", "v1alpha1", "v1beta1"].map(|version| format!("storage.k8s.io/{version}"));
    assert_eq!(groups[0], "csi.storage.k8s.io/v1alpha1");
    assert_eq!(groups[1..], all);
    let kinds = scheme.kinds(&csi::GROUP_VERSION);
    let kinds: Vec<_> = kinds
        .map(|kind| (&*kind.kind.kind, kind.resource))
        .collect();
    assert_eq!(
        kinds,
        [("CSIDriver", "csidrivers"), ("CSINodeInfo", "csinodeinfos")]
    );

    let found: Vec<_> = scheme.resource("csinodeinfos").collect();
    let [found] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(found.kind, GroupVersionKind::of::<csi::CSINodeInfo>());
    assert_eq!(
        found.list_kind,
        Some(GroupVersionKind::of::<csi::CSINodeInfoList>())
    );
    assert_eq!(found.scope, Scope::Cluster);
    assert_eq!(scheme.resource("csidrivers").count(), 3);
    let mut capacities = scheme.resource("csistoragecapacities");
    assert!(capacities.all(|capacity| capacity.scope == Scope::Namespaced));
}

/// A stream of everything: several documents, a plain list, a typed list whose items are bare.
#[test]
fn streams_of_every_form() {
    let text = r#"
# nothing
---
apiVersion: storage.k8s.io/v1beta1
kind: StorageClass
metadata: {name: a}
provisioner: x
---
apiVersion: v1
kind: List
items:
- apiVersion: csi.storage.k8s.io/v1alpha1
  kind: CSIDriver
  metadata: {name: b}
  spec: {podInfoOnMountVersion: v1}
- {apiVersion: v1, kind: Secret, metadata: {name: c}, data: {k: dg==}}
---
{"apiVersion": "storage.k8s.io/v1alpha1", "kind": "VolumeAttributesClassList",
 "metadata": {}, "items": [{"metadata": {"name": "d"}, "driverName": "x"}]}
"#;
    let scheme = scheme();
    let objects = scheme.decode_yaml_all(text).unwrap();
    let read: Vec<_> = objects.iter().map(ToString::to_string).collect();
    let expected = [
        "storage.k8s.io/v1beta1 StorageClass a",
        "csi.storage.k8s.io/v1alpha1 CSIDriver b",
        "v1 Secret c",
        "storage.k8s.io/v1alpha1 VolumeAttributesClass d",
    ];
    assert_eq!(read, expected);
    assert_eq!(
        objects[2].as_value(),
        Some(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "c"}, "data": {"k": "dg=="}
        }))
    );
    let newest = |object: AnyObject| object.convert_to(&scheme, &storage_v1::GROUP_VERSION);
    let driver: Decoded<storage_v1::CSIDriver> = objects[1].clone().convert(&scheme).unwrap();
    assert_eq!(driver.object.spec.pod_info_on_mount, Some(true));
    let class = newest(objects[3].clone()).unwrap();
    assert_eq!(
        class.to_string(),
        "storage.k8s.io/v1 VolumeAttributesClass d"
    );
    assert_eq!(class.read(), objects[3].read());
    let secret = newest(objects[2].clone()).unwrap_err().to_string();
    assert!(secret.contains("v1 Secret"), "{secret}");
}

/// Each error says what is wrong and where.
#[test]
fn errors_name_their_place() {
    let scheme = scheme();
    let decode = |json: Value| {
        let decoded: Result<Decoded<storage_v1::CSINode>, _> = scheme.decode_json(json.to_string());
        decoded.unwrap_err().to_string()
    };
    for (json, parts) in [
        (
            json!({"apiVersion": "storage.k8s.io/v2", "kind": "CSINode"}),
            &["storage.k8s.io/v2 CSINode", "storage.k8s.io/v1 CSINode"][..],
        ),
        (
            json!({"apiVersion": "storage.k8s.io/v1beta1", "kind": "CSIDriver", "spec": {}}),
            &[
                "storage.k8s.io/v1beta1 CSIDriver",
                "storage.k8s.io/v1 CSINode",
            ],
        ),
        (json!({"kind": "CSINode"}), &["apiVersion"]),
        (json!({"apiVersion": "storage.k8s.io/v1"}), &["kind"]),
        (
            json!({
                "apiVersion": "storage.k8s.io/v1beta1", "kind": "CSINode",
                "spec": {"drivers": [{"name": "a", "nodeID": 5}]}
            }),
            &["spec.drivers[0].nodeID"],
        ),
        (
            json!({
                "apiVersion": "csi.storage.k8s.io/v1alpha1", "kind": "CSINodeInfo",
                "csiDrivers": [], "spec": {"drivers": []}
            }),
            &["csiDrivers", "1.12"],
        ),
        (
            json!({
                "apiVersion": "csi.storage.k8s.io/v1alpha1", "kind": "CSINodeInfo",
                "spec": {"drivers": [
                    {"name": "a", "nodeID": "n", "topologyKeys": []},
                    {"name": "a", "nodeID": "m", "topologyKeys": []}
                ]}
            }),
            &["spec.drivers[1].name", "`a`"],
        ),
    ] {
        let told = decode(json);
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
    }
    let old = GroupVersion::from_static("storage.k8s.io", "v1alpha1");
    let class = AnyObject::new(storage_v1::StorageClass::sample());
    assert!(class.convert_to(&scheme, &old).is_err());
}

mod upstream {
    use conformance::fixtures;
    use conformance::kind::scheme;
    use k8s_openapi::serde_json::{self, Value};

    /// Kubernetes' own fixtures, of every kind there is, registered or not.
    #[test]
    #[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
    fn fixtures_come_back_as_they_were() {
        let folder = fixtures::folder().unwrap();
        let scheme = scheme();
        let (mut typed, mut dynamic) = (0, 0);
        for release in std::fs::read_dir(folder.join("golden")).unwrap() {
            for file in std::fs::read_dir(release.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_none_or(|extension| extension != "yaml") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let objects = scheme.decode_yaml_all(&text).unwrap();
                let [object] = objects.as_slice() else {
                    panic!("{}", path.display())
                };
                match object.as_value() {
                    Some(_) => dynamic += 1,
                    None => typed += 1,
                }
                let json = std::fs::read_to_string(path.with_extension("json")).unwrap();
                let expected: Value = serde_json::from_str(&json).unwrap();
                assert_eq!(object.to_value().unwrap(), expected, "{}", path.display());
                let again = scheme.decode_yaml_all(&object.to_yaml().unwrap()).unwrap();
                assert_eq!(again, objects, "{}", path.display());
            }
        }
        assert!(typed > 20 && dynamic > 5, "{typed} and {dynamic} fixtures");
    }
}
