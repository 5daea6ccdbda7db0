//! Reading JSON into a [`Tree`].

use std::borrow::Cow;
use std::fmt;

use k8s_openapi::serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use k8s_openapi::serde_json::Number;
use kubernetes_kinds::wire::Key;

use super::tree::{Field, MAX_DEPTH, Node, TOO_DEEP, Tree};

/// A [`Node`] of a text in memory.
pub(super) struct Read<'a>(pub(super) Node<'a>);

impl<'de> Deserialize<'de> for Read<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Inside(0).deserialize(deserializer).map(Self)
    }
}

/// Reads a value inside of so many lists and objects.
struct Inside(usize);

impl<'de> DeserializeSeed<'de> for Inside {
    type Value = Node<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        let tree = if self.0 < MAX_DEPTH {
            deserializer.deserialize_any(self)?
        } else {
            // `serde_json` skips any depth, and reads no more than this.
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            Tree::Unreadable(TOO_DEEP)
        };
        Ok(tree.into())
    }
}

impl<'de> Visitor<'de> for Inside {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Tree<'de>, E> {
        let number = Number::from_f64(value);
        number
            .map(Tree::Number)
            .ok_or_else(|| E::custom("JSON has no such number"))
    }

    fn visit_borrowed_str<E: de::Error>(self, value: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Tree<'de>, S::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Self(self.0 + 1))? {
            items.push(item);
        }
        Ok(Tree::Items(items))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Tree<'de>, M::Error> {
        let mut fields = Vec::new();
        while let Some(Key(name)) = map.next_key::<Key<'de>>()? {
            let value = map.next_value_seed(Self(self.0 + 1))?;
            fields.push(Field {
                name,
                position: None,
                value,
            });
        }
        Ok(Tree::Fields(fields))
    }
}
