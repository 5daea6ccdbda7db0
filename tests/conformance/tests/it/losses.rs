//! The report of losses names exactly what differs, by a comparison of its own.
//!
//! Source and what comes back are taken apart into leaves: each scalar, each empty list or
//! object, and each list without names is one. Drivers are known by their names, so a place
//! in a list is a name here.

use std::collections::BTreeMap;

use conformance::arbitrary::check_many;
use conformance::each_lossy_pair;
use conformance::kind::Kind;
use kubernetes_kinds::FieldPath;
use kubernetes_kinds::convert::{Convert, UnrepresentableField};
use proptest::prelude::*;
use serde_json::Value;

/// The lists whose elements have names, and the field with the name.
const NAMED: [(&str, &str); 4] = [
    ("spec.drivers", "name"),
    ("status.drivers", "name"),
    ("csiDrivers", "driver"),
    ("status.storageHealth", "name"),
];

type Leaves = BTreeMap<Vec<String>, Value>;

fn name_field(path: &[String]) -> Option<&'static str> {
    let path = path.join(".");
    NAMED
        .iter()
        .find(|(list, _)| *list == path)
        .map(|(_, name)| *name)
}

/// The names of a list's elements, if they have any and no two are alike.
fn names(path: &[String], list: &Value) -> Option<Vec<String>> {
    let field = name_field(path)?;
    let names: Vec<String> = list
        .as_array()?
        .iter()
        .map(|item| item[field].to_string())
        .collect();
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    (unique.len() == names.len()).then_some(names)
}

fn leaves(path: &mut Vec<String>, value: &Value, found: &mut Leaves) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => match names(path, value) {
            Some(names) => names.into_iter().zip(items).collect(),
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    if children.is_empty() {
        found.insert(path.clone(), value.clone());
    }
    for (name, value) in children {
        path.push(name);
        leaves(path, value, found);
        path.pop();
    }
}

/// Returns true if two values are both objects, or both lists with names: then the difference is
/// inside.
fn go_deeper(path: &[String], source: &Value, back: &Value) -> bool {
    match at(source, path).zip(at(back, path)) {
        Some((Value::Object(_), Value::Object(_))) => true,
        Some((a, b)) => names(path, a).is_some() && names(path, b).is_some(),
        None => false,
    }
}

fn without_metadata<K: Kind>(object: &K) -> Value {
    let mut value = serde_json::to_value(object).unwrap();
    value.as_object_mut().unwrap().remove("metadata");
    value
}

/// The segments of a reported path, with the names of elements for their places.
fn segments(path: &str, source: &Value) -> Vec<String> {
    let mut segments: Vec<String> = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let field = name_field(&segments).expect(path);
            let end = if let Some(named) = inside.strip_prefix(&format!("{field}=")) {
                // A name may hold brackets: it ends where the quotes do.
                let mut quotes = serde_json::Deserializer::from_str(named).into_iter();
                let name: Value = quotes.next().unwrap().expect(path);
                segments.push(name.to_string());
                inside.len() - named.len() + quotes.byte_offset()
            } else {
                let end = inside.find(']').expect(path);
                let index: usize = inside[..end].parse().expect(path);
                let pointer = format!("/{}/{index}/{field}", segments.join("/"));
                segments.push(source.pointer(&pointer).expect(path).to_string());
                end
            };
            rest = inside[end..].strip_prefix(']').expect(path);
        } else {
            let field = rest.strip_prefix('.').unwrap_or(rest);
            let end = field.find(['.', '[']).unwrap_or(field.len());
            segments.push(field[..end].to_owned());
            rest = &field[end..];
        }
    }
    segments
}

/// The value at a path in which elements are named.
fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    let mut at = value;
    for (depth, segment) in path.iter().enumerate() {
        at = match at {
            Value::Object(fields) => fields.get(segment)?,
            list => {
                let names = names(&path[..depth], list)?;
                &list[names.iter().position(|name| name == segment)?]
            }
        };
    }
    Some(at)
}

/// Returns true if two lists of the same elements differ in their order only.
fn reordered(path: &[String], source: &Value, back: &Value) -> bool {
    let lists = at(source, path).zip(at(back, path));
    let Some((source, back)) = lists.and_then(|(a, b)| names(path, a).zip(names(path, b))) else {
        return false;
    };
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    source != back && sorted(&source) == sorted(&back)
}

fn check(
    source: &Value,
    back: &Value,
    losses: &[UnrepresentableField],
) -> Result<(), TestCaseError> {
    let (mut before, mut after) = (Leaves::new(), Leaves::new());
    leaves(&mut Vec::new(), source, &mut before);
    leaves(&mut Vec::new(), back, &mut after);
    let mut differing: Vec<&Vec<String>> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .filter(|path| !go_deeper(path, source, back))
        .collect();
    for loss in losses {
        let path = segments(&loss.path.to_string(), source);
        let value = at(source, &path).cloned().unwrap_or_default();
        prop_assert_eq!(&loss.value, &value, "{}", loss.path);
        let covered: Vec<_> = before
            .keys()
            .chain(after.keys())
            .filter(|leaf| leaf.starts_with(&path))
            .collect();
        let all_differ = covered
            .iter()
            .all(|leaf| before.get(*leaf) != after.get(*leaf));
        let justified = !covered.is_empty() && all_differ
            || reordered(&path, source, back)
                // An empty list is a leaf, one with elements is not.
                || name_field(&path).is_some() && at(back, &path).is_none();
        prop_assert!(justified, "{} isn't a loss", loss.path);
        differing.retain(|leaf| !leaf.starts_with(&path));
    }
    prop_assert!(differing.is_empty(), "not reported: {:?}", differing);
    prop_assert_eq!(losses.is_empty(), source == back);
    Ok(())
}

fn exact<A, B>(source: A) -> Result<(), TestCaseError>
where
    A: Kind + Convert<B>,
    B: Kind + Convert<A>,
{
    let target = source.clone().convert().unwrap();
    prop_assert_eq!(target.object.metadata(), source.metadata());
    let back = target.object.clone().convert().unwrap();
    check(
        &without_metadata(&source),
        &without_metadata(&back.object),
        &target.unrepresentable,
    )
}

fn both_ways<Old, New>()
where
    Old: Kind + Convert<New>,
    New: Kind + Convert<Old>,
{
    check_many(&Old::arbitrary(), exact::<Old, New>);
    let convertible = New::arbitrary().prop_filter("two drivers of one name", |new| {
        Convert::<Old>::convert(new.clone()).is_ok()
    });
    check_many(&convertible, exact::<New, Old>);
}

mod every_pair {
    use super::*;
    each_lossy_pair!(super::both_ways);
}

/// The comparison itself: what it must object to.
#[test]
fn the_check_can_fail() {
    let source = serde_json::json!({"spec": {"drivers": [
        {"name": "a", "nodeID": "1"},
        {"name": "b", "nodeID": "2"},
    ]}});
    let mut back = source.clone();
    let drivers = FieldPath::new("spec").child("drivers");
    let loss = |index: usize, value: &str| UnrepresentableField {
        path: drivers.clone().index(index).child("nodeID"),
        value: value.into(),
    };
    check(&source, &back, &[]).unwrap();
    check(&source, &back, &[loss(0, "1")]).unwrap_err();

    back["spec"]["drivers"][1]["nodeID"] = "3".into();
    check(&source, &back, &[]).unwrap_err();
    check(&source, &back, &[loss(1, "2")]).unwrap();
    check(&source, &back, &[loss(1, "3")]).unwrap_err();
    check(&source, &back, &[loss(0, "1")]).unwrap_err();
    let whole = UnrepresentableField {
        path: drivers.clone(),
        value: source["spec"]["drivers"].clone(),
    };
    check(&source, &back, &[whole]).unwrap_err();
}
