//! The registered kinds and conversions.

use std::any::TypeId;
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use k8s_openapi::{Metadata, NamespaceResourceScope};
use kubernetes_kinds::convert::Convert;
use kubernetes_kinds::{GroupVersionKind, Kind};

use super::content::{Boxed, Versioned, downcast};
use super::conversion::{Conversion, Unrepresentable};
use super::description::{RegisteredKind, Scope};
use crate::input::reader;
use crate::strict::ReadAs;

/// A registry of kinds, their lists and the conversions between them; see the
/// [module](super).
#[derive(Clone, Default)]
pub struct Scheme {
    pub(super) entries: BTreeMap<GroupVersionKind, Entry>,
    /// Every conversion with the type that it converts.
    pub(super) conversions: Vec<(TypeId, Conversion)>,
    pub(super) unrepresentable: Unrepresentable,
}

/// A kind or a list, with functions for its type.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) type_id: TypeId,
    pub(super) read: ReadAs<Boxed>,
    /// The items of a list.
    pub(super) split: Option<fn(Boxed) -> Vec<Boxed>>,
    /// The description of a kind; lists have none.
    pub(super) about: Option<RegisteredKind>,
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
                let list = downcast::<L>(content).into_iter().flatten();
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
