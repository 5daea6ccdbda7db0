//! Strict decoding of the generated kinds, compared with a server's results and tested on random
//! objects with errors at known positions.

use conformance::arbitrary::check_all;
use conformance::doc::{Doc, MAPS};
use conformance::each_kind;
use conformance::kind::{Kind, scheme};
use kubernetes_manifests::strict::{self, FieldError, FieldErrorKind};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;
use serde::Deserialize;

/// A body, and the answer of kube-apiserver 1.36.3 to creating it with `fieldValidation=Strict`.
#[derive(Deserialize)]
struct Case {
    format: String,
    body: String,
    errors: Vec<String>,
    /// The line and key of each duplicate in YAML.
    #[serde(default)]
    lines: Vec<(usize, String)>,
}

#[test]
fn says_what_a_server_says() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("strict.json")).unwrap();
    for case in cases {
        let body = &case.body;
        if case.format == "json" {
            let errors = scheme().decode_json_all_strict(body).unwrap().errors;
            let told: Vec<_> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(told, case.errors, "{body}");
            continue;
        }
        let errors = scheme().decode_yaml_all_strict(body).unwrap().errors;
        let (duplicate, unknown): (Vec<_>, Vec<_>) = errors
            .iter()
            .partition(|error| error.kind == FieldErrorKind::Duplicate);
        let told: Vec<_> = unknown.iter().map(ToString::to_string).collect();
        assert_eq!(told, case.errors, "{body}");
        let told: Vec<_> = duplicate.iter().map(|error| name(error)).collect();
        let said: Vec<_> = case.lines.iter().map(|(_, key)| key.clone()).collect();
        assert_eq!(told, said, "{body}");
    }
}

/// The last name of the path; none in the table has dots.
fn name(error: &FieldError) -> String {
    error.path.rsplit('.').next().unwrap_or_default().to_owned()
}

/// The beginning of the names of unknown fields, and of names that are added to maps.
const UNKNOWN: &str = "zz";

/// Returns false for the names of raw JSON and of unknown fields.
fn is_read(name: &str) -> bool {
    name != "fieldsV1" && !name.starts_with(UNKNOWN)
}

/// The names that may be in an object.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// The fields of a type.
    Fields,
    /// Any, in a map.
    Any,
    /// Any at any depth, without a type.
    AnyBelow,
}

/// The errors in a value, found by the names alone.
fn errors_in(doc: &Doc, path: &str, known: Known, told: &mut Vec<String>) {
    let below = |known_there| match known {
        Known::AnyBelow => known,
        _ => known_there,
    };
    match doc {
        Doc::Simple(_) => (),
        Doc::Items(items) => {
            for (index, item) in items.iter().enumerate() {
                errors_in(
                    item,
                    &format!("{path}[{index}]"),
                    below(Known::Fields),
                    told,
                );
            }
        }
        Doc::Fields(fields) => {
            for (index, (name, value)) in fields.iter().enumerate() {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                if known == Known::Fields && name.starts_with(UNKNOWN) {
                    tell(told, format!("unknown {path}"));
                    continue;
                }
                if fields[..index].iter().any(|(earlier, _)| earlier == name) {
                    tell(told, format!("duplicate {path}"));
                }
                let inside = below(match MAPS.contains(&name.as_str()) {
                    true => Known::Any,
                    false => Known::Fields,
                });
                if name != "fieldsV1" || inside == Known::AnyBelow {
                    errors_in(value, &path, inside, told);
                }
            }
        }
    }
}

/// The errors in a custom resource: duplicates at any depth, then unknown fields in the last of
/// them, in order, but those of the metadata first.
fn errors_in_custom(doc: &Doc, told: &mut Vec<String>) {
    errors_in(doc, "", Known::AnyBelow, told);
    let last = serde_json::from_str(&doc.text()).unwrap();
    let mut unknown = Vec::new();
    errors_in(&Doc::of(last), "", Known::Fields, &mut unknown);
    unknown.sort_by_key(|error| (!error.starts_with("unknown metadata."), error.clone()));
    told.extend(unknown);
}

fn tell(told: &mut Vec<String>, error: String) {
    if !told.contains(&error) {
        told.push(error);
    }
}

/// A change of an object: the place, the field, and which of two changes.
type Damage = (Index, Index, Index, bool);

/// Adds a field that isn't known, or one that is there already, with random errors in it.
fn damage(doc: &mut Doc, (object, field, place, unknown): Damage, number: usize) {
    let nth = object.index(doc.objects(is_read));
    let Some((map, fields)) = doc.object(nth, is_read) else {
        return;
    };
    let new = if unknown || fields.is_empty() {
        let text = if map {
            r#""1""#
        } else {
            r#"{"zz": 1, "name": null, "spec": [{"kind": ""}]}"#
        };
        let value = serde_json::from_str(text).unwrap();
        (format!("{UNKNOWN}{}", number % 3), Doc::of(value))
    } else {
        fields[field.index(fields.len())].clone()
    };
    fields.insert(place.index(fields.len() + 1), new);
}

fn damaged<K: Kind>() -> impl Strategy<Value = Doc> {
    let damages = proptest::collection::vec(any::<Damage>(), 0..8);
    (K::arbitrary(), damages).prop_map(|(object, damages)| {
        let mut doc = Doc::of(serde_json::to_value(object).unwrap());
        for (number, how) in damages.into_iter().enumerate() {
            damage(&mut doc, how, number);
        }
        doc
    })
}

/// Each error is reported, with its position, and nothing else; the object is that of plain
/// decoding.
fn tells_all<K: Kind + kubernetes_manifests::scheme::Versioned>() {
    check_all(&damaged::<K>(), |doc| {
        let text = doc.text();
        let mut expected = Vec::new();
        if K::GROUP.ends_with("snapshot.storage.k8s.io") {
            errors_in_custom(&doc, &mut expected);
        } else {
            errors_in(&doc, "", Known::Fields, &mut expected);
        }
        let read = strict::from_json::<K>(&text).unwrap();
        let told: Vec<_> = read.errors.iter().map(told_as).collect();
        prop_assert_eq!(&told, &expected);
        prop_assert_eq!(&read.object, &serde_json::from_str::<K>(&text).unwrap());
        read.errors
            .iter()
            .try_for_each(|error| stands_there(&text, error))?;
        let read = scheme().decode_json_all_strict(&text).unwrap();
        prop_assert_eq!(
            read.errors.iter().map(told_as).collect::<Vec<_>>(),
            expected
        );
        in_yaml::<K>(&text, told)
    });
}

/// The same in YAML, where more is reported: duplicates in unknown fields and in raw JSON.
fn in_yaml<K: Kind>(text: &str, mut json: Vec<String>) -> Result<(), TestCaseError> {
    let read = strict::from_yaml::<K>(&escaped(text)).unwrap();
    let mut yaml: Vec<_> = read.errors.iter().map(told_as).collect();
    if json.iter().all(|error| error.starts_with("unknown")) {
        yaml.retain(|error| error.starts_with("unknown"));
        json.sort();
        yaml.sort();
        prop_assert_eq!(json, yaml);
        return Ok(());
    }
    for error in json.iter().filter(|error| error.starts_with("duplicate")) {
        prop_assert!(yaml.contains(error), "{error} is in {yaml:?}");
    }
    for error in yaml.iter().filter(|error| error.starts_with("unknown")) {
        prop_assert!(json.contains(error), "{error} is in {json:?}");
    }
    Ok(())
}

/// The same with escapes for what YAML doesn't take as it is.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        let code = u32::from(character);
        if (0x7f..0x1_0000).contains(&code) && !character.is_alphanumeric() {
            escaped += &format!("\\u{code:04x}");
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn told_as(error: &FieldError) -> String {
    match error.kind {
        FieldErrorKind::Unknown => format!("unknown {}", error.path),
        _ => format!("duplicate {}", error.path),
    }
}

/// The line and column are those of the name, unless that is written with escapes.
fn stands_there(text: &str, error: &FieldError) -> Result<(), TestCaseError> {
    let Some((line, column)) = error.location.line.zip(error.location.column) else {
        prop_assert!(text.contains('\\'));
        return Ok(());
    };
    let line = text.split('\n').nth(line - 1).unwrap();
    let rest: String = line.chars().skip(column - 1).collect();
    let name = rest
        .strip_prefix('"')
        .and_then(|rest| rest.split_once("\":"));
    let name = name.map(|(name, _)| name).unwrap_or_default();
    prop_assert!(
        error.path.ends_with(name) && rest.starts_with('"'),
        "{rest}"
    );
    Ok(())
}

mod each_error {
    use super::*;
    each_kind!(super::tells_all);
}
