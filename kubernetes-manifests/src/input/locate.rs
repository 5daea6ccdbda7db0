//! Finding the line of a field in YAML, for messages.
//!
//! Values don't know where they stood, so this reads the text once more when there is a fault.

use std::fmt;

use k8s_openapi::serde::de::{
    Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_saphyr::Spanned;

use super::yaml::{DEPTH, spend};
use crate::error::after;

/// How deep it looks. Faults are in typed fields, none of which lies deeper; what does is
/// skipped, which takes less of the stack.
const MAX_DEPTH: usize = 24;

/// Where a node of a document stands, and the nodes in it.
pub(super) struct Tree {
    position: Option<(usize, usize)>,
    inside: Inside,
}

enum Inside {
    Nothing,
    Items(Vec<Tree>),
    Fields(Vec<(String, Tree)>),
}

impl Tree {
    /// The line and column of the field at `path`, or of what is nearest around it.
    pub(super) fn find(&self, path: &str) -> Option<(usize, usize)> {
        let found = match &self.inside {
            Inside::Nothing => None,
            Inside::Items(items) => {
                let mut items = items.iter().enumerate();
                items.find_map(|(index, item)| {
                    item.find(path.strip_prefix(&format!("[{index}]"))?)
                })
            }
            Inside::Fields(fields) => {
                let path = path.strip_prefix('.').unwrap_or(path);
                let mut fields = fields.iter();
                fields.find_map(|(name, field)| field.find(after(name, path)?))
            }
        };
        found.or(self.position)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned {
            value, referenced, ..
        } = Spanned::<Inside>::deserialize(deserializer)?;
        let line = usize::try_from(referenced.line()).ok();
        let column = usize::try_from(referenced.column()).ok();
        Ok(Self {
            position: line.zip(column).filter(|(line, _)| *line > 0),
            inside: value,
        })
    }
}

impl<'de> Deserialize<'de> for Inside {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let depth = DEPTH.get();
        if depth == MAX_DEPTH {
            return deserializer
                .deserialize_ignored_any(IgnoredAny)
                .map(|_| Self::Nothing);
        }
        DEPTH.set(depth + 1);
        let inside = deserializer.deserialize_any(InsideVisitor);
        DEPTH.set(depth);
        inside
    }
}

struct InsideVisitor;

impl<'de> Visitor<'de> for InsideVisitor {
    type Value = Inside;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E: Error>(self) -> Result<Inside, E> {
        leaf()
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Inside, E> {
        leaf()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Inside, E> {
        leaf()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Inside, E> {
        leaf()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Inside, E> {
        leaf()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Inside, E> {
        leaf()
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Inside, S::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            spend(0)?;
            items.push(item);
        }
        Ok(Inside::Items(items))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Inside, M::Error> {
        let mut fields = Vec::new();
        while let Some((name, field)) = map.next_entry::<String, Tree>()? {
            spend(name.len())?;
            fields.push((name, field));
        }
        Ok(Inside::Fields(fields))
    }
}

fn leaf<E: Error>() -> Result<Inside, E> {
    spend(0)?;
    Ok(Inside::Nothing)
}
