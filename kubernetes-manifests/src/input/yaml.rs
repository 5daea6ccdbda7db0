//! Documents of YAML as trees, with limits on their size.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::marker::PhantomData;

use k8s_openapi::serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error, MapAccess,
};
use serde_saphyr::{DuplicateKeyPolicy, Location, MergeKeyPolicy, Options, Spanned};

use super::read::{Format, Name, Read, tree};
use super::tree::{Field, Node, Position, Tree};
use crate::error::{Reason, SchemeError};

/// How deep a document may be nested. Less than JSON may, because the reader needs much more of
/// the stack; no kind of Kubernetes comes near.
const MAX_DEPTH: usize = 64;

/// How deep the positions of values are read. Typed fields are less deep; a value without a
/// position takes less of the stack.
const MAX_LOCATED: usize = 16;

/// What a value counts in addition to its text.
const NODE: usize = 4;

/// How many times its size a text may grow by its aliases, beyond [`HEADROOM`].
const MAX_GROWTH: usize = 10;

/// The size to which even a small text may grow.
pub(crate) const HEADROOM: usize = 256 << 10;

/// The options of the reader. What grows no faster than the input needs no limit, since the input is
/// in memory already; [`spend`] limits the growth by aliases.
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

/// Reads the documents of a stream, but for empty ones. Merge keys are resolved; duplicate keys are
/// an error.
pub(crate) fn documents(text: &str) -> Result<Vec<Node<'static>>, SchemeError> {
    read::<Yaml<true>>(text, reading(), HEADROOM)
}

/// Reads the documents of a stream with all duplicate keys, among them those of merge keys.
pub(crate) fn raw_documents(text: &str) -> Result<Vec<Node<'static>>, SchemeError> {
    let mut headroom = HEADROOM;
    raw_documents_within(text, &mut headroom)
}

/// Reads a part of a stream as [`raw_documents`] does; all parts share what aliases may add.
pub(crate) fn raw_documents_within(
    text: &str,
    headroom: &mut usize,
) -> Result<Vec<Node<'static>>, SchemeError> {
    let mut options = reading();
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    options.merge_keys = MergeKeyPolicy::AsOrdinary;
    let documents = read::<Yaml<false>>(text, options, *headroom);
    // A damaged document counts as far as it has been read.
    *headroom = LEFT.get().min(*headroom);
    documents
}

/// Returns the only document.
pub(crate) fn single(
    documents: Vec<Node<'static>>,
) -> Result<Node<'static>, SchemeError> {
    let found = documents.len();
    match <[_; 1]>::try_from(documents) {
        Ok([document]) => Ok(document),
        Err(_) => Err(Reason::Documents { found }.into()),
    }
}

fn read<F>(
    text: &str,
    options: Options,
    headroom: usize,
) -> Result<Vec<Node<'static>>, SchemeError>
where
    Read<'static, F>: DeserializeOwned,
{
    LEFT.set(text.len().saturating_mul(MAX_GROWTH).saturating_add(headroom));
    DEPTH.set(0);
    let read: Result<Vec<Read<'static, F>>, _> =
        serde_saphyr::from_str_multiple_with_options(text, options);
    Ok(read.map_err(syntax)?.into_iter().map(|read| read.0).collect())
}

fn syntax(error: serde_saphyr::Error) -> SchemeError {
    let message = error.to_string();
    let position = error.location().and_then(position);
    let end = position.map(|(line, column)| format!(" at line {line}, column {column}"));
    let end = end.unwrap_or_default();
    let message = message.strip_suffix(&end).unwrap_or(&message).to_owned();
    SchemeError::from(Reason::Syntax { message }).on(position)
}

fn position(location: Location) -> Option<Position> {
    let line = usize::try_from(location.line()).ok()?;
    let column = usize::try_from(location.column()).ok()?;
    (line > 0).then_some((line, column))
}

thread_local! {
    /// How much the documents of the stream that is being read may still grow. The reader
    /// constructs values from their type alone, so the state is here.
    static LEFT: Cell<usize> = const { Cell::new(0) };

    /// How deep the current value is.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

fn spend<E: Error>(bytes: usize) -> Result<(), E> {
    let left = LEFT.get().checked_sub(bytes + NODE).ok_or_else(|| {
        E::custom(
            "its aliases make it many times larger than the text; write out what they repeat",
        )
    })?;
    LEFT.set(left);
    Ok(())
}

fn node<'de, F: Format<'de, 'static>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Node<'static>, D::Error> {
    let depth = DEPTH.get();
    if depth >= MAX_LOCATED {
        return Ok(tree::<F, D>(deserializer)?.into());
    }
    let read = Spanned::<Inside<F>>::deserialize(deserializer);
    DEPTH.set(depth);
    let read = read?;
    Ok(Node {
        position: position(read.referenced),
        tree: read.value.0,
    })
}

/// The tree of a value whose position is known.
struct Inside<F>(Tree<'static>, PhantomData<F>);

impl<'de, F: Format<'de, 'static>> Deserialize<'de> for Inside<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DEPTH.set(DEPTH.get() + 1);
        Ok(Self(tree::<F, D>(deserializer)?, PhantomData))
    }
}

/// YAML, whose merge keys the reader resolves or passes on.
struct Yaml<const RESOLVED: bool>;

impl<'de, const RESOLVED: bool> Format<'de, 'static> for Yaml<RESOLVED> {
    fn spend<E: Error>(bytes: usize) -> Result<(), E> {
        spend(bytes)
    }

    fn node<D: Deserializer<'de>>(deserializer: D) -> Result<Node<'static>, D::Error> {
        node::<Self, D>(deserializer)
    }

    fn next_name<M: MapAccess<'de>>(
        map: &mut M,
    ) -> Result<Option<Name<'static>>, M::Error> {
        let key = map.next_key::<Spanned<String>>()?;
        Ok(key.map(|key| (Cow::Owned(key.value), position(key.referenced))))
    }

    fn borrowed(text: &'de str) -> Tree<'static> {
        Tree::Text(Cow::Owned(text.to_owned()))
    }

    fn add(fields: &mut Vec<Field<'static>>, field: Field<'static>) {
        if RESOLVED || field.name != "<<" {
            fields.push(field);
        } else {
            merge(fields, field);
        }
    }

    /// The reader itself compares keys before they become texts: `1` and `"1"`.
    fn check<E: Error>(fields: &[Field<'static>]) -> Result<(), E> {
        let mut seen = HashSet::new();
        match fields.iter().find(|field| !seen.insert(&*field.name)) {
            Some(again) if RESOLVED => {
                Err(E::custom(format_args!("the key `{}` stands twice", again.name)))
            }
            _ => Ok(()),
        }
    }
}

/// Adds the fields of a merge key's objects, or the field itself if it has none.
fn merge(fields: &mut Vec<Field<'static>>, field: Field<'static>) {
    let is_fields = |node: &Node<'_>| matches!(node.tree, Tree::Fields(_));
    match field.value.tree {
        Tree::Fields(inner) => fields.extend(inner),
        Tree::Items(items) if items.iter().all(is_fields) => {
            // Of several objects, the first is to override the others.
            for item in items.into_iter().rev() {
                if let Tree::Fields(inner) = item.tree {
                    fields.extend(inner);
                }
            }
        }
        tree => fields.push(Field {
            value: Node {
                tree,
                position: field.value.position,
            },
            ..field
        }),
    }
}
