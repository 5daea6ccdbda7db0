//! Objects that a server accepts, and those that it returns.

use std::fs;
use std::path::Path;

use conformance::kind::Kind;
use conformance::valid;
use conformance::workload::{self, Workload};
use conformance::{each_kind, each_lossless_pair};
use fastrand::Rng;
use k8s_openapi::Resource as _;
use k8s_openapi::schemars::JsonSchema;
use serde_json::Value;

use super::{errors, schema, validator};

/// Calls a generic function with the type of a kind that a server has.
macro_rules! of_kind {
    ($kind:expr, $function:ident($($argument:expr),*)) => {{
        use conformance::valid::Kind as Served;
        use storage_v1 as v1;
        use storage_v1beta1 as v1beta1;
        match $kind {
            Served::CsiDriver => $function::<v1::CSIDriver>($($argument),*),
            Served::CsiNode => $function::<v1::CSINode>($($argument),*),
            Served::CsiStorageCapacity => {
                $function::<v1::CSIStorageCapacity>($($argument),*)
            }
            Served::StorageClass => $function::<v1::StorageClass>($($argument),*),
            Served::VolumeAttachment => {
                $function::<v1::VolumeAttachment>($($argument),*)
            }
            Served::VolumeAttributesClass => {
                $function::<v1::VolumeAttributesClass>($($argument),*)
            }
            Served::VolumeAttributesClassV1beta1 => {
                $function::<v1beta1::VolumeAttributesClass>($($argument),*)
            }
            Served::PersistentVolume => {
                $function::<core_v1::PersistentVolume>($($argument),*)
            }
            Served::PersistentVolumeClaim => {
                $function::<core_v1::PersistentVolumeClaim>($($argument),*)
            }
            Served::VolumeSnapshot => {
                $function::<snapshot_v1::VolumeSnapshot>($($argument),*)
            }
            Served::VolumeSnapshotClass => {
                $function::<snapshot_v1::VolumeSnapshotClass>($($argument),*)
            }
            Served::VolumeSnapshotContent => {
                $function::<snapshot_v1::VolumeSnapshotContent>($($argument),*)
            }
            Served::VolumeGroupSnapshot => {
                $function::<groupsnapshot_v1::VolumeGroupSnapshot>($($argument),*)
            }
            Served::VolumeGroupSnapshotClass => {
                $function::<groupsnapshot_v1::VolumeGroupSnapshotClass>($($argument),*)
            }
            Served::VolumeGroupSnapshotContent => {
                $function::<groupsnapshot_v1::VolumeGroupSnapshotContent>($($argument),*)
            }
        }
    }};
}

pub(super) use of_kind;

#[test]
fn valid_objects_are_accepted() {
    let mut rng = Rng::with_seed(37);
    for kind in valid::Kind::ALL {
        let validator = of_kind!(kind, validator());
        for number in 0..500 {
            let object = kind.object(&mut rng, &format!("object-{number}"));
            assert_eq!(errors(&validator, &object), [""; 0], "{object}");
        }
    }
}

/// Go writes `null` for the topology keys of a driver that has none.
fn without_nulls(errors: Vec<String>) -> Vec<String> {
    errors
        .into_iter()
        .filter(|error| !error.ends_with("/topologyKeys type"))
        .collect()
}

/// Lists as servers return them.
fn lists<K: Workload + Kind<List: JsonSchema>>() {
    let mut list: Value = serde_json::from_str(&workload::list::<K>(50).unwrap()).unwrap();
    let validator = validator::<K::List>();
    assert_eq!(without_nulls(errors(&validator, &list)), [""; 0]);
    list["items"][7]["metadata"]["name"] = 7.into();
    assert_eq!(
        without_nulls(errors(&validator, &list)),
        ["/items/7/metadata/name type"]
    );
}

#[test]
fn the_manifests_of_the_examples() {
    macro_rules! validators {
        ($($name:ident: $kind:ty, list = $list:ty, apply = $apply:ty;)*) => {
            vec![$(
                ((<$kind>::API_VERSION, <$kind>::KIND), validator::<$kind>()),
                ((<$list>::API_VERSION, <$list>::KIND), validator::<$list>()),
            )*]
        };
    }
    let validators = storage_all::for_each_kind!(validators);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../programs/kubernetes-storage/tests/manifests");
    let mut known = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for document in text.split("\n---\n") {
            let document: Value = serde_saphyr::from_str(document).unwrap();
            let objects = match document["kind"].as_str() {
                Some("List") => document["items"].as_array().unwrap().clone(),
                _ => vec![document],
            };
            for object in objects {
                let is = |(version, kind): (&str, &str)| {
                    object["apiVersion"] == version && object["kind"] == kind
                };
                let Some((_, validator)) = validators.iter().find(|(of, _)| is(*of)) else {
                    assert_eq!(object["kind"], "ConfigMap");
                    continue;
                };
                assert_eq!(without_nulls(errors(validator, &object)), [""; 0]);
                known += 1;
            }
        }
    }
    assert!(known > 5, "{known}");
}

mod of_servers {
    use super::*;
    each_kind!(super::lists);
}

/// All that is checked of the schemas of the newest version holds for older ones.
fn same<Old: Kind + JsonSchema, New: Kind + JsonSchema>() {
    fn comparable<K: Kind + JsonSchema>() -> Value {
        let mut schema = schema::<K>();
        let version = schema.pointer_mut("/properties/apiVersion/enum/0").unwrap();
        assert_eq!(*version, K::API_VERSION);
        *version = Value::Null;
        without_texts(&mut schema);
        schema
    }
    let (mut old, new) = (comparable::<Old>(), comparable::<New>());
    // The document of the older version calls the list atomic, that of the newest a set.
    if Old::KIND == "CSIDriver" {
        let modes = "/properties/spec/properties/volumeLifecycleModes";
        let of_list = format!("{modes}/x-kubernetes-list-type");
        let list_type = old.pointer_mut(&of_list).unwrap();
        assert_eq!(list_type.take(), "atomic");
        *list_type = new.pointer(&of_list).unwrap().clone();
    }
    assert_eq!(old, new);
}

/// Removes what is for people. A property may have the name of a keyword, but then it has a schema.
fn without_texts(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| {
                !["description", "title"].contains(&name.as_str()) || !value.is_string()
            });
            members.values_mut().for_each(without_texts);
        }
        Value::Array(values) => values.iter_mut().for_each(without_texts),
        _ => {}
    }
}

mod of_older_versions {
    use super::*;
    each_lossless_pair!(super::same);
}
