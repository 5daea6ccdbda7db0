//! Reads nested lists and maps, and times in them: `null` is Go's zero value at every level.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use k8s_openapi::serde_json::Value;

use super::quantity::Measured;
use super::time::{self, ZERO_TIME};
use super::{Collection, Zero};

/// The form in which a value is read, and the meaning of `null` as an element.
///
/// The shapes of values are types, such as `ListOf<MapOf<Plain<String>>>`.
pub trait Shape {
    /// The type of the value.
    type Value;

    /// Reads a value that isn't `null`.
    ///
    /// # Errors
    ///
    /// When the value has the wrong type, or the input is invalid.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Value, D::Error>
    where
        Self::Value: Deserialize<'de>;

    /// Returns the value of `null` in a list or map.
    fn zero() -> Self::Value;
}

/// The shape of a value with an own `Deserialize`.
#[derive(Debug)]
pub struct Plain<T>(PhantomData<T>);

impl<T: Zero> Shape for Plain<T> {
    type Value = T;

    #[inline]
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de>,
    {
        T::deserialize(deserializer)
    }

    #[inline]
    fn zero() -> T {
        T::zero()
    }
}

/// The shape of a time: a [`Time`] or a [`MicroTime`].
///
/// `null` is Go's zero time, `0001-01-01T00:00:00Z`, which Go reads as that again. Go itself writes
/// it as `null`.
#[derive(Debug)]
pub struct Moment<T>(PhantomData<T>);

impl Shape for Moment<Time> {
    type Value = Time;

    #[inline]
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        time::parse(&String::deserialize(deserializer)?)
    }

    #[inline]
    fn zero() -> Time {
        Time(ZERO_TIME)
    }
}

impl Shape for Moment<MicroTime> {
    type Value = MicroTime;

    #[inline]
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MicroTime, D::Error> {
        MicroTime::deserialize(deserializer)
    }

    #[inline]
    fn zero() -> MicroTime {
        MicroTime(ZERO_TIME)
    }
}

/// The shape of a quantity, for which `null` is `0`, as Go writes it. Servers reject an empty
/// quantity, which is the default in Rust.
#[derive(Debug)]
pub struct Measure;

impl Shape for Measure {
    type Value = Quantity;

    #[inline]
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        Measured::deserialize(deserializer).map(|read| read.0)
    }

    #[inline]
    fn zero() -> Quantity {
        Quantity("0".to_owned())
    }
}

/// The shape of a type of k8s-openapi in a custom resource: `null` isn't an entry of a map in it,
/// as on a server, and no value of a list.
#[derive(Debug)]
pub struct Pruned<T>(PhantomData<T>);

impl<T: Zero> Shape for Pruned<T> {
    type Value = T;

    #[inline]
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de>,
    {
        let mut value = Value::deserialize(deserializer)?;
        prune(&mut value);
        T::deserialize(value).map_err(D::Error::custom)
    }

    #[inline]
    fn zero() -> T {
        T::zero()
    }
}

/// Takes the members out of objects that are `null`.
#[inline]
fn prune(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(prune);
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// The shape of a list.
#[derive(Debug)]
pub struct ListOf<S>(PhantomData<S>);

/// The shape of a map.
#[derive(Debug)]
pub struct MapOf<S>(PhantomData<S>);

/// The shape of a map of a custom resource, in which `null` isn't an entry.
#[derive(Debug)]
pub struct EntriesOf<S>(PhantomData<S>);

macro_rules! collection {
    ($shape:ident, $whole:ty, $read:ident, $visitor:expr) => {
        impl<S: Shape> Shape for $shape<S>
        where
            S::Value: for<'de> Deserialize<'de>,
        {
            type Value = $whole;

            #[inline]
            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.$read($visitor)
            }

            #[inline]
            fn zero() -> Self::Value {
                Self::Value::new()
            }
        }
    };
}

collection!(ListOf, Vec<S::Value>, deserialize_seq, Self(PhantomData));
collection!(
    MapOf,
    BTreeMap<String, S::Value>,
    deserialize_map,
    EntriesVisitor::<S>(|| Some(S::zero()))
);
collection!(
    EntriesOf,
    BTreeMap<String, S::Value>,
    deserialize_map,
    EntriesVisitor::<S>(|| None)
);

impl<'de, S: Shape> Visitor<'de> for ListOf<S>
where
    S::Value: Deserialize<'de>,
{
    type Value = Vec<S::Value>;

    #[inline]
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element_seed(Nullable::<S>(PhantomData))? {
            list.push(element.unwrap_or_else(S::zero));
        }
        Ok(list)
    }
}

/// Reads the entries of a map; `null` is the result of the function, or no entry.
struct EntriesVisitor<S: Shape>(fn() -> Option<S::Value>);

impl<'de, S: Shape> Visitor<'de> for EntriesVisitor<S>
where
    S::Value: Deserialize<'de>,
{
    type Value = BTreeMap<String, S::Value>;

    #[inline]
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(Nullable::<S>(PhantomData))?;
            if let Some(value) = value.or_else(self.0) {
                entries.insert(name, value);
            }
        }
        Ok(entries)
    }
}

/// A value of a shape, or `null`.
struct Nullable<S>(PhantomData<S>);

impl<'de, S: Shape> DeserializeSeed<'de> for Nullable<S>
where
    S::Value: Deserialize<'de>,
{
    type Value = Option<S::Value>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, S: Shape> Visitor<'de> for Nullable<S>
where
    S::Value: Deserialize<'de>,
{
    type Value = Option<S::Value>;

    #[inline]
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    #[inline]
    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    #[inline]
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        S::read(deserializer).map(Some)
    }
}

/// Reads the value of a type of k8s-openapi in a custom resource that follows a key into `slot`;
/// `null` leaves that as it is.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
#[inline]
pub fn read_pruned<'de, T, M, S>(map: &mut M, slot: &mut S) -> Result<(), M::Error>
where
    T: Zero + Deserialize<'de>,
    M: MapAccess<'de>,
    S: From<T>,
{
    if let Some(value) = map.next_value_seed(Nullable::<Pruned<T>>(PhantomData))? {
        *slot = value.into();
    }
    Ok(())
}

/// Reads the list or map of a shape that follows a key into `slot`; `null` leaves that as it is.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
#[inline]
pub fn read_shaped<'de, S, M, C>(map: &mut M, slot: &mut C) -> Result<(), M::Error>
where
    S: Shape,
    S::Value: Deserialize<'de>,
    M: MapAccess<'de>,
    C: Collection<Whole = S::Value>,
{
    if let Some(whole) = map.next_value_seed(Nullable::<S>(PhantomData))? {
        slot.fill(whole);
    }
    Ok(())
}
