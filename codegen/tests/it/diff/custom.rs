//! Custom resources: a server checks all that their schemas say.

use super::*;

const GADGET: &str = "/components/schemas/com.example.v1.Gadget/properties/spec";

/// A document as a server publishes it for a custom resource, with objects inside of others.
pub(super) fn gadget() -> Value {
    let gvk = json!({"group": "example.com", "version": "v1", "kind": "Gadget"});
    let text = json!({"type": "string"});
    let object = json!({"type": "object", "properties": {"text": text}});
    json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
        "paths": {"/apis/example.com/v1/gadgets": {"get": {
            "x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk
        }}},
        "components": {"schemas": {"com.example.v1.Gadget": {
            "type": "object",
            "x-kubernetes-group-version-kind": [gvk],
            "properties": {"spec": {"type": "object", "properties": {
                "text": text,
                "maybe": {"type": "string", "nullable": true},
                "size": {"type": "integer"},
                "list": {"type": "array", "items": text},
                "lists": {"type": "array", "items": {"type": "array", "items": object}},
                "map": {"type": "object", "additionalProperties": text},
                "objects": {"type": "object", "additionalProperties": object},
                "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "any": {"type": "object", "additionalProperties": true},
                "a.b": object,
            }}}
        }}}
    })
}

pub(super) fn gadget_with(places: &[(&str, Value)]) -> Value {
    let mut document = gadget();
    for (place, value) in places {
        set(&mut document, &format!("{GADGET}{place}"), value.clone());
    }
    document
}

/// The changes from one document to another, in short.
pub(super) fn changes(from: &Value, to: &Value) -> Vec<String> {
    let report = compared(from, to);
    assert_eq!(report.compared, ["example.com/v1"]);
    let text = |change: &Change| {
        let (readers, writers) = (change.readers.name(), change.writers.name());
        assert_eq!(change.release, None, "no release of Kubernetes brought it");
        format!(
            "{}, readers {readers}, writers {writers}, {}",
            change.what.text(),
            change.rust.semver.name()
        )
    };
    report.changes.iter().map(text).collect()
}

/// Checks what a keyword means that is added at a place, and what it means if it goes.
pub(super) fn check_added(place: &str, value: Value, added: &str, removed: &str) {
    let other = gadget_with(&[(place, value)]);
    assert_eq!(changes(&gadget(), &other), [added], "{place} is added");
    assert_eq!(changes(&other, &gadget()), [removed], "{place} goes");
}

/// Checks what it means that a keyword is another, in both directions.
pub(super) fn check_changed(place: &str, values: [Value; 2], forth: &str, back: &str) {
    let [from, to] = values.map(|value| gadget_with(&[(place, value)]));
    assert_eq!(changes(&from, &to), [forth], "{place}");
    assert_eq!(changes(&to, &from), [back], "{place}, back");
}

#[test]
fn enumerations_are_restrictions() {
    let texts = || json!(["a", "b"]);
    for (field, values, semver) in [
        ("text", texts(), "major"),
        ("list/items", texts(), "major"),
        ("map/additionalProperties", texts(), "major"),
        // An integer stays one.
        ("size", json!([1, 2]), "patch"),
    ] {
        let place = format!("/properties/{field}/enum");
        check_added(
            &place,
            values.clone(),
            &format!("values restricted to a list, readers none, writers breaking, {semver}"),
            &format!("list of values dropped, readers warning, writers info, {semver}"),
        );
        let fewer = json!([values[0]]);
        let grown = if semver == "patch" { "patch" } else { "minor" };
        check_changed(
            &place,
            [values, fewer],
            &format!("values removed, readers none, writers breaking, {semver}"),
            &format!("values added, readers warning, writers info, {grown}"),
        );
    }
}

#[test]
fn formats_are_restrictions() {
    for field in ["text", "list/items", "map/additionalProperties"] {
        let place = format!("/properties/{field}/format");
        for format in ["ipv4", "uri", "date", "k8s-short-name", "uuid"] {
            let found = changes(&gadget(), &gadget_with(&[(&place, json!(format))]));
            assert_eq!(found.len(), 1, "{format}");
            assert!(
                found[0].ends_with("readers none, writers breaking, patch"),
                "{found:?}"
            );
        }
        check_added(
            &place,
            json!("ipv4"),
            "format changed, readers none, writers breaking, patch",
            "format changed, readers info, writers info, patch",
        );
        let other = "format changed, readers info, writers breaking, patch";
        check_changed(&place, [json!("ipv4"), json!("ipv6")], other, other);
        // A server doesn't know it.
        let unknown = "format changed, readers info, writers info, patch";
        check_added(&place, json!("fancy"), unknown, unknown);
        let time = "format changed, readers none, writers breaking, major";
        let text = "format changed, readers info, writers info, major";
        check_added(&place, json!("date-time"), time, text);
    }
    let place = "/properties/size/format";
    check_added(
        place,
        json!("int32"),
        "format changed, readers none, writers breaking, major",
        "format changed, readers breaking, writers info, major",
    );
}

#[test]
fn unique_elements_are_a_restriction() {
    let list = "/properties/list/x-kubernetes-list-type";
    let added = "merge semantics changed, readers none, writers breaking, patch";
    let removed = "merge semantics changed, readers info, writers warning, patch";
    check_added(list, json!("set"), added, removed);
    check_changed(list, [json!("atomic"), json!("set")], added, removed);
    let keyed = |keys: Value| {
        let objects = json!({"type": "object", "properties": {
            "a": {"type": "string"}, "b": {"type": "string"}
        }});
        let list = json!({
            "type": "array", "items": objects,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys
        });
        gadget_with(&[("/properties/list", list)])
    };
    // Elements with an equal `a` can have another `b`.
    let (one, two) = (keyed(json!(["a"])), keyed(json!(["a", "b"])));
    assert_eq!(changes(&one, &two), [removed]);
    assert_eq!(changes(&two, &one), [added]);
    assert_eq!(changes(&two, &keyed(json!(["b", "a"]))), [""; 0]);
    let report = compared(&gadget(), &gadget_with(&[(list, json!("set"))]));
    assert_eq!(report.changes[0].details, ["no two elements may be equal"]);
}

/// A wider type takes what is written, and a narrower one gives what is read.
#[test]
fn wider_and_narrower_types() {
    let field = |schema: Value| gadget_with(&[("/properties/text", schema)]);
    let either = json!({"x-kubernetes-int-or-string": true});
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    for (narrow, wide) in [
        (json!({"type": "integer"}), json!({"type": "number"})),
        (json!({"type": "integer"}), either.clone()),
        (json!({"type": "string"}), either.clone()),
        (json!({"type": "boolean"}), any),
        (either.clone(), json!({})),
    ] {
        let (narrow, wide) = (field(narrow), field(wide));
        let wider = changes(&narrow, &wide);
        let end = "readers breaking, writers info, major";
        assert_eq!(wider, [format!("type changed, {end}")]);
        let narrower = changes(&wide, &narrow);
        let end = "readers info, writers breaking, major";
        assert_eq!(narrower, [format!("type changed, {end}")]);
    }
    let (text, truth) = (
        field(json!({"type": "string"})),
        field(json!({"type": "boolean"})),
    );
    let other = "type changed, readers breaking, writers breaking, major";
    assert_eq!(changes(&text, &truth), [other]);
}

/// Its schema can stay where others refer to it.
#[test]
fn a_kind_without_paths_is_gone() {
    let gvk = json!({"group": "example.com", "version": "v1", "kind": "Widget"});
    let mut whole = gadget();
    let widget = json!({"type": "object", "x-kubernetes-group-version-kind": [gvk]});
    set(
        &mut whole,
        "/components/schemas/com.example.v1.Widget",
        widget,
    );
    let mut apart = whole.clone();
    whole["paths"]["/apis/example.com/v1/widgets"] = json!({"get": {
        "x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk
    }});
    let of = |from: &Value, to: &Value| {
        let report = compared(from, to);
        let [change] = &report.changes[..] else {
            panic!("{:?}", report.changes);
        };
        (change.what, change.severity(), change.place.kind.clone())
    };
    let kind = || Some("Widget".to_owned());
    assert_eq!(
        of(&whole, &apart),
        (ChangeKind::KindRemoved, Severity::Breaking, kind())
    );
    assert_eq!(
        of(&apart, &whole),
        (ChangeKind::KindAdded, Severity::Info, kind())
    );
    // A document without any path tells nothing of them.
    apart["paths"] = json!({});
    assert!(compared(&whole, &apart).changes.is_empty());
}

#[test]
fn required_fields_are_restrictions() {
    check_added(
        "/required",
        json!(["text"]),
        "field became required, readers none, writers breaking, major",
        "field became optional, readers breaking, writers info, major",
    );
    // A server sets the default first.
    let default = ("/properties/text/default", json!("a"));
    let before = gadget_with(std::slice::from_ref(&default));
    let after = gadget_with(&[default, ("/required", json!(["text"]))]);
    assert_eq!(
        changes(&before, &after),
        ["field became required, readers none, writers info, major"]
    );
    // And when it is read.
    assert_eq!(
        changes(&after, &before),
        ["field became optional, readers info, writers info, major"]
    );
    // Without the default, objects that lack the field are refused, whatever the default was.
    for default in [json!("a"), json!("")] {
        let required = ("/required", json!(["text"]));
        let before = gadget_with(&[required.clone(), ("/properties/text/default", default)]);
        let found = changes(&before, &gadget_with(&[required]));
        assert!(
            found[0].starts_with("default removed, readers warning, writers breaking"),
            "{found:?}"
        );
    }
}

#[test]
fn what_is_closed_is_a_restriction() {
    check_changed(
        "/properties/maybe/nullable",
        [json!(true), json!(false)],
        "type changed, readers none, writers breaking, patch",
        "type changed, readers breaking, writers none, patch",
    );
    // An element that can be null is of any type in Rust.
    check_added(
        "/properties/list/items/nullable",
        json!(true),
        "type changed, readers breaking, writers none, major",
        "type changed, readers none, writers breaking, major",
    );
    check_changed(
        "/properties/open/x-kubernetes-preserve-unknown-fields",
        [json!(true), json!(false)],
        "type changed, readers warning, writers breaking, major",
        "type changed, readers info, writers info, major",
    );
    // A struct stays one.
    check_added(
        "/x-kubernetes-preserve-unknown-fields",
        json!(true),
        "type changed, readers info, writers info, patch",
        "type changed, readers warning, writers breaking, patch",
    );
    for (field, open) in [("any", json!(true)), ("map", json!({"type": "string"}))] {
        check_changed(
            &format!("/properties/{field}/additionalProperties"),
            [open, json!(false)],
            "type changed, readers warning, writers breaking, major",
            "type changed, readers info, writers info, major",
        );
    }
    // It has to have apiVersion and kind then.
    let embedded = (
        "/properties/open/x-kubernetes-embedded-resource",
        json!(true),
    );
    let found = changes(&gadget(), &gadget_with(&[embedded]));
    assert!(
        found.contains(&"type changed, readers none, writers breaking, patch".to_owned()),
        "{found:?}"
    );
}

/// The struct that has a field is the innermost object around it.
#[test]
fn changes_name_the_struct_that_has_the_field() {
    let text = || json!({"type": "string"});
    for (place, field) in [
        (
            "/properties/new",
            "literals of `GadgetSpec` must have `new`",
        ),
        (
            "/properties/lists/items/items/properties/new",
            "literals of `GadgetSpecLists` must have `new`",
        ),
        (
            "/properties/objects/additionalProperties/properties/new",
            "literals of `GadgetSpecObjects` must have `new`",
        ),
        (
            "/properties/a.b/properties/new",
            "literals of `GadgetSpecAB` must have `new`",
        ),
    ] {
        let report = compared(&gadget(), &gadget_with(&[(place, text())]));
        assert_eq!(report.changes[0].rust.why, field);
    }
    for (place, field) in [
        (
            "/properties/list/items/enum",
            "`GadgetSpec::list` becomes an enum",
        ),
        (
            "/properties/lists/items/items/properties/text/enum",
            "`GadgetSpecLists::text` becomes an enum",
        ),
    ] {
        let report = compared(&gadget(), &gadget_with(&[(place, json!(["a"]))]));
        assert_eq!(report.changes[0].rust.why, field);
    }
    let gone = compared(
        &gadget(),
        &gadget_with(&[("/properties/a.b/properties/text", Value::Null)]),
    );
    assert_eq!(gone.changes[0].rust.why, "`GadgetSpecAB::text` is gone");
    // A type of another name is looked into, and has its own fields.
    let mut renamed = with(
        &format!("{SPEC}/properties/list/items"),
        reference("com.example.v1.Same"),
    );
    let same = "/components/schemas/com.example.v1.Same/properties/new";
    set(&mut renamed, same, text());
    let report = compared(&document(), &renamed);
    let why: Vec<_> = report
        .changes
        .iter()
        .map(|change| change.rust.why.as_str())
        .collect();
    assert!(
        why.contains(&"literals of `Same` must have `new`"),
        "{why:?}"
    );
}

#[test]
fn a_document_without_a_release_equals_itself() {
    let snapshot = snapshot("1.36", &[(FILE, &gadget())]);
    assert_eq!(snapshot.server_release(), None);
    let report = diff(&snapshot, &snapshot, None, &Scope::default());
    assert_eq!(
        (report.changes.as_slice(), report.not_compared.as_slice()),
        (&[][..], &[][..])
    );
}
