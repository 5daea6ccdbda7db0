//! Decoding one object.

use std::any::TypeId;

use kubernetes_kinds::GroupVersionKind;
use kubernetes_kinds::convert::{Converted, UnrepresentableField};

use super::content::{self, Boxed, Versioned};
use super::type_meta::TypeMeta;
use super::{Entry, Scheme};
use crate::error::{Reason, SchemeError};
use crate::input::json;

/// An object as it was asked for.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Decoded<T> {
    /// The object.
    pub object: T,
    /// The kind that it had in the input.
    pub read: GroupVersionKind,
    /// What of the input it can't say; kept in its annotation unless the scheme
    /// [drops](super::Losses::Drop) losses.
    pub losses: Vec<UnrepresentableField>,
}

impl Scheme {
    /// Reads one object or typed list of any registered version from JSON, as `T`.
    ///
    /// Where the input is a `T` already, this is as fast as reading it without a scheme.
    /// Otherwise it is read as what it says it is and converted along the shortest route.
    ///
    /// # Errors
    ///
    /// When the input is not JSON, doesn't say what it is, is of a kind that isn't registered
    /// or from which nothing leads to `T`, when a field has the wrong shape, and when it can't
    /// be converted.
    pub fn decode_json<T: Versioned>(
        &self,
        text: impl AsRef<[u8]>,
    ) -> Result<Decoded<T>, SchemeError> {
        let text = text.as_ref();
        let meta = TypeMeta::of_json(text)?;
        if meta.names::<T>() {
            let object = json::from_json(text)?;
            return Ok(Decoded {
                object,
                read: GroupVersionKind::of::<T>(),
                losses: Vec::new(),
            });
        }
        self.decode(&meta, |entry| (entry.from_json)(text))
    }

    /// Reads what isn't a `T`, and makes it one.
    pub(super) fn decode<T: Versioned>(
        &self,
        meta: &TypeMeta<'_>,
        decode: impl Fn(&Entry) -> Result<Boxed, SchemeError>,
    ) -> Result<Decoded<T>, SchemeError> {
        let read = meta.kind()?;
        let entry = self.entries.get(&read).ok_or_else(|| Reason::NotRegistered {
            registered: self.nearest(&read),
            found: read.clone(),
        })?;
        // A missing route is worth more to know than a fault further inside.
        self.leads::<T>(entry.type_id, &read)?;
        let content = decode(entry)?;
        let Converted {
            object,
            unrepresentable: losses,
        } = self.become_type(content, &read)?;
        Ok(Decoded {
            object,
            read,
            losses,
        })
    }

    /// Converts an object or a typed list along the shortest route.
    ///
    /// # Errors
    ///
    /// When nothing leads from the one type to the other, and when the object can't be
    /// converted.
    pub fn convert<A: Versioned, B: Versioned>(
        &self,
        object: A,
    ) -> Result<Converted<B>, SchemeError> {
        let from = GroupVersionKind::of::<A>();
        Ok(self.become_type(Box::new(object), &from)?)
    }

    pub(super) fn become_type<T: Versioned>(
        &self,
        content: Boxed,
        from: &GroupVersionKind,
    ) -> Result<Converted<T>, Reason> {
        let path = self.leads::<T>(content.type_of(), from)?;
        let (content, losses) =
            path.follow(content, self.losses).map_err(Reason::Conversion)?;
        // The path ends at `T`, so that this can't fail.
        let object = content::downcast(content).ok_or_else(|| no_route::<T>(from))?;
        Ok(Converted {
            object,
            unrepresentable: losses,
        })
    }

    fn leads<T: Versioned>(
        &self,
        from: TypeId,
        kind: &GroupVersionKind,
    ) -> Result<super::route::Path<'_>, Reason> {
        self.path(from, TypeId::of::<T>()).ok_or_else(|| no_route::<T>(kind))
    }
}

pub(super) fn no_route<T: Versioned>(from: &GroupVersionKind) -> Reason {
    Reason::NoRoute {
        from: from.clone(),
        to: GroupVersionKind::of::<T>().to_string(),
    }
}
