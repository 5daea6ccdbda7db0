//! Decoding streams of objects and lists of any kinds.

use k8s_openapi::serde::de::IgnoredAny;
use k8s_openapi::serde_json::{self, Value};
use kubernetes_kinds::GroupVersionKind;

use super::content::Boxed;
use super::object::{Object, describe};
use super::type_meta::TypeMeta;
use super::{Entry, Scheme};
use crate::error::{Place, Reason, SchemeError, is_plain_list};
use crate::input::json;

impl Scheme {
    /// Reads any number of JSON documents, one after the other, into objects.
    ///
    /// Lists are taken apart: a `v1` `List` into items that each say what they are, a
    /// registered typed list into items of its kind. What isn't registered is kept as it is.
    ///
    /// # Errors
    ///
    /// For the first document or item that is not JSON, doesn't say what it is, contradicts the
    /// list in which it is, or has a field of the wrong shape.
    pub fn decode_json_all(
        &self,
        text: impl AsRef<[u8]>,
    ) -> Result<Vec<Object>, SchemeError> {
        let text = text.as_ref();
        let mut objects = Vec::new();
        let mut number = 0;
        let mut documents = serde_json::Deserializer::from_slice(text).into_iter();
        loop {
            let start = documents.byte_offset();
            let document = documents.next();
            let end = documents.byte_offset();
            let before = text.get(..start).unwrap_or_default();
            match document {
                None => return Ok(objects),
                // The reader has counted the lines of the whole input.
                Some(Err(error)) => {
                    let error = SchemeError::json(String::new(), &error);
                    return Err(error.at(&Place::document(number + 1)));
                }
                Some(Ok(IgnoredAny)) => {
                    let document = text.get(start..end).unwrap_or_default();
                    if document.trim_ascii() == b"null" {
                        continue;
                    }
                    number += 1;
                    self.json_document(document, Place::document(number), &mut objects)
                        .map_err(|error| error.after(before))?;
                }
            }
        }
    }

    /// The objects of one JSON document.
    fn json_document(
        &self,
        text: &[u8],
        place: Place,
        objects: &mut Vec<Object>,
    ) -> Result<(), SchemeError> {
        let kind = TypeMeta::of_json(text)
            .and_then(|meta| meta.kind())
            .map_err(|error| error.at(&place))?;
        let Some(entry) = self.entries.get(&kind) else {
            let value = json::from_json(text).map_err(|error| error.at(&place))?;
            return self.value(value, place, objects);
        };
        let content = (entry.from_json)(text).map_err(|error| {
            let value = json::from_json::<Value>(text).unwrap_or_default();
            error.at(&named(&place, &kind, &value))
        })?;
        take(entry, content, place, objects);
        Ok(())
    }

    /// The objects of a value: one, or the items of a list.
    pub(super) fn value(
        &self,
        value: Value,
        place: Place,
        objects: &mut Vec<Object>,
    ) -> Result<(), SchemeError> {
        let kind = TypeMeta::of_value(&value)
            .and_then(|meta| meta.kind())
            .map_err(|error| error.at(&place))?;
        if let Some(entry) = self.entries.get(&kind) {
            let content = (entry.from_value)(&value)
                .map_err(|error| error.at(&named(&place, &kind, &value)))?;
            take(entry, content, place, objects);
        } else if is_plain_list(&kind) {
            self.plain_list(value, &place, objects)?;
        } else {
            objects.push(Object::untyped(kind, value, place));
        }
        Ok(())
    }

    /// The items of a `v1` `List`, each of which says what it is.
    fn plain_list(
        &self,
        mut list: Value,
        place: &Place,
        objects: &mut Vec<Object>,
    ) -> Result<(), SchemeError> {
        match list.get_mut("items").map(Value::take) {
            None | Some(Value::Null) => Ok(()),
            Some(Value::Array(items)) => {
                for (index, item) in items.into_iter().enumerate() {
                    self.value(item, place.item(index), objects)?;
                }
                Ok(())
            }
            Some(_) => {
                let message = "not a list".to_owned();
                Err(SchemeError::new("items", Reason::Shape { message }).at(place))
            }
        }
    }
}

/// Adds what has been read to the objects, item by item if it is a list.
fn take(entry: &Entry, content: Boxed, place: Place, objects: &mut Vec<Object>) {
    match entry.split {
        None => objects.push(Object::typed(content, place)),
        Some(split) => {
            let items = split(content).into_iter().enumerate();
            objects.extend(
                items.map(|(index, item)| Object::typed(item, place.item(index))),
            );
        }
    }
}

/// The place, with what the object there is called.
fn named(place: &Place, kind: &GroupVersionKind, value: &Value) -> Place {
    let text = |path| value.pointer(path).and_then(Value::as_str);
    let names = (text("/metadata/name"), text("/metadata/namespace"));
    Place {
        object: Some(describe(kind, names)),
        ..place.clone()
    }
}
