//! Strict reading: an object, and every field of its text that is unknown or stands twice.
//!
//! Plain reading skips a field that it doesn't know and takes the last of several, as a server
//! does by default. With `fieldValidation=Strict` a server refuses such objects, and
//! with `Warn` it warns. Here the same is told without a server, all at once and
//! with line and column:
//!
//! * [`from_json`] and `from_yaml` read one object of a type that is known at compile time;
//! * [`Scheme::decode_json_strict`](crate::scheme::Scheme::decode_json_strict) and its
//!   neighbours read any registered version, and streams of objects of any kinds.
//!
//! What concerns YAML needs the feature `yaml`.
//!
//! ```
//! use kubernetes_manifests::strict;
//! use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
//!
//! let text = r#"{"name": "a", "label": {}, "labels": {"b": "1", "b": "2"}}"#;
//! let read = strict::from_json::<ObjectMeta>(text)?;
//! let faults: Vec<_> = read.faults.iter().map(ToString::to_string).collect();
//! assert_eq!(faults, ["unknown field \"label\"", "duplicate field \"labels.b\""]);
//! assert_eq!(read.faults[1].place.column, Some(49));
//! # Ok::<_, kubernetes_manifests::scheme::SchemeError>(())
//! ```
//!
//! # What counts
//!
//! These are the rules of an API server of Kubernetes 1.36, for which a server was asked; in
//! brackets what implements them there.
//!
//! In a JSON body (`sigs.k8s.io/json`)
//!
//! * names count as they are written: `Spec` is unknown where `spec` is known;
//! * an unknown field is told once for each path, and what is in it isn't looked at, nor whether
//!   it stands twice;
//! * a field that is known, or a key of a map such as labels or parameters, is told as a duplicate
//!   once for each path; all of its values are looked at;
//! * a field counts whatever its value, `null` too;
//! * `apiVersion` and `kind` are known in an object, in a list and in its items, nowhere else;
//! * nothing in the raw JSON of `fieldsV1` counts;
//! * the order is that of the text;
//! * a path is names with `.` between them, taken as they are even if they have dots or are empty,
//!   with `[0]` for an item: `metadata.labels.example.com/a`. In a message it is quoted as Go
//!   quotes strings.
//!
//! In a YAML body (`sigs.k8s.io/yaml`, which reads it into JSON first)
//!
//! * duplicates come first, each time that one stands there and wherever it does, in unknown
//!   fields and raw JSON too, those in its value before itself; a server tells their line and
//!   name and no path, and the line is that of the value, where here it is that of the name;
//! * what a merge key brings counts where that stands, of several objects the last first: it is a
//!   duplicate of a field before it, and a field after it is one too; an alias repeats the
//!   duplicates of what it stands for;
//! * unknown fields follow as in JSON, but in the order of their names, and only those of the last
//!   of equal fields.
//!
//! An object for which there is no type has no unknown fields; duplicates are told at any depth, as
//! a server does for custom resources.
//!
//! # What differs
//!
//! * A server stops at 100 faults of JSON; here all are told, until their places take sixteen times
//!   the size of the text and a megabyte.
//! * `null` as the value of a map of strings, such as labels, is an empty text to a server; here it
//!   can't be read.
//! * A server can't read a `<<` whose value is neither an object nor a list of objects, and takes a
//!   `<<` in quotes for a name; here the first is a name and the second a merge key. Plain reading
//!   lets an object's own field go before what a merge key brings, wherever that stands.
//! * In YAML, keys that are equal only in JSON, `1` and `"1"`, are duplicates here, and after a key
//!   that is an integer, duplicates in the same object aren't found.
//! * Which fields are known is what the type knows, of the release of the crate or, for types of
//!   `k8s-openapi`, of its feature; a server of another release may know more or fewer.
//! * A type that buffers its input, as with serde's `flatten`, skips nothing, so that nothing in it
//!   is unknown.

mod log;
mod notice;
mod quote;

use std::fmt;

use k8s_openapi::serde::de::DeserializeOwned;

pub(crate) use log::Log;

use crate::error::{Place, SchemeError};
use crate::input::json;
use crate::input::tree::{self, Tree};
#[cfg(feature = "yaml")]
use crate::input::yaml;
use log::Walk;
use notice::{Notice, duplicates};

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The type has no such field.
    Unknown,
    /// The field stands there more than once.
    Duplicate,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown field",
            Self::Duplicate => "duplicate field",
        })
    }
}

/// A field that a strict server refuses.
///
/// Shown as a server words it, `unknown field "spec.foo"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The path in the object, as a server writes it: `metadata.labels.example.com/a`.
    ///
    /// The items of a `v1` `List` are objects of their own; those of a typed list are not.
    pub path: String,
    /// Where the field stands in the input. The path of a place begins at the document and puts
    /// names that aren't plain into brackets, `items[1].metadata.labels[example.com/a]`; line and
    /// column are those of the name, unless it is written with escapes in JSON.
    pub place: Place,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        quote::write(f, &self.path)
    }
}

/// What has been read, and what a strict server says about it.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Strict<T> {
    /// The object, as plain reading gives it; in YAML with the last of equal fields, those that
    /// merge keys bring included.
    pub object: T,
    /// All unknown and duplicate fields; see the [module](self) for their order.
    pub faults: Vec<Fault>,
}

/// Reads an object from JSON, and tells of its unknown and duplicate fields.
///
/// # Errors
///
/// When the input is not JSON or a field has the wrong shape, as without strictness.
pub fn from_json<T: DeserializeOwned>(
    text: impl AsRef<[u8]>,
) -> Result<Strict<T>, SchemeError> {
    let text = text.as_ref();
    let object = json::from_json(text)?;
    // What isn't text can only stand where plain reading skips it.
    let text = String::from_utf8_lossy(text);
    let mut log = Log::new(&text);
    for tree in json_documents(&text)? {
        typed::<T>(&tree, &Place::default(), &mut log)?;
    }
    Ok(log.tell(object))
}

/// Reads an object from YAML, taking the last of equal fields, and tells of its unknown and
/// duplicate fields.
///
/// # Errors
///
/// When the input is not one document of YAML or a field has the wrong shape, as in a
/// [`Scheme`](crate::scheme::Scheme), but not when keys stand twice.
#[cfg(feature = "yaml")]
pub fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<Strict<T>, SchemeError> {
    let tree = yaml::yaml_document(text)?;
    let object = json::from_value(&tree.clone().collapse().to_value());
    let object = object.map_err(|error| yaml::locate(text, 1, error))?;
    let mut log = Log::new(text);
    faults(&tree, Some(typed::<T>), Language::Yaml, &Place::default(), &mut log)?;
    Ok(log.tell(object))
}

/// The documents of a text of JSON.
pub(crate) fn json_documents(text: &str) -> Result<Vec<Tree<'_>>, SchemeError> {
    tree::documents(text).map_err(|error| SchemeError::json(String::new(), &error))
}

/// In which language an object is written.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    Json,
    #[cfg(feature = "yaml")]
    Yaml,
}

/// Notices the faults of an object that stands there, by reading it as a type.
pub(crate) type Typed = fn(&Tree<'_>, &Place, &mut Log) -> Result<(), SchemeError>;

/// [`Typed`] for `T`.
pub(crate) fn typed<T: DeserializeOwned>(
    tree: &Tree<'_>,
    place: &Place,
    log: &mut Log,
) -> Result<(), SchemeError> {
    let walk = &mut Walk::new(place, log);
    let read = T::deserialize(Notice::new(tree, walk));
    read.map(drop).map_err(|error| SchemeError::json(String::new(), &error).at(place))
}

/// Notices the faults of an object that stands there and for which there may be a type.
pub(crate) fn faults(
    tree: &Tree<'_>,
    typed: Option<Typed>,
    language: Language,
    place: &Place,
    log: &mut Log,
) -> Result<(), SchemeError> {
    match (language, typed) {
        (Language::Json, Some(typed)) => typed(tree, place, log),
        (Language::Json, None) => {
            duplicates(tree, language, &mut Walk::new(place, log));
            Ok(())
        }
        #[cfg(feature = "yaml")]
        (Language::Yaml, typed) => {
            duplicates(tree, language, &mut Walk::new(place, log));
            typed.map_or(Ok(()), |typed| typed(&tree.clone().collapse(), place, log))
        }
    }
}
