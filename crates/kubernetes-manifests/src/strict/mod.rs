//! Strict decoding: an object, and its unknown and duplicate fields.
//!
//! Other decoding skips unknown fields and takes the last of duplicate fields, as a server does by
//! default. With `fieldValidation=Strict` a server rejects such objects, and with `Warn` it warns.
//! This module reports the same fields without a server, all at once and with line and column:
//!
//! * [`from_json`] and `from_yaml` read one object of a type that is known at compile time;
//! * [`Scheme::decode_json_strict`](crate::scheme::Scheme::decode_json_strict) and its
//!   neighbours read any registered version, and streams of objects of any kinds.
//!
//! Functions for YAML need the feature `yaml`.
//!
//! ```
//! use kubernetes_manifests::strict;
//! use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
//!
//! let text = r#"{"name": "a", "label": {}, "labels": {"b": "1", "b": "2"}}"#;
//! let read = strict::from_json::<ObjectMeta>(text)?;
//! let errors: Vec<_> = read.errors.iter().map(ToString::to_string).collect();
//! assert_eq!(errors, ["unknown field \"label\"", "duplicate field \"labels.b\""]);
//! assert_eq!(read.errors[1].location.column, Some(49));
//! # Ok::<_, kubernetes_manifests::scheme::SchemeError>(())
//! ```
//!
//! # Rules
//!
//! These are the rules of an API server of Kubernetes 1.37, recorded from a running server; its
//! implementation is in brackets.
//!
//! In a JSON body (`sigs.k8s.io/json`)
//!
//! * names count as they are written: `Spec` is unknown where `spec` is known;
//! * an unknown field is reported once for each path; the fields in it aren't checked, nor whether
//!   it occurs twice;
//! * a known field, or a key of a map such as labels or parameters, is reported as a duplicate
//!   once for each path; all of its values are checked;
//! * a field with the value `null` counts too;
//! * `apiVersion` and `kind` are known in an object, in a list and in its items, nowhere else;
//! * fields in the raw JSON of `fieldsV1` don't count;
//! * the order is that of the text;
//! * a path is names with `.` between them, taken as they are even if they have dots or are empty,
//!   with `[0]` for an item: `metadata.labels.example.com/a`. In a message it is quoted as Go
//!   quotes strings.
//!
//! In a YAML body (`sigs.k8s.io/yaml`, which reads it into JSON first)
//!
//! * duplicates come first, each occurrence, in unknown fields and raw JSON too, and those in a
//!   value before its field; a server reports their line and name and no path, and the line is
//!   that of the value, while the line here is that of the name;
//! * fields of a merge key count at the position of the merge key, of several objects the last
//!   first: they are duplicates of fields before it, and fields after it are duplicates of them;
//!   an alias repeats the duplicates of its anchor;
//! * unknown fields follow as in JSON, but in the order of their names, and only those of the last
//!   of duplicate fields.
//!
//! An object of a kind without a type has no unknown fields; its duplicates are reported at any
//! depth. So are those of a custom resource; its unknown fields follow, those of the last of
//! duplicate fields, sorted by path, and those of the metadata first.
//!
//! # Differences
//!
//! * A server stops at 100 errors of JSON; of a custom resource, at 100 duplicates and at 100
//!   unknown fields of its metadata. Here all are reported, until their locations take sixteen
//!   times the size of the text and a megabyte.
//! * A server merges the values of a field that occurs more than once: of two `parameters` it keeps
//!   the keys of both. Here the last value replaces the others.
//! * In types of `k8s-openapi` other than metadata, such as a label selector or the volume inside a
//!   VolumeAttachment, `null` as an element of a list or a value of a map is an error; a server
//!   takes it for the zero value, as it is here everywhere else.
//! * A server doesn't escape the names of unknown fields of custom resources; all are escaped here.
//! * In YAML, keys that are equal only in JSON, `1` and `"1"`, are duplicates here.
//! * The type decides which fields are known: by the release of the crate or, for types of
//!   `k8s-openapi`, by its feature. A server of another release may know more or fewer.
//! * A type that buffers its input, as with serde's `flatten`, skips nothing, so that nothing in it
//!   is unknown.

mod error;
mod quote;

use std::collections::HashSet;

use k8s_openapi::serde::de::DeserializeOwned;

pub use error::{FieldError, FieldErrorKind};

use crate::error::{Location, SchemeError};
use crate::input::json::Text;
use crate::input::position::Source;
use crate::input::reader;
use crate::input::step::Step;
use crate::input::tree::{Node, Tree};
use crate::input::walk::{Log, Walk};
#[cfg(feature = "yaml")]
use crate::input::yaml::Yaml;

/// An object, and the strict errors of its text.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Strict<T> {
    /// The object; in YAML with the last of duplicate fields, including those of merge keys.
    pub object: T,
    /// All unknown and duplicate fields; see the [module](self) for their order.
    pub errors: Vec<FieldError>,
}

impl<T> Strict<T> {
    pub(crate) fn new(object: T, mut log: Log) -> Self {
        Self {
            object,
            errors: log.take(),
        }
    }
}

/// Reads an object from JSON, and reports its unknown and duplicate fields.
///
/// # Errors
///
/// When the input is not JSON or a field has the wrong type.
pub fn from_json<T: DeserializeOwned>(text: impl AsRef<[u8]>) -> Result<Strict<T>, SchemeError> {
    with_json(text.as_ref(), |input, log| {
        input.read(Some((&Location::default(), log)), reader::read::<T>)
    })
}

/// Reads an object from YAML, taking the last of duplicate fields, and reports its unknown and
/// duplicate fields.
///
/// # Errors
///
/// When the input is not one YAML document or a field has the wrong type, but not for duplicate
/// keys.
#[cfg(feature = "yaml")]
pub fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<Strict<T>, SchemeError> {
    with_yaml(text, |input, log| {
        input.read(Some((&Location::default(), log)), reader::read::<T>)
    })
}

/// Reads a JSON document, and returns its strict errors.
pub(crate) fn with_json<T>(
    text: &[u8],
    read: impl FnOnce(ObjectInput<'_, '_>, &mut Log) -> Result<T, SchemeError>,
) -> Result<Strict<T>, SchemeError> {
    let text = Text::new(text);
    let node = text
        .document()
        .map_err(|error| SchemeError::syntax(&error))?;
    let mut log = Log::new(text.text());
    let input = ObjectInput {
        source: Some(text.source()),
        ..ObjectInput::new(&node, Language::Json)
    };
    let object = read(input, &mut log)?;
    Ok(Strict::new(object, log))
}

/// Reads the only YAML document of a text as [`with_json`] does.
#[cfg(feature = "yaml")]
pub(crate) fn with_yaml<T>(
    text: &str,
    read: impl FnOnce(ObjectInput<'_, '_>, &mut Log) -> Result<T, SchemeError>,
) -> Result<Strict<T>, SchemeError> {
    let node = Yaml::body(text).keeping_duplicates().document()?;
    let mut log = Log::new(text);
    let object = read(ObjectInput::new(&node, Language::Yaml), &mut log)
        .map_err(|error| error.or_on(|path| node.find(path)))?;
    Ok(Strict::new(object, log))
}

/// The language of an object.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    Json,
    #[cfg(feature = "yaml")]
    Yaml,
}

/// Reads a value as a type; see [`reader::read`].
pub(crate) type ReadAs<T> =
    for<'t, 'l> fn(&'t Node<'t>, Walk<'t, 'l>, Option<Source<'_>>) -> Result<T, SchemeError>;

/// The receiver of the strict errors of an object at a location, if they are reported.
pub(crate) type Notices<'l> = Option<(&'l Location, &'l mut Log)>;

/// An object of a document.
#[derive(Clone, Copy)]
pub(crate) struct ObjectInput<'i, 't> {
    pub(crate) node: &'t Node<'t>,
    /// The steps from the document to the object.
    pub(crate) steps: &'i [Step<'t>],
    pub(crate) language: Language,
    pub(crate) source: Option<Source<'t>>,
}

impl<'t> ObjectInput<'_, 't> {
    /// Makes the input of a document whose errors have no positions.
    pub(crate) fn new(node: &'t Node<'t>, language: Language) -> Self {
        Self {
            node,
            steps: &[],
            language,
            source: None,
        }
    }

    /// Reads the object, and reports its strict errors.
    pub(crate) fn read<T>(self, notices: Notices<'_>, read: ReadAs<T>) -> Result<T, SchemeError> {
        match (self.language, notices) {
            #[cfg(feature = "yaml")]
            (Language::Yaml, Some((location, log))) => self.read_last(location, log, read),
            (Language::Json, Some((location, log))) => {
                let before = log.len();
                log.has_custom = false;
                let walk = Walk::new(self.steps).noticing(location, log);
                let object = read(self.node, walk, self.source)?;
                if !log.has_custom {
                    return Ok(object);
                }
                // A server decodes it without a type, and looks for unknown fields in the result.
                log.truncate(before);
                self.read_last(location, log, read)
            }
            (_, None) => read(self.node, Walk::new(self.steps), self.source),
        }
    }

    /// Reports duplicate fields at any depth, and then reads the last of them.
    fn read_last<T>(
        self,
        location: &Location,
        log: &mut Log,
        read: ReadAs<T>,
    ) -> Result<T, SchemeError> {
        self.duplicates(location, log);
        let before = log.len();
        let mut node = self.node.clone();
        node.collapse();
        let walk = Walk::new(self.steps).noticing(location, log);
        let object = read(&node, walk, self.source);
        if std::mem::take(&mut log.has_custom) {
            log.sort_after(before);
        }
        object
    }

    /// Reports the duplicate fields of an object without a type, at any depth.
    pub(crate) fn duplicates(self, location: &Location, log: &mut Log) {
        let mut walk = Walk::new(self.steps).noticing(location, log);
        duplicates(&self.node.tree, self.language, &mut walk);
    }
}

/// Reports every duplicate field, at any depth, for readers without types.
///
/// The reader of JSON reports a duplicate before its value, the reader of YAML after it.
fn duplicates<'t>(tree: &'t Tree<'t>, language: Language, walk: &mut Walk<'t, '_>) {
    let depth = walk.depth();
    match tree {
        Tree::Items(items) => {
            for (index, item) in items.iter().enumerate() {
                walk.enter(Step::Item(index));
                duplicates(&item.tree, language, walk);
                walk.leave(depth);
            }
        }
        Tree::Fields(fields) => {
            let mut seen = HashSet::new();
            for (index, field) in fields.iter().enumerate() {
                let again = !seen.insert(&*field.name);
                if again && matches!(language, Language::Json) {
                    walk.once(FieldErrorKind::Duplicate, field, &[]);
                }
                walk.enter(Step::Field(index, field));
                duplicates(&field.value.tree, language, walk);
                walk.leave(depth);
                #[cfg(feature = "yaml")]
                if again && matches!(language, Language::Yaml) {
                    walk.each(FieldErrorKind::Duplicate, field);
                }
            }
        }
        _ => (),
    }
}
