//! Decoding one object.

use std::any::TypeId;

use k8s_openapi::serde_json;
use kubernetes_kinds::convert::{Converted, UnrepresentableField};
use kubernetes_kinds::{GroupVersionKind, wire};

use super::content::{self, Boxed, Versioned};
use super::registry::{Entry, Scheme};
use super::type_meta::TypeMeta;
use crate::error::{Reason, SchemeError};
use crate::input::json::Text;
use crate::input::reader;
use crate::input::walk::Walk;
use crate::strict::ReadAs;

/// An object of the requested type.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Decoded<T> {
    /// The object.
    pub object: T,
    /// The kind that it had in the input.
    pub read: GroupVersionKind,
    /// The fields of the input that the type can't represent. An annotation of the object preserves
    /// them unless the scheme [discards](super::Unrepresentable::Discard) them.
    pub unrepresentable: Vec<UnrepresentableField>,
}

impl Scheme {
    /// Reads one object or typed list of any registered version from JSON, as `T`.
    ///
    /// An input that names the kind of `T` is read as fast as without a scheme. Otherwise it is
    /// read as the kind that it names and converted along the shortest route.
    ///
    /// # Errors
    ///
    /// When the input is not JSON or has no `apiVersion` or `kind`, when its kind is not registered
    /// or no route leads from it to `T`, when a field has the wrong type, and when it can't be
    /// converted.
    pub fn decode_json<T: Versioned>(
        &self,
        text: impl AsRef<[u8]>,
    ) -> Result<Decoded<T>, SchemeError> {
        let text = text.as_ref();
        let meta = TypeMeta::of_json(text)?;
        if meta.names::<T>() {
            let direct = |text: &str| serde_json::from_str(text);
            return Ok(Decoded {
                object: from_json(text, Some(direct), reader::read::<T>)?,
                read: GroupVersionKind::of::<T>(),
                unrepresentable: Vec::new(),
            });
        }
        self.decode(&meta, |entry| {
            let mut conversions = self.conversions.iter();
            let direct = conversions.find(|(from, _)| *from == entry.type_id);
            from_json(
                text,
                direct.map(|(_, conversion)| conversion.read),
                entry.read,
            )
        })
    }

    /// Reads an object of another type and converts it to `T`.
    pub(super) fn decode<T: Versioned>(
        &self,
        meta: &TypeMeta<'_>,
        decode: impl FnOnce(&Entry) -> Result<Boxed, SchemeError>,
    ) -> Result<Decoded<T>, SchemeError> {
        let read = meta.kind()?;
        let entry = self
            .entries
            .get(&read)
            .ok_or_else(|| Reason::NotRegistered {
                registered: self.nearest(&read),
                found: read.clone(),
            })?;
        // A missing route is reported before errors of fields.
        self.leads::<T>(entry.type_id, &read)?;
        let content = decode(entry)?;
        let Converted {
            object,
            unrepresentable,
        } = self.become_type(content, &read)?;
        Ok(Decoded {
            object,
            read,
            unrepresentable,
        })
    }

    /// Converts an object or a typed list along the shortest route.
    ///
    /// # Errors
    ///
    /// When no route leads from the one type to the other, and when the object can't be converted.
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
        let (content, unrepresentable) = path
            .follow(content, self.unrepresentable)
            .map_err(Reason::Conversion)?;
        // The path ends at `T`, so this can't fail.
        let object = content::downcast(content).ok_or_else(|| no_route::<T>(from))?;
        Ok(Converted {
            object,
            unrepresentable,
        })
    }

    fn leads<T: Versioned>(
        &self,
        from: TypeId,
        kind: &GroupVersionKind,
    ) -> Result<super::route::Path<'_>, Reason> {
        self.path(from, TypeId::of::<T>())
            .ok_or_else(|| no_route::<T>(kind))
    }
}

/// Reads the only document of a text, by a type's own reader if there is one. What that refuses is
/// read once more, as a tree, which finds the path of an error and reads some numbers and escapes
/// that `serde_json` doesn't. So is a text with a quantity that is a float, for its text.
fn from_json<T>(
    bytes: &[u8],
    direct: Option<impl Fn(&str) -> serde_json::Result<T>>,
    read: ReadAs<T>,
) -> Result<T, SchemeError> {
    let direct = match (direct, std::str::from_utf8(bytes)) {
        (Some(direct), Ok(text)) => {
            wire::take_float();
            match direct(text) {
                Ok(object) if !wire::take_float() => return Ok(object),
                Ok(_) => None,
                Err(error) => Some(SchemeError::syntax(&error)),
            }
        }
        _ => None,
    };
    let text = Text::new(bytes);
    let read = match text.document() {
        Ok(node) => read(&node, Walk::new(&[]), Some(text.source())),
        Err(error) => Err(SchemeError::syntax(&error)),
    };
    match (direct, read) {
        // Reading as a tree may fail earlier, at a field that the type skips.
        (Some(direct), Err(error))
            if matches!(direct.reason(), Reason::Shape { .. })
                && matches!(error.reason(), Reason::Syntax { .. }) =>
        {
            Err(direct)
        }
        (_, read) => read,
    }
}

pub(super) fn no_route<T: Versioned>(from: &GroupVersionKind) -> Reason {
    Reason::NoRoute {
        from: from.clone(),
        to: GroupVersionKind::of::<T>().to_string(),
    }
}
