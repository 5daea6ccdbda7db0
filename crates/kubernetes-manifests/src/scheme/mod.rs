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
//! YAML is read as Kubernetes 1.36 reads it: as YAML 1.1, first as JSON, then as the type. So an
//! unquoted `yes` is no string, not even as a key, `0644` is octal, `1e3` is an integer, unknown
//! tags are ignored, and of a merge key and a field of the same name the later one counts.
//! [`Scheme::decode_yaml`] reads as a server reads a body, [`Scheme::decode_yaml_all`] as kubectl
//! reads a file, in which a missing line end is added.
//!
//! Data that would be lost is an error: a duplicate key, unless strict errors are reported, and
//! text after a document and before the next `---`, which Kubernetes ignores. Invisible characters
//! that change the meaning are errors too: line ends of YAML 1.1 only, and byte order marks that
//! don't begin a text. A document is nested at most 127 deep, and aliases must not make a text many
//! times larger.

mod about;
mod content;
mod decode;
#[cfg(feature = "yaml")]
mod each;
mod object;
mod route;
#[cfg(feature = "yaml")]
mod split;
mod stream;
mod strict;
mod type_meta;
mod write;
#[cfg(feature = "yaml")]
mod yaml;

use std::any::TypeId;
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use k8s_openapi::{Metadata, NamespaceResourceScope};
use kubernetes_kinds::convert::Convert;
use kubernetes_kinds::{GroupVersionKind, Kind};

use crate::input::reader;
use crate::strict::ReadAs;

pub use crate::error::{Location, Reason, SchemeError};
pub use about::{RegisteredKind, Route, Scope, Step};
pub use content::Versioned;
pub use decode::Decoded;
#[cfg(feature = "yaml")]
pub use each::{Part, Parts, Positions, Syntax};
pub use object::AnyObject;
pub use write::{to_json, to_json_all};
#[cfg(feature = "yaml")]
pub use yaml::{to_yaml, to_yaml_all};

use content::Boxed;
use route::Conversion;

/// How conversions handle fields that are not representable in the target version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unrepresentable {
    /// An annotation preserves them, and converting back restores them:
    /// [`Convert::convert_preserving`].
    #[default]
    Preserve,
    /// They are discarded: [`Convert::convert`].
    Discard,
}

/// A registry of kinds, their lists and the conversions between them; see the
/// [module](self).
#[derive(Clone, Default)]
pub struct Scheme {
    entries: BTreeMap<GroupVersionKind, Entry>,
    /// Every conversion with the type that it converts.
    conversions: Vec<(TypeId, Conversion)>,
    unrepresentable: Unrepresentable,
}

/// A kind or a list, with functions for its type.
#[derive(Clone)]
struct Entry {
    type_id: TypeId,
    read: ReadAs<Boxed>,
    /// The items of a list.
    split: Option<fn(Boxed) -> Vec<Boxed>>,
    /// The description of a kind; lists have none.
    about: Option<RegisteredKind>,
}

impl Entry {
    fn of<T: Versioned>() -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            read: |node, walk, source| Ok(Box::new(reader::read::<T>(node, walk, source)?)),
            split: None,
            about: None,
        }
    }
}

impl Scheme {
    /// Returns a scheme without kinds, which preserves unrepresentable fields in an annotation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how conversions handle fields that are not representable in the target version.
    #[must_use]
    pub fn with_unrepresentable(mut self, unrepresentable: Unrepresentable) -> Self {
        self.unrepresentable = unrepresentable;
        self
    }

    /// Registers a kind.
    ///
    /// Registering a kind again changes nothing; of two types for one kind, the first counts.
    pub fn add_kind<K>(&mut self)
    where
        K: Kind<Scope: 'static> + Versioned,
    {
        let kind = GroupVersionKind::of::<K>();
        let namespaced = TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>();
        self.entries.entry(kind.clone()).or_insert_with(|| Entry {
            about: Some(RegisteredKind {
                kind,
                list_kind: None,
                resource: K::URL_PATH_SEGMENT,
                scope: if namespaced {
                    Scope::Namespaced
                } else {
                    Scope::Cluster
                },
                lifecycle: K::LIFECYCLE,
            }),
            ..Entry::of::<K>()
        });
    }

    /// Registers the list of a kind, and the kind with it.
    ///
    /// Registering again changes nothing.
    pub fn add_list<L>(&mut self)
    where
        L: Versioned + Metadata<Ty = ListMeta> + IntoIterator,
        L::Item: Kind<Scope: 'static> + Versioned,
    {
        self.add_kind::<L::Item>();
        let list = GroupVersionKind::of::<L>();
        let kind = self.entries.get_mut(&GroupVersionKind::of::<L::Item>());
        if let Some(about) = kind.and_then(|entry| entry.about.as_mut()) {
            about.list_kind.get_or_insert_with(|| list.clone());
        }
        self.entries.entry(list).or_insert_with(|| Entry {
            split: Some(|content| {
                let list = content::downcast::<L>(content).into_iter().flatten();
                list.map(|item| Box::new(item) as Boxed).collect()
            }),
            ..Entry::of::<L>()
        });
    }

    /// Registers a lossless conversion of a kind or of a list.
    ///
    /// Registering again changes nothing.
    pub fn add_conversion<A: Versioned, B: Versioned + From<A>>(&mut self) {
        self.add(TypeId::of::<A>(), Conversion::lossless::<A, B>());
    }

    /// Registers a conversion of a kind or of a list to a version in which not every field is
    /// representable.
    ///
    /// Registering again changes nothing.
    pub fn add_lossy_conversion<A: Versioned + Convert<B>, B: Versioned>(&mut self) {
        self.add(TypeId::of::<A>(), Conversion::lossy::<A, B>());
    }

    fn add(&mut self, from: TypeId, conversion: Conversion) {
        let is_known =
            |(known, other): &(TypeId, Conversion)| *known == from && other.to == conversion.to;
        if !self.conversions.iter().any(is_known) {
            self.conversions.push((from, conversion));
        }
    }
}

impl std::fmt::Debug for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> = self.entries.keys().map(ToString::to_string).collect();
        f.debug_struct("Scheme")
            .field("kinds", &kinds)
            .field("unrepresentable", &self.unrepresentable)
            .finish_non_exhaustive()
    }
}
