//! Reads objects of all kinds from protobuf and JSON, and compares them and what is written:
//! Kubernetes' fixtures, in which everything is set, and objects of the program
//! `protobuf-fixtures`: Go's zero values, and CustomResourceDefinitions of many projects.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Go's objects that lack what documents require, though Go can omit it: types have it always, and
/// write it.
const WITHOUT_REQUIRED: [&str; 2] = [
    "networking.k8s.io.v1.IPAddress.zero",
    "resource.k8s.io.v1alpha3.ResourcePoolStatusRequest.parts",
];

#[derive(Default)]
struct Counts {
    fixtures: usize,
    of_go: usize,
    failures: Vec<String>,
}

trait Object: Debug + Field + Message + PartialEq + Resource + Serialize + DeserializeOwned {}

impl<K> Object for K where
    K: Debug + Field + Message + PartialEq + Resource + Serialize + DeserializeOwned
{
}

/// The folders of objects.
struct Folders {
    fixtures: PathBuf,
    of_go: PathBuf,
}

/// The path of the files of a kind, without its suffix.
fn stem<K: Object>(folder: &Path) -> PathBuf {
    let group = match K::GROUP {
        "" => "core",
        group => group,
    };
    folder.join(format!("{group}.{}.{}", K::VERSION, K::KIND))
}

/// The files of Go's objects of a kind in protobuf.
fn files<K: Object>(folder: &Path) -> Vec<PathBuf> {
    let start = format!("{}.", stem::<K>(folder).display());
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_of_kind = |path: &PathBuf| {
        path.extension().is_some_and(|suffix| suffix == "pb")
            && path.display().to_string().starts_with(&start)
    };
    files.filter(is_of_kind).collect()
}

/// Checks that Go's objects are read alike from both formats, and written as Go does.
fn check_go<K: Object>(folder: &Path, counts: &mut Counts) {
    let files = files::<K>(folder);
    // Go has all kinds that documents have, with three forms of zero values.
    assert!(files.len() >= 3, "{}", K::KIND);
    for path in files {
        let file = path.display();
        let protobuf = fs::read(&path).unwrap();
        let text = fs::read_to_string(path.with_extension("json")).unwrap();
        counts.of_go += 1;
        let from_protobuf: K = from_slice(&protobuf).unwrap();
        let from_json: K = match serde_json::from_str(&text) {
            Ok(object) => object,
            Err(error) => {
                counts.failures.push(format!("{file} in JSON: {error}"));
                continue;
            }
        };
        if from_protobuf != from_json {
            let failure = format!("{file}: {from_protobuf:?}\nin JSON: {from_json:?}");
            counts.failures.push(failure);
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        // Of zero values, Go's JSON may omit those that documents require.
        let is_of_project = name.ends_with(|last: char| last.is_ascii_digit());
        let mut expected = serde_json::from_str(&text).unwrap();
        let mut found = serde_json::to_value(&from_protobuf).unwrap();
        // Go has `null` in place of a list that isn't there.
        without_nothing(&mut found);
        without_nothing(&mut expected);
        if is_of_project && found != expected {
            counts.failures.push(format!("{file}: other JSON"));
        }
        let has_less = WITHOUT_REQUIRED.contains(&name);
        if (to_vec(&from_protobuf) == protobuf) == has_less {
            counts.failures.push(format!("{file}: other bytes"));
        }
    }
}

fn check_fixture<K: Object>(folder: &Path, counts: &mut Counts) {
    let stem = stem::<K>(folder);
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

/// Takes members of objects out that are `null` or empty lists, and makes numbers alike.
fn without_nothing(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(without_nothing);
            members.retain(|_, value| !value.is_null() && *value != json!([]));
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_nothing),
        Value::Number(number) => *value = json!(number.as_f64()),
        _ => {}
    }
}

macro_rules! each {
    ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
        |folders: &Folders, counts: &mut Counts| {
            $(
                check_fixture::<$kind>(&folders.fixtures, counts);
                check_go::<$kind>(&folders.of_go, counts);
            )*
        }
    };
}

fn main() {
    let mut counts = Counts::default();
    let mut folders = std::env::args().skip(1).map(PathBuf::from);
    let folders = Folders {
        fixtures: folders.next().unwrap(),
        of_go: folders.next().unwrap(),
    };
    let all = all_groups::for_each_kind!(each);
    all(&folders, &mut counts);
    let Counts {
        fixtures,
        of_go,
        failures,
    } = counts;
    println!("{fixtures} fixtures, {of_go} objects of Go");
    println!("{}", failures.join("\n"));
    assert!(failures.is_empty(), "{} failures", failures.len());
    assert!(fixtures >= 80, "{fixtures}");
}
