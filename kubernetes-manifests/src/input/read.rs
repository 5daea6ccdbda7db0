//! Reading a format into a [`Tree`].

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::serde::de::{
    self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor,
};
use k8s_openapi::serde_json::Number;

use super::tree::{Field, Node, Position, Tree};

/// A name, with its position if the format knows that while reading.
pub(super) type Name<'a> = (Cow<'a, str>, Option<Position>);

/// A format, whose names and texts live as long as `'a`.
pub(super) trait Format<'de, 'a>: Sized {
    /// Counts a value that needs so many bytes.
    ///
    /// # Errors
    ///
    /// When that is too much.
    fn spend<E: de::Error>(_bytes: usize) -> Result<(), E> {
        Ok(())
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// When the input is damaged.
    fn node<D: Deserializer<'de>>(deserializer: D) -> Result<Node<'a>, D::Error> {
        Ok(tree::<Self, D>(deserializer)?.into())
    }

    /// Reads the next name of an object.
    ///
    /// # Errors
    ///
    /// When it is not a text, or the input is damaged.
    fn next_name<M: MapAccess<'de>>(map: &mut M) -> Result<Option<Name<'a>>, M::Error>;

    /// Makes a tree of a text that outlives reading.
    fn borrowed(text: &'de str) -> Tree<'a>;

    /// Adds a field to an object, or the fields that a merge key brings.
    fn add(fields: &mut Vec<Field<'a>>, field: Field<'a>) {
        fields.push(field);
    }

    /// Checks the fields of an object that has been read.
    ///
    /// # Errors
    ///
    /// When duplicates are not allowed.
    fn check<E: de::Error>(_fields: &[Field<'a>]) -> Result<(), E> {
        Ok(())
    }
}

/// A [`Node`] read from a format.
pub(super) struct Read<'a, F>(pub(super) Node<'a>, PhantomData<F>);

impl<'de, 'a, F: Format<'de, 'a>> Deserialize<'de> for Read<'a, F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(F::node(deserializer)?, PhantomData))
    }
}

/// Reads a tree whose position nobody asks for.
pub(super) fn tree<'de, 'a, F: Format<'de, 'a>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Tree<'a>, D::Error> {
    deserializer.deserialize_any(TreeVisitor::<'a, F>(PhantomData))
}

struct TreeVisitor<'a, F>(PhantomData<(&'a (), F)>);

impl<'de, 'a, F: Format<'de, 'a>> Visitor<'de> for TreeVisitor<'a, F> {
    type Value = Tree<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        let number = Number::from_f64(value);
        number.map(Tree::Number).ok_or_else(|| E::custom("JSON has no such number"))
    }

    fn visit_borrowed_str<E: de::Error>(self, value: &'de str) -> Result<Tree<'a>, E> {
        F::spend(value.len())?;
        Ok(F::borrowed(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Tree<'a>, E> {
        self.visit_string(value.to_owned())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Tree<'a>, E> {
        F::spend(value.len())?;
        Ok(Tree::Text(Cow::Owned(value)))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Tree<'a>, S::Error> {
        F::spend(0)?;
        let mut items = Vec::new();
        while let Some(Read::<'a, F>(item, _)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tree::Items(items))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Tree<'a>, M::Error> {
        F::spend(0)?;
        let mut fields = Vec::new();
        while let Some((name, position)) = F::next_name(&mut map)? {
            F::spend(name.len())?;
            let Read::<'a, F>(value, _) = map.next_value()?;
            let field = Field {
                name,
                position,
                value,
            };
            F::add(&mut fields, field);
        }
        F::check(&fields)?;
        Ok(Tree::Fields(fields))
    }
}
