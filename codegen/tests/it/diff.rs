//! Changes between two releases: each kind of change, in both directions.

use codegen::Source;
use codegen::diff::{Change, ChangeKind, Report, Semver, Severity, Snapshot, diff};
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
        &[],
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

/// A server publishes enumerations that checked-in documents leave out.
#[test]
fn what_only_servers_publish_is_no_change() {
    let mut server = document();
    server["info"]["version"] = json!("v1.37.1");
    let checked_in = with(&format!("{SPEC}/properties/mode/enum"), Value::Null);
    assert_eq!(compared(&checked_in, &server).changes, []);
    assert_eq!(compared(&server, &checked_in).changes, []);
    assert_eq!(
        snapshot("1.37", &[(FILE, &server)]).server_release(),
        "1.37".parse().ok()
    );
}

#[test]
fn defaults_come_and_go() {
    check(
        &format!("{SPEC}/properties/text/default"),
        json!("x"),
        (
            ChangeKind::DefaultAdded,
            Info,
            Warning,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::DefaultRemoved,
            Warning,
            Warning,
            Patch,
            "Thing spec.text",
        ),
    );
    check(
        &format!("{SPEC}/properties/need/default"),
        json!("x"),
        (
            ChangeKind::DefaultChanged,
            Warning,
            Warning,
            Patch,
            "Thing spec.need",
        ),
        (
            ChangeKind::DefaultChanged,
            Warning,
            Warning,
            Patch,
            "Thing spec.need",
        ),
    );
    check(
        &format!("{SPEC}/properties/size/default"),
        json!(0),
        (ChangeKind::DefaultAdded, No, No, Patch, "Thing spec.size"),
        (ChangeKind::DefaultRemoved, No, No, Patch, "Thing spec.size"),
    );
}

#[test]
fn lists_are_merged_in_another_way() {
    let list = format!("{SPEC}/properties/list");
    check(
        &format!("{list}/x-kubernetes-list-type"),
        json!("set"),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            Warning,
            Patch,
            "Thing spec.list",
        ),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            Warning,
            Patch,
            "Thing spec.list",
        ),
    );
    // That is what no type means.
    check(
        &format!("{list}/x-kubernetes-list-type"),
        json!("atomic"),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            No,
            Patch,
            "Thing spec.list",
        ),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            No,
            Patch,
            "Thing spec.list",
        ),
    );
    // Type and keys are one change.
    let mut keyed = with(&format!("{list}/x-kubernetes-list-type"), json!("map"));
    set(
        &mut keyed,
        &format!("{list}/x-kubernetes-list-map-keys"),
        json!(["text"]),
    );
    let report = compared(&document(), &keyed);
    assert_eq!(report.changes.len(), 1);
    assert_eq!(
        report.changes[0].to.as_deref(),
        Some("list-map-keys: text, list-type: map")
    );
}

#[test]
fn rules_come_and_go() {
    let size = format!("{SPEC}/properties/size");
    check(
        &format!("{size}/maximum"),
        json!(9),
        (
            ChangeKind::RuleAdded,
            No,
            Breaking,
            Patch,
            "Thing spec.size",
        ),
        (
            ChangeKind::RuleRemoved,
            Info,
            Info,
            Patch,
            "Thing spec.size",
        ),
    );
    check(
        &format!("{size}/minimum"),
        json!(2),
        (
            ChangeKind::RuleTightened,
            No,
            Breaking,
            Patch,
            "Thing spec.size",
        ),
        (
            ChangeKind::RuleLoosened,
            Info,
            Info,
            Patch,
            "Thing spec.size",
        ),
    );
    check(
        &format!("{SPEC}/properties/text/x-kubernetes-validations"),
        json!([{"rule": "self == oldSelf", "message": "m"}]),
        (
            ChangeKind::RuleAdded,
            No,
            Breaking,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::RuleRemoved,
            Info,
            Info,
            Patch,
            "Thing spec.text",
        ),
    );
    let other = with(&format!("{SPEC}/properties/text/pattern"), json!("^a"));
    let another = with(&format!("{SPEC}/properties/text/pattern"), json!("^b"));
    let report = compared(&other, &another);
    assert_eq!(report.changes[0].what, ChangeKind::RuleChanged);
    assert_eq!(report.changes[0].writers, Warning);
}

#[test]
fn kinds_change_their_paths() {
    let one = "/paths/~1apis~1example.com~1v1~1things~1{name}";
    check(
        &format!("{one}/delete"),
        json!({}),
        (ChangeKind::VerbsAdded, Info, Info, Patch, "Thing"),
        (ChangeKind::VerbsRemoved, No, Breaking, Patch, "Thing"),
    );
    check(
        &format!("{one}/get"),
        Value::Null,
        (ChangeKind::VerbsRemoved, Breaking, No, Patch, "Thing"),
        (ChangeKind::VerbsAdded, Info, Info, Patch, "Thing"),
    );
    check(
        &format!("{one}~1scale"),
        json!({"get": {}}),
        (ChangeKind::SubresourceAdded, Info, Info, Patch, "Thing"),
        (ChangeKind::SubresourceRemoved, Breaking, No, Patch, "Thing"),
    );
    let renamed = |from: &str, to: &str| {
        let text = document().to_string().replace(from, to);
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let namespaced = renamed("v1/things", "v1/namespaces/{namespace}/things");
    let report = compared(&document(), &namespaced);
    let scope = (
        ChangeKind::ScopeChanged,
        Breaking,
        Breaking,
        Major,
        "Thing".to_owned(),
    );
    assert_eq!(
        report.changes.iter().map(summary).collect::<Vec<_>>(),
        [scope]
    );
    let report = compared(&document(), &renamed("v1/things", "v1/thingies"));
    let plural = (
        ChangeKind::ResourceRenamed,
        Breaking,
        Breaking,
        Patch,
        "Thing".to_owned(),
    );
    assert_eq!(
        report.changes.iter().map(summary).collect::<Vec<_>>(),
        [plural]
    );
}

/// A status that becomes a subresource is no longer written with the object.
#[test]
fn a_status_becomes_a_subresource() {
    let one = "/paths/~1apis~1example.com~1v1~1things~1{name}~1status";
    let before = with(
        &format!("{THING}/properties/status"),
        json!({"type": "object"}),
    );
    let mut after = before.clone();
    set(&mut after, one, json!({"get": {}, "put": {}}));
    let of = |report: Report| report.changes.iter().map(summary).collect::<Vec<_>>();
    let added = (
        ChangeKind::SubresourceAdded,
        Info,
        Warning,
        Minor,
        "Thing".to_owned(),
    );
    assert_eq!(of(compared(&before, &after)), [added]);
    let removed = (
        ChangeKind::SubresourceRemoved,
        Breaking,
        Breaking,
        Major,
        "Thing".to_owned(),
    );
    assert_eq!(of(compared(&after, &before)), [removed]);
}

#[test]
fn what_is_deprecated_is_said() {
    check(
        &format!("{SPEC}/properties/text/deprecated"),
        json!(true),
        (
            ChangeKind::LifecycleChanged,
            Warning,
            Warning,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::LifecycleChanged,
            Info,
            Info,
            Patch,
            "Thing spec.text",
        ),
    );
    // The stages of a lifecycle that both have are changes of the releases that are compared.
    let lifecycle =
        json!({"introduced": "1.30", "alpha": "1.30", "beta": "1.37", "stable": "1.38"});
    let with_stages = with(&format!("{SPEC}/properties/text/x-lifecycle"), lifecycle);
    let report = compared(&with_stages, &with_stages);
    assert_eq!(report.changes.len(), 1);
    assert_eq!(report.changes[0].to.as_deref(), Some("beta"));
}

#[test]
fn equal_documents_have_no_changes() {
    for document in [
        document(),
        with(&format!("{SPEC}/properties/text/maxLength"), json!(3)),
    ] {
        let report = compared(&document, &document);
        assert_eq!(
            (report.changes, report.documentation),
            (Vec::new(), Vec::new())
        );
        assert_eq!(report.compared, ["example.com/v1"]);
    }
}

/// Texts are counted apart; how something is written is no change at all.
#[test]
fn texts_and_forms_are_no_changes() {
    let texts = with(
        &format!("{SPEC}/properties/need/description"),
        json!("Others."),
    );
    let report = compared(&document(), &texts);
    assert_eq!(report.changes, []);
    assert_eq!(report.documentation.len(), 1);
    assert_eq!(report.documentation[0].place.text(), "Thing spec.need");
    assert_eq!(report.documentation[0].keyword, "description");

    // Documents of 1.23 have a bare reference; the order of names and values is free.
    let mut other = with(&format!("{THING}/properties/spec"), {
        let mut bare = reference("com.example.v1.ThingSpec");
        bare["default"] = json!({});
        bare
    });
    set(
        &mut other,
        &format!("{SPEC}/properties/mode/enum"),
        json!(["Off", "On"]),
    );
    let report = compared(&document(), &other);
    assert_eq!(
        (report.changes, report.documentation),
        (Vec::new(), Vec::new())
    );
}
