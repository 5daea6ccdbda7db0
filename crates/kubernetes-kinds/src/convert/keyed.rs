//! Lists whose elements are identified by some of their fields.

use k8s_openapi::serde_json::{Map, Value};

use crate::{FieldPath, ListMapKeys, Segment};

/// Returns the fields that identify the elements of the list at `path`, if the list has any.
pub(super) fn keys(lists: ListMapKeys, path: &FieldPath) -> Option<&'static [&'static str]> {
    lists
        .iter()
        .find(|(list, _)| is_at(path, list))
        .map(|(_, keys)| *keys)
}

/// Returns true if `path` is `list` with indices and keys.
fn is_at(path: &FieldPath, list: &str) -> bool {
    let mut fields = list.split('.');
    for segment in path.segments() {
        if let Segment::Field(field) = segment
            && fields.next() != Some(field)
        {
            return false;
        }
    }
    fields.next().is_none()
}

/// The keys of an element, with the values in JSON: `name="csi.example.com"`.
pub(super) type Name = String;

/// Returns the elements with their names, in their order; `None` if a key is missing or two
/// elements have the same name.
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
