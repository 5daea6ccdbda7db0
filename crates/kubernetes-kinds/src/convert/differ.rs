//! Finds the fields that a conversion doesn't preserve, by comparing the source with the object
//! converted back.

use k8s_openapi::serde_json::{Map, Value};

use super::keyed::{elements, keys};
use super::translate::{Convertible, Result, UnrepresentableField, without_metadata};
use crate::{FieldPath, ListMapKeys, Segment};

/// Returns the fields in which the source differs from the object that was converted back.
pub(super) fn unrepresentable<A: Convertible>(
    source: &A,
    back: &A,
) -> Result<Vec<UnrepresentableField>> {
    if back == source {
        return Ok(Vec::new());
    }
    Ok(compare(
        A::LIST_MAP_KEYS,
        &without_metadata(source)?,
        &without_metadata(back)?,
    ))
}

fn compare(lists: ListMapKeys, source: &Value, back: &Value) -> Vec<UnrepresentableField> {
    let mut differences = Differences {
        lists,
        path: FieldPath::default(),
        found: Vec::new(),
    };
    differences.value(Some(source), Some(back));
    differences.found
}

struct Differences {
    lists: ListMapKeys,
    path: FieldPath,
    found: Vec<UnrepresentableField>,
}

impl Differences {
    fn value(&mut self, source: Option<&Value>, back: Option<&Value>) {
        match (source, back) {
            (source, back) if source == back => {}
            (Some(Value::Object(source)), Some(Value::Object(back))) => {
                self.fields(source, back);
            }
            (Some(Value::Array(source)), Some(Value::Array(back))) => {
                self.list(source, back);
            }
            (source, _) => self.add(source.cloned().unwrap_or_default()),
        }
    }

    fn inside(&mut self, segment: Segment, source: Option<&Value>, back: Option<&Value>) {
        self.path.push(segment);
        self.value(source, back);
        self.path.pop();
    }

    fn add(&mut self, value: Value) {
        self.found.push(UnrepresentableField {
            path: self.path.clone(),
            value,
        });
    }

    fn fields(&mut self, source: &Map<String, Value>, back: &Map<String, Value>) {
        let segment = |field: &String| Segment::Field(field.clone().into());
        for (field, value) in source {
            self.inside(segment(field), Some(value), back.get(field));
        }
        for (field, value) in back {
            if !source.contains_key(field) {
                self.inside(segment(field), None, Some(value));
            }
        }
    }

    fn list(&mut self, source: &[Value], back: &[Value]) {
        let named = keys(self.lists, &self.path)
            .and_then(|keys| Some((elements(source, keys)?, elements(back, keys)?)));
        let before = self.found.len();
        if let Some((source, back)) = named {
            for (name, index, value) in &source {
                let back = back.iter().find(|(other, ..)| other == name);
                let back = back.map(|(_, _, value)| *value);
                self.inside(Segment::Index(*index), Some(value), back);
            }
            for (name, _, value) in back {
                if !source.iter().any(|(other, ..)| *other == name) {
                    self.inside(Segment::Key(name), None, Some(value));
                }
            }
        }
        // Either a list that is compared as a whole, or one in another order.
        if self.found.len() == before {
            self.add(Value::Array(source.to_vec()));
        }
    }
}
