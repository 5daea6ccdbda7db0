//! A registry of kinds, of their lists and of the conversions between their versions, which reads
//! any registered version as the requested one.
//!
//! Each generated crate has `add_to_scheme`, which registers all of its kinds. Then
//!
//! * [`Scheme::decode_json`] and `decode_yaml` read one object or typed list of any
//!   registered version and convert it to the requested type;
//! * [`Scheme::decode_json_all`] and `decode_yaml_all` read streams of objects and lists of
//!   any kinds into [`AnyObject`]s, which are converted later or written back;
//! * [`Scheme::decode_json_strict`] and its neighbours also report unknown and duplicate
//!   fields;
//! * `decode_each` reads a stream part by part, so that an error in one part hides no other
//!   part, and returns the positions of fields;
//! * [`Scheme::kinds`], [`Scheme::resource`] and [`Scheme::routes`] list the registered kinds and
//!   conversions.
//!
//! Functions for YAML need the feature `yaml`.
//!
//! The documentation of `storage_v1alpha1::csi` has an example.
//!
//! # Routes
//!
//! An object is converted along the route with the fewest registered conversions; among routes of
//! the same length, along the one with the fewest lossy conversions. Fields that are not
//! representable in the target version are reported. They are preserved in an annotation
//! ([`convert`](kubernetes_kinds::convert)) unless the scheme [discards](Unrepresentable) them.
//!
//! # YAML
//!
//! YAML is read as Kubernetes 1.37 reads it: as YAML 1.1, first as JSON, then as the type. So an
//! unquoted `yes` isn't a string, not even as a key, `0644` is octal, `1e3` is an integer, unknown
//! tags are ignored, and of a merge key and a field of the same name the later one counts.
//! `Scheme::decode_yaml` reads as a server reads a body, `Scheme::decode_yaml_all` as kubectl
//! reads a file, in which a missing line end is added.
//!
//! Data that would be lost is an error: a duplicate key, unless strict errors are reported, and
//! text after a document and before the next `---`, which Kubernetes ignores. Invisible characters
//! that change the meaning are errors too: line ends of YAML 1.1 only, and byte order marks that
//! don't begin a text. A document is nested at most 127 deep, and aliases must not make a text many
//! times larger.

mod content;
mod conversion;
mod decode;
mod description;
#[cfg(feature = "yaml")]
mod each;
mod object;
mod queries;
mod registry;
mod route;
#[cfg(feature = "yaml")]
mod split;
mod stream;
mod strict;
mod type_meta;
mod write;
mod write_all;
#[cfg(feature = "yaml")]
mod yaml;

pub use crate::error::{Location, Reason, SchemeError};
pub use content::Versioned;
pub use conversion::Unrepresentable;
pub use decode::Decoded;
pub use description::{RegisteredKind, Route, Scope, Step};
#[cfg(feature = "yaml")]
pub use each::{Part, Parts, Positions, Syntax};
pub use object::AnyObject;
pub use registry::Scheme;
pub use write::to_json;
pub use write_all::to_json_all;
#[cfg(feature = "yaml")]
pub use write_all::to_yaml_all;
#[cfg(feature = "yaml")]
pub use yaml::to_yaml;
