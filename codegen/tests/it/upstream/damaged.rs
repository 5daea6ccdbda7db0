//! Kubernetes' own documents, damaged at random: nodes are taken out, replaced by others of the
//! document or by something else. What isn't refused is Rust; nothing panics.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::types::{declared, exported};
use crate::common::{inputs_of, places};
use codegen::{Config, Source, generate};
use fastrand::Rng;
use serde_json::{Value, json};

/// The largest document that is damaged often; of the others every tenth is taken.
const OFTEN: usize = 400_000;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect(variable))
}

/// The documents of some releases.
fn documents() -> Vec<PathBuf> {
    let upstream = std::env::var_os("UPSTREAM_DIR")
        .expect("UPSTREAM_DIR names a folder with openapi/vRELEASE");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = root.join(upstream).join("openapi");
    // Documents of 1.36 come from a server only.
    let newest = if folder.join("v1.36").is_dir() {
        "v1.36"
    } else {
        eprintln!("left out: UPSTREAM_DIR has no documents of 1.36; those of 1.35 are read");
        "v1.35"
    };
    let each = ["v1.31", "v1.34", newest].map(|release| {
        let entries = fs::read_dir(folder.join(release)).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .collect::<Vec<_>>()
    });
    let mut documents = each.concat();
    documents.retain(|path| path.to_string_lossy().contains("__v"));
    documents.sort();
    documents
}

/// Something that isn't what was there.
fn other(rng: &mut Rng) -> Value {
    let others = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("object"),
        json!("string"),
        json!("array"),
        json!("int-or-string"),
        json!("date-time"),
        json!("\u{202e}\"*/"),
        json!([]),
        json!([null]),
        json!({}),
        json!({"$ref": "#/components/schemas/nothing"}),
        json!({"type": "string", "enum": ["a", "b", ""]}),
        json!({"type": "array", "items": {"type": "array", "items": {"format": "date-time", "type": "string"}}}),
        json!({"type": "object", "additionalProperties": true}),
        json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}}),
    ];
    others[rng.usize(..others.len())].clone()
}

fn damage(document: &mut Value, places: &[String], rng: &mut Rng) -> String {
    let place = &places[rng.usize(..places.len())];
    let source = &places[rng.usize(..places.len())];
    let copy = document.pointer(source).cloned();
    let Some(node) = document.pointer_mut(place) else {
        return String::new();
    };
    match rng.u8(0..4) {
        0 => *node = other(rng),
        1 => *node = copy.unwrap_or_default(),
        // Below something that it isn't meant for.
        2 if node.is_object() => node["type"] = other(rng),
        _ => {
            let (parent, key) = place.rsplit_once('/').unwrap_or_default();
            let key = key.replace("~1", "/").replace("~0", "~");
            match document.pointer_mut(parent) {
                Some(Value::Object(object)) => drop(object.remove(&key)),
                Some(Value::Array(array)) => drop(array.pop()),
                _ => {}
            }
        }
    }
    place.clone()
}

/// The configuration for a document: the prefix is that of its own group and version.
fn config(file: &str, document: &Value) -> Config {
    let (start, version) = file
        .strip_suffix("_openapi.json")
        .unwrap()
        .rsplit_once("__")
        .unwrap();
    let group = start.strip_prefix("apis__").unwrap_or("core");
    let group = match group {
        "internal.apiserver.k8s.io" => "apiserverinternal",
        group => group.split('.').next().unwrap(),
    };
    let end = format!(".{group}.{version}.");
    let schemas = document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys();
    let mut prefixes = schemas.map(|name| &name[..=name.rfind('.').unwrap()]);
    let prefix = prefixes.find(|prefix| prefix.ends_with(&end)).expect(file);
    let text = format!(
        "newest = \"1.37\"\n[[crate]]\nname = \"example-v1\"\ndescription = \"An example\"\n\
         [[crate.document]]\nfile = \"document.json\"\nprefix = \"{prefix}\"\n\
         [[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n\
         [[extern]]\nprefix = \"io.k8s.api.\"\npath = \"k8s_openapi::api\"\n"
    );
    Config::parse(&Source::new("codegen.toml", text)).unwrap()
}

/// `DAMAGED_DOCUMENTS` of them, from `DAMAGED_SEED`.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn damaged_documents_are_refused_or_become_rust() {
    let cases = number("DAMAGED_DOCUMENTS", 200);
    let seed = number("DAMAGED_SEED", 1);
    let documents = documents();
    let workers = (0..2).map(|worker| {
        let documents = &documents;
        move || {
            let mut rng = Rng::with_seed(2 * seed + worker);
            (0..cases.div_ceil(2))
                .filter(|_| is_refused(documents, &mut rng))
                .count()
        }
    });
    let refused: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = workers.map(|worker| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    println!("{refused} of {cases} documents are refused");
    let cases = cases as usize;
    assert!(
        refused > cases / 10 && refused < cases,
        "{refused} of {cases}"
    );
}

/// Damages a document; whether it is refused.
fn is_refused(documents: &[PathBuf], rng: &mut Rng) -> bool {
    let (path, mut document) = loop {
        let path = &documents[rng.usize(..documents.len())];
        let text = fs::read_to_string(path).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        // Some groups have nothing but paths.
        let has_schemas = document["components"]["schemas"].is_object();
        if has_schemas && (text.len() < OFTEN || rng.u8(0..10) == 0) {
            break (path, document);
        }
    };
    let file = path.file_name().unwrap().to_string_lossy();
    let config = config(&file, &document);
    let prefix = &config.crates[0].documents[0].prefix;
    let mut found = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        if name.starts_with(prefix) {
            places(schema, &format!("/components/schemas/{name}"), &mut found);
        }
    }
    places(&document["paths"], "/paths", &mut found);
    // Most of the paths are parameters.
    found.retain(|place| !place.contains("/parameters") && !place.contains("/responses"));
    let damage = (0..rng.usize(1..4)).map(|_| damage(&mut document, &found, rng));
    let damage = damage.collect::<Vec<_>>().join(", ");
    let inputs = inputs_of([("document.json", document.to_string())]);
    let generated = std::panic::catch_unwind(|| generate(&config, &inputs));
    match generated.unwrap_or_else(|_| panic!("{file}: {damage}")) {
        Ok(crates) => {
            assert_eq!(
                declared(&crates[0]),
                exported(&crates[0]),
                "{file}: {damage}"
            );
            false
        }
        Err(errors) => {
            let text = errors.to_string();
            assert!(
                !text.contains("bug of the generator"),
                "{file}: {damage}\n{text}"
            );
            true
        }
    }
}
