//! Changes between two releases: each kind of change, in both directions.

mod custom;
mod limits;
mod numbers;
mod rules;

use codegen::Source;
use codegen::diff::{Change, ChangeKind, Report, Scope, Semver, Severity, Snapshot, diff};
use serde_json::{Value, json};

use Semver::{Major, Minor, Patch};
use Severity::{Breaking, Info, None as No, Warning};

const THING: &str = "/components/schemas/com.example.v1.Thing";
const SPEC: &str = "/components/schemas/com.example.v1.ThingSpec";
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A document of one kind with a spec of all kinds of fields.
fn document() -> Value {
    let gvk = json!({"group": "example.com", "version": "v1", "kind": "Thing"});
    let served = |action: &str| json!({"x-kubernetes-action": action, "x-kubernetes-group-version-kind": gvk});
    json!({
        "openapi": "3.0.0",
        "info": {"title": "t", "version": "unversioned"},
        "paths": {
            "/apis/example.com/v1/things": {"get": served("list"), "post": served("post")},
            "/apis/example.com/v1/things/{name}": {"get": served("get"), "put": served("put")}
        },
        "components": {"schemas": {
            "com.example.v1.Thing": {
                "type": "object", "description": "Words.", "required": ["spec"],
                "properties": {
                    "metadata": reference(META),
                    "spec": {"allOf": [reference("com.example.v1.ThingSpec")], "default": {}}
                },
                "x-kubernetes-group-version-kind": [gvk]
            },
            "com.example.v1.ThingSpec": {
                "type": "object", "required": ["need"],
                "properties": {
                    "need": {"type": "string", "description": "Words.", "default": ""},
                    "text": {"type": "string"},
                    "mode": {"type": "string", "enum": ["On", "Off"]},
                    "size": {"type": "integer", "format": "int32", "minimum": 1},
                    "list": {"type": "array", "items": {"allOf": [reference("com.example.v1.Part")]}},
                    "map": {"type": "object", "additionalProperties": {"type": "string"}}
                }
            },
            "com.example.v1.Part": {"type": "object", "properties": {"text": {"type": "string"}}},
            "com.example.v1.Same": {"type": "object", "properties": {"text": {"type": "string"}}},
            META: {"type": "object", "properties": {"name": {"type": "string"}}}
        }}
    })
}

/// The document with something else at a place; `null` removes it.
fn with(place: &str, value: Value) -> Value {
    let mut document = document();
    set(&mut document, place, value);
    document
}

fn set(document: &mut Value, place: &str, value: Value) {
    let (parent, key) = place.rsplit_once('/').unwrap();
    let parent = document
        .pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap();
    let key = key.replace("~1", "/");
    match value {
        Value::Null => drop(parent.remove(&key).unwrap()),
        value => drop(parent.insert(key, value)),
    }
}

const FILE: &str = "apis__example.com__v1_openapi.json";

fn snapshot(release: &str, documents: &[(&str, &Value)]) -> Snapshot {
    let mut snapshot = Snapshot::new(release, Some(release.parse().unwrap()));
    for (file, document) in documents {
        snapshot
            .add(file, &Source::new(*file, document.to_string()))
            .unwrap();
    }
    snapshot
}

fn compared(from: &Value, to: &Value) -> Report {
    diff(
        &snapshot("1.36", &[(FILE, from)]),
        &snapshot("1.37", &[(FILE, to)]),
        None,
        &Scope::default(),
    )
}

type Expected<'a> = (ChangeKind, Severity, Severity, Semver, &'a str);

/// Checks one change in both directions: from the document to the changed one, and back.
fn check(place: &str, value: Value, forth: Expected<'_>, back: Expected<'_>) {
    let other = with(place, value);
    for (from, to, expected) in [
        (document(), other.clone(), forth),
        (other, document(), back),
    ] {
        let report = compared(&from, &to);
        let found: Vec<_> = report.changes.iter().map(summary).collect();
        let (what, readers, writers, semver, place) = expected;
        assert_eq!(
            found,
            [(what, readers, writers, semver, place.to_owned())],
            "{place}"
        );
        assert_eq!(report.documentation, [], "{place}");
        assert_eq!(report.changes[0].release.unwrap().to_string(), "1.37");
    }
}

fn summary(change: &Change) -> (ChangeKind, Severity, Severity, Semver, String) {
    (
        change.what,
        change.readers,
        change.writers,
        change.rust.semver,
        change.place.text(),
    )
}

#[test]
fn fields_come_and_go() {
    check(
        &format!("{SPEC}/properties/new"),
        json!({"type": "string"}),
        (ChangeKind::FieldAdded, Info, Info, Major, "Thing spec.new"),
        (
            ChangeKind::FieldRemoved,
            Warning,
            Breaking,
            Major,
            "Thing spec.new",
        ),
    );
    // A field of a type that only one side has is one change.
    let mut other = with(
        &format!("{SPEC}/properties/new"),
        reference("com.example.v1.New"),
    );
    set(
        &mut other,
        "/components/schemas/com.example.v1.New",
        json!({"type": "object"}),
    );
    assert_eq!(compared(&document(), &other).changes.len(), 1);
    let mut required = with(&format!("{SPEC}/properties/new"), json!({"type": "string"}));
    set(
        &mut required,
        &format!("{SPEC}/required"),
        json!(["need", "new"]),
    );
    let forth = compared(&document(), &required).changes;
    assert_eq!(
        summary(&forth[0]),
        (
            ChangeKind::FieldAdded,
            Info,
            Breaking,
            Major,
            "Thing spec.new".to_owned()
        )
    );
    let back = compared(&required, &document()).changes;
    assert_eq!(
        summary(&back[0]),
        (
            ChangeKind::FieldRemoved,
            Breaking,
            Breaking,
            Major,
            "Thing spec.new".to_owned()
        )
    );
}

#[test]
fn fields_become_required_and_optional() {
    check(
        &format!("{SPEC}/required"),
        json!(["text", "need"]),
        (
            ChangeKind::BecameRequired,
            No,
            Breaking,
            Major,
            "Thing spec.text",
        ),
        (
            ChangeKind::BecameOptional,
            Breaking,
            Info,
            Major,
            "Thing spec.text",
        ),
    );
}

#[test]
fn types_and_formats_change() {
    check(
        &format!("{SPEC}/properties/text"),
        json!({"type": "integer"}),
        (
            ChangeKind::TypeChanged,
            Breaking,
            Breaking,
            Major,
            "Thing spec.text",
        ),
        (
            ChangeKind::TypeChanged,
            Breaking,
            Breaking,
            Major,
            "Thing spec.text",
        ),
    );
    check(
        &format!("{SPEC}/properties/list/items"),
        json!({"type": "string"}),
        (
            ChangeKind::TypeChanged,
            Breaking,
            Breaking,
            Major,
            "Thing spec.list[]",
        ),
        (
            ChangeKind::TypeChanged,
            Breaking,
            Breaking,
            Major,
            "Thing spec.list[]",
        ),
    );
    check(
        &format!("{SPEC}/properties/map/additionalProperties/format"),
        json!("byte"),
        (
            ChangeKind::FormatChanged,
            Breaking,
            Breaking,
            Major,
            "Thing spec.map{}",
        ),
        (
            ChangeKind::FormatChanged,
            Breaking,
            Breaking,
            Major,
            "Thing spec.map{}",
        ),
    );
    check(
        &format!("{SPEC}/properties/size/format"),
        json!("int64"),
        (
            ChangeKind::FormatChanged,
            Breaking,
            Info,
            Major,
            "Thing spec.size",
        ),
        (
            ChangeKind::FormatChanged,
            No,
            Breaking,
            Major,
            "Thing spec.size",
        ),
    );
    check(
        &format!("{SPEC}/properties/text/format"),
        json!("ipv4"),
        (
            ChangeKind::FormatChanged,
            Info,
            Warning,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::FormatChanged,
            Info,
            Warning,
            Patch,
            "Thing spec.text",
        ),
    );
    check(
        &format!("{SPEC}/properties/text/nullable"),
        json!(true),
        (
            ChangeKind::TypeChanged,
            Breaking,
            No,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::TypeChanged,
            No,
            Breaking,
            Patch,
            "Thing spec.text",
        ),
    );
    // Another name of the same form is a matter of Rust alone.
    check(
        &format!("{SPEC}/properties/list/items"),
        reference("com.example.v1.Same"),
        (ChangeKind::TypeRenamed, No, No, Major, "Thing spec.list[]"),
        (ChangeKind::TypeRenamed, No, No, Major, "Thing spec.list[]"),
    );
}

#[test]
fn values_come_and_go() {
    check(
        &format!("{SPEC}/properties/mode/enum"),
        json!(["Auto", "Off", "On"]),
        (
            ChangeKind::EnumValuesAdded,
            Warning,
            Info,
            Minor,
            "Thing spec.mode",
        ),
        (
            ChangeKind::EnumValuesRemoved,
            No,
            Breaking,
            Major,
            "Thing spec.mode",
        ),
    );
    check(
        &format!("{SPEC}/properties/mode/enum"),
        Value::Null,
        (
            ChangeKind::EnumDropped,
            Warning,
            Info,
            Major,
            "Thing spec.mode",
        ),
        (
            ChangeKind::EnumIntroduced,
            No,
            Warning,
            Major,
            "Thing spec.mode",
        ),
    );
}

/// An overlay adds an enumeration as a type; values of a document replace those of the type.
#[test]
fn values_beside_a_reference_replace_those_of_the_type() {
    let mode = format!("{SPEC}/properties/mode");
    let named = |values: Option<Value>| {
        let mut property = reference("com.example.v1.Mode");
        property["type"] = json!("string");
        property
            .as_object_mut()
            .unwrap()
            .extend(values.map(|values| ("enum".to_owned(), values)));
        let mut document = with(&mode, property);
        let values = json!({"type": "string", "enum": ["On", "Off"]});
        set(
            &mut document,
            "/components/schemas/com.example.v1.Mode",
            values,
        );
        document
    };
    let of = |values| compared(&named(None), &named(Some(values))).changes;
    assert_eq!(of(json!(["Off", "On"])), []);
    let summaries = |values| of(values).iter().map(summary).collect::<Vec<_>>();
    let place = "Thing spec.mode".to_owned();
    let added = (
        ChangeKind::EnumValuesAdded,
        Warning,
        Info,
        Minor,
        place.clone(),
    );
    assert_eq!(summaries(json!(["Auto", "Off", "On"])), [added]);
    assert_eq!(
        summaries(json!(["On"])),
        [(ChangeKind::EnumValuesRemoved, No, Breaking, Major, place)]
    );
}
