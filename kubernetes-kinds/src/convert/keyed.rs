//! Lists whose elements are told apart by some of their fields.

use k8s_openapi::serde_json::{Map, Value};

use crate::ListMapKeys;

/// The path of a field of what is at `path`.
pub(super) fn inside(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_owned()
    } else {
        format!("{path}.{field}")
    }
}

/// The fields that tell the elements of the list at `path` apart; indices don't count.
pub(super) fn keys(lists: ListMapKeys, path: &str) -> Option<&'static [&'static str]> {
    let mut plain = String::with_capacity(path.len());
    let mut inside = false;
    for c in path.chars() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    lists.iter().find(|(list, _)| *list == plain).map(|(_, keys)| *keys)
}

/// What tells an element apart, with the values in JSON: `name="csi.example.com"`.
pub(super) type Name = String;

/// The elements by name in their order, or nothing if they can't be told apart after all.
pub(super) fn elements<'a>(
    list: &'a [Value],
    keys: &[&str],
) -> Option<Vec<(Name, usize, &'a Value)>> {
    // A map of a type that serde_json has compiled already.
    let mut seen = Map::new();
    let mut elements = Vec::with_capacity(list.len());
    for (index, element) in list.iter().enumerate() {
        let mut name = String::new();
        for key in keys {
            if !name.is_empty() {
                name.push(',');
            }
            name += &format!("{key}={}", element.get(key)?);
        }
        if seen.insert(name.clone(), Value::Null).is_some() {
            return None;
        }
        elements.push((name, index, element));
    }
    Some(elements)
}
