//! Types become trees, with their fields in the order of the type, and trees become text.

use std::borrow::Cow;
use std::fmt::Display;

use k8s_openapi::serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct,
    SerializeStructVariant, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
    Serializer,
};
use k8s_openapi::serde_json::{Error, Number};

use super::tree::{Field, Tree};

type Written = Result<Tree<'static>, Error>;

/// Makes a tree of an object.
///
/// # Errors
///
/// When the type refuses to be written.
pub(crate) fn tree<T: Serialize + ?Sized>(object: &T) -> Written {
    object.serialize(Writer)
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null | Self::NotText => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Items(items) => {
                serializer.collect_seq(items.iter().map(|item| &item.tree))
            }
            Self::Fields(fields) => {
                let fields = fields.iter();
                serializer
                    .collect_map(fields.map(|field| (&field.name, &field.value.tree)))
            }
        }
    }
}

fn field(name: Cow<'static, str>, value: Tree<'static>) -> Field<'static> {
    Field {
        name,
        position: None,
        value: value.into(),
    }
}

/// A variant with content, as serde writes it: an object with the variant as its only field.
fn variant(name: &'static str, value: Tree<'static>) -> Tree<'static> {
    Tree::Fields(vec![field(name.into(), value)])
}

struct Writer;

impl Serializer for Writer {
    type Ok = Tree<'static>;
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
        let bytes = value.iter().map(|byte| Tree::Number((*byte).into()).into());
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

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Written {
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

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Items, Error> {
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
    items: Vec<super::tree::Node<'static>>,
}

impl Items {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.items.push(tree(value)?.into());
        Ok(())
    }

    fn finish(self) -> Tree<'static> {
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
            type Ok = Tree<'static>;
            type Error = Error;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.add(value)
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
    fields: Vec<Field<'static>>,
}

impl Fields {
    fn finish(self) -> Tree<'static> {
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
            type Ok = Tree<'static>;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.fields.push(field(name.into(), tree(value)?));
                Ok(())
            }

            fn end(self) -> Written {
                Ok(self.finish())
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Fields {
    type Ok = Tree<'static>;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.name = Some(match tree(key)? {
            Tree::Text(text) => text.into_owned(),
            Tree::Number(number) => number.to_string(),
            Tree::Bool(value) => value.to_string(),
            _ => return Err(Error::custom("key must be a string")),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<(), Error> {
        let Some(name) = self.name.take() else {
            return Err(Error::custom("a value without a key"));
        };
        self.fields.push(field(name.into(), tree(value)?));
        Ok(())
    }

    fn end(self) -> Written {
        Ok(self.finish())
    }
}
