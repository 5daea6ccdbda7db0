//! Reads `apiVersion` and `kind` before the rest of an object.

use std::borrow::Cow;
use std::fmt;

use k8s_openapi::Resource;
use k8s_openapi::serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor,
};
use k8s_openapi::serde_json::{self, Value};
use kubernetes_kinds::GroupVersionKind;

use crate::error::{Reason, SchemeError};
use crate::input::tree::Tree;

/// The type of an object, as far as the object names it.
#[derive(Default)]
pub(super) struct TypeMeta<'a> {
    api_version: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
}

impl<'a> TypeMeta<'a> {
    /// Reads a JSON text until both fields are known; the rest is not checked.
    pub(super) fn of_json(text: &'a [u8]) -> Result<Self, SchemeError> {
        match String::from_utf8_lossy(text) {
            Cow::Borrowed(text) => Self::of_text(text),
            Cow::Owned(text) => {
                let TypeMeta { api_version, kind } = TypeMeta::of_text(&text)?;
                let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
                Ok(Self {
                    api_version: api_version.map(owned),
                    kind: kind.map(owned),
                })
            }
        }
    }

    // From a text, as everything here: `serde_json` would be compiled once more for bytes.
    fn of_text(text: &'a str) -> Result<Self, SchemeError> {
        let mut meta = Self::default();
        let mut deserializer = serde_json::Deserializer::from_str(text);
        match Peek(&mut meta).deserialize(&mut deserializer) {
            // Stopping early is an error of the deserializer.
            Err(error) if !meta.is_complete() => Err(SchemeError::syntax(&error)),
            _ => Ok(meta),
        }
    }

    /// Reads a value.
    pub(super) fn of_value(value: &'a Value) -> Result<Self, SchemeError> {
        let Value::Object(fields) = value else {
            return Err(shape("not an object").into());
        };
        Self::of(|name| match fields.get(name) {
            None | Some(Value::Null) => Some(None),
            Some(Value::String(text)) => Some(Some(text)),
            Some(_) => None,
        })
    }

    /// Reads a tree, in which the last of duplicate fields counts.
    pub(super) fn of_tree(tree: &'a Tree<'_>) -> Result<Self, SchemeError> {
        if !matches!(tree, Tree::Fields(_)) {
            return Err(shape("not an object").into());
        }
        Self::of(
            |name| match tree.field(name).map(|(_, field)| &field.value.tree) {
                None | Some(Tree::Null) => Some(None),
                Some(Tree::Text(text)) => Some(Some(text)),
                Some(_) => None,
            },
        )
    }

    /// Reads fields with a function; its outer `None` is a field that is not a string.
    fn of(get: impl Fn(&'static str) -> Option<Option<&'a str>>) -> Result<Self, SchemeError> {
        let text = |name| match get(name) {
            Some(text) => Ok(text.map(Cow::Borrowed)),
            None => Err(SchemeError::field(name, shape("not a string"))),
        };
        Ok(Self {
            api_version: text("apiVersion")?,
            kind: text("kind")?,
        })
    }

    fn is_complete(&self) -> bool {
        self.api_version.is_some() && self.kind.is_some()
    }

    /// Returns true if this is the kind of a type.
    pub(super) fn names<T: Resource>(&self) -> bool {
        self.api_version.as_deref() == Some(T::API_VERSION) && self.kind.as_deref() == Some(T::KIND)
    }

    /// Returns the kind that it names.
    pub(super) fn kind(&self) -> Result<GroupVersionKind, SchemeError> {
        let api_version = required("apiVersion", &self.api_version)?;
        let kind = required("kind", &self.kind)?;
        Ok(GroupVersionKind::from_type_meta(api_version, kind))
    }
}

fn shape(message: &str) -> Reason {
    Reason::Shape {
        message: message.to_owned(),
    }
}

/// Returns the text of a field that must not be empty.
fn required<'v>(
    field: &'static str,
    value: &'v Option<Cow<'_, str>>,
) -> Result<&'v str, SchemeError> {
    let value = value.as_deref().filter(|value| !value.is_empty());
    value.ok_or_else(|| Reason::Unnamed { field }.into())
}

/// Fills in a [`TypeMeta`] and stops.
struct Peek<'m, 'a>(&'m mut TypeMeta<'a>);

impl<'de> DeserializeSeed<'de> for Peek<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Peek<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while !self.0.is_complete() {
            match map.next_key_seed(FieldSeed)? {
                None => break,
                Some(Field::ApiVersion) => {
                    self.0.api_version = map.next_value_seed(Text("apiVersion"))?;
                }
                Some(Field::Kind) => self.0.kind = map.next_value_seed(Text("kind"))?,
                Some(Field::Other) => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

enum Field {
    ApiVersion,
    Kind,
    Other,
}

struct FieldSeed;

impl<'de> DeserializeSeed<'de> for FieldSeed {
    type Value = Field;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldSeed {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Field, E> {
        Ok(match name {
            "apiVersion" => Field::ApiVersion,
            "kind" => Field::Kind,
            _ => Field::Other,
        })
    }
}

/// A string, borrowed from the input if possible, or `null`.
struct Text(&'static str);

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string as {}", self.0)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}
