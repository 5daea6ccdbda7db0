//! `FieldsV1`, the set of fields that an entry of `managedFields` owns.
//!
//! The format is that of structured-merge-diff: an object whose keys are path elements and whose
//! values are the fields owned below them. The key `.` means that the value itself is owned too,
//! and so does an empty object.

use k8s_openapi::serde_json::{Map, Value};

use super::ExtractError;
use crate::FieldPath;

/// The deepest nesting that is read, that of JSON as text.
const MAX_DEPTH: usize = 128;

/// The ownership of a value and of its fields or elements.
#[derive(Debug, Default)]
pub(super) struct Owned {
    /// True if the value itself is owned.
    pub(super) itself: bool,
    /// Sorted by the element as it is written.
    below: Vec<(String, Element, Owned)>,
}

/// A step from a value to one of its fields or elements.
#[derive(Debug)]
pub(super) enum Element {
    /// `f:`, a field of an object or a key of a map.
    Field(String),
    /// `k:`, the element of a list in which these fields have these values.
    Key(Map<String, Value>),
    /// `v:`, the element of a list that is equal to this value.
    Value(Value),
    /// `i:`, the element of a list at this index.
    Index(usize),
}

impl Owned {
    /// Adds the fields that a JSON value names.
    #[inline]
    pub(super) fn add(&mut self, fields: &Value, path: &FieldPath) -> Result<(), ExtractError> {
        self.read(fields, path, 0)
    }

    #[inline]
    fn read(&mut self, fields: &Value, path: &FieldPath, depth: usize) -> Result<(), ExtractError> {
        let error = |message: String| ExtractError::Fields {
            path: path.clone(),
            message,
        };
        let fields = match fields {
            Value::Object(fields) => fields,
            // As in the server.
            Value::Null => &Map::new(),
            _ => return Err(error("is not an object".to_owned())),
        };
        if depth > MAX_DEPTH {
            return Err(error(format!("is nested more than {MAX_DEPTH} times")));
        }
        self.itself |= fields.is_empty();
        for (key, inner) in fields {
            if key == "." {
                self.itself = true;
                continue;
            }
            // Path elements of an unknown sort are skipped, as in the server.
            let Some(element) = element(key).map_err(&error)? else {
                continue;
            };
            let index = match self.find(key) {
                Ok(index) => index,
                Err(index) => {
                    self.below
                        .insert(index, (key.clone(), element, Self::default()));
                    index
                }
            };
            if let Some((_, _, owned)) = self.below.get_mut(index) {
                owned.read(inner, &path.clone().child(key.clone()), depth + 1)?;
            }
        }
        Ok(())
    }

    /// The index of an element, or the index at which it is to be inserted.
    #[inline]
    fn find(&self, key: &str) -> Result<usize, usize> {
        self.below
            .binary_search_by(|(other, ..)| other.as_str().cmp(key))
    }

    /// Returns true if no field or element below is owned.
    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.below.is_empty()
    }

    /// Returns the ownership of a field.
    #[inline]
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        let index = self.find(&format!("f:{name}")).ok()?;
        self.below.get(index).map(|(_, _, owned)| owned)
    }

    /// Returns the fields and elements that are named directly below.
    #[inline]
    pub(super) fn elements(&self) -> impl Iterator<Item = (&Element, &Self)> {
        self.below
            .iter()
            .map(|(_, element, owned)| (element, owned))
    }
}

/// Returns the path element of a key; `None` if its sort isn't known.
#[inline]
fn element(key: &str) -> Result<Option<Element>, String> {
    let mut chars = key.chars();
    let (Some(kind), Some(':')) = (chars.next(), chars.next()) else {
        return Err(format!("\"{}\" is not a path element", key.escape_debug()));
    };
    let rest = chars.as_str();
    let json = || {
        rest.parse::<Value>()
            .map_err(|error| wrong(key, &error.to_string()))
    };
    Ok(Some(match kind {
        'f' => Element::Field(rest.to_owned()),
        'k' => match json()? {
            Value::Object(keys) if !keys.is_empty() => Element::Key(keys),
            _ => return Err(wrong(key, "not an object of keys")),
        },
        'v' => Element::Value(json()?),
        'i' => match rest.parse() {
            Ok(index) => Element::Index(index),
            Err(_) => return Err(wrong(key, "not an index")),
        },
        _ => return Ok(None),
    }))
}

#[inline]
fn wrong(key: &str, message: &str) -> String {
    format!("\"{}\": {message}", key.escape_debug())
}
