//! `kubernetes-storage schema`, beside the linter.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jsonschema::Validator;
use kubernetes_manifests::scheme::Syntax;
use kubernetes_storage::lint::{Linter, Severity};
use kubernetes_storage::rules;
use kubernetes_validation::Target;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{folder, lint, put, run, run_in};

fn schema(arguments: &[&str]) -> Value {
    let ran = run(&folder("schema"), &[&["schema"], arguments].concat(), "");
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).unwrap()
}

/// The rules that JSON Schema expresses in all places where the linter has them.
const EXPRESSED: [&str; 3] = ["unknownField", "wrongType", "required"];

/// The errors of the linter, by their rules.
fn errors(object: &Value) -> BTreeSet<&'static str> {
    let linter = Linter::new(Target::new(storage_all::KUBERNETES));
    let report = linter.check("a.json", &object.to_string(), Syntax::Json);
    let messages = report.findings.into_iter().map(|finding| finding.message);
    let errors = messages.filter(|message| message.severity == Severity::Error);
    errors.map(|message| message.rule).collect()
}

/// Asserts that a schema says of an object what the linter says, where it can.
fn compare(validator: &Validator, object: &Value) {
    let (errors, accepts) = (errors(object), validator.is_valid(object));
    let problems = || {
        let errors = validator.iter_errors(object);
        let each = errors.map(|error| format!("{}: {error}", error.instance_path()));
        each.collect::<Vec<_>>().join("\n")
    };
    if errors.is_empty() {
        assert!(accepts, "refused: {object:#}\n{}", problems());
    }
    if EXPRESSED.iter().any(|rule| errors.contains(rule)) {
        assert!(!accepts, "accepted in spite of {errors:?}: {object:#}");
    }
}

/// The objects of the examples and of the golden manifests, whether they are valid or not.
fn samples() -> Vec<Value> {
    let mut texts: Vec<String> = rules::all()
        .iter()
        .filter_map(|rule| rule.example.clone())
        .collect();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for folder in ["manifests", "invalid"] {
        for entry in fs::read_dir(tests.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "yaml")
            {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    let documents = texts.iter().flat_map(|text| text.split("\n---\n"));
    let read = documents.filter_map(|text| serde_saphyr::from_str::<Value>(text).ok());
    read.filter(Value::is_object).collect()
}

#[test]
fn samples_are_judged_alike() {
    let all = validator(&schema(&[]));
    let samples = samples();
    assert!(samples.len() > 70, "{}", samples.len());
    for object in samples {
        // What the release doesn't serve is checked as another version.
        if !errors(&object).contains("notServed") {
            compare(&all, &object);
        }
    }
}

/// Values of all types, some of which fit into places of another type.
fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!("")),
        Just(json!("a")),
        Just(json!("1Gi")),
        Just(json!("Retain")),
        Just(json!(1)),
        Just(json!(-1)),
        Just(json!(0.5)),
        Just(json!(true)),
        Just(json!([])),
        Just(json!(["a"])),
        Just(json!({})),
        Just(json!({"a": "b"})),
    ]
}

/// The paths of all values in an object.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut inner = |name: String, value: &Value| {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        found.push(at.clone());
        pointers(value, &at, found);
    };
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, value)| inner(name.clone(), value)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| inner(index.to_string(), value));
        }
        _ => (),
    }
}

/// A change: another value, a field that no kind has, or one less.
#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Add(Value),
    Remove,
}

fn changed(mut object: Value, place: prop::sample::Index, change: Change) -> Value {
    let mut found = Vec::new();
    pointers(&object, "", &mut found);
    let path = place.get(&found).clone();
    let (outer, name) = path.rsplit_once('/').unwrap();
    let outer = outer.to_owned();
    match (change, object.pointer_mut(&outer)) {
        (Change::Replace(value), _) => *object.pointer_mut(&path).unwrap() = value,
        (Change::Add(value), Some(Value::Object(members))) => {
            members.insert("another".to_owned(), value);
        }
        (Change::Remove, Some(Value::Object(members))) => {
            members.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        _ => (),
    }
    object
}

#[test]
fn random_objects_are_judged_alike() {
    let all = validator(&schema(&[]));
    let samples: Vec<_> = samples()
        .into_iter()
        .filter(|object| errors(object).is_empty())
        .collect();
    let change = prop_oneof![
        6 => values().prop_map(Change::Replace),
        1 => values().prop_map(Change::Add),
        2 => Just(Change::Remove),
    ];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), change), 1..4);
    let objects = (prop::sample::select(samples), changes);
    proptest!(|((object, changes) in objects)| {
        let mut object = object;
        for (place, change) in changes {
            object = changed(object, place, change);
        }
        let is_kind = |name: &str| object[name].as_str().is_some_and(|text| !text.is_empty());
        if is_kind("apiVersion") && is_kind("kind") && !errors(&object).contains("unknownKind") {
            compare(&all, &object);
        }
    });
}

#[test]
fn which_schemas_there_are() {
    let class = schema(&["StorageClass"]);
    assert_eq!(
        class["properties"]["apiVersion"]["enum"],
        json!(["storage.k8s.io/v1"])
    );
    let binding = &class["definitions"]["io.k8s.api.storage.v1.VolumeBindingMode"];
    assert_eq!(
        binding["enum"],
        json!(["Immediate", "WaitForFirstConsumer"])
    );
    assert_eq!(
        class["properties"]["volumeBindingMode"]["default"],
        "Immediate"
    );
    let old = schema(&["StorageClass", "--api-version=storage.k8s.io/v1beta1"]);
    assert_eq!(
        old["properties"]["apiVersion"]["enum"],
        json!(["storage.k8s.io/v1beta1"])
    );
    let here = folder("schema-errors");
    for (arguments, expected) in [
        (
            &["StorageClas"] as &[_],
            "no kind StorageClas; did you mean StorageClass?",
        ),
        (
            &["Gateway"],
            "no kind Gateway; supported kinds: CSIDriver, ",
        ),
        (
            &["CSINode", "--api-version=v1"],
            "CSINode has the versions storage.k8s.io/v1, ",
        ),
    ] {
        let ran = run(&here, &[&["schema"], arguments].concat(), "");
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.starts_with(&format!("error: {expected}")),
            "{}",
            ran.stderr
        );
    }
    let ran = run(&here, &["schema", "--output=all/of"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for name in [
        "storageclass-storage-v1",
        "persistentvolume-v1",
        "volumesnapshot-snapshot-v1",
        "volumegroupsnapshot-groupsnapshot-v1",
    ] {
        let text = fs::read_to_string(here.join(format!("all/of/{name}.json"))).unwrap();
        validator(&serde_json::from_str(&text).unwrap());
    }
}

#[test]
fn the_lines_of_json_have_their_schema() {
    let lines = validator(&schema(&["--findings"]));
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invalid");
    let rendered = "# Source: a/b.yaml\napiVersion: storage.k8s.io/v1\nkind: StorageClass\n";
    for ran in [
        run_in(&here, &["--format=json", "--notes", "."], ""),
        lint(&["--format=json"], rendered),
    ] {
        for line in ran.stdout.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let errors: Vec<_> = lines
                .iter_errors(&line)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{line}: {errors:?}");
        }
        let mut line: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
        line["severity"] = json!("bad");
        assert!(!lines.is_valid(&line));
    }
}

#[test]
fn the_configuration_has_its_schema() {
    let config = validator(&schema(&["--configuration"]));
    let here = folder("schema-config");
    fs::create_dir(here.join(".git")).unwrap();
    for (text, is_valid) in [
        ("{}", true),
        ("targetRelease: '1.36'", true),
        ("rules: {enum: 'off', format: warning}", true),
        (
            "claimTemplates: [{group: a.b, kind: A, path: spec.a, holds: spec}]",
            true,
        ),
        (
            "applySet: folder\nnoIgnore: true\nkinds: [CSINode]\nignore: [a]",
            true,
        ),
        ("rules: {enum: no}", false),
        ("rules: {enun: warning}", false),
        ("claimTemplates: [{group: a.b, kind: A}]", false),
        ("other: 1", false),
        ("featureGates: {a: 1}", false),
    ] {
        let value: Value = serde_saphyr::from_str(text).unwrap();
        assert_eq!(config.is_valid(&value), is_valid, "{text}");
        put(&here, ".kubernetes-storage.yaml", text);
        let ran = run_in(&here, &["."], "");
        assert_eq!(ran.code == 0, is_valid, "{text}: {}", ran.stderr);
    }
}
