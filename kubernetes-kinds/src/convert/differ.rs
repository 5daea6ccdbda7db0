//! What a conversion loses: where the source differs from what comes back.

use k8s_openapi::serde_json::{Map, Value};

use super::keyed::{elements, inside, keys};
use super::{Convertible, Loss, without_metadata};
use crate::ListMapKeys;

/// The losses of a conversion: where the source differs from what has come back.
pub(super) fn losses<A: Convertible>(source: &A, back: &A) -> super::Result<Vec<Loss>> {
    let mut losses = Vec::new();
    if back != source {
        let (source, back) = (without_metadata(source)?, without_metadata(back)?);
        differ(A::LIST_MAP_KEYS, String::new(), Some(&source), Some(&back), &mut losses);
    }
    Ok(losses)
}

fn differ(
    lists: ListMapKeys,
    path: String,
    source: Option<&Value>,
    back: Option<&Value>,
    losses: &mut Vec<Loss>,
) {
    match (source, back) {
        (source, back) if source == back => {}
        (Some(Value::Object(source)), Some(Value::Object(back))) => {
            fields(lists, &path, source, back, losses);
        }
        (Some(Value::Array(source)), Some(Value::Array(back))) => {
            list(lists, path, source, back, losses);
        }
        (source, _) => losses.push(Loss {
            path,
            value: source.cloned().unwrap_or_default(),
        }),
    }
}

fn fields(
    lists: ListMapKeys,
    path: &str,
    source: &Map<String, Value>,
    back: &Map<String, Value>,
    losses: &mut Vec<Loss>,
) {
    for (field, value) in source {
        differ(lists, inside(path, field), Some(value), back.get(field), losses);
    }
    for (field, value) in back.iter().filter(|(field, _)| !source.contains_key(*field)) {
        differ(lists, inside(path, field), None, Some(value), losses);
    }
}

fn list(
    lists: ListMapKeys,
    path: String,
    source: &[Value],
    back: &[Value],
    losses: &mut Vec<Loss>,
) {
    let named = keys(lists, &path)
        .and_then(|keys| Some((elements(source, keys)?, elements(back, keys)?)));
    let before = losses.len();
    if let Some((source, back)) = named {
        for (name, index, value) in &source {
            let back = back.iter().find(|(other, ..)| other == name);
            let back = back.map(|(_, _, value)| *value);
            differ(lists, format!("{path}[{index}]"), Some(value), back, losses);
        }
        for (name, _, value) in back {
            if !source.iter().any(|(other, ..)| *other == name) {
                differ(lists, format!("{path}[{name}]"), None, Some(value), losses);
            }
        }
    }
    // Either a list that is taken as a whole, or one in another order.
    if losses.len() == before {
        losses.push(Loss {
            path,
            value: Value::Array(source.to_vec()),
        });
    }
}
