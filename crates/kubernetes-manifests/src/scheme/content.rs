//! Objects of any registered type.

use std::any::{Any, TypeId};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::{Metadata, Resource};
use kubernetes_kinds::GroupVersionKind;
use kubernetes_kinds::wire::{Tree, tree};

use super::write::unwritable;
use crate::error::SchemeError;

/// The metadata of kinds and lists.
pub trait Meta {
    /// Returns the name and the namespace, where there are any.
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
    Resource + Metadata<Ty: Meta> + Clone + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<T> Versioned for T where
    T: Resource + Metadata<Ty: Meta> + Clone + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// A [`Versioned`] whose type is known only at run time.
pub(super) trait Content: Any + Send + Sync {
    fn type_of(&self) -> TypeId;
    fn kind(&self) -> GroupVersionKind;
    fn names(&self) -> (Option<&str>, Option<&str>);
    fn duplicate(&self) -> Boxed;
    fn to_tree(&self) -> Result<Tree, SchemeError>;
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

    fn to_tree(&self) -> Result<Tree, SchemeError> {
        tree(self).map_err(unwritable)
    }
}

/// Returns the object as a `T`, if it is one.
pub(super) fn downcast<T: Versioned>(content: Boxed) -> Option<T> {
    let any: Box<dyn Any> = content;
    any.downcast().ok().map(|object| *object)
}

/// Returns a reference to the object as a `T`, if it is one.
pub(super) fn downcast_ref<T: Versioned>(content: &dyn Content) -> Option<&T> {
    (content as &dyn Any).downcast_ref()
}
