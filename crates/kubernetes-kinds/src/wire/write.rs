//! Writes objects, which pass their fields twice: to be counted and to be written.

use std::convert::Infallible;

use k8s_openapi::Resource;
use k8s_openapi::serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use k8s_openapi::serde_json::Value;

use super::{Object, UnknownFields};

/// The receiver of the fields of an [`Object`].
pub trait Fields {
    /// The error of the format.
    type Error;

    /// Receives a field to write.
    ///
    /// # Errors
    ///
    /// Those of the serializer behind it.
    fn take<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Self::Error>;
}

/// Passes a field that is always written, even when zero or empty.
///
/// # Errors
///
/// Those of the serializer behind `fields`.
pub fn required<F: Fields, T: Serialize + ?Sized>(
    fields: &mut F,
    name: &'static str,
    value: &T,
) -> Result<(), F::Error> {
    fields.take(name, value)
}

/// Passes a field that is written only when it is `Some`.
///
/// # Errors
///
/// Those of the serializer behind `fields`.
pub fn optional<F: Fields, T: Serialize>(
    fields: &mut F,
    name: &'static str,
    value: &Option<T>,
) -> Result<(), F::Error> {
    match value {
        Some(value) => fields.take(name, value),
        None => Ok(()),
    }
}

/// Writes an object that has no `apiVersion` and `kind` of its own.
///
/// # Errors
///
/// Those of the serializer.
pub fn write_object<T: Object, S: Serializer>(
    object: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = Writer(serializer.serialize_struct(T::NAME, count(object))?);
    object.write_fields(&mut fields)?;
    fields.0.end()
}

/// Writes a kind or a list of a kind, with `apiVersion` and `kind` before its fields.
///
/// # Errors
///
/// Those of the serializer.
pub fn write_kind<T: Object + Resource, S: Serializer>(
    object: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = Writer(serializer.serialize_struct(T::NAME, count(object) + 2)?);
    fields.take("apiVersion", T::API_VERSION)?;
    fields.take("kind", T::KIND)?;
    object.write_fields(&mut fields)?;
    fields.0.end()
}

/// Writes an object that has no `apiVersion` and `kind` of its own, and after its fields those that
/// it has preserved, but for those whose names it knows; of these, `null` where the field is unset.
///
/// # Errors
///
/// Those of the serializer.
pub fn write_object_with<T: Object, S: Serializer>(
    object: &T,
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    write_map(object, &[], unknown, serializer)
}

/// Writes a kind or a list of a kind as [`write_kind`] does, and after its fields those that it
/// has preserved, but for those whose names it knows.
///
/// # Errors
///
/// Those of the serializer.
pub fn write_kind_with<T: Object + Resource, S: Serializer>(
    object: &T,
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let names = [("apiVersion", T::API_VERSION), ("kind", T::KIND)];
    write_map(object, &names, unknown, serializer)
}

/// Writes an object as a map, because the fields of serde's structs must be known at compile time.
fn write_map<T: Object, S: Serializer>(
    object: &T,
    names: &[(&str, &str)],
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut written = Written(Vec::new());
    let Ok(()) = object.write_fields(&mut written);
    let is_kept = |(name, value): &(&String, &Value)| {
        let name = name.as_str();
        let is_null = value.is_null() && !written.0.contains(&name);
        let is_known = T::FIELDS.contains(&name) && !is_null;
        !is_known && !names.iter().any(|(known, _)| *known == name)
    };
    let kept = unknown.iter().filter(is_kept);
    let length = names.len() + written.0.len() + kept.clone().count();
    let mut fields = MapWriter(serializer.serialize_map(Some(length))?);
    for (name, value) in names {
        fields.0.serialize_entry(name, value)?;
    }
    object.write_fields(&mut fields)?;
    for (name, value) in kept {
        fields.0.serialize_entry(name, value)?;
    }
    fields.0.end()
}

/// The number of fields to write: formats such as CBOR put it first.
fn count<T: Object>(object: &T) -> usize {
    let mut fields = Counter(0);
    let Ok(()) = object.write_fields(&mut fields);
    fields.0
}

struct Counter(usize);

impl Fields for Counter {
    type Error = Infallible;

    fn take<T: Serialize + ?Sized>(&mut self, _: &'static str, _: &T) -> Result<(), Infallible> {
        self.0 += 1;
        Ok(())
    }
}

/// The names of the fields that are written.
struct Written(Vec<&'static str>);

impl Fields for Written {
    type Error = Infallible;

    fn take<T: Serialize + ?Sized>(&mut self, name: &'static str, _: &T) -> Result<(), Infallible> {
        self.0.push(name);
        Ok(())
    }
}

struct Writer<S>(S);

impl<S: SerializeStruct> Fields for Writer<S> {
    type Error = S::Error;

    fn take<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        self.0.serialize_field(name, value)
    }
}

struct MapWriter<S>(S);

impl<S: SerializeMap> Fields for MapWriter<S> {
    type Error = S::Error;

    fn take<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        self.0.serialize_entry(name, value)
    }
}
