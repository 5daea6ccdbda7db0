//! Invariants of every document: the same input gives the same output, whatever the order of its
//! keys; every schema has become something; and no document makes it panic.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::types::{declared, exported, roots};
use crate::common::{Golden, goldens, inputs_of, named, places, protos};
use codegen::{Config, DocumentConfig, Generated, Inputs, Source, generate};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The crates of the workspace, made from its own documents, if they are there.
fn workspace() -> Option<(Config, Inputs)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join("codegen.toml")).ok()?;
    let config = Config::parse(&Source::new("codegen.toml", text)).unwrap();
    let read = |name: String| {
        let text = fs::read_to_string(root.join("spec").join(&name)).unwrap();
        Source::new(name, text)
    };
    let document =
        |document: &DocumentConfig| read(format!("v{}/{}", document.release, document.file));
    let mut inputs = named(&config, document, |overlay| {
        read(format!("overlays/{overlay}"))
    });
    inputs.protos = protos(&config, &root.join("spec"));
    Some((config, inputs))
}

/// All configurations with their inputs: the workspace's and the goldens'.
fn all() -> Vec<(Config, Inputs)> {
    let goldens = goldens()
        .into_iter()
        .map(|Golden { config, inputs, .. }| (config, inputs));
    goldens.chain(workspace()).collect()
}

fn files(crates: &[Generated]) -> Vec<(&str, &str)> {
    let files = crates.iter().flat_map(|krate| &krate.files);
    files
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect()
}

#[test]
fn generating_twice_gives_the_same() {
    for (config, inputs) in all() {
        let first = generate(&config, &inputs).unwrap();
        let second = generate(&config, &inputs).unwrap();
        assert_eq!(files(&first), files(&second));
    }
}

/// The JSON text of a value with the keys of all objects in reverse order.
fn reversed(value: &Value, to: &mut String) {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by(|a, b| b.0.cmp(a.0));
            to.push('{');
            for (index, (key, value)) in members.into_iter().enumerate() {
                to.push_str(if index > 0 { ",\n" } else { "" });
                to.push_str(&Value::from(key.as_str()).to_string());
                to.push(':');
                reversed(value, to);
            }
            to.push('}');
        }
        Value::Array(array) => {
            to.push('[');
            for (index, value) in array.iter().enumerate() {
                to.push_str(if index > 0 { "," } else { "" });
                reversed(value, to);
            }
            to.push(']');
        }
        other => to.push_str(&other.to_string()),
    }
}

#[test]
fn the_order_of_keys_does_not_matter() {
    for (config, inputs) in all() {
        let mut other = inputs.clone();
        // Definitions in YAML have an order of their own.
        let json = other
            .documents
            .iter_mut()
            .filter(|(path, _)| path.ends_with(".json"));
        for (_, document) in json {
            let value: Value = serde_json::from_str(&document.source.text).unwrap();
            document.source.text.clear();
            reversed(&value, &mut document.source.text);
        }
        let first = generate(&config, &inputs).unwrap();
        let second = generate(&config, &other).unwrap();
        assert_eq!(files(&first), files(&second));
    }
}

/// The bundle re-exports every crate, and lists every kind once.
#[test]
fn the_bundle_has_every_crate_and_kind() {
    let mut bundles = 0;
    for (config, inputs) in all() {
        let Some(bundle) = &config.bundle else {
            continue;
        };
        let mut crates = generate(&config, &inputs).unwrap();
        let bundled = crates.pop().unwrap();
        assert_eq!(bundled.name, bundle.name);
        let text = |path: &str| {
            let file = bundled.files.iter().find(|file| file.path == path);
            file.unwrap().text.as_str()
        };
        for krate in &crates {
            let module = krate.name.replace('-', "_");
            assert!(text("src/lib.rs").contains(&format!("pub use {module};\n")));
        }
        let (kinds, conversions) = text("src/kinds.rs")
            .split_once("macro_rules! for_each_conversion")
            .unwrap();
        let names = |rows: &str| -> Vec<String> {
            let rows = rows
                .lines()
                .filter_map(|row| row.strip_prefix("            "));
            let rows = rows.filter(|row| !row.starts_with([' ', '$']));
            rows.map(|row| row.split_once(": ").unwrap().0.to_owned())
                .collect()
        };
        let (kinds, conversions) = (names(kinds), names(conversions));
        let versions = crates.iter().flat_map(|krate| &krate.group_versions);
        let all: usize = versions.map(|version| version.kinds.len()).sum();
        assert_eq!(kinds.len(), all);
        let unique: BTreeSet<_> = kinds.iter().collect();
        assert_eq!(unique.len(), kinds.len(), "{kinds:?}");
        assert!(!conversions.is_empty() && conversions.iter().all(|n| kinds.contains(n)));
        bundles += 1;
    }
    assert!(bundles > 0);
}

/// Types and aliases are the schemas with the prefix, and the rest is external. An overlay
/// may add schemas, and an enumeration without a name is a type without a schema.
#[test]
fn every_schema_has_become_something() {
    for (config, inputs) in all() {
        for krate in generate(&config, &inputs).unwrap() {
            let declared = declared(&krate);
            assert_eq!(declared, exported(&krate), "{}", krate.name);
            let (applied, full): (BTreeSet<_>, BTreeSet<_>) =
                declared.iter().partition(|name| name.contains("apply::"));
            assert_eq!(full.len(), krate.structs + krate.enums, "{}", krate.name);
            for name in applied {
                let full = name.replace("/apply::", "::").replace("apply::", "");
                assert!(
                    declared.contains(&full) && !full.ends_with("List"),
                    "{name}"
                );
            }
            let mut crates = config.crates.iter();
            let wanted = crates.find(|config| config.name == krate.name);
            let is_bundle = config
                .bundle
                .as_ref()
                .is_some_and(|own| own.name == krate.name);
            assert_ne!(wanted.is_some(), is_bundle, "{}", krate.name);
            for document in wanted.iter().flat_map(|krate| &krate.documents) {
                let text = &inputs.documents[&document.path()].source.text;
                // Golden files show what definitions become.
                let Ok(value) = serde_json::from_str::<Value>(text) else {
                    assert!(document.file.ends_with(".yaml"));
                    continue;
                };
                for (name, schema) in value["components"]["schemas"].as_object().unwrap() {
                    match name.strip_prefix(&document.prefix) {
                        Some(short) => {
                            let keeps = "x-kubernetes-preserve-unknown-fields";
                            let is_empty = schema["type"] == "object"
                                && schema["additionalProperties"].is_null()
                                && schema[keeps].is_null();
                            let is_type = !schema["properties"].is_null()
                                || !schema["enum"].is_null()
                                || is_empty;
                            let module = document.module.as_ref();
                            let module = module.map(|module| format!("{module}::"));
                            let short = module.unwrap_or_default() + short;
                            assert_eq!(declared.contains(&short), is_type, "{name}");
                        }
                        None => assert!(config.external(name).is_some(), "{name}"),
                    }
                }
            }
        }
    }
}

/// Every file is declared as a module, and every module is a file.
#[test]
fn files_are_modules() {
    for (config, inputs) in all() {
        for krate in generate(&config, &inputs).unwrap() {
            let mut paths = vec!["Cargo.toml".to_owned(), "src/lib.rs".to_owned()];
            let mut files: Vec<_> = krate.files.iter().map(|f| f.path.clone()).collect();
            for (module, text) in roots(&krate) {
                let folder = module.replace("::", "/");
                for item in syn::parse_file(text).unwrap().items {
                    // A module that is written out isn't a file.
                    let syn::Item::Mod(item @ syn::ItemMod { content: None, .. }) = item else {
                        continue;
                    };
                    let path = format!("src/{folder}{}", item.ident);
                    let inner = format!("{path}/mod.rs");
                    paths.push(if files.contains(&inner) {
                        inner
                    } else {
                        format!("{path}.rs")
                    });
                }
            }
            files.extend(krate.hand_written.iter().cloned());
            paths.sort();
            files.sort();
            assert_eq!(files, paths);
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec![
            "string", "object", "array", "integer", "int32", "v1", ""
        ])
        .prop_map(Value::from),
        prop::sample::select(vec![
            reference("com.example.v1.Thing"),
            reference("com.example.v1.Part"),
            reference("com.example.v1.Mode"),
            reference("nothing"),
            json!({"type": "string", "enum": ["a", "b"]}),
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
        ]),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop::sample::select(vec![
            "type",
            "items",
            "properties",
            "allOf",
            "enum",
            "required",
            "format",
            "default",
            "$ref",
            "description",
            "x-lifecycle",
            "additionalProperties",
            "a b",
            "metadata",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4).prop_map(|members| {
                Value::from_iter(members.into_iter().map(|(k, v)| (k.to_owned(), v)))
            }),
        ]
    })
}

/// A change of a document: the place, by its number, and what comes there, if anything.
fn change() -> impl Strategy<Value = (prop::sample::Index, Option<Value>)> {
    (
        any::<prop::sample::Index>(),
        prop::option::weighted(0.7, any_json()),
    )
}

fn mutated(document: &mut Value, (index, value): (prop::sample::Index, Option<Value>)) {
    let mut found = Vec::new();
    places(document, "", &mut found);
    let place = index.get(&found).clone();
    match value {
        Some(value) => *document.pointer_mut(&place).unwrap() = value,
        None => {
            let Some((parent, key)) = place.rsplit_once('/') else {
                return;
            };
            let key = key.replace("~1", "/").replace("~0", "~");
            match document.pointer_mut(parent).unwrap() {
                Value::Object(object) => drop(object.remove(&key)),
                Value::Array(array) => drop(array.remove(key.parse().unwrap())),
                _ => {}
            }
        }
    }
}

/// Generates from a changed document; what comes of it must be Rust, or errors.
fn survives(config: &Config, inputs: &Inputs, file: &str, document: &Value) {
    let mut inputs = inputs.clone();
    inputs.documents.get_mut(file).unwrap().source.text = document.to_string();
    match generate(config, &inputs) {
        Ok(crates) => {
            for krate in &crates {
                assert_eq!(declared(krate), exported(krate));
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in &errors.iter().collect::<Vec<_>>() {
                assert!(!error.message.is_empty() && error.help.is_some(), "{error}");
                let ours = error.to_string().contains("bug of the generator");
                assert!(!ours, "{error}\n{document}");
            }
        }
    }
}

/// A small document in which there is something of everything.
fn small() -> Value {
    let gvk = json!({"group": "example.com", "version": "v1", "kind": "Thing"});
    let operation = json!({
        "x-kubernetes-action": "list", "responses": {}, "x-kubernetes-group-version-kind": gvk
    });
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    json!({
        "openapi": "3.0.0",
        "paths": {"/apis/example.com/v1/things": {"get": operation}},
        "components": {"schemas": {
            "com.example.v1.Thing": {
                "type": "object", "description": "A `Thing`.", "required": ["part"],
                "x-kubernetes-group-version-kind": [gvk],
                "x-lifecycle": {"introduced": "1.30", "stable": "1.30"},
                "properties": {
                    "metadata": {"allOf": [reference(meta)], "description": "Metadata."},
                    "part": reference("com.example.v1.Part"),
                    "mode": {"allOf": [reference("com.example.v1.Mode")], "default": "On"},
                    "list": {"type": "array", "items": {"type": "integer", "format": "int32"}},
                    "map": {"type": "object", "additionalProperties": {"type": "boolean"}}
                }
            },
            "com.example.v1.Part": {
                "type": "object",
                "properties": {"parts": reference("com.example.v1.Part")}
            },
            "com.example.v1.Mode": {
                "type": "string", "enum": ["On", "Off"], "x-enum-descriptions": {"On": "On."}
            },
            "com.example.v1.Name": {"type": "string"},
            meta: {"type": "object"}
        }}
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn a_small_document_that_is_changed_never_panics(
        changes in prop::collection::vec(change(), 1..5)
    ) {
        let config = crate::common::CONFIG.replace("overlays = [\"overlay.yaml\"]\n", "");
        let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
        let mut document = small();
        for change in changes {
            mutated(&mut document, change);
        }
        let inputs = inputs_of([("document.json", "")]);
        survives(&config, &inputs, "v1.37/document.json", &document);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(20)
    })]

    /// Many changes a case, because a case takes long.
    #[test]
    fn a_real_document_that_is_changed_never_panics(
        changes in prop::collection::vec(change(), 1..8)
    ) {
        if let Some((mut config, inputs)) = workspace() {
            config.crates.truncate(1);
            let file = config.crates[0].documents[0].path();
            let text = &inputs.documents[&file].source.text;
            let mut document: Value = serde_json::from_str(text).unwrap();
            for change in changes {
                let schemas = document.pointer_mut("/components").unwrap();
                mutated(schemas, change);
            }
            survives(&config, &inputs, &file, &document);
        }
    }
}

#[test]
fn the_small_document_itself_is_good() {
    let crates =
        crate::common::from_document(&small().to_string()).unwrap_or_else(|f| panic!("{f}"));
    assert_eq!((crates[0].structs, crates[0].enums), (2, 1));
}
