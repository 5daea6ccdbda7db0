//! Reading without `managedFields`, compared with full reading: of our kinds and of k8s-openapi's.

use std::fmt::Debug;

use conformance::arbitrary::check_all;
use conformance::kind::{Kind, Peer, Wire};
use conformance::{each_kind, each_newest_kind};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use k8s_openapi::{ClusterResourceScope, Metadata, Resource};
use kubernetes_kinds::apply::{ExtractError, extract};
use kubernetes_kinds::{Lean, WithMetadata};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// An object without what lean reading skips.
fn without<K: Metadata<Ty = ObjectMeta>>(mut object: K) -> K {
    object.metadata_mut().managed_fields = None;
    object
}

/// Reads from text, from a stream, which lends no keys, and from a value.
fn read<T: DeserializeOwned>(text: &str) -> [serde_json::Result<T>; 3] {
    [
        serde_json::from_str(text),
        serde_json::from_reader(text.as_bytes()),
        serde_json::from_str::<Value>(text).and_then(serde_json::from_value),
    ]
}

fn is_the_object<K: Kind>() {
    check_all(&K::arbitrary(), |object| {
        let text = serde_json::to_string(&object).unwrap();
        let expected = without(object);
        for lean in read::<Lean<K>>(&text) {
            prop_assert_eq!(&*lean.unwrap(), &expected);
        }
        let lean: Lean<K> = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_value(&lean).unwrap();
        prop_assert_eq!(&written, &serde_json::to_value(&expected).unwrap());
        let lists = [json!({"items": [expected]}), json!({"items": [lean]})];
        let [full, lean] = lists.map(|list| {
            serde_json::from_value::<k8s_openapi::List<Lean<K>>>(list)
                .unwrap()
                .items
        });
        prop_assert_eq!(full, lean);
        Ok(())
    });
}

/// The same of k8s-openapi's types, whose own code reads all but the metadata.
fn is_the_peer<K: Peer>() {
    check_all(&K::arbitrary(), |object| {
        let text = serde_json::to_string(&object).unwrap();
        let expected = without(serde_json::from_str::<K::Peer>(&text).unwrap());
        for lean in read::<Lean<K::Peer>>(&text) {
            prop_assert_eq!(&*lean.unwrap(), &expected);
        }
        Ok(())
    });
}

fn agree<K>(text: &str) -> Result<(), TestCaseError>
where
    K: DeserializeOwned + Debug + PartialEq + Metadata<Ty = ObjectMeta>,
{
    for (full, lean) in read::<K>(text).into_iter().zip(read::<Lean<K>>(text)) {
        let full = full.map(without).map_err(|e| e.to_string());
        let lean = lean.map(Lean::into_inner).map_err(|e| e.to_string());
        prop_assert_eq!(lean, full, "{}", text);
    }
    Ok(())
}

/// Each field of the object and of its metadata with a value of a wrong shape, missing, and twice.
fn fails_alike<K: Kind>() {
    let sample = serde_json::to_value(K::sample()).unwrap();
    let wrong = [
        json!(null),
        json!(1),
        json!("x"),
        json!([]),
        json!({}),
        json!([null]),
    ];
    for pointer in ["", "/metadata"] {
        let fields = sample.pointer(pointer).unwrap().as_object().unwrap();
        for name in fields.keys().filter(|name| *name != "managedFields") {
            for value in &wrong {
                let mut damaged = sample.clone();
                damaged.pointer_mut(pointer).unwrap()[name] = value.clone();
                agree::<K>(&damaged.to_string()).unwrap();
            }
            let mut damaged = sample.clone();
            let inside = damaged
                .pointer_mut(pointer)
                .unwrap()
                .as_object_mut()
                .unwrap();
            let value = inside.remove(name).unwrap();
            let text = damaged.to_string();
            agree::<K>(&text).unwrap();
            let twice = sample.to_string().replacen(
                &format!("\"{name}\":"),
                &format!("\"{name}\":{value},\"{name}\":"),
                1,
            );
            agree::<K>(&twice).unwrap();
        }
    }
    let text = sample.to_string();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        // Of what ends early, both know where.
        let full = serde_json::from_str::<K>(&text[..end]).unwrap_err();
        let lean = serde_json::from_str::<Lean<K>>(&text[..end]).unwrap_err();
        assert_eq!(
            (lean.classify(), lean.line(), lean.column()),
            (full.classify(), full.line(), full.column())
        );
    }
}

fn is_of_the_kind<K: Kind>() {
    assert_eq!(Lean::<K>::API_VERSION, K::API_VERSION);
    assert_eq!(Lean::<K>::URL_PATH_SEGMENT, K::URL_PATH_SEGMENT);
    let full = serde_json::to_string(&K::sample()).unwrap();
    let mut lean: Lean<K> = serde_json::from_str(&full).unwrap();
    assert_eq!(lean, Lean::from(K::sample()));
    lean = lean.with_label("a", "b");
    assert_eq!(lean.metadata().labels.as_ref().unwrap()["a"], "b");
    assert_eq!(without(K::sample()).with_label("a", "b"), lean.into_inner());
}

/// Checks that `extract` fails: after "nothing is owned", the next apply would give up all fields.
fn does_not_know_owners<K: Kind>() {
    let mut object = Lean::from(K::sample());
    object.metadata_mut().resource_version = Some("1".to_owned());
    let extracted = extract::<K::Apply>(&object, "manager", None);
    assert_eq!(extracted, Err(ExtractError::NoManagedFields));
}

mod objects {
    super::each_kind!(super::is_the_object);
}

mod peers {
    super::each_newest_kind!(super::is_the_peer);
}

mod damaged {
    super::each_kind!(super::fails_alike);
}

mod kinds {
    super::each_kind!(super::is_of_the_kind);
}

mod owners {
    super::each_kind!(super::does_not_know_owners);
}

/// k8s-openapi's own reader refuses `null` as a label, and a server sends none.
#[test]
fn null_labels_of_foreign_kinds_are_empty() {
    let text = r#"{"metadata": {"name": "web", "labels": {"a": null},
        "managedFields": [{"manager": null, "fieldsV1": {}}]}, "spec": {"containers": null}}"#;
    let pod: Lean<Pod> = serde_json::from_str(text).unwrap();
    assert_eq!(pod.metadata.labels.as_ref().unwrap()["a"], "");
    assert_eq!(pod.metadata.managed_fields, None);
    assert_eq!(pod.spec.as_ref().unwrap().containers, []);
    assert!(serde_json::from_str::<Pod>(text).is_err());
    // Skipped values have to be JSON, and nothing more.
    let text = r#"{"metadata": {"managedFields": 1}, "data": {"a": "b"}}"#;
    let map: Lean<ConfigMap> = serde_json::from_str(text).unwrap();
    assert_eq!(map.data.as_ref().unwrap()["a"], "b");
    let text = r#"{"metadata": {"managedFields": [}]}}"#;
    assert!(serde_json::from_str::<Lean<ConfigMap>>(text).is_err());
}

/// Set after reading, `managedFields` are written as any other field is.
#[test]
fn what_is_set_is_written() {
    let mut map = Lean::from(ConfigMap::default());
    map.metadata.managed_fields = Some(vec![ManagedFieldsEntry::default()]);
    let written = serde_json::to_value(&map).unwrap();
    assert_eq!(written["metadata"]["managedFields"], json!([{}]));
}

/// A hand-written kind whose derived reader insists on metadata.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Strict {
    metadata: ObjectMeta,
    size: i64,
}

impl Resource for Strict {
    const API_VERSION: &'static str = "example.com/v1";
    const GROUP: &'static str = "example.com";
    const KIND: &'static str = "Strict";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "stricts";
    type Scope = ClusterResourceScope;
}

impl Metadata for Strict {
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[test]
fn derived_readers_are_given_metadata() {
    let text = r#"{"size": 1, "metadata": {"managedFields": [], "name": "a"}}"#;
    let strict: Lean<Strict> = serde_json::from_str(text).unwrap();
    assert_eq!(
        (strict.size, strict.metadata.name.as_deref()),
        (1, Some("a"))
    );
    let missing = serde_json::from_str::<Lean<Strict>>(r#"{"size": 1}"#).unwrap_err();
    assert!(
        missing.to_string().starts_with("missing field `metadata`"),
        "{missing}"
    );
}

/// All that tests ask of a type on the wire holds of lean ones too.
#[allow(dead_code)]
fn is_on_the_wire<K: Kind>() {
    fn wire<T: Wire>() {}
    wire::<Lean<K>>();
}
