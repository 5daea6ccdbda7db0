//! Reads objects field by field from maps of the input.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor,
};
use k8s_openapi::{Metadata, Resource};

use super::Object;

/// Reads the value that follows a key into `slot`; `null` leaves it as it is.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
pub fn read<'de, M: MapAccess<'de>, T: Deserialize<'de>>(
    map: &mut M,
    slot: &mut T,
) -> Result<(), M::Error> {
    if let Some(value) = map.next_value::<Option<T>>()? {
        *slot = value;
    }
    Ok(())
}

/// Skips the value of an unknown field.
///
/// # Errors
///
/// When the input is invalid.
pub fn skip<'de, M: MapAccess<'de>>(map: &mut M) -> Result<(), M::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// Reads an object that has no `apiVersion` and `kind` of its own.
///
/// # Errors
///
/// When the input is not an object, or a field has the wrong type.
pub fn read_object<'de, T: Object, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_struct(T::NAME, T::FIELDS, ObjectVisitor(PhantomData))
}

/// Reads a kind or a list of a kind, and checks `apiVersion` and `kind` if they are present.
///
/// # Errors
///
/// As [`read_object`], and when `apiVersion` or `kind` name another type.
pub fn read_kind<'de, T: Object + Resource, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_struct(T::NAME, T::FIELDS, KindVisitor(PhantomData))
}

/// Reads a kind of custom resources as [`read_kind`] does. A server doesn't merge its metadata:
/// where it occurs twice, the last one counts.
///
/// # Errors
///
/// As [`read_kind`].
pub fn read_custom_kind<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Object + Metadata<Ty = ObjectMeta>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_newtype_struct(CUSTOM, CustomVisitor(PhantomData))
}

/// The name of the newtype struct by which a deserializer recognises a custom resource.
pub const CUSTOM: &str = "CustomResource";

/// Reads an open enumeration from a string, without copying an owned one.
///
/// # Errors
///
/// When the input is not a string.
pub fn read_enum<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: for<'a> From<&'a str> + From<String>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_str(EnumVisitor(PhantomData))
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} object", T::NAME)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let mut object = T::default();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            object.read_field(&key.0, &mut map)?;
        }
        Ok(object)
    }
}

struct KindVisitor<T>(PhantomData<T>);

impl<'de, T: Object + Resource> Visitor<'de> for KindVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} object", T::NAME)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let mut object = T::default();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            read_kind_field(&mut object, &key.0, &mut map)?;
        }
        Ok(object)
    }
}

fn read_kind_field<'de, T: Object + Resource, M: MapAccess<'de>>(
    object: &mut T,
    field: &str,
    map: &mut M,
) -> Result<(), M::Error> {
    let value = match field {
        "apiVersion" => T::API_VERSION,
        "kind" => T::KIND,
        _ => return object.read_field(field, map),
    };
    map.next_value_seed(Expected { field, value })
}

struct CustomVisitor<T>(PhantomData<T>);

impl<'de, T: Object + Metadata<Ty = ObjectMeta>> Visitor<'de> for CustomVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} object", T::NAME)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, object: D) -> Result<T, D::Error> {
        object.deserialize_struct(T::NAME, T::FIELDS, self)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let mut object = T::default();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            if key.0 == "metadata" {
                *object.metadata_mut() = ObjectMeta::default();
            }
            read_kind_field(&mut object, &key.0, &mut map)?;
        }
        Ok(object)
    }
}

/// A key of the input, borrowed if possible, as from JSON in memory.
#[derive(Debug)]
pub struct Key<'de>(pub Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_identifier(TextVisitor("a field name"))
            .map(Self)
    }
}

/// A string of the input, borrowed if possible.
pub(super) struct Text<'de>(pub Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_str(TextVisitor("a string"))
            .map(Self)
    }
}

/// Visits a string; `expecting` is the given text.
struct TextVisitor(&'static str);

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text))
    }
}

/// A string that must be `value`, or `null`.
struct Expected<'a> {
    field: &'a str,
    value: &'static str,
}

impl<'de> DeserializeSeed<'de> for Expected<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Expected<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", self.field, self.value)
    }

    fn visit_str<E: Error>(self, found: &str) -> Result<(), E> {
        if found == self.value {
            Ok(())
        } else {
            Err(E::custom(format_args!(
                "{} is \"{}\", expected \"{}\"",
                self.field,
                found.escape_debug(),
                self.value
            )))
        }
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

struct EnumVisitor<T>(PhantomData<T>);

impl<T> Visitor<'_> for EnumVisitor<T>
where
    T: for<'a> From<&'a str> + From<String>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<T, E> {
        Ok(T::from(value))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<T, E> {
        Ok(T::from(value))
    }
}
