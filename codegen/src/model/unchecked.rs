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
    /// Returns the place in an object, after its kind: `Gateway.spec.listeners[*].name`.
    pub(crate) fn path(&self) -> String {
        let mut segments = self.pointer.segments().skip(2);
        let schema = segments.next().unwrap_or_default();
        let mut path = schema.rsplit('.').next().unwrap_or_default().to_owned();
        while let Some(segment) = segments.next() {
            match segment.as_str() {
                "properties" => {
                    path.push('.');
                    path.extend(segments.next());
                }
                "items" | "additionalProperties" => path.push_str("[*]"),
                _ => break,
            }
        }
        path
    }
}
