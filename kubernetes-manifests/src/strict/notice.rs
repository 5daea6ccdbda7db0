//! Reading a [`Tree`] as a type and noticing what the type asks to skip.

use std::collections::HashSet;

use k8s_openapi::serde::de::value::StrDeserializer;
use k8s_openapi::serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use k8s_openapi::serde::forward_to_deserialize_any;
use k8s_openapi::serde_json::Error;
use kubernetes_kinds::wire::KEPT;

use super::log::{Step, Walk};
use super::{FaultKind, Language};
use crate::input::tree::{Field, Tree};

/// Types that Kubernetes takes over as raw JSON, whose fields it doesn't look at.
const RAW: [&str; 2] = ["FieldsV1", "RawExtension"];

/// A value to be read, and whether it is known yet that the type wants it.
pub(super) struct Notice<'t, 'w, 'l> {
    tree: &'t Tree<'t>,
    /// The field of which this is the value, until the type has said what it wants to read.
    field: Option<Pending<'t>>,
    /// What is noticed; nothing in raw JSON.
    walk: Option<&'w mut Walk<'t, 'l>>,
}

struct Pending<'t> {
    field: &'t Field<'t>,
    again: bool,
}

impl<'t, 'w, 'l> Notice<'t, 'w, 'l> {
    pub(super) fn new(tree: &'t Tree<'t>, walk: &'w mut Walk<'t, 'l>) -> Self {
        Self {
            tree,
            field: None,
            walk: Some(walk),
        }
    }

    /// The type doesn't know the field; in what it makes of that nothing is noticed.
    fn unknown(&mut self) {
        if let Some(Pending { field, .. }) = self.field.take()
            && let Some(walk) = self.walk.take()
        {
            walk.once(FaultKind::Unknown, field);
        }
    }

    /// The type knows the field.
    fn enter(&mut self) {
        if let Some(Pending { field, again }) = self.field.take()
            && let Some(walk) = &mut self.walk
        {
            if again {
                walk.once(FaultKind::Duplicate, field);
            }
            walk.enter(Step::Name(&field.name));
        }
    }
}

impl<'de> Deserializer<'de> for Notice<'_, '_, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(
        mut self,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.enter();
        match self.tree {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Number(number) => number.deserialize_any(visitor),
            Tree::Text(text) => visitor.visit_str(text),
            Tree::Items(items) => visitor.visit_seq(Items {
                items: items.iter().enumerate(),
                walk: self.walk,
            }),
            Tree::Fields(fields) => visitor.visit_map(Fields {
                fields: fields.iter(),
                value: None,
                seen: HashSet::new(),
                walk: self.walk,
            }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(
        mut self,
        visitor: V,
    ) -> Result<V::Value, Error> {
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
            self.walk = None;
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.enter();
        self.tree.to_value().deserialize_enum(name, variants, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        mut self,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.unknown();
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

struct Items<'t, 'w, 'l> {
    items: std::iter::Enumerate<std::slice::Iter<'t, Tree<'t>>>,
    walk: Option<&'w mut Walk<'t, 'l>>,
}

impl<'de> SeqAccess<'de> for Items<'_, '_, '_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some((index, tree)) = self.items.next() else {
            return Ok(None);
        };
        let mut walk = self.walk.as_deref_mut();
        let depth = walk.as_ref().map_or(0, |walk| walk.depth());
        if let Some(walk) = &mut walk {
            walk.enter(Step::Index(index));
        }
        let element = seed.deserialize(Notice {
            tree,
            field: None,
            walk: walk.as_deref_mut(),
        });
        if let Some(walk) = walk {
            walk.leave(depth);
        }
        element.map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Fields<'t, 'w, 'l> {
    fields: std::slice::Iter<'t, Field<'t>>,
    value: Option<Pending<'t>>,
    seen: HashSet<&'t str>,
    walk: Option<&'w mut Walk<'t, 'l>>,
}

impl<'de> MapAccess<'de> for Fields<'_, '_, '_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some(field) = self.fields.next() else {
            return Ok(None);
        };
        let again = !self.seen.insert(&field.name);
        self.value = Some(Pending { field, again });
        let name: StrDeserializer<'_, Error> = field.name.as_ref().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, Error> {
        let Some(value) = self.value.take() else {
            return Err(Error::custom("a value without a field"));
        };
        let mut walk = self.walk.as_deref_mut();
        let depth = walk.as_ref().map_or(0, |walk| walk.depth());
        let read = seed.deserialize(Notice {
            tree: &value.field.value,
            field: Some(value),
            walk: walk.as_deref_mut(),
        });
        if let Some(walk) = walk {
            walk.leave(depth);
        }
        read
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

/// Notices every field that stands twice, at any depth, as a reader does that knows no types.
///
/// That of JSON tells of a duplicate before it reads its value, that of YAML afterwards.
pub(super) fn duplicates<'t>(
    tree: &'t Tree<'t>,
    language: Language,
    walk: &mut Walk<'t, '_>,
) {
    let depth = walk.depth();
    match tree {
        Tree::Items(items) => {
            for (index, item) in items.iter().enumerate() {
                walk.enter(Step::Index(index));
                duplicates(item, language, walk);
                walk.leave(depth);
            }
        }
        Tree::Fields(fields) => {
            let mut seen = HashSet::new();
            for field in fields {
                let again = !seen.insert(&*field.name);
                if again && matches!(language, Language::Json) {
                    walk.once(FaultKind::Duplicate, field);
                }
                walk.enter(Step::Name(&field.name));
                duplicates(&field.value, language, walk);
                walk.leave(depth);
                #[cfg(feature = "yaml")]
                if again && matches!(language, Language::Yaml) {
                    walk.each(FaultKind::Duplicate, field);
                }
            }
        }
        _ => (),
    }
}
