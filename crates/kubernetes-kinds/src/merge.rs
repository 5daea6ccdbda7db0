//! Merging of one object into another, as server-side apply merges what several managers apply.
//!
//! The generated crates implement [`DeepMerge`] of k8s-openapi for their types, with the macros
//! [`object!`] and [`enumeration!`]: `ours.merge_from(theirs)` sets all that `theirs` has, and
//! keeps the rest of `ours`. The merge strategy of a field follows from `x-kubernetes-list-type`,
//! `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` of its document:
//!
//! * `None` in `theirs` keeps the field of `ours`; a field that isn't an `Option` is replaced, also
//!   by zero or an empty text;
//! * a list or an object that is atomic, and every text, number and enumeration, is replaced;
//! * the fields of any other object are merged one by one, and so are the entries of a map;
//! * a list that is a set has the elements of both, each once;
//! * a list that is a map has the elements of both, and those with the same keys are merged;
//! * the elements of `theirs` keep their order, and those of `ours` alone are before the elements
//!   that they precede in `ours`, as in structured-merge-diff of Kubernetes 1.37;
//! * unknown fields that are preserved are replaced by name.
//!
//! The merge of k8s-openapi's own types differs from a server in two respects: it merges the fields
//! of atomic objects, such as owner references, label selectors and references to secrets, and it
//! appends the elements that a list lacks. This module handles both.
//!
//! ```
//! use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
//! use kubernetes_kinds::merge;
//!
//! let finalizers = |names: &[&str]| ObjectMeta {
//!     finalizers: Some(names.iter().map(|name| (*name).to_owned()).collect()),
//!     ..ObjectMeta::default()
//! };
//! let mut ours = finalizers(&["example.com/a", "example.com/b"]);
//! merge::metadata(&mut ours, finalizers(&["example.com/c", "example.com/b"]));
//! assert_eq!(ours, finalizers(&["example.com/a", "example.com/c", "example.com/b"]));
//! ```

use std::collections::{BTreeMap, VecDeque};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::wire::Collection;

// For the macros.
#[doc(hidden)]
pub use k8s_openapi::DeepMerge;

#[doc(inline)]
pub use crate::{__merge_enumeration as enumeration, __merge_object as object};

/// Replaces a value.
pub fn whole<T>(ours: &mut T, theirs: T) {
    *ours = theirs;
}

/// Replaces a value if there is a new one.
pub fn whole_if_some<T>(ours: &mut Option<T>, theirs: Option<T>) {
    if theirs.is_some() {
        *ours = theirs;
    }
}

/// Merges two maps: `merge` merges the values of the same key.
pub fn entries<C, V>(ours: &mut C, theirs: C, merge: fn(&mut V, V))
where
    C: Collection<Whole = BTreeMap<String, V>>,
{
    let Some(theirs) = theirs.into_whole() else {
        return;
    };
    let ours = ours.whole_mut();
    for (key, value) in theirs {
        match ours.get_mut(&key) {
            Some(ours) => merge(ours, value),
            None => drop(ours.insert(key, value)),
        }
    }
}

/// Merges two lists without duplicates.
pub fn set<C, T>(ours: &mut C, theirs: C)
where
    C: Collection<Whole = Vec<T>>,
    T: PartialEq,
{
    list(ours, theirs, T::eq, whole);
}

/// Merges two lists whose elements are identified by their keys: `same` compares the keys of
/// two elements, and `merge` merges those with the same.
///
/// Servers reject repeated keys. Here, elements of `theirs` with the same keys are merged with each
/// other, and of those of `ours` that `theirs` has, the first is merged and the others are dropped.
pub fn list<C, T>(ours: &mut C, theirs: C, same: fn(&T, &T) -> bool, merge: fn(&mut T, T))
where
    C: Collection<Whole = Vec<T>>,
{
    let Some(theirs) = theirs.into_whole() else {
        return;
    };
    let ours = ours.whole_mut();
    let mut theirs = Theirs::of(theirs, same, merge);
    let counterparts: Vec<_> = ours
        .iter()
        .map(|element| theirs.counterpart(element, same))
        .collect();
    for (element, at) in std::mem::take(ours).into_iter().zip(counterparts) {
        match at {
            None => ours.push(element),
            Some(at) => theirs.meet(at, element, ours, merge),
        }
    }
    theirs.add_rest(ours, merge);
}

/// The elements of the list that is merged into another, in their order.
struct Theirs<T> {
    elements: VecDeque<Element<T>>,
    /// The number of elements that were moved from the front to the result.
    added: usize,
}

struct Element<T> {
    value: T,
    /// True if the other list has an element with the same keys.
    shared: bool,
    /// The element of the other list, once it is found.
    ours: Option<T>,
}

impl<T> Theirs<T> {
    fn of(theirs: Vec<T>, same: fn(&T, &T) -> bool, merge: fn(&mut T, T)) -> Self {
        let mut elements = VecDeque::<Element<T>>::new();
        for value in theirs {
            match elements
                .iter_mut()
                .find(|element| same(&element.value, &value))
            {
                Some(before) => merge(&mut before.value, value),
                None => elements.push_back(Element {
                    value,
                    shared: false,
                    ours: None,
                }),
            }
        }
        Self { elements, added: 0 }
    }

    /// Returns the index of the element with the same keys, and marks it as shared.
    fn counterpart(&mut self, ours: &T, same: fn(&T, &T) -> bool) -> Option<usize> {
        let at = self
            .elements
            .iter()
            .position(|element| same(ours, &element.value))?;
        self.elements.get_mut(at)?.shared = true;
        Some(at)
    }

    /// Takes the counterpart of the element at an index. If its turn has come, adds it and the
    /// elements before it.
    fn meet(&mut self, at: usize, ours: T, all: &mut Vec<T>, merge: fn(&mut T, T)) {
        let Some(at) = at.checked_sub(self.added) else {
            return;
        };
        if let Some(element) = self.elements.get_mut(at) {
            element.ours.get_or_insert(ours);
        }
        if !self.elements.iter().take(at).any(|element| element.shared) {
            all.extend(
                self.elements
                    .drain(..=at)
                    .map(|element| element.merged(merge)),
            );
            self.added += at + 1;
        }
    }

    /// Adds the elements that are left.
    fn add_rest(self, all: &mut Vec<T>, merge: fn(&mut T, T)) {
        all.extend(
            self.elements
                .into_iter()
                .map(|element| element.merged(merge)),
        );
    }
}

impl<T> Element<T> {
    fn merged(self, merge: fn(&mut T, T)) -> T {
        match self.ours {
            Some(mut ours) => {
                merge(&mut ours, self.value);
                ours
            }
            None => self.value,
        }
    }
}

/// Merges metadata: the labels, annotations and finalizers of both, and the owner references of
/// both, each replaced as a whole by the one with the same `uid`. Every other field is replaced
/// if `theirs` has it.
pub fn metadata(ours: &mut ObjectMeta, theirs: ObjectMeta) {
    let uid = |a: &OwnerReference, b: &OwnerReference| a.uid == b.uid;
    entries(&mut ours.annotations, theirs.annotations, whole);
    whole_if_some(&mut ours.creation_timestamp, theirs.creation_timestamp);
    whole_if_some(
        &mut ours.deletion_grace_period_seconds,
        theirs.deletion_grace_period_seconds,
    );
    whole_if_some(&mut ours.deletion_timestamp, theirs.deletion_timestamp);
    set(&mut ours.finalizers, theirs.finalizers);
    whole_if_some(&mut ours.generate_name, theirs.generate_name);
    whole_if_some(&mut ours.generation, theirs.generation);
    entries(&mut ours.labels, theirs.labels, whole);
    whole_if_some(&mut ours.managed_fields, theirs.managed_fields);
    whole_if_some(&mut ours.name, theirs.name);
    whole_if_some(&mut ours.namespace, theirs.namespace);
    list(
        &mut ours.owner_references,
        theirs.owner_references,
        uid,
        whole,
    );
    whole_if_some(&mut ours.resource_version, theirs.resource_version);
    whole_if_some(&mut ours.self_link, theirs.self_link);
    whole_if_some(&mut ours.uid, theirs.uid);
}

/// Implements merging of an object, from the table of its fields.
///
/// A row has `optional` or `required`, the name of the field, and how it is merged if it isn't
/// replaced as a whole: `as fields` merges the value with its own `DeepMerge`, `as entries` and `as
/// entries of fields` merge a map, `as set` a list without duplicates, `as list [key]` and `as list
/// [key] of fields` a list whose elements have these keys, `as metadata` the metadata of a kind.
/// Braces after `as fields` have the paths of fields that are replaced as a whole, in parentheses
/// those that aren't an `Option`. A last row `_ => field` names the field with the preserved
/// unknown fields.
///
/// ```
/// use kubernetes_kinds::merge::{self, DeepMerge};
///
/// #[derive(Clone, Debug, Default, PartialEq)]
/// struct Node {
///     name: String,
///     count: Option<i32>,
///     modes: Option<Vec<String>>,
/// }
///
/// merge::object! {
///     Node {
///         required name,
///         optional count,
///         optional modes as set,
///     }
/// }
///
/// let node = |count, mode: &str| Node {
///     name: "a".to_owned(),
///     count,
///     modes: Some(vec![mode.to_owned()]),
/// };
/// let mut ours = node(Some(1), "Persistent");
/// ours.merge_from(node(None, "Ephemeral"));
/// assert_eq!(ours.count, Some(1));
/// assert_eq!(ours.modes.unwrap_or_default(), ["Persistent", "Ephemeral"]);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __merge_object {
    ($name:ident {
        $($presence:ident $field:ident $(
            as $how:ident $([$($key:ident),+])? $(of $inner:ident)? $({$($($path:tt).+,)*})?
        )?,)*
        $(_ => $unknown:ident,)?
    }) => {
        impl $crate::merge::DeepMerge for $name {
            fn merge_from(&mut self, other: Self) {
                $($crate::__merge_field!(
                    self.$field, other.$field, $presence $(
                        $how $([$($key)+])? $(of $inner)? $({$($($path).+),*})?
                    )?
                );)*
                $(self.$unknown.extend(other.$unknown);)?
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __merge_field {
    ($ours:expr, $theirs:expr, required) => {
        $crate::merge::whole(&mut $ours, $theirs)
    };
    ($ours:expr, $theirs:expr, optional) => {
        $crate::merge::whole_if_some(&mut $ours, $theirs)
    };
    ($ours:expr, $theirs:expr, required metadata) => {
        $crate::merge::metadata(&mut $ours, $theirs)
    };
    ($ours:expr, $theirs:expr, $presence:ident set) => {
        $crate::merge::set(&mut $ours, $theirs)
    };
    ($ours:expr, $theirs:expr, $presence:ident fields) => {
        $crate::merge::DeepMerge::merge_from(&mut $ours, $theirs)
    };
    ($ours:expr, $theirs:expr, optional fields {$($($path:tt).+),*}) => {
        if let (::core::option::Option::Some(ours), ::core::option::Option::Some(theirs)) =
            (&mut $ours, &$theirs)
        {
            $($crate::__merge_replaced!(ours, theirs, $($path).+);)*
        }
        $crate::merge::DeepMerge::merge_from(&mut $ours, $theirs)
    };
    ($ours:expr, $theirs:expr, required fields {$($($path:tt).+),*}) => {
        $($crate::__merge_replaced!($ours, $theirs, $($path).+);)*
        $crate::merge::DeepMerge::merge_from(&mut $ours, $theirs)
    };
    ($ours:expr, $theirs:expr, $presence:ident entries $(of $inner:ident)?) => {
        $crate::merge::entries(&mut $ours, $theirs, $crate::__merge_element!($($inner)?))
    };
    ($ours:expr, $theirs:expr, $presence:ident list [$($key:ident)+] $(of $inner:ident)?) => {
        $crate::merge::list(
            &mut $ours,
            $theirs,
            |ours, theirs| $(ours.$key == theirs.$key)&&+,
            $crate::__merge_element!($($inner)?),
        )
    };
}

/// The function that merges two elements.
#[doc(hidden)]
#[macro_export]
macro_rules! __merge_element {
    () => {
        $crate::merge::whole
    };
    (fields) => {
        $crate::merge::DeepMerge::merge_from
    };
}

/// Removes the fields from `ours` that are replaced as a whole, so that they are not merged.
#[doc(hidden)]
#[macro_export]
macro_rules! __merge_replaced {
    ($ours:expr, $theirs:expr, ($field:ident)) => {
        $ours.$field = ::core::clone::Clone::clone(&$theirs.$field)
    };
    ($ours:expr, $theirs:expr, $field:ident) => {
        if $theirs.$field.is_some() {
            $ours.$field = ::core::option::Option::None;
        }
    };
    ($ours:expr, $theirs:expr, ($field:ident).$($inner:tt).+) => {
        $crate::__merge_replaced!($ours.$field, $theirs.$field, $($inner).+)
    };
    ($ours:expr, $theirs:expr, $field:ident.$($inner:tt).+) => {
        if let (::core::option::Option::Some(ours), ::core::option::Option::Some(theirs)) =
            (&mut $ours.$field, &$theirs.$field)
        {
            $crate::__merge_replaced!(ours, theirs, $($inner).+);
        }
    };
}

/// Implements merging of enumerations: they are replaced.
#[doc(hidden)]
#[macro_export]
macro_rules! __merge_enumeration {
    ($($name:ident),*) => {$(
        impl $crate::merge::DeepMerge for $name {
            fn merge_from(&mut self, other: Self) {
                *self = other;
            }
        }
    )*};
}
