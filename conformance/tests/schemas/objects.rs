//! Objects that a server accepts, and those that it returns.

use conformance::kind::Kind;
use conformance::valid;
use conformance::workload::{self, Workload};
use conformance::{each_kind, each_lossless_pair};
use fastrand::Rng;
use k8s_openapi::schemars::JsonSchema;
use serde_json::Value;

use super::{errors, schema, validator};

/// Calls a generic function with the type of a kind that a server has.
macro_rules! of_kind {
    ($kind:expr, $function:ident($($argument:expr),*)) => {
        match $kind {
            conformance::valid::Kind::CsiDriver => $function::<storage_v1::CSIDriver>($($argument),*),
            conformance::valid::Kind::CsiNode => $function::<storage_v1::CSINode>($($argument),*),
            conformance::valid::Kind::CsiStorageCapacity => {
                $function::<storage_v1::CSIStorageCapacity>($($argument),*)
            }
            conformance::valid::Kind::StorageClass => $function::<storage_v1::StorageClass>($($argument),*),
            conformance::valid::Kind::VolumeAttachment => {
                $function::<storage_v1::VolumeAttachment>($($argument),*)
            }
            conformance::valid::Kind::VolumeAttributesClass => {
                $function::<storage_v1::VolumeAttributesClass>($($argument),*)
            }
            conformance::valid::Kind::VolumeAttributesClassV1beta1 => {
                $function::<storage_v1beta1::VolumeAttributesClass>($($argument),*)
            }
        }
    };
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

/// Lists as servers return them. Go writes `null` for a list of a CSINode that is empty.
fn lists<K: Workload + Kind + JsonSchema>() {
    let list: Value = serde_json::from_str(&workload::list::<K>(50).unwrap()).unwrap();
    let validator = validator::<K>();
    for item in list["items"].as_array().unwrap() {
        let errors = errors(&validator, item);
        let nulls = |error: &&String| error.ends_with("/topologyKeys type");
        assert_eq!(
            errors.iter().filter(nulls).count(),
            errors.len(),
            "{errors:?} {item}"
        );
    }
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
