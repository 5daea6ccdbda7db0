//! Adopts a release: brings the structure of an upstream document into ours, which keeps its own
//! descriptions.

use serde_json::{Map, Value};

use crate::compare::{Difference, DifferenceKind, compare};
use crate::diag::Diagnostics;
use crate::pointer::Pointer;
use crate::source::Source;

/// A placeholder for a description that is still to be written.
///
/// [`generate`](crate::generate) refuses a document that has one.
pub const TO_DESCRIBE: &str = "TODO: describe";

/// A document with the structure of an upstream one.
#[derive(Clone, Debug)]
pub struct Adopted {
    /// The document as JSON.
    pub text: String,
    /// The descriptions that are still to be written.
    pub to_describe: Vec<Pointer>,
    /// The number of places that were brought into line.
    pub changes: usize,
    /// The differences that remain, because our document has another form there.
    pub remaining: Vec<Difference>,
}

/// Brings the structure of an upstream document into ours.
///
/// Nothing of upstream's text is taken over: descriptions of new places are [`TO_DESCRIBE`]. Of
/// several kinds, `kinds` names those of our document; all if none is named. Differences that
/// `is_expected` accepts stay.
///
/// # Errors
///
/// When one of the documents can't be read.
pub fn adopt(
    ours: &Source,
    upstream: &Source,
    kinds: &[String],
    is_expected: impl Fn(&Difference) -> bool,
) -> Result<Adopted, Diagnostics> {
    let comparison = compare(ours, upstream, kinds)?;
    // Both have been read by now.
    let [mut document, theirs] =
        [ours, upstream].map(|source| serde_json::from_str(&source.text).unwrap_or(Value::Null));
    let mut adoption = Adoption {
        parameters: names(&document, "/components/parameters"),
        has_enumerations: !comparison.from_server,
        new_parameters: Map::new(),
    };
    let mut remaining = Vec::new();
    let mut changes = 0;
    for difference in comparison.differences {
        if is_expected(&difference) {
            continue;
        }
        let at = difference.pointer.as_str();
        let value = theirs.pointer(at).filter(|_| adoption.keeps_place(at));
        let value = value.map(|value| adoption.stripped(value, at));
        match apply(&mut document, &difference, value) {
            Some(()) => changes += 1,
            None => remaining.push(difference),
        }
    }
    if let Some(Value::Object(parameters)) = document.pointer_mut("/components/parameters") {
        parameters.extend(adoption.new_parameters);
    }
    let mut to_describe = Vec::new();
    undescribed(&document, &Pointer::root(), &mut to_describe);
    Ok(Adopted {
        text: format!("{document:#}\n"),
        to_describe,
        changes,
        remaining,
    })
}

/// Returns the places of a document whose description is still to be written.
pub(crate) fn undescribed(value: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    // Few documents have one, and to name the place of every value takes long.
    if has_undescribed(value) {
        collect_undescribed(value, at, found);
    }
}

fn has_undescribed(value: &Value) -> bool {
    match value {
        Value::String(text) => text == TO_DESCRIBE,
        Value::Array(values) => values.iter().any(has_undescribed),
        Value::Object(members) => members.values().any(has_undescribed),
        _ => false,
    }
}

fn collect_undescribed(value: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    match value {
        Value::String(text) if text == TO_DESCRIBE => found.push(at.clone()),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                collect_undescribed(value, &at.child(index), found);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                collect_undescribed(value, &at.child(key), found);
            }
        }
        _ => {}
    }
}

fn names(document: &Value, pointer: &str) -> Vec<String> {
    let members = document.pointer(pointer).and_then(Value::as_object);
    members.into_iter().flat_map(Map::keys).cloned().collect()
}

/// Makes our document the same as upstream's at one place; `None` if it has no such place.
fn apply(document: &mut Value, difference: &Difference, value: Option<Value>) -> Option<()> {
    let (parent, key) = difference.pointer.as_str().rsplit_once('/')?;
    let key = key.replace("~1", "/").replace("~0", "~");
    let parent = document.pointer_mut(parent)?.as_object_mut()?;
    match (difference.change, value) {
        (DifferenceKind::Added, _) => drop(parent.remove(&key)?),
        (DifferenceKind::Removed | DifferenceKind::Changed, Some(value)) => {
            drop(parent.insert(key, value))
        }
        (DifferenceKind::Removed | DifferenceKind::Changed, None) => return None,
    }
    Some(())
}

/// The form in which upstream's values enter our document.
struct Adoption {
    /// The parameters that our document describes once for all operations.
    parameters: Vec<String>,
    /// Enumerations are part of the document, and not only of what a server publishes: otherwise
    /// the overlays have them.
    has_enumerations: bool,
    new_parameters: Map<String, Value>,
}

impl Adoption {
    /// Returns a value of upstream's document with markers in place of its descriptions.
    fn stripped(&mut self, value: &Value, at: &str) -> Value {
        match value {
            Value::Array(values) if at.ends_with("/parameters") => {
                let parameters = values.iter().map(|parameter| self.parameter(parameter));
                parameters.collect()
            }
            Value::Array(values) => {
                let values = values.iter().enumerate();
                values
                    .map(|(index, value)| self.stripped(value, &format!("{at}/{index}")))
                    .collect()
            }
            Value::Object(members) => {
                let kept = members.iter().filter(|(key, _)| self.keeps(key, at));
                let kept: Vec<_> = kept.collect();
                kept.into_iter()
                    .map(|(key, value)| (key.clone(), self.member(key, value, at)))
                    .collect()
            }
            other => other.clone(),
        }
    }

    fn keeps_place(&self, pointer: &str) -> bool {
        let place = pointer.rsplit_once('/');
        place.is_none_or(|(parent, key)| self.keeps(key, parent))
    }

    fn keeps(&self, key: &str, at: &str) -> bool {
        at.ends_with("/properties")
            || !(key == "tags"
                || key == "example"
                || key == "externalDocs"
                || (key == "enum" && !self.has_enumerations))
    }

    fn member(&mut self, key: &str, value: &Value, at: &str) -> Value {
        // Below `properties` every key is a name. A response is described by its status.
        let is_text = key == "description" && value.is_string() && !at.ends_with("/properties");
        if is_text && !at.contains("/responses/") {
            return TO_DESCRIBE.into();
        }
        self.stripped(value, &format!("{at}/{key}"))
    }

    /// Returns a reference to a parameter, which our documents describe once.
    fn parameter(&mut self, parameter: &Value) -> Value {
        let Some(name) = parameter.get("name").and_then(Value::as_str) else {
            return parameter.clone();
        };
        if !self.parameters.iter().any(|known| known == name) {
            let stripped = self.stripped(parameter, "");
            self.new_parameters.insert(name.to_owned(), stripped);
        }
        serde_json::json!({ "$ref": format!("#/components/parameters/{name}") })
    }
}
