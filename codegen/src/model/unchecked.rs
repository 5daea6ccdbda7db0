//! Rules of schemas that aren't checked.

use serde::Serialize;

use crate::pointer::Pointer;

/// A rule of a schema that isn't checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Unchecked {
    /// The place of its schema in the document.
    pub(crate) pointer: Pointer,
    /// The rule: an expression of CEL, or a keyword with its value.
    pub(crate) rule: String,
    /// The reason.
    pub(crate) reason: String,
}

impl Unchecked {
    /// Returns the same rule of a schema that is at another place.
    pub(crate) fn at(&self, place: &Pointer, other: &Pointer) -> Option<Self> {
        Some(Self {
            pointer: self.pointer.moved(place, other)?,
            ..self.clone()
        })
    }

    /// Returns the kind, and the place in its objects: `Gateway` and `spec.listeners[*].name`.
    pub(crate) fn place(&self) -> (String, String) {
        let mut segments = self.pointer.segments().skip(2);
        let schema = segments.next().unwrap_or_default();
        let kind = schema.rsplit('.').next().unwrap_or_default().to_owned();
        let mut path = String::new();
        while let Some(segment) = segments.next() {
            match segment.as_str() {
                "properties" => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.extend(segments.next());
                }
                "items" | "additionalProperties" => path.push_str("[*]"),
                _ => break,
            }
        }
        (kind, path)
    }
}
