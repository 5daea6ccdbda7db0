//! Reads a [`Tree`] as a type, keeps the path of the current value, and reports unknown and
//! duplicate fields.
//!
//! Functions with a type parameter are compiled for every type. So they are small, without `?` and
//! closures, and call functions without type parameters.

use std::collections::HashSet;

use k8s_openapi::serde::de::value::BorrowedStrDeserializer;
use k8s_openapi::serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use k8s_openapi::serde::forward_to_deserialize_any;
use k8s_openapi::serde_json::Error;
use kubernetes_kinds::wire::{CUSTOM, KEPT};

use super::position::Source;
use super::step::Step;
use super::tree::{Field, Node, Tree};
use super::walk::{Names, Walk};
use crate::error::SchemeError;
use crate::strict::FieldErrorKind;

/// Types that Kubernetes keeps as raw JSON, without decoding their fields.
const RAW: [&str; 2] = ["FieldsV1", "RawExtension"];

/// The message for a number beyond floats of 64 bits.
const OUT_OF_RANGE: &str = "number out of range";

/// Reads a value as a type.
///
/// # Errors
///
/// When a field has the wrong shape.
pub(crate) fn read<'t, T: DeserializeOwned>(
    node: &'t Node<'t>,
    mut walk: Walk<'t, '_>,
    source: Option<Source<'_>>,
) -> Result<T, SchemeError> {
    let notices = walk.is_noticing();
    let read = T::deserialize(Reader {
        tree: &node.tree,
        field: None,
        walk: &mut walk,
        notices,
    });
    read.map_err(|error| walk.failed(source, &error))
}

/// A value to read.
struct Reader<'t, 'w, 'l> {
    tree: &'t Tree<'t>,
    /// The field of the value, until the type starts reading the value and so knows the field.
    field: Option<Pending<'t>>,
    walk: &'w mut Walk<'t, 'l>,
    /// True if unknown and duplicate fields are reported; in raw JSON they are not.
    notices: bool,
}

#[derive(Clone, Copy)]
struct Pending<'t> {
    field: &'t Field<'t>,
    index: usize,
    again: bool,
    /// The fields that the type of the object has.
    known: Names,
}

impl<'t, 'w, 'l> Reader<'t, 'w, 'l> {
    /// Reports an unknown field, but no field in its value.
    fn unknown(&mut self) {
        if let Some(pending) = self.field
            && self.notices
        {
            self.walk
                .once(FieldErrorKind::Unknown, pending.field, pending.known);
            self.notices = false;
        }
    }

    /// Enters a known field.
    fn enter(&mut self) {
        if let Some(pending) = self.field.take() {
            if pending.again && self.notices {
                self.walk
                    .once(FieldErrorKind::Duplicate, pending.field, &[]);
            }
            self.walk.enter(Step::Field(pending.index, pending.field));
        }
    }

    fn items(self, items: &'t [Node<'t>]) -> Items<'t, 'w, 'l> {
        Items {
            items: items.iter().enumerate(),
            depth: self.walk.depth(),
            notices: self.notices,
            walk: self.walk,
        }
    }

    fn fields(self, fields: &'t [Field<'t>], known: Names) -> Fields<'t, 'w, 'l> {
        Fields {
            fields: fields.iter().enumerate(),
            known,
            value: None,
            seen: HashSet::new(),
            depth: self.walk.depth(),
            notices: self.notices,
            walk: self.walk,
        }
    }

    /// Returns the error of a value with the wrong type.
    fn mismatch(&self, expected: &dyn Expected) -> Error {
        let unexpected = match self.tree {
            Tree::Null => Unexpected::Unit,
            Tree::Bool(value) => Unexpected::Bool(*value),
            Tree::Number(number) | Tree::Decimal(number, _) => {
                match (number.as_u64(), number.as_i64()) {
                    (Some(value), _) => Unexpected::Unsigned(value),
                    (_, Some(value)) => Unexpected::Signed(value),
                    _ => Unexpected::Float(number.as_f64().unwrap_or_default()),
                }
            }
            Tree::Text(text) => Unexpected::Str(text),
            Tree::Huge(_) => return Error::custom(OUT_OF_RANGE),
            Tree::Unreadable(message) => return Error::custom(message),
            Tree::Items(_) => Unexpected::Seq,
            Tree::Fields(_) => Unexpected::Map,
        };
        Error::invalid_type(unexpected, expected)
    }
}

impl<'de> Deserializer<'de> for Reader<'de, '_, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        self.enter();
        match self.tree {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Number(number) | Tree::Decimal(number, _) => number.deserialize_any(visitor),
            Tree::Text(text) => visitor.visit_borrowed_str(text),
            Tree::Huge(_) => Err(Error::custom(OUT_OF_RANGE)),
            Tree::Unreadable(message) => Err(Error::custom(message)),
            Tree::Items(_) => self.deserialize_seq(visitor),
            Tree::Fields(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        self.enter();
        match self.tree {
            Tree::Text(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        self.enter();
        match self.tree {
            Tree::Items(items) => visitor.visit_seq(self.items(items)),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        known: Names,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.enter();
        match self.tree {
            Tree::Fields(fields) => visitor.visit_map(self.fields(fields, known)),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        self.enter();
        match self.tree {
            Tree::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == KEPT {
            self.unknown();
        }
        self.enter();
        if RAW.contains(&name) {
            self.notices = false;
        }
        if name == CUSTOM {
            self.walk.is_custom();
        }
        match self.tree {
            // Of which a server keeps the digits.
            Tree::Decimal(_, text) | Tree::Huge(text) if name == "Quantity" => {
                visitor.visit_str(text)
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.enter();
        self.tree
            .to_value()
            .deserialize_enum(name, variants, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        self.unknown();
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf
        unit unit_struct tuple tuple_struct identifier
    }
}

struct Items<'t, 'w, 'l> {
    items: std::iter::Enumerate<std::slice::Iter<'t, Node<'t>>>,
    walk: &'w mut Walk<'t, 'l>,
    /// The depth of the list.
    depth: usize,
    notices: bool,
}

impl<'t, 'l> Items<'t, '_, 'l> {
    fn next(&mut self) -> Option<Reader<'t, '_, 'l>> {
        self.walk.leave(self.depth);
        let (index, node) = self.items.next()?;
        self.walk.enter(Step::Item(index));
        Some(Reader {
            tree: &node.tree,
            field: None,
            walk: self.walk,
            notices: self.notices,
        })
    }
}

impl<'t> SeqAccess<'t> for Items<'t, '_, '_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'t>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some(reader) = self.next() else {
            return Ok(None);
        };
        match seed.deserialize(reader) {
            Ok(element) => Ok(Some(element)),
            Err(error) => Err(error),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Fields<'t, 'w, 'l> {
    fields: std::iter::Enumerate<std::slice::Iter<'t, Field<'t>>>,
    /// The fields of the type; none for a map.
    known: Names,
    value: Option<Pending<'t>>,
    /// The names so far, if duplicates are reported.
    seen: HashSet<&'t str>,
    walk: &'w mut Walk<'t, 'l>,
    /// The depth of the object.
    depth: usize,
    notices: bool,
}

impl<'t, 'l> Fields<'t, '_, 'l> {
    /// Returns the value of the current field.
    fn value(&mut self) -> Reader<'t, '_, 'l> {
        let field = self.value.take();
        Reader {
            // Nobody asks for a value without a name before it.
            tree: field.map_or(&Tree::Null, |pending| &pending.field.value.tree),
            field,
            walk: self.walk,
            notices: self.notices,
        }
    }

    /// Goes on to the next field and returns its name.
    fn next(&mut self) -> Option<&'t str> {
        self.walk.leave(self.depth);
        let (index, field) = self.fields.next()?;
        self.value = Some(Pending {
            field,
            index,
            again: self.notices && !self.seen.insert(&field.name),
            known: self.known,
        });
        Some(&field.name)
    }
}

impl<'t> MapAccess<'t> for Fields<'t, '_, '_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'t>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        match self.next() {
            Some(name) => match seed.deserialize(BorrowedStrDeserializer::new(name)) {
                Ok(key) => Ok(Some(key)),
                Err(error) => Err(error),
            },
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.value())
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}
