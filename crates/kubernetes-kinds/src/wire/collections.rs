//! Reads lists and maps, in which `null` is the zero value of an element, as in Go.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Zero;
use super::quantity::Measured;

/// A field that holds a list or a map, or `None`.
pub trait Collection {
    /// The list or map itself.
    type Whole;

    /// Puts the list or map into the field.
    fn fill(&mut self, whole: Self::Whole);

    /// Returns the list or map, or `None`.
    fn into_whole(self) -> Option<Self::Whole>;

    /// Returns the list or map for changing, an empty one in place of `None`.
    fn whole_mut(&mut self) -> &mut Self::Whole;
}

macro_rules! collection {
    ($($type:ty: $($parameter:ident),+;)*) => {$(
        impl<$($parameter),+> Collection for $type {
            type Whole = Self;

            fn fill(&mut self, whole: Self) {
                *self = whole;
            }

            fn into_whole(self) -> Option<Self> {
                Some(self)
            }

            fn whole_mut(&mut self) -> &mut Self {
                self
            }
        }
    )*};
}

collection! {
    Vec<T>: T;
    BTreeMap<String, T>: T;
}

impl<C: Collection<Whole = C> + Default> Collection for Option<C> {
    type Whole = C;

    fn fill(&mut self, whole: C) {
        *self = Some(whole);
    }

    fn into_whole(self) -> Self {
        self
    }

    fn whole_mut(&mut self) -> &mut C {
        self.get_or_insert_default()
    }
}

/// Reads the list or map that follows a key into `slot`; `null` leaves that as it is, and is the
/// zero value as an element.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
pub fn read_elements<'de, M, C>(map: &mut M, slot: &mut C) -> Result<(), M::Error>
where
    M: MapAccess<'de>,
    C: Collection,
    Elements<C::Whole>: Deserialize<'de>,
{
    if let Some(Elements(whole)) = map.next_value::<Option<Elements<C::Whole>>>()? {
        slot.fill(whole);
    }
    Ok(())
}

/// Reads the map of quantities that follows a key into `slot`; `null` leaves that as it is, and is
/// `0` as an entry.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
pub fn read_quantities<'de, M, C>(map: &mut M, slot: &mut C) -> Result<(), M::Error>
where
    M: MapAccess<'de>,
    C: Collection<Whole = BTreeMap<String, Quantity>>,
{
    if let Some(Quantities(whole)) = map.next_value()? {
        slot.fill(whole);
    }
    Ok(())
}

/// Reads the map of a custom resource that follows a key into `slot`; `null` leaves that as it is,
/// and isn't an entry: a server drops such entries.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
pub fn read_entries<'de, M, C, T>(map: &mut M, slot: &mut C) -> Result<(), M::Error>
where
    M: MapAccess<'de>,
    C: Collection<Whole = BTreeMap<String, T>>,
    T: Deserialize<'de>,
{
    if let Some(Entries(whole)) = map.next_value::<Option<Entries<T>>>()? {
        slot.fill(whole);
    }
    Ok(())
}

/// A map of quantities.
struct Quantities(BTreeMap<String, Quantity>);

impl<'de> Deserialize<'de> for Quantities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let zero = || Some(Quantity("0".to_owned()));
        deserializer
            .deserialize_map(EntriesVisitor::<Measured, _>::new(zero))
            .map(Self)
    }
}

/// A map with such entries.
struct Entries<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(EntriesVisitor::<T, T>::new(|| None))
            .map(Self)
    }
}

/// A list or map with such elements.
#[derive(Debug)]
pub struct Elements<C>(pub(super) C);

impl<'de, T: Deserialize<'de> + Zero> Deserialize<'de> for Elements<Vec<T>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_seq(ListVisitor(PhantomData))
            .map(Self)
    }
}

impl<'de, T: Deserialize<'de> + Zero> Deserialize<'de> for Elements<BTreeMap<String, T>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(EntriesVisitor::<T, T>::new(|| Some(T::zero())))
            .map(Self)
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Zero> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Vec<T>, S::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element::<Option<T>>()? {
            reserve_one(&mut list);
            list.push(element.unwrap_or_else(T::zero));
        }
        Ok(list)
    }
}

/// Makes room for one more element: for a few at first, then for twice as many as there are and
/// one, so that short lists seldom move.
#[inline]
pub(crate) fn reserve_one<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() + 1).max(const { few::<T>() }));
    }
}

/// The number of elements for which a list has room at first. A vector takes four, but most lists
/// of objects have one, and most lists of texts have two.
const fn few<T>() -> usize {
    if size_of::<T>() <= 2 * size_of::<String>() {
        2
    } else {
        1
    }
}

/// Reads the entries of a map as `T`; `null` is the result of the function, or no entry.
struct EntriesVisitor<T, U>(fn() -> Option<U>, PhantomData<T>);

impl<T, U> EntriesVisitor<T, U> {
    fn new(null: fn() -> Option<U>) -> Self {
        Self(null, PhantomData)
    }
}

impl<'de, T: Deserialize<'de> + Into<U>, U> Visitor<'de> for EntriesVisitor<T, U> {
    type Value = BTreeMap<String, U>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut entries = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, Option<T>>()? {
            if let Some(value) = value.map(Into::into).or_else(self.0) {
                entries.insert(name, value);
            }
        }
        Ok(entries)
    }
}
