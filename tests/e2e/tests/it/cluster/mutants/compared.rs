//! Whether two say the same.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::asked::Asked;

/// What differs.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Difference {
    /// The generated code accepts what the server refuses.
    Acceptance,
    /// It refuses what the server accepts.
    Refusal,
    /// Both refuse, with other errors.
    Errors,
    /// Both accept, and store something else.
    Stored,
}

/// Asserts that the generated code says of each case what the server said.
pub(super) fn compare(asked: &[Asked], verdicts: &[Value]) {
    assert!(!asked.is_empty(), "the server takes no definition");
    let mut differences: BTreeMap<Difference, usize> = BTreeMap::new();
    let mut accepted = 0;
    for (asked, verdict) in asked.iter().zip(verdicts) {
        accepted += usize::from(asked.answer.is_success());
        if let Some(difference) = difference(asked, verdict) {
            let seen = differences.entry(difference).or_default();
            *seen += 1;
            if *seen <= 20 {
                show(asked, verdict, difference);
            }
        }
    }
    let cases = asked.len();
    println!("{cases} cases, of which the server accepts {accepted}; {differences:?}");
    assert!(differences.is_empty(), "{differences:?}");
}

fn show(asked: &Asked, verdict: &Value, difference: Difference) {
    let Asked { case, answer } = asked;
    let cut = |value: &Value| value.to_string().chars().take(3000).collect::<String>();
    println!(
        "{difference:?}: {} ({})\n  object {}\n  stored {}\n  server {} {}\n  ours   {}\n",
        case.name,
        case.operation.name(),
        cut(&case.object),
        cut(case.stored.as_ref().unwrap_or(&Value::Null)),
        answer.status,
        cut(&match answer.is_success() {
            true => stored(&answer.body),
            false => answer.body["details"]["causes"].clone(),
        }),
        cut(&match verdict.get("object") {
            Some(object) => stored(object),
            None => verdict.clone(),
        }),
    );
}

fn difference(asked: &Asked, verdict: &Value) -> Option<Difference> {
    let Asked { answer, .. } = asked;
    let is_accepted = verdict.get("object").is_some();
    match (answer.is_success(), is_accepted) {
        (true, false) => Some(Difference::Refusal),
        (false, true) => Some(Difference::Acceptance),
        (true, true) => {
            let (theirs, ours) = (stored(&answer.body), stored(&verdict["object"]));
            (theirs != ours).then_some(Difference::Stored)
        }
        (false, false) => {
            let causes = answer.body["details"]["causes"].as_array();
            let causes = causes.into_iter().flatten();
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let mut theirs: Vec<_> = causes
                .map(|cause| format!("{} {}", text(&cause["reason"]), text(&cause["field"])))
                .collect();
            theirs.sort();
            let is_same = match verdict["errors"].as_array() {
                Some(ours) => *ours == theirs,
                // A value of another type isn't read.
                None => theirs.is_empty() || is_of_type(&answer.body),
            };
            (!is_same).then_some(Difference::Errors)
        }
    }
}

/// Returns true if an error is of a type or of the length of a number.
fn is_of_type(answer: &Value) -> bool {
    let causes = answer["details"]["causes"].as_array();
    causes.into_iter().flatten().any(|cause| {
        let message = cause["message"].as_str().unwrap_or_default();
        cause["reason"] == "FieldValueTypeInvalid" || message.contains("must be of type integer")
    })
}

/// What an object means to a server: without what it sets itself, `1.0` is `1`.
fn stored(object: &Value) -> Value {
    let mut object = same_numbers(object);
    for value in object.as_object_mut().into_iter().flatten() {
        drop_empty_names(value.1);
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for own in ["creationTimestamp", "generation", "managedFields", "uid"] {
            metadata.remove(own);
        }
    }
    object
}

/// Drops what types of embedded objects write where there was nothing, or a server where there was
/// an empty text: it asks for an `apiVersion` and a `kind`, but not in a status that is written by
/// itself, and writes metadata as Go does.
fn drop_empty_names(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(drop_empty_names);
            members.retain(|name, value| match name.as_str() {
                "apiVersion" | "kind" | "name" => value != "",
                "metadata" => value
                    .as_object()
                    .is_none_or(|metadata| !metadata.is_empty()),
                _ => true,
            });
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty_names),
        _ => {}
    }
}

fn same_numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(number).unwrap_or_else(|| number.clone())),
        Value::Array(items) => items.iter().map(same_numbers).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, value)| (name.clone(), same_numbers(value)))
                .collect()
        }
        other => other.clone(),
    }
}

fn whole(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    (float.fract() == 0.0 && float.abs() < 1e15).then(|| Number::from(float as i64))
}
