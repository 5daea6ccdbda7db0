//! Reads Kubernetes' fixtures of all kinds from protobuf and JSON, and compares what is written.

use std::fs;
use std::marker::PhantomData;
use std::path::Path;

use k8s_openapi::Resource;
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use kubernetes_kinds::protobuf::{Field, Message, from_slice, to_vec};
use serde_json::{Value, json};

/// The paths at which JSON differs from what Go writes of the same bytes, and why.
const KNOWN: [(&str, &str, &str); 5] = [
    // Embedded kinds always have their names here.
    ("StatefulSet", "/spec/volumeClaimTemplates/0/apiVersion", ""),
    ("StatefulSet", "/spec/volumeClaimTemplates/0/kind", ""),
    // Go's zero time, as an entry of a map; Go writes `null` and reads it as that time.
    (
        "PodDisruptionBudget",
        "/status/disruptedPods/disruptedPodsKey",
        "v1",
    ),
    // Fields of an alpha version that 1.37 doesn't have any more.
    (
        "DeviceTaintRule",
        "/spec/deviceSelector/deviceClassName",
        "v1alpha3",
    ),
    (
        "DeviceTaintRule",
        "/spec/deviceSelector/selectors",
        "v1alpha3",
    ),
];

#[derive(Default)]
struct Counts {
    fixtures: usize,
    json_only: Vec<&'static str>,
    failures: Vec<String>,
}

trait Object: Field + Message + Resource + Serialize + DeserializeOwned {}

impl<K: Field + Message + Resource + Serialize + DeserializeOwned> Object for K {}

fn check<K: Object>(folder: &Path, counts: &mut Counts) {
    let group = match K::GROUP {
        "" => "core",
        group => group,
    };
    let stem = folder.join(format!("{group}.{}.{}", K::VERSION, K::KIND));
    let file = |suffix: &str| format!("{}{suffix}", stem.display());
    // Kinds of later releases have none.
    let Ok(protobuf) = fs::read(file(".pb")) else {
        return;
    };
    counts.fixtures += 1;
    let text = fs::read_to_string(file(".json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    // What Go of a later release writes, which has more fields that it always writes.
    let written = fs::read(file(".after_roundtrip.pb"));
    let written = written.unwrap_or_else(|_| protobuf.clone());
    let from_protobuf: K = from_slice(&protobuf).unwrap();
    let from_json: K = serde_json::from_str(&text).unwrap();
    for object in [&from_protobuf, &from_json] {
        if to_vec(object) != written {
            counts.failures.push(format!("{}: other bytes", file("")));
        }
    }
    let mut found = serde_json::to_value(&from_protobuf).unwrap();
    let mut expected = expected;
    for (kind, path, version) in KNOWN {
        if kind == K::KIND && (version.is_empty() || version == K::VERSION) {
            for value in [&mut found, &mut expected] {
                let (parent, key) = path.rsplit_once('/').unwrap();
                if let Some(parent) = value.pointer_mut(parent) {
                    parent[key] = json!(null);
                }
            }
        }
    }
    if found != expected {
        counts.failures.push(format!("{}: other JSON", file("")));
    }
}

/// A kind, to choose by what it implements: the compiler takes the first method that fits.
struct Kind<K>(PhantomData<K>);

trait WithProtobuf {
    fn check(&self, folder: &Path, counts: &mut Counts);
}

impl<K: Object> WithProtobuf for Kind<K> {
    fn check(&self, folder: &Path, counts: &mut Counts) {
        check::<K>(folder, counts);
    }
}

trait JsonOnly {
    fn check(&self, folder: &Path, counts: &mut Counts);
}

impl<K: Resource> JsonOnly for &Kind<K> {
    fn check(&self, _: &Path, counts: &mut Counts) {
        counts.json_only.push(K::KIND);
    }
}

macro_rules! each {
    ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
        |folder: &Path, counts: &mut Counts| {
            $((&Kind::<$kind>(PhantomData)).check(folder, counts);)*
        }
    };
}

fn main() {
    let mut counts = Counts::default();
    let folder = std::env::args().nth(1).unwrap();
    let all = all_groups::for_each_kind!(each);
    all(Path::new(&folder), &mut counts);
    let Counts {
        fixtures,
        json_only,
        failures,
    } = counts;
    println!("{fixtures} fixtures; JSON only: {json_only:?}");
    assert_eq!(failures, [""; 0]);
    assert!(fixtures >= 80, "{fixtures}");
}
