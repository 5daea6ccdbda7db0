//! Extraction of the fields that a manager has applied, by the `managedFields` of a live object.

use conformance::arbitrary::{check_all, check_many, text};
use conformance::kind::Kind;
use conformance::{each_kind, samples};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use kubernetes_kinds::apply::{ExtractError, extract};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use storage_v1::{CSIDriver, CSINode, VolumeAttachment, apply};

/// An entry as the server writes it.
fn entry<K: Kind>(manager: &str, fields: Value) -> ManagedFieldsEntry {
    ManagedFieldsEntry {
        api_version: Some(K::API_VERSION.to_owned()),
        fields_type: Some("FieldsV1".to_owned()),
        fields_v1: Some(FieldsV1(fields)),
        manager: Some(manager.to_owned()),
        operation: Some("Apply".to_owned()),
        ..ManagedFieldsEntry::default()
    }
}

fn owned<K: Kind>(mut live: K, entries: Vec<ManagedFieldsEntry>) -> K {
    live.metadata_mut().managed_fields = Some(entries);
    live
}

/// Returns the fields of an object that "me" has applied, as JSON, if its entry has these fields.
fn extracted<K: Kind>(live: K, fields: Value) -> Result<Value, ExtractError> {
    let live = owned(live, vec![entry::<K>("me", fields)]);
    let applied: K::Apply = extract(&live, "me", None)?;
    Ok(serde_json::to_value(applied).unwrap())
}

/// A random choice of the parts of a value, made by the bits of a number.
struct Choice {
    bits: u64,
    granular: &'static [&'static str],
    keys: &'static [(&'static str, &'static [&'static str])],
}

impl Choice {
    fn coin(&mut self) -> bool {
        // SplitMix64: the next number, and one bit of it.
        self.bits = self.bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.bits;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) & 1 == 1
    }

    /// `FieldsV1` of some parts of a value, and what it is with those alone.
    fn parts(&mut self, path: &str, value: &Value) -> (Value, Value) {
        let granular = path.is_empty()
            || path == "metadata"
            || path.starts_with("metadata.") && path != "metadata.ownerReferences[]"
            || self.granular.contains(&path);
        match value {
            Value::Object(object) if granular => {
                let (mut fields, mut chosen) = (Map::new(), Map::new());
                for (name, value) in object {
                    let inside = match path {
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    if self.is_open(&inside) && self.coin() {
                        let (below, value) = self.parts(&inside, value);
                        fields.insert(format!("f:{name}"), below);
                        chosen.insert(name.clone(), value);
                    }
                }
                (self.with_itself(fields), chosen.into())
            }
            Value::Array(elements) if granular => self.elements(path, elements),
            value => (json!({}), value.clone()),
        }
    }

    /// Names and what is the server's are never in an entry.
    fn is_open(&self, path: &str) -> bool {
        let open = [
            "annotations",
            "finalizers",
            "generateName",
            "labels",
            "ownerReferences",
        ];
        let field = path.strip_prefix("metadata.");
        !["apiVersion", "kind"].contains(&path)
            && field.is_none_or(|field| field.contains('.') || open.contains(&field))
    }

    /// A place that is owned itself is named, or has nothing below it.
    fn with_itself(&mut self, mut fields: Map<String, Value>) -> Value {
        if !fields.is_empty() {
            fields.insert(".".to_owned(), json!({}));
        }
        fields.into()
    }

    fn elements(&mut self, path: &str, elements: &[Value]) -> (Value, Value) {
        let keys = match path {
            "metadata.ownerReferences" => Some(&["uid"][..]),
            path => {
                let plain = path.replace("[]", "");
                self.keys
                    .iter()
                    .find(|(list, _)| *list == plain)
                    .map(|(_, keys)| *keys)
            }
        };
        let (mut fields, mut chosen) = (Map::new(), Vec::new());
        let mut seen: Vec<Value> = Vec::new();
        for element in elements {
            let name = match keys {
                None => element.clone(),
                Some(keys) => keys
                    .iter()
                    .map(|key| (key.to_string(), element[*key].clone()))
                    .collect(),
            };
            // A server has each at most once; the first is taken, if any.
            if seen.contains(&name) || !self.coin() {
                continue;
            }
            if elements
                .iter()
                .filter(|other| is(other, &name, keys))
                .count()
                > 1
            {
                seen.push(name);
                continue;
            }
            seen.push(name.clone());
            let (below, mut part) = self.parts(&format!("{path}[]"), element);
            let kind = if keys.is_some() { 'k' } else { 'v' };
            fields.insert(format!("{kind}:{name}"), below);
            if let (Some(part), Some(name)) = (part.as_object_mut(), name.as_object()) {
                part.extend(name.clone());
            }
            chosen.push(part);
        }
        (self.with_itself(fields), chosen.into())
    }
}

fn is(element: &Value, name: &Value, keys: Option<&[&str]>) -> bool {
    match keys {
        None => element == name,
        Some(keys) => keys.iter().all(|key| element[*key] == name[*key]),
    }
}

/// Whatever part of whatever object is owned, that part is extracted.
fn exactly_what_is_owned<K: Kind + kubernetes_kinds::Kind>() {
    check_all(&(K::arbitrary(), any::<u64>()), |(mut live, bits)| {
        live.metadata_mut().name = Some("one".to_owned());
        live.metadata_mut().managed_fields = None;
        let mut choice = Choice {
            bits,
            granular: K::GRANULAR,
            keys: K::LIST_MAP_KEYS,
        };
        let (fields, mut expected) = choice.parts("", &serde_json::to_value(&live).unwrap());
        expected["apiVersion"] = K::API_VERSION.into();
        expected["kind"] = K::KIND.into();
        expected["metadata"]["name"] = "one".into();
        if let Some(namespace) = live.metadata().namespace.clone() {
            expected["metadata"]["namespace"] = namespace.into();
        }
        prop_assert_eq!(extracted(live, fields), Ok(expected));
        Ok(())
    });
}

mod owned {
    use super::each_kind;
    each_kind!(super::exactly_what_is_owned);
}

#[test]
fn fields_and_elements_of_one_manager() {
    let fields = json!({
        "f:metadata": {"f:labels": {".": {}, "f:app": {}, "f:gone": {}}},
        "f:spec": {"f:drivers": {
            "k:{\"name\":\"csi.example.com\"}": {
                ".": {}, "f:name": {}, "f:nodeID": {}, "f:topologyKeys": {}
            },
            "k:{\"name\":\"other.example.com\"}": {".": {}, "f:allocatable": {"f:count": {}}},
            "k:{\"name\":\"gone.example.com\"}": {".": {}, "f:nodeID": {}}
        }}
    });
    let live: CSINode = serde_json::from_value(json!({
        "metadata": {"name": "node-1", "labels": {"app": "a", "b": "c"}, "uid": "u"},
        "spec": {"drivers": [
            {"name": "other.example.com", "nodeID": "o", "allocatable": {"count": 3}},
            {"name": "third.example.com", "nodeID": "t", "topologyKeys": null},
            {"name": "csi.example.com", "nodeID": "i", "allocatable": {"count": 2},
                "topologyKeys": ["zone", "rack"]}
        ]}
    }))
    .unwrap();
    let live = owned(live, vec![entry::<CSINode>("me", fields)]);
    let drivers = [
        apply::CSINodeDriver::new()
            .with_name("other.example.com")
            .with_allocatable(apply::VolumeNodeResources::new().with_count(3)),
        apply::CSINodeDriver::new()
            .with_name("csi.example.com")
            .with_node_id("i")
            .with_topology_keys(["zone", "rack"]),
    ];
    let mut expected =
        apply::CSINode::new("node-1").with_spec(apply::CSINodeSpec::new().with_drivers(drivers));
    expected.metadata.labels = Some([("app".to_owned(), "a".to_owned())].into());
    assert_eq!(apply::CSINode::extract(&live, "me"), Ok(expected));
    // Nobody else has applied anything.
    let nothing = apply::CSINode::new("node-1");
    assert_eq!(apply::CSINode::extract(&live, "you"), Ok(nothing.clone()));
    let mut stripped = live;
    stripped.metadata.managed_fields = None;
    assert_eq!(apply::CSINode::extract(&stripped, "me"), Ok(nothing));
}

/// An empty object or list that others have filled since is still all that is owned.
#[test]
fn what_others_have_filled() {
    let driver = extracted(samples::csi_driver(), json!({"f:spec": {}})).unwrap();
    assert_eq!(driver["spec"], json!({}));
    let class = json!({"f:parameters": {}, "f:mountOptions": {}});
    let class = extracted(samples::storage_class(), class).unwrap();
    assert_eq!(class["parameters"], json!({}));
    assert_eq!(
        class["mountOptions"],
        json!(["noatime"]),
        "a list with one owner"
    );
    let modes = json!({"f:spec": {"f:volumeLifecycleModes": {".": {}, "v:\"Ephemeral\"": {}}}});
    let driver = extracted(samples::csi_driver(), modes).unwrap();
    assert_eq!(
        driver["spec"],
        json!({"volumeLifecycleModes": ["Ephemeral"]})
    );
    // A missing field leaves nothing behind but a place that is owned itself.
    let gone = json!({"f:parameters": {"f:gone": {}}, "f:reclaimPolicy": {"f:odd": {}}});
    let class = extracted(samples::storage_class(), gone).unwrap();
    assert_eq!(class.as_object().unwrap().len(), 3, "{class}");
    let gone = json!({"f:parameters": {".": {}, "f:gone": {}}});
    let class = extracted(samples::storage_class(), gone).unwrap();
    assert_eq!(class["parameters"], json!({}));
    // Elements that aren't known are skipped, as a server does; so is an index too high.
    let index = json!({"f:mountOptions": {"i:0": {}, "i:7": {}, "x:new": {"bad": 1}}});
    let class = extracted(samples::storage_class(), index).unwrap();
    assert_eq!(class["mountOptions"], json!(["noatime"]));
}

#[test]
fn only_what_was_applied_counts() {
    let fields = json!({"f:spec": {"f:attachRequired": {}}});
    let others = [
        ManagedFieldsEntry {
            operation: Some("Update".to_owned()),
            ..entry::<CSIDriver>("me", fields.clone())
        },
        ManagedFieldsEntry {
            subresource: Some("status".to_owned()),
            ..entry::<CSIDriver>("me", fields.clone())
        },
        entry::<CSIDriver>("you", fields),
        ManagedFieldsEntry::default(),
    ];
    let live = owned(samples::csi_driver(), others.to_vec());
    let nothing = apply::CSIDriver::new("csi.example.com");
    assert_eq!(apply::CSIDriver::extract(&live, "me"), Ok(nothing.clone()));
    assert_ne!(apply::CSIDriver::extract(&live, "you"), Ok(nothing));
}

#[test]
fn the_status_is_owned_separately() {
    let spec = entry::<VolumeAttachment>("me", json!({"f:spec": {"f:attacher": {}}}));
    let status = ManagedFieldsEntry {
        subresource: Some("status".to_owned()),
        ..entry::<VolumeAttachment>("me", json!({"f:status": {"f:attached": {}}}))
    };
    let live = owned(samples::volume_attachment(), vec![spec, status]);
    let spec = apply::VolumeAttachmentSpec::new().with_attacher("csi.example.com");
    let expected = apply::VolumeAttachment::new("csi-1").with_spec(spec);
    assert_eq!(apply::VolumeAttachment::extract(&live, "me"), Ok(expected));
    let status = apply::VolumeAttachmentStatus::new().with_attached(true);
    let expected = apply::VolumeAttachment::new("csi-1").with_status(status);
    assert_eq!(
        apply::VolumeAttachment::extract_status(&live, "me"),
        Ok(expected)
    );
}

#[test]
fn another_version_is_an_error() {
    let beta = ManagedFieldsEntry {
        api_version: Some("storage.k8s.io/v1beta1".to_owned()),
        ..entry::<CSIDriver>("me", json!({}))
    };
    let live = owned(
        samples::csi_driver(),
        vec![ManagedFieldsEntry::default(), beta],
    );
    let error = apply::CSIDriver::extract(&live, "me").unwrap_err();
    let expected = ExtractError::Version {
        index: 1,
        found: "storage.k8s.io/v1beta1".to_owned(),
        expected: "storage.k8s.io/v1",
    };
    assert_eq!(error, expected);
    let told = error.to_string();
    for part in [
        "managedFields[1]",
        "storage.k8s.io/v1beta1",
        "storage.k8s.io/v1:",
        "read",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

/// The type of the inline volume always writes what it requires.
#[test]
fn what_cannot_be_said_is_an_error() {
    let csi = |fields: Value| {
        let volume = json!({"f:inlineVolumeSpec": {"f:csi": fields}});
        extracted(
            samples::volume_attachment(),
            json!({"f:spec": {"f:source": volume}}),
        )
    };
    let error = csi(json!({"f:driver": {}})).unwrap_err();
    let ExtractError::Inexact { path } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(
        path.to_string(),
        "spec.source.inlineVolumeSpec.csi.volumeHandle"
    );
    assert!(error.to_string().starts_with(&path.to_string()), "{error}");
    let all = csi(json!({"f:driver": {}, "f:volumeHandle": {}})).unwrap();
    let volume = json!({"csi": {"driver": "csi.example.com", "volumeHandle": "vol-1"}});
    assert_eq!(all["spec"]["source"]["inlineVolumeSpec"], volume);
}

#[test]
fn damaged_fields_are_told() {
    let path = "metadata.managedFields[0].fieldsV1";
    for (fields, at, message) in [
        (json!(5), "", "not an object"),
        (json!([]), "", "not an object"),
        (json!({"f:spec": true}), ".f:spec", "not an object"),
        (
            json!({"f:spec": {"f": {}}}),
            ".f:spec",
            "\"f\" is not a path element",
        ),
        (json!({"spec": {}}), "", "\"spec\" is not a path element"),
        (json!({"": {}}), "", "\"\" is not a path element"),
        (json!({"f:spec": {"k:": {}}}), ".f:spec", "\"k:\": EOF"),
        (json!({"k:[1]": {}}), "", "\"k:[1]\": not an object of keys"),
        (json!({"k:{}": {}}), "", "\"k:{}\": not an object of keys"),
        (json!({"v:{": {}}), "", "\"v:{\": EOF"),
        (json!({"i:-1": {}}), "", "\"i:-1\": not an index"),
        (json!({"i:99999999999999999999999": {}}), "", "not an index"),
    ] {
        let error = extracted(samples::csi_driver(), fields.clone()).unwrap_err();
        let ExtractError::Fields { path: found, .. } = &error else {
            panic!("{fields}: {error:?}");
        };
        assert_eq!(found.to_string(), format!("{path}{at}"), "{fields}");
        assert!(error.to_string().contains(message), "{fields}: {error}");
    }
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!({"f:spec": deep});
    }
    let error = extracted(samples::csi_driver(), deep).unwrap_err();
    assert!(
        error.to_string().contains("nested more than 128 times"),
        "{error}"
    );

    let newer = ManagedFieldsEntry {
        fields_type: Some("FieldsV2".to_owned()),
        ..entry::<CSIDriver>("me", json!({}))
    };
    let live = owned(samples::csi_driver(), vec![newer]);
    let error = apply::CSIDriver::extract(&live, "me")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "metadata.managedFields[0].fieldsType: \"FieldsV2\" is not FieldsV1"
    );
}

/// Path elements of any form, some of which fit the object.
fn element() -> impl Strategy<Value = String> {
    let known = proptest::sample::select(vec![
        ".",
        "f:metadata",
        "f:labels",
        "f:spec",
        "f:drivers",
        "f:status",
        "f:storageHealth",
        "k:{\"name\":\"csi.example.com\"}",
        "k:{\"name\":1}",
        "v:\"a\"",
        "v:null",
        "i:0",
        "x:y",
    ]);
    let kind = proptest::sample::select(vec!["f:", "k:", "v:", "i:", "x:", ""]);
    prop_oneof![
        3 => known.prop_map(str::to_owned),
        1 => (kind, text()).prop_map(|(kind, text)| format!("{kind}{text}")),
    ]
}

#[test]
fn no_fields_make_it_panic() {
    let leaf = prop_oneof![5 => Just(json!({})), 1 => Just(json!(null)), 1 => Just(json!([1]))];
    let fields = leaf.prop_recursive(5, 40, 4, |inner| {
        proptest::collection::vec((element(), inner), 0..4)
            .prop_map(|entries| Value::Object(entries.into_iter().collect()))
    });
    check_many(&fields, |fields| {
        let live = samples::csi_node();
        if let Ok(applied) = extracted(live.clone(), fields) {
            // Whatever it is, it is part of the object.
            let full = serde_json::to_value(apply::CSINode::from(live)).unwrap();
            prop_assert!(is_part(&applied, &full), "{}", applied);
        }
        Ok(())
    });
}

fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(k, v)| whole.get(k).is_some_and(|w| is_part(v, w))),
        (Value::Array(part), Value::Array(whole)) => {
            part.iter().all(|v| whole.iter().any(|w| is_part(v, w)))
        }
        (part, whole) => part == whole,
    }
}
