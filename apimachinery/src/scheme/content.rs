//! Objects of any registered type, and how they are read from JSON.

use std::any::{Any, TypeId};
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::{self, Value};
use k8s_openapi::{Metadata, Resource};

use super::error::{SchemeError, join_name};
use super::write;
use crate::GroupVersionKind;

/// The metadata of kinds and lists.
pub trait Meta {
    /// The name and the namespace, where there are any.
    fn names(&self) -> (Option<&str>, Option<&str>);
}

impl Meta for ObjectMeta {
    fn names(&self) -> (Option<&str>, Option<&str>) {
        (self.name.as_deref(), self.namespace.as_deref())
    }
}

impl Meta for ListMeta {
    fn names(&self) -> (Option<&str>, Option<&str>) {
        (None, None)
    }
}

/// A type that a [`Scheme`](super::Scheme) can decode, convert and hold: a kind or a typed
/// list of one.
///
/// Every generated kind and list is one.
pub trait Versioned:
    Resource
    + Metadata<Ty: Meta>
    + Clone
    + fmt::Debug
    + PartialEq
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<T> Versioned for T where
    T: Resource
        + Metadata<Ty: Meta>
        + Clone
        + fmt::Debug
        + PartialEq
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// A [`Versioned`] whose type is known only at run time.
pub(super) trait Content: Any + fmt::Debug + Send + Sync {
    fn type_of(&self) -> TypeId;
    fn kind(&self) -> GroupVersionKind;
    fn names(&self) -> (Option<&str>, Option<&str>);
    fn duplicate(&self) -> Boxed;
    fn equals(&self, other: &dyn Content) -> bool;
    fn to_json(&self) -> Result<String, SchemeError>;
    fn to_value(&self) -> Result<Value, SchemeError>;
    #[cfg(feature = "yaml")]
    fn to_yaml(&self) -> Result<String, SchemeError>;
}

pub(super) type Boxed = Box<dyn Content>;

impl<T: Versioned> Content for T {
    fn type_of(&self) -> TypeId {
        TypeId::of::<T>()
    }

    fn kind(&self) -> GroupVersionKind {
        GroupVersionKind::of::<T>()
    }

    fn names(&self) -> (Option<&str>, Option<&str>) {
        self.metadata().names()
    }

    fn duplicate(&self) -> Boxed {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Content) -> bool {
        (other as &dyn Any).downcast_ref::<T>() == Some(self)
    }

    fn to_json(&self) -> Result<String, SchemeError> {
        write::to_json(self)
    }

    fn to_value(&self) -> Result<Value, SchemeError> {
        serde_json::to_value(self).map_err(write::unwritable)
    }

    #[cfg(feature = "yaml")]
    fn to_yaml(&self) -> Result<String, SchemeError> {
        super::yaml::to_yaml(self)
    }
}

/// The object as its own type, if it is of that.
pub(super) fn downcast<T: Versioned>(content: Boxed) -> Option<T> {
    let any: Box<dyn Any> = content;
    any.downcast().ok().map(|object| *object)
}

/// Looks at the object as its own type, if it is of that.
pub(super) fn downcast_ref<T: Versioned>(content: &dyn Content) -> Option<&T> {
    (content as &dyn Any).downcast_ref()
}

/// Decodes a JSON text; the path of a fault is looked for only once there is one.
pub(crate) fn from_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, SchemeError> {
    // Checked as a whole, the text needs no check string by string, which is much slower.
    let decoded = match std::str::from_utf8(text) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(text),
    };
    decoded.map_err(|error| {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let again = serde_path_to_error::deserialize::<_, T>(&mut deserializer);
        SchemeError::json(path(again), &error)
    })
}

/// The same of a value.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, SchemeError> {
    T::deserialize(value).map_err(|error| {
        let again = serde_path_to_error::deserialize::<_, T>(value);
        SchemeError::json(path(again), &error)
    })
}

/// A path as conversions show theirs: `spec.drivers[0].name`, and in brackets what isn't a
/// plain name, `metadata.annotations[example.com/a]`.
///
/// Nothing is told of what was no fault the second time, such as text after the object.
fn path<T>(decoded: Result<T, serde_path_to_error::Error<serde_json::Error>>) -> String {
    use serde_path_to_error::Segment;

    let Err(error) = decoded else {
        return String::new();
    };
    error.path().iter().fold(String::new(), |outer, segment| match segment {
        Segment::Seq { index } => format!("{outer}[{index}]"),
        Segment::Map { key: name } | Segment::Enum { variant: name } => {
            join_name(&outer, name)
        }
        Segment::Unknown => outer,
    })
}
