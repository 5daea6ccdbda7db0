//! Documents of YAML: as JSON values or as trees, with limits on what they may become.

use std::cell::Cell;
use std::fmt;

use k8s_openapi::serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use k8s_openapi::serde_json::{Map, Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, MergeKeyPolicy, Options};

use super::locate;
use super::merge::Yaml;
use super::tree::{Read, Tree};
use crate::error::{Reason, SchemeError};

/// How deep a document may be nested. Less than JSON may, because the reader needs much more of
/// the stack; no kind of Kubernetes comes near.
const MAX_DEPTH: usize = 64;

/// What a value counts in addition to its text.
const NODE: usize = 4;

/// How many times its size a text may become by its aliases, beyond [`HEADROOM`].
const MAX_GROWTH: usize = 10;

/// What even a small text may become.
pub(crate) const HEADROOM: usize = 256 << 10;

/// The readers' limits. What grows no faster than the input needs none, since that is in memory
/// already; what aliases make of it is limited by [`Node`].
fn reading() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
        },
        legacy_octal_numbers: true,
        reject_unsupported_tags: true,
        with_snippet: false,
        emit_comments: false,
    }
}

/// The documents of a stream that hold something.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>, SchemeError> {
    let documents: Vec<Node> = read(text).map_err(fault)?;
    Ok(documents.into_iter().map(|node| node.0).collect())
}

/// The same with every field of them, however often it stands there.
pub(crate) fn trees(text: &str) -> Result<Vec<Tree<'static>>, SchemeError> {
    let mut headroom = HEADROOM;
    trees_within(text, &mut headroom)
}

/// The same of a part of a stream whose documents share what aliases may add.
pub(crate) fn trees_within(
    text: &str,
    headroom: &mut usize,
) -> Result<Vec<Tree<'static>>, SchemeError> {
    let mut options = reading();
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    options.merge_keys = MergeKeyPolicy::AsOrdinary;
    let documents = read_within::<Read<'_, Yaml>>(text, options, *headroom);
    // What has been read of a damaged document counts too.
    *headroom = LEFT.get().min(*headroom);
    let documents = documents.map_err(fault)?;
    Ok(documents.into_iter().map(|read| read.0).collect())
}

/// The same of the only one.
pub(crate) fn yaml_document(text: &str) -> Result<Tree<'static>, SchemeError> {
    let documents = trees(text)?;
    let found = documents.len();
    match <[_; 1]>::try_from(documents) {
        Ok([document]) => Ok(document),
        Err(_) => Err(Reason::Documents { found }.into()),
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, serde_saphyr::Error> {
    read_with(text, reading())
}

fn read_with<T: DeserializeOwned>(
    text: &str,
    options: Options,
) -> Result<Vec<T>, serde_saphyr::Error> {
    read_within(text, options, HEADROOM)
}

fn read_within<T: DeserializeOwned>(
    text: &str,
    options: Options,
    headroom: usize,
) -> Result<Vec<T>, serde_saphyr::Error> {
    LEFT.set(text.len().saturating_mul(MAX_GROWTH).saturating_add(headroom));
    DEPTH.set(0);
    serde_saphyr::from_str_multiple_with_options(text, options)
}

/// The error, with the line and column of the field in the document of that number.
pub(crate) fn locate(text: &str, number: usize, error: SchemeError) -> SchemeError {
    let mut options = reading();
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    let trees = read_with::<locate::Tree>(text, options).unwrap_or_default();
    let tree = trees.get(number.saturating_sub(1));
    let position = tree.and_then(|tree| tree.find(&error.place().path));
    error.on(position)
}

fn fault(error: serde_saphyr::Error) -> SchemeError {
    let message = error.to_string();
    let position = error.location().and_then(|location| {
        let line = usize::try_from(location.line()).ok()?;
        Some((line, usize::try_from(location.column()).ok()?))
    });
    let end = position.map(|(line, column)| format!(" at line {line}, column {column}"));
    let end = end.unwrap_or_default();
    let message = message.strip_suffix(&end).unwrap_or(&message).to_owned();
    SchemeError::from(Reason::Syntax { message }).on(position)
}

thread_local! {
    /// How much the documents of the stream that is being read may still become. The reader
    /// makes its values without asking for anything but their type, so it is kept here.
    static LEFT: Cell<usize> = const { Cell::new(0) };

    /// How deep a [`Tree`] has got.
    pub(crate) static DEPTH: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn spend<E: Error>(bytes: usize) -> Result<(), E> {
    let left = LEFT.get().checked_sub(bytes + NODE).ok_or_else(|| {
        E::custom(
            "its aliases make it many times larger than the text; write out what they repeat",
        )
    })?;
    LEFT.set(left);
    Ok(())
}

/// A JSON value that counts what it takes.
struct Node(Value);

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(Node)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        spend(0)?;
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        spend(0)?;
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        spend(0)?;
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        spend(0)?;
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        spend(0)?;
        let number = Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::custom("JSON has no such number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        spend(value.len())?;
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        spend(value.len())?;
        Ok(value.into())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Value, S::Error> {
        spend(0)?;
        let mut items = Vec::new();
        while let Some(Node(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Value, M::Error> {
        spend(0)?;
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            spend(name.len())?;
            let Node(value) = map.next_value()?;
            if fields.contains_key(&name) {
                return Err(Error::custom(format_args!(
                    "the key `{name}` stands twice"
                )));
            }
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}
