//! Parses JSON and refuses duplicate keys, of which one value would be lost silently.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The deepest nesting that is read. Kubernetes' own documents go down to some 15 levels.
const MAX_DEPTH: usize = 64;

/// Parses a JSON text; a repeated key is an error.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    // Some editors put a byte order mark before the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Unique { levels: MAX_DEPTH }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Unique {
    levels: usize,
}

impl Unique {
    /// Returns the seed for the inside of a list or an object.
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1);
        levels
            .map(|levels| Self { levels })
            .ok_or_else(|| E::custom(format_args!("recursion limit of {MAX_DEPTH} levels")))
    }
}

impl<'de> DeserializeSeed<'de> for Unique {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if values.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "duplicate key \"{}\"",
                    key.escape_debug()
                )));
            }
            values.insert(key, map.next_value_seed(inner)?);
        }
        Ok(values.into())
    }
}
