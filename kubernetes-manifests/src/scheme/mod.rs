//! Any version in, the wanted version out: a registry of kinds, of their lists and of the
//! conversions between them.
//!
//! The generated crates have `add_to_scheme`, which registers all that they have. Then
//!
//! * [`Scheme::decode_json`] and `decode_yaml` read one object or typed list of any
//!   registered version and convert it into the type that is asked for;
//! * [`Scheme::decode_json_all`] and `decode_yaml_all` read streams of objects and lists of
//!   any kinds into [`Object`]s, which are converted later or written back;
//! * [`Scheme::decode_json_strict`] and its neighbours do the same and tell of unknown and
//!   duplicate fields;
//! * `decode_each` reads a stream part by part, so that what is wrong with one hides
//!   none of the others, and tells where each field stands;
//! * [`Scheme::kinds`], [`Scheme::resource`] and [`Scheme::routes`] tell what is registered.
//!
//! What concerns YAML needs the feature `yaml`.
//!
//! The documentation of `storage_v1alpha1::csi` has an example.
//!
//! # Routes
//!
//! A conversion goes over as few registered conversions as possible; among routes of the same
//! length the one counts that has the fewest lossy ones. What a lossy one can't say is kept
//! in an annotation ([`convert`](kubernetes_kinds::convert)) unless the scheme is told to drop it, and
//! told in either case.
//!
//! # YAML
//!
//! YAML is read as Kubernetes reads it: first into JSON, then into the type, so that an
//! unquoted `yes` is no string and `0644` is octal. Merge keys work, a key that stands twice
//! is an error, and so is a tag that doesn't belong to YAML itself, since dropping it would
//! change what the text says. Aliases may not blow up a text to much more than it is.

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
use std::collections::{BTreeMap, HashMap};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use k8s_openapi::serde_json::Value;
use k8s_openapi::{Metadata, NamespaceResourceScope};
use kubernetes_kinds::convert::Convert;
use kubernetes_kinds::{GroupVersionKind, Kind};

use crate::input::json::{from_json, from_value};
use crate::strict::Typed;

pub use crate::error::{Place, Reason, SchemeError};
pub use about::{RegisteredKind, Route, Scope, Step};
pub use content::Versioned;
pub use decode::Decoded;
#[cfg(feature = "yaml")]
pub use each::{Part, Parts, Positions, Syntax};
pub use object::Object;
pub use write::{to_json, to_json_all};
#[cfg(feature = "yaml")]
pub use yaml::{to_yaml, to_yaml_all};

use content::Boxed;
use route::Conversion;

/// What becomes of that which the wanted version can't say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Losses {
    /// It is kept in an annotation, from which converting back restores it:
    /// [`Convert::convert_preserving`].
    #[default]
    Keep,
    /// It is gone: [`Convert::convert`].
    Drop,
}

/// A registry of kinds, their lists and the conversions between them; see the
/// [module](self).
#[derive(Clone, Default)]
pub struct Scheme {
    entries: BTreeMap<GroupVersionKind, Entry>,
    conversions: HashMap<TypeId, Vec<Conversion>>,
    losses: Losses,
}

/// A kind or a list; the functions are made for its type.
#[derive(Clone)]
struct Entry {
    type_id: TypeId,
    from_json: fn(&[u8]) -> Result<Boxed, SchemeError>,
    from_value: fn(&Value) -> Result<Boxed, SchemeError>,
    /// Unknown and duplicate fields.
    faults: Typed,
    /// The items of a list.
    split: Option<fn(Boxed) -> Vec<Boxed>>,
    /// What is told of a kind.
    about: Option<RegisteredKind>,
}

impl Entry {
    fn of<T: Versioned>() -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            from_json: |text| Ok(Box::new(from_json::<T>(text)?)),
            from_value: |value| Ok(Box::new(from_value::<T>(value)?)),
            faults: crate::strict::typed::<T>,
            split: None,
            about: None,
        }
    }
}

impl Scheme {
    /// A scheme in which nothing is registered, and which keeps losses.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what becomes of that which a wanted version can't say.
    #[must_use]
    pub fn with_losses(mut self, losses: Losses) -> Self {
        self.losses = losses;
        self
    }

    /// Registers a kind.
    ///
    /// Registering it again changes nothing; where two types claim one kind, the first counts.
    pub fn add_kind<K>(&mut self)
    where
        K: Kind<Scope: 'static> + Versioned,
    {
        let kind = GroupVersionKind::of::<K>();
        let namespaced =
            TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>();
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
    /// Registering it again changes nothing.
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

    /// Registers a conversion that loses nothing, of a kind or of a list.
    ///
    /// Registering it again changes nothing.
    pub fn add_conversion<A: Versioned, B: Versioned + From<A>>(&mut self) {
        self.add(TypeId::of::<A>(), Conversion::lossless::<A, B>());
    }

    /// Registers a conversion into a version that can't say everything, of a kind or of a
    /// list.
    ///
    /// Registering it again changes nothing.
    pub fn add_lossy_conversion<A: Versioned + Convert<B>, B: Versioned>(&mut self) {
        self.add(TypeId::of::<A>(), Conversion::lossy::<A, B>());
    }

    fn add(&mut self, from: TypeId, conversion: Conversion) {
        let conversions = self.conversions.entry(from).or_default();
        if conversions.iter().all(|known| known.to != conversion.to) {
            conversions.push(conversion);
        }
    }
}

impl std::fmt::Debug for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> = self.entries.keys().map(ToString::to_string).collect();
        f.debug_struct("Scheme")
            .field("kinds", &kinds)
            .field("losses", &self.losses)
            .finish_non_exhaustive()
    }
}
