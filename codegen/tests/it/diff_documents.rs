//! Several documents: kinds and versions that come and go, types that documents share, and what our
//! configuration adds.

use codegen::diff::{
    ChangeKind, Complete, Knowledge, Report, Scope, Semver, Severity, Snapshot, diff,
};
use codegen::{Config, Inputs, Source};
use serde_json::{Map, Value, json};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// A document of kinds that have a text and the properties.
pub(crate) fn document(version: &str, kinds: &[&str], properties: &Value) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for kind in kinds {
        let gvk = json!({"group": "example.com", "version": version, "kind": kind});
        let path = format!("/apis/example.com/{version}/{}s", kind.to_lowercase());
        let list = json!({"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk});
        paths.insert(path, json!({"get": list}));
        let mut all = properties.as_object().unwrap().clone();
        all.insert(
            "metadata".to_owned(),
            json!({"$ref": format!("#/components/schemas/{META}")}),
        );
        let schema = json!({
            "type": "object", "properties": all, "x-kubernetes-group-version-kind": [gvk]
        });
        schemas.insert(format!("com.example.{version}.{kind}"), schema);
    }
    schemas.insert(META.to_owned(), json!({"type": "object"}));
    json!({"openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas}})
}

pub(crate) fn text() -> Value {
    json!({"text": {"type": "string"}})
}

pub(crate) fn snapshot(release: &str, documents: &[(&str, Value)]) -> Snapshot {
    let mut snapshot = Snapshot::new(release, Some(release.parse().unwrap()));
    for (version, document) in documents {
        let file = format!("apis__example.com__{version}_openapi.json");
        snapshot
            .add(&file, &Source::new(&*file, document.to_string()))
            .unwrap();
    }
    snapshot
}

pub(crate) fn whats(report: &Report) -> Vec<(ChangeKind, Severity, Semver, String)> {
    let changes = report.changes.iter();
    let summary = |change: &codegen::diff::Change| {
        let versions = change.place.group_versions.join(" ");
        let place = format!("{versions} {}", change.place.text())
            .trim()
            .to_owned();
        (change.what, change.severity(), change.rust.semver, place)
    };
    changes.map(summary).collect()
}

#[test]
fn kinds_come_and_go() {
    let one = snapshot("1.36", &[("v1", document("v1", &["Thing"], &text()))]);
    let two = snapshot(
        "1.37",
        &[("v1", document("v1", &["Other", "Thing"], &text()))],
    );
    let added = diff(&one, &two, None, &Scope::default());
    let place = "example.com/v1 Other".to_owned();
    assert_eq!(
        whats(&added),
        [(
            ChangeKind::KindAdded,
            Severity::Info,
            Semver::Minor,
            place.clone()
        )]
    );
    let loss = added.changes[0].conversion.as_deref();
    assert_eq!(loss, Some("1.36 can't represent the kind"));
    let removed = diff(&two, &one, None, &Scope::default());
    assert_eq!(
        whats(&removed),
        [(
            ChangeKind::KindRemoved,
            Severity::Breaking,
            Semver::Major,
            place
        )]
    );
}

/// A kind that moves from one version to another: what its conversion loses follows from the
/// fields.
#[test]
fn a_kind_moves_to_another_version() {
    let older =
        json!({"text": {"type": "string"}, "old": {"type": "string"}, "size": {"type": "string"}});
    let newer = json!({"text": {"type": "string"}, "size": {"type": "integer"}});
    let from = snapshot(
        "1.36",
        &[("v1beta1", document("v1beta1", &["Thing"], &older))],
    );
    let mut to = snapshot("1.37", &[("v1", document("v1", &["Thing"], &newer))]);
    // Nothing says that the folders hold all documents.
    let report = diff(&from, &to, None, &Scope::default());
    assert_eq!(report.changes, []);
    assert_eq!(report.compared, Vec::<String>::new());
    assert_eq!(
        report.not_compared,
        [
            "example.com/v1: 1.36 has no document of it",
            "example.com/v1beta1: 1.37 has no document of it"
        ]
    );
    to.complete = Complete::Groups(["example.com".to_owned()].into());
    let report = diff(&from, &to, None, &Scope::default());
    let place = "example.com/v1beta1".to_owned();
    assert_eq!(
        whats(&report),
        [(
            ChangeKind::GroupVersionRemoved,
            Severity::Breaking,
            Semver::Major,
            place
        )]
    );
    let change = &report.changes[0];
    assert_eq!(
        change.conversion.as_deref(),
        Some("Thing: example.com/v1 can't represent old, size")
    );
    assert_eq!(
        change.edit.as_deref(),
        Some("use example.com/v1 in code and manifests")
    );
    let mut complete = from.clone();
    complete.complete = Complete::All;
    let report = diff(&complete, &to, None, &Scope::default());
    assert_eq!(
        report.changes.last().unwrap().what,
        ChangeKind::GroupVersionAdded
    );
}

/// A server may have a beta version switched off.
#[test]
fn what_a_server_does_not_serve_may_be_a_setting() {
    let both = |to_version: &str| {
        let documents = [
            ("v1", document("v1", &["Thing"], &text())),
            (to_version, document(to_version, &["Thing"], &text())),
        ];
        snapshot("1.36", &documents)
    };
    let mut server = document("v1", &["Thing"], &text());
    server["info"] = json!({"title": "t", "version": "v1.37.0"});
    let mut to = snapshot("1.37", &[("v1", server)]);
    to.complete = Complete::All;
    let report = diff(&both("v1beta1"), &to, None, &Scope::default());
    assert_eq!(report.changes, []);
    assert!(
        report.not_compared[0].contains("its settings"),
        "{:?}",
        report.not_compared
    );
    let report = diff(&both("v2"), &to, None, &Scope::default());
    assert_eq!(report.changes[0].what, ChangeKind::GroupVersionRemoved);
}

/// Changes of several documents are reported once, whatever their order.
#[test]
fn shared_types_are_reported_once() {
    let documents = |is_new: bool| {
        let mut documents = Vec::new();
        for version in ["v1", "v1beta1", "v2"] {
            let mut document = document(version, &["Thing", "Other"], &text());
            if is_new {
                let meta = document.pointer_mut("/components/schemas").unwrap();
                meta[META]["properties"] = json!({"name": {"type": "string"}});
            }
            documents.push((version, document));
        }
        documents
    };
    let mut reversed = documents(true);
    reversed.reverse();
    let from = snapshot("1.36", &documents(false));
    let report = diff(
        &from,
        &snapshot("1.37", &documents(true)),
        None,
        &Scope::default(),
    );
    assert_eq!(
        report,
        diff(&from, &snapshot("1.37", &reversed), None, &Scope::default())
    );
    assert_eq!(report.changes.len(), 1);
    let change = &report.changes[0];
    let all = ["example.com/v1", "example.com/v1beta1", "example.com/v2"];
    assert_eq!(change.place.group_versions, all);
    assert_eq!(
        change.place.used,
        ["Other metadata.name", "Thing metadata.name"]
    );
    // Metadata is of k8s-openapi.
    assert_eq!(change.rust.semver, Semver::Patch);
    let only = |group: &str| {
        diff(
            &from,
            &snapshot("1.37", &reversed),
            None,
            &Scope {
                groups: vec![group.to_owned()],
                kinds: None,
            },
        )
    };
    assert_eq!(only("example.com"), report);
    assert_eq!(only("example.org").compared, Vec::<String>::new());
}

pub(crate) const CONFIG: &str = r#"
newest = "1.37"

[[crate]]
name = "example-v1"
description = "An example"

[[crate.document]]
file = "apis__example.com__v1_openapi.json"
prefix = "com.example.v1."
overlays = ["thing.yaml"]

[[crate]]
name = "example-v1beta1"
description = "An example"

[[crate.document]]
file = "apis__example.com__v1beta1_openapi.json"
release = "1.36"
prefix = "com.example.v1beta1."
overlays = ["thing.yaml", "old.yaml"]
"#;

/// The text has a rule that came with the new field, and another that is of some releases.
const OVERLAY: &str = r#"
overlay: 1.0.0
info: {title: t, version: v}
x-prefix: com.example.v1.
actions:
  - target: $.components.schemas['com.example.v1.Thing'].properties.new
    x-releases: {from: "1.37"}
    update: {maximum: 7, x-lifecycle: {introduced: "1.37", alpha: "1.37", gate: New}}
  - target: $.components.schemas['com.example.v1.Thing'].properties.text
    update:
      x-kubernetes-validations: [{rule: self == oldSelf, x-releases: {before: "1.37"}}]
"#;

const OLD: &str = r#"
overlay: 1.0.0
info: {title: t, version: v}
actions:
  - target: $.components.schemas['com.example.v1beta1.Thing']
    update: {x-lifecycle: {introduced: "1.30", deprecated: "1.36", removed: "1.37"}}
"#;

#[test]
fn overlays_add_rules_and_lifecycles() {
    let config = Config::parse(&Source::new("codegen.toml", CONFIG)).unwrap();
    let mut inputs = Inputs::default();
    for (name, overlay) in [("thing.yaml", OVERLAY), ("old.yaml", OLD)] {
        inputs
            .overlays
            .insert(name.to_owned(), Source::new(name, overlay));
    }
    let knowledge = Knowledge {
        config: &config,
        inputs: &inputs,
        applies_overlays: true,
    };
    let newer = json!({"text": {"type": "string"}, "new": {"type": "integer", "format": "int32"}});
    let from = snapshot(
        "1.35",
        &[
            ("v1", document("v1", &["Thing"], &text())),
            ("v1beta1", document("v1beta1", &["Thing"], &newer)),
        ],
    );
    let to = snapshot("1.37", &[("v1", document("v1", &["Thing"], &newer))]);
    let report = diff(&from, &to, Some(&knowledge), &Scope::default());
    let found: Vec<_> = report
        .changes
        .iter()
        .map(|change| (change.what, change.place.text()))
        .collect();
    assert_eq!(
        found,
        [
            // Its lifecycle says so, although nothing says that the folder is complete.
            (ChangeKind::GroupVersionRemoved, String::new()),
            (ChangeKind::FieldAdded, "Thing new".to_owned()),
            (ChangeKind::RuleRemoved, "Thing text".to_owned()),
        ]
    );
    let [version, field, _] = report.changes.as_slice() else {
        panic!()
    };
    assert_eq!(version.release.unwrap().to_string(), "1.37");
    assert_eq!(
        version.conversion.as_deref(),
        Some("Thing: nothing is lost in example.com/v1")
    );
    assert_eq!(
        field.details,
        [
            "integer (int32)",
            "alpha since 1.37, feature gate New",
            "maximum: 7"
        ]
    );
    // The release of the field's rule, 1.37, is known for v1, which had no such field before.
    let later = snapshot(
        "1.37",
        &[("v1beta1", document("v1beta1", &["Thing"], &newer))],
    );
    let report = diff(&from, &later, Some(&knowledge), &Scope::default());
    let changes = report
        .changes
        .iter()
        .map(|change| (change.what, change.to.as_deref()));
    assert_eq!(
        changes.collect::<Vec<_>>(),
        [
            (ChangeKind::LifecycleChanged, Some("deprecated")),
            (ChangeKind::RuleRemoved, None),
            (ChangeKind::LifecycleChanged, Some("alpha")),
        ]
    );

    // An overlay that doesn't fit isn't a change either.
    let other = snapshot("1.37", &[("v1", document("v1", &["Part"], &text()))]);
    let report = diff(&other, &other, Some(&knowledge), &Scope::default());
    assert_eq!(report.changes, []);
    assert!(
        report.not_compared[0].contains("an overlay doesn't fit"),
        "{report:?}"
    );
}

/// Types that hold themselves, in many ways, and names that lead in a circle.
#[test]
fn circles_end() {
    let of = |version: &str, name: &str| {
        let mut document = document(version, &["Thing"], &text());
        let reference =
            |name: String| json!({"$ref": format!("#/components/schemas/com.example.{name}")});
        for index in 0..30 {
            let mut properties = Map::new();
            for field in 0..30 {
                let next = format!("{name}{}", (index + field) % 30);
                properties.insert(format!("f{field}"), reference(next));
            }
            let schemas = document.pointer_mut("/components/schemas").unwrap();
            let own = format!("com.example.{name}{index}");
            schemas[own] = json!({"type": "object", "properties": properties});
            schemas["com.example.A"] = reference("B".to_owned());
            schemas["com.example.B"] = reference("A".to_owned());
            let kind = &mut schemas[format!("com.example.{version}.Thing")];
            kind["properties"]["deep"] = reference(format!("{name}0"));
            kind["properties"]["odd"] = reference(if name == "X" { "A" } else { "B" }.to_owned());
            kind["properties"]["mixed"] = if name == "X" {
                reference("A".to_owned())
            } else {
                json!({"type": "string"})
            };
        }
        document
    };
    let from = snapshot("1.36", &[("v1", of("v1", "X")), ("v2", of("v2", "X"))]);
    let mut to = snapshot("1.37", &[("v1", of("v1", "Y"))]);
    to.complete = Complete::All;
    let report = diff(&from, &to, None, &Scope::default());
    let renamed = report
        .changes
        .iter()
        .filter(|change| change.what == ChangeKind::TypeRenamed);
    assert!(renamed.count() > 30, "{:?}", whats(&report));
}

#[test]
fn what_is_no_document_is_refused() {
    for (text, message) in [
        ("{", "not valid JSON"),
        ("{}", "not an OpenAPI document"),
        (r#"{"swagger": "2.0"}"#, "Swagger 2.0"),
        (r#"{"openapi": "3.0.0"}"#, "neither schemas nor paths"),
    ] {
        let error = Snapshot::default()
            .add("d.json", &Source::new("d.json", text))
            .unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
    // A value that isn't a schema counts as absent.
    let odd = json!({"openapi": "3.0.0", "components": {"schemas": {
        "A": 1, "B": {"properties": [], "required": {}, "allOf": [], "enum": 3, "items": true},
        "C": {"properties": {"x": null}, "additionalProperties": {"$ref": 1}}
    }}, "paths": {"/apis/example.com/v1/": [], "/apis": 1, "": null}});
    let odd = snapshot("1.37", &[("v1", odd)]);
    assert_eq!(diff(&odd, &odd, None, &Scope::default()).changes, []);
    let plain = snapshot("1.37", &[("v1", document("v1", &["Thing"], &text()))]);
    let _ = (
        diff(&odd, &plain, None, &Scope::default()),
        diff(&plain, &odd, None, &Scope::default()),
    );
}
