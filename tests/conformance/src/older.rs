//! Older versions of storage.k8s.io, made from the newest one by its JSON alone.
//!
//! All versions have the same fields, so an object becomes one of another version when its
//! `apiVersion` is replaced. That asks nothing of the conversion that is under test.

use k8s_openapi::Resource;
use proptest::prelude::*;
use serde_json::Value;

use crate::kind::{Kind, Wire};
use crate::pairs;

/// The same object with the `apiVersion` of another type of the same shape.
///
/// # Panics
///
/// When the shapes differ after all.
#[allow(clippy::expect_used)] // It is how a test fails.
pub fn relabel<A: Wire, B: Wire + Resource>(object: &A) -> B {
    let mut json = serde_json::to_value(object).expect("JSON");
    relabel_json(&mut json, B::API_VERSION);
    serde_json::from_value(json).expect("the same shape")
}

/// Replaces the `apiVersion` of an object, and those of the items if it is a list.
pub fn relabel_json(json: &mut Value, api_version: &str) {
    json["apiVersion"] = api_version.into();
    for item in json
        .get_mut("items")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        item["apiVersion"] = api_version.into();
    }
}

/// Random objects of an older version.
pub fn arbitrary<New: Kind, Old: Kind>() -> BoxedStrategy<Old> {
    New::arbitrary().prop_map(|object| relabel(&object)).boxed()
}

/// An object of an older version in which every field is set.
pub fn sample<New: Kind, Old: Kind>() -> Old {
    relabel(&New::sample())
}

/// An older kind of the same shape as a newer has the same objects.
macro_rules! same_objects {
    ($name:ident: $old:ty, $new:ty;) => {
        impl Kind for $old {
            fn arbitrary() -> BoxedStrategy<Self> {
                arbitrary::<$new, _>()
            }

            fn sample() -> Self {
                sample::<$new, _>()
            }
        }
    };
}

storage_all::for_each_conversion! { pairs, lossless {same_objects;} }
