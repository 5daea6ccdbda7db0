//! What a write leaves to the owners of fields.

use k8s_openapi::serde_json::Value;

use super::ExtractError;
use super::fields::{Element, Owned};
use super::live::{field, is_at, is_granular};
use crate::FieldPath;

/// A write of an object, which takes fields from their owners.
///
/// What the write adds or changes belongs to the manager that writes, and what it removes to
/// nobody. A server drops an entry of `managedFields` to which no field is left.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The object before the write.
    pub before: &'a Value,
    /// The object after it.
    pub after: &'a Value,
    /// The paths whose parts can have different owners, as in
    /// [`Kind::GRANULAR`](crate::Kind::GRANULAR).
    pub granular: &'a [&'a str],
    /// The fields of the object that the write can't change, such as `status`.
    pub unchanged: &'a [&'a str],
}

impl Change<'_> {
    /// Returns true if a field is left to the owner of these fields, which are `fieldsV1` of an
    /// entry.
    ///
    /// # Errors
    ///
    /// [`ExtractError::Fields`] if the fields can't be read; a server then drops all entries.
    #[inline]
    pub fn leaves(&self, fields: &Value) -> Result<bool, ExtractError> {
        let mut owned = Owned::default();
        owned.add(fields, &FieldPath::new("fieldsV1"))?;
        let object = Part {
            before: Some(self.before),
            after: Some(self.after),
            can_change: true,
        };
        Ok(self.leaves_inside("", object, &owned))
    }

    /// Returns true if a part of a value that has parts is left.
    #[inline]
    fn leaves_inside(&self, path: &str, whole: Part<'_>, owned: &Owned) -> bool {
        owned.elements().any(|(element, owned)| {
            let path = match element {
                Element::Field(name) => field(path, name),
                _ => format!("{path}[]"),
            };
            let part = Part {
                before: find(whole.before, element),
                after: find(whole.after, element),
                can_change: whole.can_change && !self.unchanged.contains(&path.as_str()),
            };
            if !is_granular(&path, self.granular) && part.has_one_owner() {
                // Who owns a part owns all of it, as in the server.
                return !part.changes(false);
            }
            owned.itself && !part.changes(true) || self.leaves_inside(&path, part, owned)
        })
    }
}

/// A value before and after a write.
#[derive(Clone, Copy)]
struct Part<'a> {
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    /// False in what the write can't change.
    can_change: bool,
}

impl Part<'_> {
    /// Returns true if the value has parts, which belong to one owner unless its path is granular.
    #[inline]
    fn has_one_owner(self) -> bool {
        let has_parts = |value: &Value| value.is_array() || value.is_object();
        self.before.is_some_and(has_parts) || self.after.is_some_and(has_parts)
    }

    /// Returns true if the write changes the value itself. What has parts with other owners is
    /// only added or removed.
    #[inline]
    fn changes(self, has_parts: bool) -> bool {
        let differs = match (self.before, self.after) {
            (Some(before), Some(after)) => {
                let is_whole = !has_parts || is_empty(before) && is_empty(after);
                is_whole && before != after
            }
            (before, after) => before.is_some() != after.is_some(),
        };
        self.can_change && differs
    }
}

#[inline]
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => true,
    }
}

/// Returns the field or the element that is named.
#[inline]
fn find<'a>(value: Option<&'a Value>, element: &Element) -> Option<&'a Value> {
    if let Element::Field(name) = element {
        return value?.get(name);
    }
    if matches!(element, Element::Index(_)) {
        // Elements with owners have keys.
        return None;
    }
    let elements = value?.as_array()?.iter().enumerate();
    let mut named = elements.filter(|(index, value)| is_at(element, *index, value));
    named.next().map(|(_, value)| value)
}
