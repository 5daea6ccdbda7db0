//! Objects without `metadata.managedFields`.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::{fmt, iter};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde::de::value::{BorrowedStrDeserializer, MapDeserializer, StringDeserializer};
use k8s_openapi::serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
};
use k8s_openapi::serde::forward_to_deserialize_any;
use k8s_openapi::serde::ser::{Serialize, Serializer};
use k8s_openapi::{ListableResource, Metadata, Resource};

use crate::wire::{Key, read_lean_metadata};
use crate::{Kind, Lifecycle, ListMapKeys, StatusSubresource};

/// An object of the kind `K` that is read without `metadata.managedFields`.
///
/// `managedFields` take about half of the memory of an object of a server and of the time to read
/// it, and few programs use them. They are skipped, never built. Everything else is read as `K`
/// reads it, and metadata as the kinds of the generated crates do: `null` as a label is an empty
/// text.
///
/// kube takes `Lean<K>` wherever it takes `K`: `Api`, `watcher`, `reflector`, `Controller`, lists.
/// `K` may be any kind with [`ObjectMeta`], such as `k8s_openapi`'s `Pod`. `Lean<K>` dereferences
/// to `K`.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kubernetes_kinds::Lean;
///
/// let pod: Lean<Pod> = k8s_openapi::serde_json::from_str(
///     r#"{"metadata": {"name": "web", "managedFields": [{"manager": "kubelet"}]},
///         "spec": {"containers": [], "nodeName": "node-1"}}"#,
/// )?;
/// assert_eq!(pod.metadata.managed_fields, None);
/// assert_eq!(pod.spec.as_ref().and_then(|s| s.node_name.as_deref()), Some("node-1"));
/// # Ok::<(), k8s_openapi::serde_json::Error>(())
/// ```
///
/// # Writing
///
/// A lean object is written as `K` is. The server keeps the `managedFields` of an object that is
/// replaced without them, and adds what the replacement changes: `Api::replace` and
/// `Api::replace_status` lose nothing. So do patches. Server-side apply even rejects
/// `managedFields`.
///
/// Code that reads `managedFields` needs the full kind:
/// [`apply::extract`](crate::apply::extract) of a lean object is an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lean<K>(K);

impl<K> Lean<K> {
    /// Takes an object without `metadata.managedFields`.
    #[cfg(feature = "protobuf")]
    pub(crate) fn of(object: K) -> Self {
        Self(object)
    }

    /// Returns the object. Its `metadata.managedFields` are absent, unless they have been set
    /// since.
    pub fn into_inner(self) -> K {
        self.0
    }
}

impl<K: Metadata<Ty = ObjectMeta>> From<K> for Lean<K> {
    /// Removes `metadata.managedFields`.
    fn from(mut object: K) -> Self {
        object.metadata_mut().managed_fields = None;
        Self(object)
    }
}

impl<K> Deref for Lean<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.0
    }
}

impl<K> DerefMut for Lean<K> {
    fn deref_mut(&mut self) -> &mut K {
        &mut self.0
    }
}

impl<K> AsRef<K> for Lean<K> {
    fn as_ref(&self) -> &K {
        &self.0
    }
}

impl<K: Resource> Resource for Lean<K> {
    const API_VERSION: &'static str = K::API_VERSION;
    const GROUP: &'static str = K::GROUP;
    const KIND: &'static str = K::KIND;
    const VERSION: &'static str = K::VERSION;
    const URL_PATH_SEGMENT: &'static str = K::URL_PATH_SEGMENT;
    type Scope = K::Scope;
}

impl<K: Metadata<Ty = ObjectMeta>> Metadata for Lean<K> {
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        self.0.metadata()
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        self.0.metadata_mut()
    }
}

impl<K: ListableResource> ListableResource for Lean<K> {
    const LIST_KIND: &'static str = K::LIST_KIND;
}

impl<K: Kind> Kind for Lean<K> {
    const LIFECYCLE: Option<Lifecycle> = K::LIFECYCLE;
    const LIST_MAP_KEYS: ListMapKeys = K::LIST_MAP_KEYS;
    const GRANULAR: &'static [&'static str] = K::GRANULAR;
}

impl<K: StatusSubresource> StatusSubresource for Lean<K> {
    type Status = K::Status;

    fn status(&self) -> Option<&K::Status> {
        self.0.status()
    }

    fn status_mut(&mut self) -> &mut Option<K::Status> {
        self.0.status_mut()
    }
}

impl<K: Serialize> Serialize for Lean<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, K> Deserialize<'de> for Lean<K>
where
    K: Deserialize<'de> + Metadata<Ty = ObjectMeta>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut metadata = None;
        let mut object = K::deserialize(WithoutMetadata {
            inner: deserializer,
            metadata: &mut metadata,
        })?;
        if let Some(metadata) = metadata {
            *object.metadata_mut() = metadata;
        }
        Ok(Self(object))
    }
}

/// Wraps the deserializer, the visitor or the fields of an object: reads the metadata, and gives
/// the reader of the kind an empty one.
struct WithoutMetadata<'a, T> {
    inner: T,
    metadata: &'a mut Option<ObjectMeta>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for WithoutMetadata<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let Self { inner, metadata } = self;
        inner.deserialize_map(WithoutMetadata {
            inner: visitor,
            metadata,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let Self { inner, metadata } = self;
        let visitor = WithoutMetadata {
            inner: visitor,
            metadata,
        };
        inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let Self { inner, metadata } = self;
        let visitor = WithoutMetadata {
            inner: visitor,
            metadata,
        };
        inner.deserialize_newtype_struct(name, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    // An object has no other form.
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for WithoutMetadata<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, object: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(WithoutMetadata {
            inner: object,
            metadata: self.metadata,
        })
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<V::Value, M::Error> {
        self.inner.visit_map(Fields {
            map,
            metadata: self.metadata,
            is_metadata: false,
        })
    }
}

/// The fields of an object.
struct Fields<'a, M> {
    map: M,
    metadata: &'a mut Option<ObjectMeta>,
    /// True if the last key was that of the metadata.
    is_metadata: bool,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for Fields<'_, M> {
    type Error = M::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, M::Error> {
        let Some(Key(key)) = self.map.next_key()? else {
            return Ok(None);
        };
        self.is_metadata = key == "metadata";
        // A borrowed key stays borrowed.
        match key {
            Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
            Cow::Owned(key) => {
                let key: StringDeserializer<M::Error> = key.into_deserializer();
                seed.deserialize(key)
            }
        }
        .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, M::Error> {
        if !self.is_metadata {
            return self.map.next_value_seed(seed);
        }
        read_lean_metadata(&mut self.map, self.metadata.get_or_insert_default())?;
        seed.deserialize(Empty(PhantomData))
    }

    fn size_hint(&self) -> Option<usize> {
        self.map.size_hint()
    }
}

/// An object without fields, or an absent object.
struct Empty<E>(PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for Empty<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_map(MapDeserializer::new(iter::empty::<(&str, &str)>()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
