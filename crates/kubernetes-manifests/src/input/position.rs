//! The positions of values in JSON, for error messages.

use std::fmt;

use k8s_openapi::serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use k8s_openapi::serde_json;

use super::step::Step;
use super::tree::Position;

/// The text of a document of JSON, in which errors of types find their positions.
#[derive(Clone, Copy)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    /// The text before the document.
    pub(crate) before: &'t str,
}

/// Returns the position of the value at a path, as `serde_json` reports it: where a simple value
/// ends, and before other values.
pub(super) fn position(text: &str, path: &[Step<'_>]) -> Option<Position> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let error = Follow(path).deserialize(&mut deserializer).err()?;
    (error.line() > 0).then(|| (error.line(), error.column()))
}

/// Reads along a path and fails at its end.
struct Follow<'p>(&'p [Step<'p>]);

impl<'de> DeserializeSeed<'de> for Follow<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0 {
            // The reader stops where it would for a value of the wrong type.
            [] => deserializer.deserialize_str(self),
            [Step::Field(..), ..] => deserializer.deserialize_map(self),
            [Step::Item(_), ..] => deserializer.deserialize_seq(self),
        }
    }
}

impl<'de> Visitor<'de> for Follow<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value at a path")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        if let [Step::Field(index, _), inner @ ..] = self.0 {
            for _ in 0..*index {
                map.next_entry::<IgnoredAny, IgnoredAny>()?;
            }
            if map.next_key::<IgnoredAny>()?.is_some() {
                map.next_value_seed(Follow(inner))?;
            }
        }
        Err(M::Error::custom(""))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        if let [Step::Item(index), inner @ ..] = self.0 {
            for _ in 0..*index {
                seq.next_element::<IgnoredAny>()?;
            }
            seq.next_element_seed(Follow(inner))?;
        }
        Err(S::Error::custom(""))
    }
}
