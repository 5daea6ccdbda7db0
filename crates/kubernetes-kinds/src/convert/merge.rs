//! Restores the fields of a preserved object that have not changed since.

use k8s_openapi::serde_json::{self, Map, Value};

use super::error::ConversionError;
use super::keyed::{Name, elements, keys};
use super::translate::{Convertible, Result, Translate, without_metadata};
use crate::{FieldPath, ListMapKeys};

/// Restores in `live` the fields of the preserved object `kept` that `A` can't represent.
pub(super) fn restore<A, B>(kept: B, live: B) -> Result<B>
where
    A: Convertible + Translate<B>,
    B: Convertible + Translate<A>,
{
    let through: A = kept.clone().translate()?;
    let seen: B = through.translate_like(&kept)?;
    let (kept, seen) = (without_metadata(&kept)?, without_metadata(&seen)?);
    if kept == seen {
        return Ok(live);
    }
    let live_fields = without_metadata(&live)?;
    let path = FieldPath::default();
    let merged = merge(
        B::LIST_MAP_KEYS,
        &path,
        Some(seen),
        Some(kept),
        Some(live_fields),
    );
    serde_json::from_value(merged.unwrap_or_default())
        .map_err(|error| ConversionError::invalid(FieldPath::default(), error.to_string()))
}

/// Returns the preserved value where the live one has not changed, otherwise the live one.
fn merge(
    lists: ListMapKeys,
    path: &FieldPath,
    seen: Option<Value>,
    kept: Option<Value>,
    live: Option<Value>,
) -> Option<Value> {
    match (seen, kept, live) {
        (seen, kept, live) if seen == live => kept,
        (Some(Value::Object(seen)), Some(Value::Object(kept)), Some(Value::Object(live))) => {
            Some(Value::Object(fields(lists, path, seen, kept, live)))
        }
        (Some(Value::Array(seen)), Some(Value::Array(kept)), Some(Value::Array(live))) => {
            Some(Value::Array(list(lists, path, seen, kept, live)))
        }
        (_, _, live) => live,
    }
}

fn fields(
    lists: ListMapKeys,
    path: &FieldPath,
    mut seen: Map<String, Value>,
    kept: Map<String, Value>,
    mut live: Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = Map::new();
    let mut add = |name: String, kept: Option<Value>, live: Option<Value>| {
        let path = path.clone().child(name.clone());
        let value = merge(lists, &path, seen.remove(&name), kept, live);
        if let Some(value) = value {
            merged.insert(name, value);
        }
    };
    for (name, kept) in kept {
        let live = live.remove(&name);
        add(name, Some(kept), live);
    }
    for (name, live) in live {
        add(name, None, Some(live));
    }
    merged
}

fn list(
    lists: ListMapKeys,
    path: &FieldPath,
    seen: Vec<Value>,
    kept: Vec<Value>,
    live: Vec<Value>,
) -> Vec<Value> {
    let named = keys(lists, path).and_then(|keys| {
        Some((
            elements(&seen, keys)?,
            elements(&kept, keys)?,
            elements(&live, keys)?,
        ))
    });
    let Some((seen, kept, live)) = named else {
        return live;
    };
    let names = |list: &[(Name, usize, &Value)]| -> Vec<Name> {
        list.iter().map(|(name, ..)| name.clone()).collect()
    };
    let value = |list: &[(Name, usize, &Value)], name: &Name| {
        list.iter()
            .find(|(other, ..)| other == name)
            .map(|(_, _, value)| (*value).clone())
    };
    // The preserved order is used unless the live list has been reordered.
    let (first, second) = if is_untouched(&names(&seen), &names(&kept), &names(&live)) {
        (names(&kept), names(&live))
    } else {
        (names(&live), names(&kept))
    };
    let mut order = first;
    for name in second {
        if !order.contains(&name) {
            order.push(name);
        }
    }
    let merged = order.iter().filter_map(|name| {
        merge(
            lists,
            path,
            value(&seen, name),
            value(&kept, name),
            value(&live, name),
        )
    });
    merged.collect()
}

/// Returns true if the live list is the one that was converted, except that elements may be
/// missing, and new ones added at its end.
fn is_untouched(seen: &[Name], kept: &[Name], live: &[Name]) -> bool {
    let still_there = seen.iter().filter(|name| live.contains(name));
    let new = live
        .iter()
        .filter(|name| !seen.contains(name) && !kept.contains(name));
    still_there.chain(new).eq(live)
}
