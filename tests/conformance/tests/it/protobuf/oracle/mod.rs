//! Compares our protobuf with Kubernetes' own: random objects, and the same damaged at random.

mod damage;
mod program;

use std::cell::RefCell;
use std::collections::BTreeMap;

use conformance::each_upstream_kind;
use conformance::kind::Kind;
use fastrand::Rng;
use kubernetes_kinds::protobuf::{
    DecodeError, DecodeErrorKind, Field, Message, from_slice, to_vec,
};
use kubernetes_kinds::quantity::Amount;
use proptest::prelude::any;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use program::Oracle;

/// Returns true if two values differ at most in quantities, and these not in their amounts.
fn are_same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| are_same(ours, theirs))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .all(|(key, ours)| theirs.get(key).is_some_and(|theirs| are_same(ours, theirs)))
        }
        (Value::String(ours), Value::String(theirs)) => {
            ours == theirs || Amount::parse(ours).is_ok_and(|amount| amount.to_string() == *theirs)
        }
        _ => ours == theirs,
    }
}

/// Go reads what we write, and writes the same bytes. It refuses texts that are no quantities, and
/// writes others in their canonical form.
fn written<K: Kind + Field + Message>() {
    let oracle = RefCell::new(Oracle::start());
    TestRunner::default()
        .run(&K::arbitrary(), |object| {
            let bytes = to_vec(&object);
            match oracle.borrow_mut().again(&bytes) {
                Ok(again) if again == bytes => {}
                Ok(again) => {
                    let read: K = from_slice(&again).unwrap();
                    assert!(to_vec(&read) == again);
                    let ours: K = from_slice(&bytes).unwrap();
                    let [ours, theirs] =
                        [ours, read].map(|object| serde_json::to_value(object).unwrap());
                    assert!(are_same(&ours, &theirs), "{ours}\n{theirs}");
                }
                Err(error) => assert!(is_about_quantity(&error), "{error}"),
            }
            Ok(())
        })
        .unwrap();
}

/// Returns true if Go refuses a text that is no quantity. We keep it, as we do in JSON: a rule of
/// validation finds it.
fn is_about_quantity(error: &str) -> bool {
    error.contains("quantit")
}

/// The fields that are maps, as errors name them.
const MAPS: [&str; 14] = [
    "CSIPersistentVolumeSource, field 5",
    "FlexPersistentVolumeSource, field 5",
    "LabelSelector, field 1",
    "ObjectMeta, field 11",
    "ObjectMeta, field 12",
    "PersistentVolumeClaimStatus, field 3",
    "PersistentVolumeClaimStatus, field 5",
    "PersistentVolumeClaimStatus, field 7",
    "PersistentVolumeSpec, field 1",
    "StorageClass, field 3",
    "VolumeAttachmentStatus, field 2",
    "VolumeAttributesClass, field 3",
    "VolumeResourceRequirements, field 1",
    "VolumeResourceRequirements, field 2",
];

/// Returns why we refuse a body that Go reads, if that is intended.
fn reason_to_refuse(error: &DecodeError) -> Option<&'static str> {
    match error.kind() {
        DecodeErrorKind::Json(_) => Some("Go keeps `fieldsV1` unread, even if it is no JSON"),
        DecodeErrorKind::Encoding(_) => Some("Go doesn't look at the encoding"),
        _ => {
            let text = error.to_string();
            let place = text.rsplit_once(": ").map_or("", |(place, _)| place);
            let is_map = MAPS.iter().any(|map| place.ends_with(map));
            is_map.then_some(
                "in entries of maps, Go looks neither at wire types nor at numbers of fields, and \
                 reads beyond their end",
            )
        }
    }
}

/// Returns why we read a body that Go refuses, if that is intended.
fn reason_to_read(error: &str) -> Option<&'static str> {
    if is_about_quantity(error) {
        return Some("we keep texts that are no quantities");
    }
    let missing = ["Object 'Kind' is missing", "Object 'apiVersion' is missing"];
    let is_unnamed = missing.iter().any(|missing| error.starts_with(missing));
    is_unnamed.then_some("the oracle isn't told which kind to expect")
}

/// Returns why we write other bytes than Go of what both have read, if that is intended.
fn reason_to_differ<K: Kind + Field + Message>(ours: K, theirs: &[u8]) -> Option<&'static str> {
    let read: K = from_slice(theirs).ok()?;
    let bytes = to_vec(&ours);
    // Fields that both write and the input lacks are set in both.
    let ours: K = from_slice(&bytes).ok()?;
    let is_read_alike = to_vec(&read) == bytes;
    // Not its JSON, which not every time has.
    let text = format!("{ours:?}");
    if !is_read_alike {
        let [ours, theirs] = [ours, read].map(|object| serde_json::to_value(object).unwrap());
        return are_same(&ours, &theirs).then_some("we write quantities as they are");
    }
    let nearest = ["9999-12-30T22:00:00", "-009999-01-02T01:59:59"];
    if text.contains('\u{fffd}') {
        Some("we have U+FFFD in place of bytes that aren't UTF-8")
    } else if text.contains("fields_v1: Some") {
        Some("we write `fieldsV1` without spaces, and without repeated keys")
    } else if nearest.iter().any(|time| text.contains(time)) {
        Some("we have no times so far away")
    } else if text.contains("secret_ref: SecretReference") {
        Some("a part that JSON requires is never `None`, but Go holds it in a pointer")
    } else {
        None
    }
}

/// Go reads a damaged body exactly if we do, and writes the same of it, but for the reasons above.
fn damaged<K: Kind + Field + Message>() {
    let oracle = RefCell::new(Oracle::start());
    let found = RefCell::new(BTreeMap::<_, usize>::new());
    TestRunner::default()
        .run(&(K::arbitrary(), any::<u64>()), |(object, seed)| {
            let mut rng = Rng::with_seed(seed);
            let whole = to_vec(&object);
            for round in 0..8 {
                let bytes = match round % 2 {
                    0 => damage::torn(&whole, &mut rng),
                    _ => damage::rearranged(&whole, &mut rng),
                };
                let theirs = oracle.borrow_mut().again(&bytes);
                let ours = from_slice::<K>(&bytes);
                let shown = format!("{bytes:?}\nours: {ours:?}\ntheirs: {theirs:?}");
                let reason = match (ours, theirs) {
                    (Ok(ours), Ok(theirs)) if to_vec(&ours) == theirs => Some("both read it"),
                    (Ok(ours), Ok(theirs)) => reason_to_differ(ours, &theirs),
                    (Ok(_), Err(error)) => reason_to_read(&error),
                    (Err(error), Ok(_)) => reason_to_refuse(&error),
                    (Err(_), Err(_)) => Some("both refuse it"),
                };
                let Some(reason) = reason else {
                    panic!("{shown}");
                };
                *found.borrow_mut().entry(reason).or_default() += 1;
            }
            Ok(())
        })
        .unwrap();
    let found = found.into_inner();
    for (reason, count) in &found {
        println!("{} {}: {count}: {reason}", K::API_VERSION, K::KIND);
    }
    let count = |reason| found.get(reason).copied().unwrap_or_default();
    assert!(count("both read it") > 0 && count("both refuse it") > 0);
}

mod undamaged {
    super::each_upstream_kind!(super::written, ignore = "needs Go: see docs/testing.md");
}

mod in_damage {
    super::each_upstream_kind!(super::damaged, ignore = "needs Go: see docs/testing.md");
}
