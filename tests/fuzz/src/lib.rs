//! The fuzz targets as functions: nothing may panic, and an object that is read and written must be
//! read again as the same.

use codegen::{Config, DocumentSource, Inputs, Source, generate};
use k8s_openapi::Resource;
use k8s_openapi::serde::{Serialize, de::DeserializeOwned};
use kubernetes_kinds::protobuf::{self, Field, Message};
use kubernetes_kinds::quantity::Amount;
use kubernetes_manifests::scheme::Scheme;
use kubernetes_manifests::strict;
use serde_json::Value;

/// The configuration; `FILE` is replaced by the name of the document.
const CONFIG: &str = r#"
[[crate]]
name = "example-v1"
description = "An example"

[[crate.document]]
file = "FILE"
release = "1.37"
prefix = "com.example.v1."
overlays = ["overlay.yaml"]

[[extern]]
prefix = "io.k8s.apimachinery."
path = "k8s_openapi::apimachinery"
"#;

/// A document of a kind with a part, which overlays are applied to.
const DOCUMENT: &str = include_str!("../seeds/load/kind.json");

/// An overlay that does nothing.
const OVERLAY: &str = "overlay: 1.0.0\ninfo: {title: t, version: v}\nactions: []\n";

fn generated(document: &str, overlay: &str) -> Result<(), String> {
    generated_of("document.json", document, overlay)
}

/// Generates a crate, or returns the errors.
fn generated_of(file: &str, document: &str, overlay: &str) -> Result<(), String> {
    let config = Source::new("codegen.toml", CONFIG.replace("FILE", file));
    let config = Config::parse(&config);
    let (Ok(config), Ok(release)) = (config, "1.37".parse()) else {
        return Ok(());
    };
    let mut inputs = Inputs::default();
    let source = Source::new(file, document);
    let document = DocumentSource { source, release };
    inputs.documents.insert(format!("v1.37/{file}"), document);
    let overlay = Source::new("overlays/overlay.yaml", overlay);
    inputs.overlays.insert("overlay.yaml".to_owned(), overlay);
    let made = generate(&config, &inputs).map_err(|errors| errors.to_string());
    if let Err(text) = &made {
        assert!(!text.contains("bug of the generator"), "{text}");
    }
    made.map(drop)
}

/// Generates a crate from a document, or returns the errors.
pub fn load(data: &[u8]) -> Result<(), String> {
    generated(&String::from_utf8_lossy(data), OVERLAY)
}

/// Generates a crate from a document with an overlay, or returns the errors.
pub fn overlay(data: &[u8]) -> Result<(), String> {
    generated(DOCUMENT, &String::from_utf8_lossy(data))
}

/// Generates a crate from a CustomResourceDefinition, or returns the errors.
pub fn crd(data: &[u8]) -> Result<(), String> {
    generated_of("document.yaml", &String::from_utf8_lossy(data), OVERLAY)
}

/// Translates a rule in CEL for an object with fields of several types, or returns the errors.
pub fn cel(data: &[u8]) -> Result<(), String> {
    let definition = serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
                    "type": "object",
                    "required": ["name", "count"],
                    "x-kubernetes-validations": [{"rule": String::from_utf8_lossy(data)}],
                    "properties": {
                        "name": {"type": "string"},
                        "note": {"type": "string"},
                        "count": {"type": "integer"},
                        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                        "parts": {"type": "array", "items": {
                            "type": "object", "required": ["key"],
                            "properties": {"key": {"type": "string"}},
                        }},
                    },
                }}}},
            }],
        },
    });
    generated_of("document.yaml", &definition.to_string(), OVERLAY)
}

fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    storage_all::add_to_scheme(&mut scheme);
    scheme
}

/// Reads objects from JSON and YAML with the kinds of all crates, and writes them again.
pub fn decode(data: &[u8]) {
    let scheme = scheme();
    let text = String::from_utf8_lossy(data);
    let json = scheme.decode_json_all(data);
    let yaml = scheme.decode_yaml_all(&text);
    for object in [json, yaml].into_iter().flatten().flatten() {
        let Ok(written) = object.to_value() else {
            continue;
        };
        let again = scheme.decode_json_all(written.to_string());
        let again = again.map(|objects| objects.iter().map(|o| o.to_value().ok()).collect());
        assert_eq!(again.ok(), Some(vec![Some(written)]));
    }
}

/// Reads a kind strictly, from JSON and YAML.
pub fn strict(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let scheme = scheme();
    let _ = scheme.decode_json_all_strict(data);
    let _ = scheme.decode_yaml_all_strict(&text);
    let _ = strict::from_json::<storage_all::storage_v1::StorageClass>(data);
    let _ = strict::from_yaml::<storage_all::storage_v1::CSIDriver>(&text);
    let _ = strict::from_yaml::<Value>(&text);
}

/// Reads each kind from JSON, and writes it again.
pub fn json(data: &[u8]) {
    fn check<K: DeserializeOwned + Serialize>(data: &[u8]) {
        let Ok(object) = serde_json::from_slice::<K>(data) else {
            return;
        };
        let Ok(written) = serde_json::to_string(&object) else {
            return;
        };
        let again = serde_json::from_str::<K>(&written).and_then(|again| {
            // As text, for the order of fields.
            serde_json::to_string(&again)
        });
        assert_eq!(again.ok(), Some(written));
    }
    macro_rules! each {
        ($($name:ident: $kind:ty, list = $list:ty, apply = $apply:ty;)*) => {
            $(check::<$kind>(data); check::<$list>(data);)*
        };
    }
    storage_all::for_each_kind!(each);
}

/// Reads each kind that has one from Kubernetes' protobuf, and writes it again.
pub fn protobuf(data: &[u8]) {
    fn check<K: Field + Message + Resource>(data: &[u8]) {
        let Ok(object) = protobuf::from_slice::<K>(data) else {
            return;
        };
        let written = protobuf::to_vec(&object);
        // A field that is always written is `Some` then, so that bytes are compared.
        let again = protobuf::from_slice::<K>(&written);
        let again = again.map(|again| protobuf::to_vec(&again));
        assert_eq!(again, Ok(written));
    }
    macro_rules! each {
        () => {};
        (
            $name:ident: $all:ident::storage_v1alpha1::csi::$kind:ident,
                list = $list:path, apply = $apply:path;
            $($rest:tt)*
        ) => {
            each! { $($rest)* }
        };
        (
            $name:ident: $all:ident::snapshot_v1::$kind:ident,
                list = $list:path, apply = $apply:path;
            $($rest:tt)*
        ) => {
            each! { $($rest)* }
        };
        (
            $name:ident: $all:ident::groupsnapshot_v1::$kind:ident,
                list = $list:path, apply = $apply:path;
            $($rest:tt)*
        ) => {
            each! { $($rest)* }
        };
        ($name:ident: $kind:path, list = $list:path, apply = $apply:path; $($rest:tt)*) => {
            check::<$kind>(data);
            check::<$list>(data);
            each! { $($rest)* }
        };
    }
    storage_all::for_each_kind!(each);
}

/// Reads a quantity, and what is written of it.
pub fn quantity(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(amount) = Amount::parse(&text) else {
        return;
    };
    let written = amount.to_string();
    let again = Amount::parse(&written);
    assert!(again.is_ok_and(|again| again == amount), "{written}");
    let _ = (
        amount.checked_add(&amount),
        amount.checked_sub(&amount),
        amount.to_i64(),
    );
}
