//! Converts values to trees, with their fields in the order of the type.
//!
//! Functions with a type parameter are compiled for every type. So they are small, and call
//! functions without type parameters.

use std::borrow::Cow;
use std::fmt::Display;

use k8s_openapi::serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use k8s_openapi::serde_json::{Error, Map, Number, Value};

type Written = Result<Tree, Error>;

/// Converts a value to a tree.
///
/// # Errors
///
/// When serializing fails.
pub fn tree<T: Serialize + ?Sized>(value: &T) -> Written {
    value.serialize(Writer)
}

/// Returns a value as JSON.
///
/// # Errors
///
/// When serializing fails.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, Error> {
    into_value(value.serialize(Writer))
}

fn into_value(written: Written) -> Result<Value, Error> {
    written.map(Tree::into_value)
}

/// A value as its type writes it: JSON with the fields in the order of the type.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// `null`, and a number that JSON doesn't have.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Cow<'static, str>),
    /// A list.
    Items(Vec<Tree>),
    /// An object.
    Fields(Vec<(Cow<'static, str>, Tree)>),
}

impl Tree {
    /// Returns the value without the order of fields.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number),
            Self::Text(text) => Value::String(text.into_owned()),
            Self::Items(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.push(item.into_value());
                }
                Value::Array(list)
            }
            Self::Fields(fields) => {
                let mut object = Map::new();
                for (name, value) in fields {
                    object.insert(name.into_owned(), value.into_value());
                }
                Value::Object(object)
            }
        }
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Items(items) => items.serialize(serializer),
            Self::Fields(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

/// A variant with content, as serde writes it: an object with the variant as its only field.
fn variant(name: &'static str, value: Tree) -> Tree {
    Tree::Fields(vec![(name.into(), value)])
}

struct Writer;

impl Serializer for Writer {
    type Ok = Tree;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    fn serialize_bool(self, value: bool) -> Written {
        Ok(Tree::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Written {
        Ok(Tree::Number(value.into()))
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Written {
        Ok(Tree::Number(value.into()))
    }

    fn serialize_f32(self, value: f32) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Written {
        Ok(Number::from_f64(value).map_or(Tree::Null, Tree::Number))
    }

    fn serialize_char(self, value: char) -> Written {
        Ok(Tree::Text(value.to_string().into()))
    }

    fn serialize_str(self, value: &str) -> Written {
        Ok(Tree::Text(value.to_owned().into()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Written {
        let bytes = value.iter().map(|byte| Tree::Number((*byte).into()));
        Ok(Tree::Items(bytes.collect()))
    }

    fn serialize_none(self) -> Written {
        Ok(Tree::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        Ok(Tree::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        Ok(Tree::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        Ok(Tree::Text(variant.into()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Written {
        Ok(variant(name, value.serialize(self)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items, Error> {
        Ok(Items {
            variant: None,
            items: Vec::with_capacity(length.unwrap_or_default()),
        })
    }

    fn serialize_tuple(self, length: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Items, Error> {
        let items = self.serialize_seq(Some(length))?;
        Ok(Items {
            variant: Some(variant),
            ..items
        })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Fields, Error> {
        Ok(Fields {
            variant: None,
            name: None,
            fields: Vec::with_capacity(length.unwrap_or_default()),
        })
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Fields, Error> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Fields, Error> {
        let fields = self.serialize_map(Some(length))?;
        Ok(Fields {
            variant: Some(variant),
            ..fields
        })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Written {
        Ok(Tree::Text(value.to_string().into()))
    }
}

struct Items {
    variant: Option<&'static str>,
    items: Vec<Tree>,
}

impl Items {
    fn add(&mut self, item: Written) -> Result<(), Error> {
        self.items.push(item?);
        Ok(())
    }

    fn finish(self) -> Tree {
        let items = Tree::Items(self.items);
        match self.variant {
            Some(name) => variant(name, items),
            None => items,
        }
    }
}

/// Implements one of serde's traits for lists.
macro_rules! items {
    ($($trait:ident::$add:ident),*) => {$(
        impl $trait for Items {
            type Ok = Tree;
            type Error = Error;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.add(value.serialize(Writer))
            }

            fn end(self) -> Written {
                Ok(self.finish())
            }
        }
    )*};
}

items!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

struct Fields {
    variant: Option<&'static str>,
    /// The name of the next field of a map.
    name: Option<String>,
    fields: Vec<(Cow<'static, str>, Tree)>,
}

impl Fields {
    fn add(&mut self, name: Cow<'static, str>, value: Written) -> Result<(), Error> {
        self.fields.push((name, value?));
        Ok(())
    }

    fn add_key(&mut self, key: Written) -> Result<(), Error> {
        self.name = Some(match key? {
            Tree::Text(text) => text.into_owned(),
            Tree::Number(number) => number.to_string(),
            Tree::Bool(value) => value.to_string(),
            _ => return Err(Error::custom("key must be a string")),
        });
        Ok(())
    }

    fn add_value(&mut self, value: Written) -> Result<(), Error> {
        match self.name.take() {
            Some(name) => self.add(name.into(), value),
            None => Err(Error::custom("a value without a key")),
        }
    }

    fn finish(self) -> Tree {
        let fields = Tree::Fields(self.fields);
        match self.variant {
            Some(name) => variant(name, fields),
            None => fields,
        }
    }
}

/// Implements one of serde's traits for structs.
macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl $trait for Fields {
            type Ok = Tree;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.add(name.into(), value.serialize(Writer))
            }

            fn end(self) -> Written {
                Ok(self.finish())
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Fields {
    type Ok = Tree;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.add_key(key.serialize(Writer))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.add_value(value.serialize(Writer))
    }

    fn end(self) -> Written {
        Ok(self.finish())
    }
}
