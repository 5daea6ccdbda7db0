//! Changes of metadata.

use conformance::valid::Kind;
use serde_json::{Value, json};

use super::Case;
use super::damage::{Damage, LABEL_VALUES, QUALIFIED, SUBDOMAINS, at, expand, texts, totals};

/// Returns the changes to the metadata of every kind.
pub(crate) fn all(kind: Kind, is_new: bool) -> Vec<Damage> {
    let mut all = Vec::new();
    if is_new {
        all.extend(texts("/metadata/name", SUBDOMAINS));
        all.extend(at("/metadata/name", [Value::Null]));
        all.extend(at("/metadata/generation", [json!(-1), json!(0), json!(7)]));
    }
    all.extend(at(
        "/metadata/deletionTimestamp",
        [json!("2020-01-01T00:00:00Z")],
    ));
    let periods = [json!(3), json!(-3)];
    let periods = periods.into_iter().take(if is_new { 2 } else { 1 });
    all.extend(at("/metadata/deletionGracePeriodSeconds", periods));
    let prefixes = [
        "a", "a-", "A-", "ab_", "ab_-", "a.-", "-", "--", "a.", "ä-", "a*58", "a*253", "a*254",
    ];
    all.extend(texts("/metadata/generateName", &prefixes));
    all.extend(at(
        "/metadata/labels",
        QUALIFIED.iter().map(|key| json!({expand(key): "v"})),
    ));
    all.extend(at(
        "/metadata/labels",
        LABEL_VALUES.iter().map(|value| json!({"k": expand(value)})),
    ));
    all.extend(at(
        "/metadata/annotations",
        QUALIFIED
            .iter()
            .map(|key| json!({expand(key): "any value"})),
    ));
    all.extend(at("/metadata/annotations", totals()));
    all.extend(at(
        "/metadata/finalizers",
        [
            json!(["orphan"]),
            json!(["kubernetes"]),
            json!(["foregroundDeletion", "orphan"]),
            json!(["foregroundDeletion"]),
            json!(["a"]),
            json!(["a/b"]),
            json!(["a b"]),
            json!(["ok/ok", ""]),
            json!(["a/b/c"]),
        ],
    ));
    all.extend(at("/metadata/ownerReferences", owners()));
    all.extend(at("/metadata/managedFields", managers(kind)));
    // In lists and maps, `null` is the zero value.
    all.extend(at("/metadata/labels", [json!({"k": null})]));
    all.extend(at("/metadata/annotations", [json!({"k": null})]));
    all.extend(at(
        "/metadata/finalizers",
        [json!([null]), json!(["a/b", null])],
    ));
    all.extend(at("/metadata/ownerReferences", [json!([null])]));
    all
}

/// Removes the owners of fields from a request in which a server doesn't follow them. The
/// definition of VolumeSnapshot says `string` for a size; with a number there, which is the same to
/// our types, a server keeps the stored owners.
pub(crate) fn remove_untracked(case: &mut Case) {
    let is_number = |object: &Value| object["status"]["restoreSize"].is_number();
    let is_untracked = is_number(&case.object) || is_number(&case.stored);
    if let (Kind::VolumeSnapshot, true) = (case.kind, is_untracked)
        && let Some(metadata) = case.object["metadata"].as_object_mut()
    {
        metadata.remove("managedFields");
    }
}

fn managers(kind: Kind) -> Vec<Value> {
    let entry = json!({
        "manager": "m", "operation": "Update", "apiVersion": kind.api_version(),
        "time": "2024-01-01T00:00:00Z", "fieldsType": "FieldsV1",
        // Of a field that no request sets: who sets one takes it over.
        "fieldsV1": {"f:metadata": {"f:labels": {"f:unset": {}}}},
    });
    let with = |field: &str, value: &str| {
        let mut entry = entry.clone();
        entry[field] = expand(value).into();
        json!([entry])
    };
    let mut all = owners_of(kind, &entry);
    all.extend([
        json!([entry]),
        with("manager", ""),
        with("manager", "m*128"),
        with("manager", "m*129"),
        with("manager", "äö '\"\\ \u{301}🦀"),
        with("manager", "a\tb"),
        with("manager", "a\u{a0}b"),
        with("manager", "a\u{200b}b"),
        with("manager", "\u{2028}"),
        with("manager", "\u{7}*129"),
        with("operation", "Delete"),
        with("operation", ""),
        with("fieldsType", "FieldsV2"),
        with("fieldsType", ""),
        with("subresource", "s*256"),
        with("subresource", "s*257"),
    ]);
    all
}

/// Entries with a name that is too long, of which a server keeps some: those that own what the
/// request doesn't set.
fn owners_of(kind: Kind, entry: &Value) -> Vec<Value> {
    let of = |version: &str, fields: Value| {
        let mut entry = entry.clone();
        entry["manager"] = expand("m*129").into();
        entry["apiVersion"] = version.into();
        entry["fieldsV1"] = fields;
        entry
    };
    let own = |fields| of(kind.api_version(), fields);
    let unset = || json!({"f:metadata": {"f:labels": {"f:unset": {}}}});
    let mut one = vec![
        own(json!(null)),
        own(json!({})),
        own(json!({".": {}})),
        own(json!({"x:unknown": {}})),
        own(json!({"f:unset": null})),
        own(json!({"f:unset": {".": {}}})),
        own(json!({"f:apiVersion": {}})),
        own(json!({"f:kind": {}})),
        own(json!({"f:metadata": {}})),
        own(json!({"f:metadata": {"f:name": {}}})),
        own(json!({"f:metadata": {"f:name": {}, "f:uid": {}}})),
        own(json!({"f:metadata": {"f:name": {"f:inside": {}}}})),
        own(json!({"f:metadata": {"f:labels": {}}})),
        own(json!({"f:metadata": {"f:annotations": {}}})),
        own(json!({"f:metadata": {"f:finalizers": {}}})),
        own(json!({"f:metadata": {"f:finalizers": {"v:\"example.com/a\"": {}}}})),
        own(json!({"f:metadata": {"f:finalizers": {"i:0": {}}}})),
        own(json!({"f:metadata": {"f:ownerReferences": {"k:{\"uid\":\"u\"}": {}}}})),
        own(json!({"f:spec": {}})),
        own(json!({"f:spec": {"f:unset": {}}})),
        own(json!({"f:status": {}})),
        own(json!({"f:status": {"f:phase": {}}})),
        // Fields that can't be read.
        own(json!({"f:unset": 5})),
        own(json!({"unset": {}})),
        own(json!({"f:unset": {"i:x": {}}})),
        own(json!({"f:unset": {"v:{": {}}})),
        of("example.com/v1", unset()),
        of("apps", unset()),
        of("a/b/c", unset()),
    ];
    one.extend(own_fields(kind).into_iter().map(own));
    let two = json!([
        of(kind.api_version(), unset()),
        of(kind.api_version(), json!({"unset": {}}))
    ]);
    let mut all: Vec<_> = one.into_iter().map(|entry| json!([entry])).collect();
    all.push(two);
    // Beside an entry that is kept: a server drops the one of a version that it lacks, or all.
    for version in other_versions(kind) {
        let other = of(&version, unset());
        all.extend([json!([other]), json!([own(unset()), other])]);
    }
    all
}

/// Versions that entries of the kind can have.
fn other_versions(kind: Kind) -> Vec<String> {
    let (group, _) = kind.api_version().rsplit_once('/').unwrap_or_default();
    let mut versions = vec!["v1", "v9", "v9/v1", "__internal", ""];
    // Left out: whether a server serves the older ones of VolumeAttributesClass depends on its
    // `--runtime-config`, and whether it can convert a snapshot depends on its fields.
    let is_class = matches!(
        kind,
        Kind::VolumeAttributesClass | Kind::VolumeAttributesClassV1beta1
    );
    if !is_class && !kind.is_custom() {
        versions.extend(["v1beta1", "v1alpha1"]);
    }
    let of_group = |version: &str| match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    let others = versions.into_iter().map(of_group);
    // To a server, two entries that differ in their fields only are one.
    others
        .filter(|version| version != kind.api_version())
        .collect()
}

/// Fields that objects of the kind have.
fn own_fields(kind: Kind) -> Vec<Value> {
    match kind {
        Kind::StorageClass => vec![
            json!({"f:provisioner": {}}),
            json!({"f:parameters": {}}),
            json!({"f:parameters": {".": {}, "f:a": {}}}),
            json!({"f:allowedTopologies": {}}),
            json!({"f:allowedTopologies": {"i:0": {}}}),
            json!({"f:reclaimPolicy": {}, "f:volumeBindingMode": {}}),
        ],
        Kind::CsiDriver => vec![
            json!({"f:spec": {"f:attachRequired": {}}}),
            json!({"f:spec": {"f:volumeLifecycleModes": {}}}),
            json!({"f:spec": {"f:volumeLifecycleModes": {".": {}, "v:\"Persistent\"": {}}}}),
            json!({"f:spec": {"f:tokenRequests": {}}}),
        ],
        // `f:drivers` itself depends on whether the request has `[]` or `null`, which are the same
        // to our types.
        Kind::CsiNode => vec![json!({"f:spec": {"f:drivers": {"k:{\"name\":\"unset\"}": {}}}})],
        _ => Vec::new(),
    }
}

fn owners() -> Vec<Value> {
    let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"});
    let with = |field: &str, value: Value| {
        let mut owner = owner.clone();
        owner[field] = value;
        owner
    };
    let controller = with("controller", true.into());
    let mut other = controller.clone();
    other["name"] = "q".into();
    vec![
        json!([owner]),
        json!([with("apiVersion", "".into())]),
        json!([with("apiVersion", "a/b/c".into())]),
        json!([with("apiVersion", "a/".into())]),
        json!([with("kind", "".into())]),
        json!([with("apiVersion", "/".into())]),
        json!([with("apiVersion", "/v1".into())]),
        json!([with("kind", "Event".into())]),
        json!([{"apiVersion": "/v1", "kind": "Event", "name": "e", "uid": "u"}]),
        json!([{"apiVersion": "events.k8s.io/v1", "kind": "Event", "name": "e", "uid": "u"}]),
        json!([{}]),
        json!([owner, with("name", "".into())]),
        json!([with("uid", "".into())]),
        json!([controller, owner]),
        json!([controller, controller]),
        json!([controller, other]),
    ]
}
