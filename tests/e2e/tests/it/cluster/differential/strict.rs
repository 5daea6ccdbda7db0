//! Compares strict decoding with the server's: the same unknown and duplicate fields, with the
//! same paths, in the same order.

use std::collections::BTreeMap;

use conformance::doc::Doc;
use conformance::kind::Kind as Sampled;
use conformance::valid::Kind;
use core_v1::{PersistentVolume, PersistentVolumeClaim};
use e2e::{Answer, ControlPlane, send_as};
use fastrand::Rng;
use groupsnapshot_v1::{VolumeGroupSnapshot, VolumeGroupSnapshotClass, VolumeGroupSnapshotContent};
use http::Method;
use kubernetes_manifests::scheme::{Scheme, SchemeError, Versioned};
use kubernetes_manifests::strict::{FieldError, FieldErrorKind, Strict};
use serde::Serialize;
use serde_json::{Value, json};
use snapshot_v1::{VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
};

use super::write::{self, MERGE, Text};
use super::{CASES, shared, snapshots};
use crate::cases::{Differences, number};
use crate::cluster::definitions::define;
use crate::cluster::discovery::Server;

/// The most errors that a reader of JSON reports.
const MAX_TOLD: usize = 100;

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_reads_as_strictly_as_we_do() {
    compare(&Server::of(shared().await).await, CASES).await;
}

/// Custom resources, which a server reads without a type.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_reads_snapshots_as_strictly_as_we_do() {
    let server = ControlPlane::start().await.unwrap();
    let client = server.client().unwrap();
    define(&client, &snapshots::definitions()).await;
    snapshots::documented(&client).await;
    let mut server = Server::of(&server).await;
    server.kinds.retain(|kind| kind.is_custom());
    assert_eq!(server.kinds.len(), Kind::SNAPSHOT.len());
    compare(&server, CASES / 2).await;
}

async fn compare(server: &Server, cases: u64) {
    let (seed, cases) = (number("E2E_SEED", 1), number("E2E_CASES", cases));
    println!("{cases} random bodies of seed {seed}");
    let mut rng = Rng::with_seed(seed);
    let mut tally = Tally::default();
    for case in 0..cases {
        let kind = server.kinds[rng.usize(..server.kinds.len())];
        let doc = damaged(&mut rng, server, kind, case);
        let (format, text) = if rng.bool() {
            ("json", write::json(&mut rng, &doc))
        } else {
            ("yaml", write::yaml(&mut rng, &doc))
        };
        let path = format!("{}?dryRun=All&fieldValidation=Strict", kind.path());
        let content = format!("application/{format}");
        let body = Some(text.text.clone().into_bytes());
        let answer = send_as(&server.client, Method::POST, &path, &content, body);
        let answer = answer.await.unwrap();
        let (theirs, ours) = (said(&answer), ours(kind, format, &text));
        tally.add(format, &theirs);
        if theirs != ours {
            let (text, message) = (&text.text, &answer.body["message"]);
            tally.differences.add(format!(
                "server {theirs:#?}\nours {ours:#?}\nbody {text}\nanswer {message}"
            ));
        }
    }
    tally.finish();
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, usize>,
    differences: Differences,
}

impl Tally {
    fn add(&mut self, format: &str, told: &Told) {
        let mut count = |what| *self.counts.entry(what).or_insert(0) += 1;
        count(match told {
            None => format!("{format} that can't be read"),
            Some(errors) if errors.is_empty() => format!("{format} without errors"),
            Some(_) => format!("{format} with errors"),
        });
        for error in told.iter().flatten() {
            let is_unknown = error.starts_with("unknown");
            let what = if is_unknown { "unknown" } else { "duplicate" };
            count(format!("{what} fields in {format}"));
        }
    }

    /// Prints what there was, and fails if anything differed.
    fn finish(&self) {
        let Self {
            counts,
            differences,
        } = self;
        for (what, count) in counts {
            println!("{count:6} {what}");
        }
        differences.assert_none();
        // Of each format, some with and some without, and errors of both kinds.
        assert_eq!(counts.len(), 8, "{counts:?}");
    }
}

/// The errors of a body, in the server's words; `None` if it can't be decoded.
type Told = Option<Vec<String>>;

/// The server's errors. An object that breaks rules has been decoded: rules come later.
fn said(answer: &Answer) -> Told {
    if answer.is_success() || answer.status == 422 {
        return Some(Vec::new());
    }
    let message = answer.body["message"].as_str().unwrap();
    let (_, mut rest) = message.split_once("strict decoding error: ")?;
    let mut told = Vec::new();
    let yaml = "yaml: unmarshal errors:\n";
    if let Some(duplicates) = rest.strip_prefix(yaml) {
        let (lines, others) = duplicates
            .split_once(", unknown field ")
            .map_or((duplicates, ""), |(lines, _)| {
                (lines, &duplicates[lines.len() + 2..])
            });
        told.extend(lines.split('\n').map(|line| line.trim().to_owned()));
        rest = others;
    }
    if !rest.is_empty() {
        let starts = rest.match_indices(", unknown field ");
        let starts = starts.chain(rest.match_indices(", duplicate field "));
        let mut starts: Vec<_> = starts.map(|(index, _)| index + 2).collect();
        starts.push(0);
        starts.sort_unstable();
        for (index, start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).map_or(rest.len(), |next| next - 2);
            told.push(rest[*start..end].to_owned());
        }
    }
    Some(told)
}

/// Our errors, in the server's words.
fn ours(kind: Kind, format: &str, text: &Text) -> Told {
    let read = match kind {
        Kind::CsiDriver => errors::<CSIDriver>,
        Kind::CsiNode => errors::<CSINode>,
        Kind::CsiStorageCapacity => errors::<CSIStorageCapacity>,
        Kind::StorageClass => errors::<StorageClass>,
        Kind::VolumeAttachment => errors::<VolumeAttachment>,
        Kind::VolumeAttributesClass => errors::<VolumeAttributesClass>,
        Kind::VolumeAttributesClassV1beta1 => errors::<storage_v1beta1::VolumeAttributesClass>,
        Kind::PersistentVolume => errors::<PersistentVolume>,
        Kind::PersistentVolumeClaim => errors::<PersistentVolumeClaim>,
        Kind::VolumeSnapshot => errors::<VolumeSnapshot>,
        Kind::VolumeSnapshotClass => errors::<VolumeSnapshotClass>,
        Kind::VolumeSnapshotContent => errors::<VolumeSnapshotContent>,
        Kind::VolumeGroupSnapshot => errors::<VolumeGroupSnapshot>,
        Kind::VolumeGroupSnapshotClass => errors::<VolumeGroupSnapshotClass>,
        Kind::VolumeGroupSnapshotContent => errors::<VolumeGroupSnapshotContent>,
    };
    let errors = match read(format, &text.text) {
        Ok(errors) => errors,
        Err(error) => {
            println!("{error}");
            return None;
        }
    };
    let mut count = BTreeMap::<_, usize>::new();
    let told = errors.iter().filter(|error| {
        limit(kind, format, error).is_none_or(|reader| {
            let count = count.entry(reader).or_default();
            *count += 1;
            *count <= MAX_TOLD
        })
    });
    let in_words = |error: &FieldError| match error.kind {
        FieldErrorKind::Duplicate if format == "yaml" => in_yaml(error, text),
        _ => in_words(kind, error),
    };
    Some(told.map(in_words).collect())
}

/// The reader of a server that reports an error and stops at [`MAX_TOLD`]; `None` if it has no
/// limit. Custom resources are read without a type, and then their metadata alone, with one. What
/// is unknown in the rest is found by the schema.
fn limit(kind: Kind, format: &str, error: &FieldError) -> Option<&'static str> {
    let is_unknown = error.kind == FieldErrorKind::Unknown;
    match format {
        "yaml" if !is_unknown => None,
        _ if kind.is_custom() && is_unknown => {
            error.path.starts_with("metadata.").then_some("metadata")
        }
        _ => Some("object"),
    }
}

/// An error as a server reports it: it doesn't quote the unknown fields of custom resources.
fn in_words(kind: Kind, error: &FieldError) -> String {
    match error.kind {
        FieldErrorKind::Unknown if kind.is_custom() => {
            format!("unknown field \"{}\"", error.path)
        }
        _ => error.to_string(),
    }
}

/// A duplicate as a server reports it in YAML: the line of the value, and the name.
fn in_yaml(error: &FieldError, text: &Text) -> String {
    let place = error.location.line.zip(error.location.column);
    let field = place.and_then(|place| text.fields.get(&place));
    let (name, line) = field.unwrap_or_else(|| panic!("{error:?} in {}", text.text));
    assert!(error.path.ends_with(name), "{error:?} is at {name}");
    // A path is quoted character by character.
    let path = error.to_string();
    let end = &path[..path.len() - 1];
    let length = quoted_length(end, name.chars().count());
    format!(
        "line {line}: key \"{}\" already set in map",
        &end[end.len() - length..]
    )
}

/// The length of so many characters at the end of a text with escapes.
fn quoted_length(text: &str, count: usize) -> usize {
    let start = text.find('"').map_or(0, |start| start + 1);
    let mut starts = Vec::new();
    let mut rest = text[start..].char_indices();
    while let Some((index, character)) = rest.next() {
        starts.push(start + index);
        if character == '\\' {
            let length = match rest.next() {
                Some((_, 'x')) => 2,
                Some((_, 'u')) => 4,
                Some((_, 'U')) => 8,
                _ => 0,
            };
            for _ in 0..length {
                rest.next();
            }
        }
    }
    let first = starts
        .len()
        .checked_sub(count)
        .and_then(|first| starts.get(first));
    first.map_or(0, |first| text.len() - first)
}

/// Reads as the kind, and with the scheme, which reports the same errors.
fn errors<K: Versioned>(format: &str, text: &str) -> Result<Vec<FieldError>, SchemeError> {
    let mut scheme = Scheme::new();
    core_v1::add_to_scheme(&mut scheme);
    groupsnapshot_v1::add_to_scheme(&mut scheme);
    snapshot_v1::add_to_scheme(&mut scheme);
    storage_v1::add_to_scheme(&mut scheme);
    storage_v1beta1::add_to_scheme(&mut scheme);
    let (one, all) = match format {
        "json" => (
            scheme.decode_json_strict::<K>(text).map(told),
            scheme.decode_json_all_strict(text).map(told),
        ),
        _ => (
            scheme.decode_yaml_strict::<K>(text).map(told),
            scheme.decode_yaml_all_strict(text).map(told),
        ),
    };
    let lines = |errors: &Result<Vec<FieldError>, _>| {
        errors
            .as_ref()
            .ok()
            .map(|errors| errors.iter().map(line).collect::<Vec<_>>())
    };
    assert_eq!(lines(&one), lines(&all), "{text}");
    one
}

fn told<T>(read: Strict<T>) -> Vec<FieldError> {
    read.errors
}

fn line(error: &FieldError) -> String {
    format!(
        "{:?} {error}",
        error.location.line.zip(error.location.column)
    )
}

/// An object with a few errors, or with many.
fn damaged(rng: &mut Rng, server: &Server, kind: Kind, number: u64) -> Doc {
    let mut object = object(rng, kind, number);
    server.cut_down(kind, &mut object);
    let mut doc = Doc::of(object);
    let count = match rng.u8(..24) {
        0 => rng.usize(..200),
        1..4 => 0,
        _ => rng.usize(1..10),
    };
    for _ in 0..count {
        damage(rng, &mut doc);
    }
    doc
}

/// An object with many fields; whether it is valid isn't asked before it is read.
fn object(rng: &mut Rng, kind: Kind, number: u64) -> Value {
    let name = format!("strict-{number}");
    let mut object = match kind {
        _ if rng.bool() => kind.object(rng, &name),
        Kind::CsiDriver => sample::<CSIDriver>(),
        Kind::CsiNode => sample::<CSINode>(),
        Kind::CsiStorageCapacity => sample::<CSIStorageCapacity>(),
        Kind::StorageClass => sample::<StorageClass>(),
        Kind::VolumeAttachment => sample::<VolumeAttachment>(),
        Kind::VolumeAttributesClass => sample::<VolumeAttributesClass>(),
        Kind::VolumeAttributesClassV1beta1 => sample::<storage_v1beta1::VolumeAttributesClass>(),
        Kind::PersistentVolume => sample::<PersistentVolume>(),
        Kind::PersistentVolumeClaim => sample::<PersistentVolumeClaim>(),
        Kind::VolumeSnapshot => sample::<VolumeSnapshot>(),
        Kind::VolumeSnapshotClass => sample::<VolumeSnapshotClass>(),
        Kind::VolumeSnapshotContent => sample::<VolumeSnapshotContent>(),
        Kind::VolumeGroupSnapshot => sample::<VolumeGroupSnapshot>(),
        Kind::VolumeGroupSnapshotClass => sample::<VolumeGroupSnapshotClass>(),
        Kind::VolumeGroupSnapshotContent => sample::<VolumeGroupSnapshotContent>(),
    };
    object["metadata"]["name"] = name.into();
    // A server clears a namespace too many, and takes `null` for nothing.
    object["metadata"]["namespace"] = [json!(null), json!("default")][rng.usize(..2)].clone();
    if rng.bool() {
        object["metadata"]["annotations"] = json!({"a": null, "b": "c"});
        object["metadata"]["finalizers"] = json!(["a/b", null]);
    }
    if let Some(parameters) = object["parameters"].as_object_mut() {
        parameters.insert("null".to_owned(), Value::Null);
    }
    if object.get("capacity").is_some() {
        object["capacity"] = [json!(5), json!("1 "), json!("1.5Gi")][rng.usize(..3)].clone();
    }
    if rng.bool() {
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.extend(managed().as_object().unwrap().clone());
    }
    if let Some(Value::Object(volume)) = object.pointer_mut(INLINE)
        && rng.bool()
    {
        volume.extend(self::volume().as_object().unwrap().clone());
    }
    object
}

fn sample<K: Sampled + Serialize>() -> Value {
    serde_json::to_value(K::sample()).unwrap()
}

const INLINE: &str = "/spec/source/inlineVolumeSpec";

/// Metadata with raw JSON in it.
fn managed() -> Value {
    let fields = json!({"f:metadata": {"f:labels": {".": {}, "f:app": {}}}});
    json!({
        "creationTimestamp": null,
        "managedFields": [{"apiVersion": "storage.k8s.io/v1", "fieldsType": "FieldsV1",
            "fieldsV1": fields, "manager": "a", "operation": "Apply",
            "time": "2026-01-01T00:00:00Z"}],
        "ownerReferences": [{"apiVersion": "v1", "blockOwnerDeletion": true,
            "controller": false, "kind": "Node", "name": "b", "uid": "c"}],
    })
}

/// Parts of a volume of all shapes.
fn volume() -> Value {
    let expression = json!({"key": "a", "operator": "In", "values": ["b"]});
    let term = json!({"matchExpressions": [expression], "matchFields": [expression]});
    let secret = json!({"name": "a", "namespace": "b"});
    json!({
        "capacity": {"storage": "1Gi"},
        "claimRef": {"kind": "PersistentVolumeClaim", "name": "a", "fieldPath": ""},
        "flexVolume": {"driver": "a/b", "options": {"c": "d"}, "secretRef": secret},
        "iscsi": {"targetPortal": "a", "iqn": "b", "lun": 1, "portals": ["c"]},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        "rbd": {"monitors": ["a"], "image": "b", "secretRef": secret},
    })
}

/// Possible names of unknown fields.
const ODD: [&str; 14] = [
    "",
    " ",
    "[0]",
    "a b",
    "a.b",
    "a\"b\\c",
    "example.com/a",
    "n",
    "null",
    "tab\tline\n",
    "x\u{1}\u{200b}\u{1f600}é",
    "zz",
    "zz",
    "zzz",
];

/// Names that are fields in some places only.
const KNOWN: [&str; 13] = [
    "allocatable",
    "apiVersion",
    "clusterName",
    "count",
    "csi",
    "creationTimestamp",
    "key",
    "kind",
    "labels",
    "metadata",
    "name",
    "selfLink",
    "spec",
];

/// Adds a field somewhere, which may be unknown or there already.
fn damage(rng: &mut Rng, doc: &mut Doc) {
    // A merge key that says nothing can't be read, and one may bring what must be there.
    let counts = |name: &str| name != MERGE;
    let objects = doc.objects(counts);
    let nth = rng.usize(..objects);
    let top = nth == 0;
    let Some((map, fields)) = doc.object(nth, counts) else {
        return;
    };
    let (name, value) = match rng.u8(..8) {
        0..3 if !fields.is_empty() => fields[rng.usize(..fields.len())].clone(),
        3 if fields.iter().all(|(name, _)| name != MERGE) && !fields.is_empty() => {
            let (name, value) = fields[rng.usize(..fields.len())].clone();
            let is_type = top && ["apiVersion", "kind"].contains(&name.as_str());
            let value = if is_type || map {
                value
            } else {
                Doc::Simple(Value::Null)
            };
            (name, value)
        }
        4 if !fields.is_empty() => {
            let (name, value) = fields[rng.usize(..fields.len())].clone();
            let mut letters = name.chars();
            let first = letters.next().unwrap_or('z').to_uppercase();
            (first.chain(letters).collect(), value)
        }
        5 if !map => {
            let name = KNOWN[rng.usize(..KNOWN.len())];
            let is_type = top && ["apiVersion", "kind"].contains(&name);
            let name = if is_type { "Kind" } else { name };
            (name.to_owned(), Doc::Simple(Value::Null))
        }
        6 if !fields.is_empty() && !map => {
            let some = fields[rng.usize(..fields.len())].clone();
            (
                MERGE.to_owned(),
                Doc::Fields(vec![some, ("zz".to_owned(), unknown(rng))]),
            )
        }
        _ if map => (odd(rng), Doc::Simple("1".into())),
        _ => (odd(rng), unknown(rng)),
    };
    fields.insert(rng.usize(..=fields.len()), (name, value));
}

fn odd(rng: &mut Rng) -> String {
    ODD[rng.usize(..ODD.len())].to_owned()
}

/// The value of a field that isn't known.
fn unknown(rng: &mut Rng) -> Doc {
    let values = [
        json!(null),
        json!(1),
        json!("a: b, c"),
        json!([{"name": "a"}, [], {}]),
        json!({"zz": 1, "name": null, "spec": [{"kind": ""}], "labels": {"a": 1}}),
    ];
    Doc::of(values[rng.usize(..values.len())].clone())
}
