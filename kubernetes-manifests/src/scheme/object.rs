use std::fmt;

use k8s_openapi::serde_json::Value;
use kubernetes_kinds::convert::{Converted, UnrepresentableField};
use kubernetes_kinds::{GroupVersion, GroupVersionKind};

use super::content::{self, Boxed, Versioned};
use super::decode::no_route;
use super::type_meta::TypeMeta;
use super::{Decoded, Scheme, write};
use crate::error::{Place, Reason, SchemeError};

/// One object of any kind: of a registered type, or of none, and then kept as JSON.
///
/// What is kept as JSON is written back with all that it had; only its fields are put into
/// order. Two objects are equal if what they hold is.
#[derive(Debug)]
pub struct Object {
    held: Held,
    read: GroupVersionKind,
    losses: Vec<UnrepresentableField>,
    place: Place,
}

#[derive(Debug)]
enum Held {
    Typed(Boxed),
    Dynamic(GroupVersionKind, Value),
}

impl Object {
    /// Holds an object of a type.
    #[must_use]
    pub fn new<T: Versioned>(object: T) -> Self {
        Self::typed(Box::new(object), Place::default())
    }

    /// Holds an object of a kind for which there is no type.
    ///
    /// # Errors
    ///
    /// When it is not an object or doesn't name its `apiVersion` and `kind`.
    pub fn dynamic(value: Value) -> Result<Self, SchemeError> {
        let kind = TypeMeta::of_value(&value)?.kind()?;
        Ok(Self::untyped(kind, value, Place::default()))
    }

    pub(super) fn typed(content: Boxed, place: Place) -> Self {
        Self {
            read: content.kind(),
            held: Held::Typed(content),
            losses: Vec::new(),
            place,
        }
    }

    pub(super) fn untyped(kind: GroupVersionKind, value: Value, place: Place) -> Self {
        Self {
            read: kind.clone(),
            held: Held::Dynamic(kind, value),
            losses: Vec::new(),
            place,
        }
    }

    /// The kind that it had when it was read or made.
    #[must_use]
    pub fn read(&self) -> &GroupVersionKind {
        &self.read
    }

    /// The kind that it has now.
    #[must_use]
    pub fn kind(&self) -> GroupVersionKind {
        match &self.held {
            Held::Typed(content) => content.kind(),
            Held::Dynamic(kind, _) => kind.clone(),
        }
    }

    /// Where it stood in the input, for messages.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Its `metadata.name`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.held {
            Held::Typed(content) => content.names().0,
            Held::Dynamic(_, value) => value.pointer("/metadata/name")?.as_str(),
        }
    }

    /// Its `metadata.namespace`.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        match &self.held {
            Held::Typed(content) => content.names().1,
            Held::Dynamic(_, value) => value.pointer("/metadata/namespace")?.as_str(),
        }
    }

    /// What it has lost by [`convert_to`](Self::convert_to).
    #[must_use]
    pub fn losses(&self) -> &[UnrepresentableField] {
        &self.losses
    }

    /// The object as JSON, if there is no type for it.
    #[must_use]
    pub fn as_value(&self) -> Option<&Value> {
        match &self.held {
            Held::Typed(_) => None,
            Held::Dynamic(_, value) => Some(value),
        }
    }

    /// The object, if it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Versioned>(&self) -> Option<&T> {
        match &self.held {
            Held::Typed(content) => content::downcast_ref(&**content),
            Held::Dynamic(..) => None,
        }
    }

    /// The object, if it is a `T`; otherwise it is gone, so
    /// [look](Self::downcast_ref) first.
    #[must_use]
    pub fn downcast<T: Versioned>(self) -> Option<T> {
        match self.held {
            Held::Typed(content) => content::downcast(content),
            Held::Dynamic(..) => None,
        }
    }

    /// Converts it into a `T` along the shortest route; nothing happens to what is one.
    ///
    /// # Errors
    ///
    /// When nothing leads to `T`, which is so for whatever is kept as JSON, and when the object
    /// can't be converted.
    pub fn convert<T: Versioned>(
        self,
        scheme: &Scheme,
    ) -> Result<Decoded<T>, SchemeError> {
        let (mut place, kind) = (self.place, self.read);
        let converted = match self.held {
            Held::Typed(content) => {
                place.object.get_or_insert_with(|| describe(&kind, content.names()));
                let from = content.kind();
                scheme.become_type(content, &from)
            }
            Held::Dynamic(kind, _) => Err(no_route::<T>(&kind)),
        };
        let Converted {
            object,
            unrepresentable: losses,
        } = converted.map_err(|reason| SchemeError::from(reason).at(&place))?;
        Ok(Decoded {
            object,
            read: kind,
            losses: self.losses.into_iter().chain(losses).collect(),
        })
    }

    /// Converts it into the nearest kind of a group and version, such as storage.k8s.io/v1;
    /// nothing happens to what is of it.
    ///
    /// # Errors
    ///
    /// When nothing leads to a kind of it, and when the object can't be converted.
    pub fn convert_to(
        self,
        scheme: &Scheme,
        group_version: &GroupVersion,
    ) -> Result<Self, SchemeError> {
        if self.kind().group_version == *group_version {
            return Ok(self);
        }
        let no_route = |from| Reason::NoRoute {
            from,
            to: group_version.to_string(),
        };
        let mut place = self.place.clone();
        place.object.get_or_insert_with(|| self.to_string());
        let content = match self.held {
            Held::Typed(content) => content,
            Held::Dynamic(kind, _) => {
                return Err(SchemeError::from(no_route(kind)).at(&place));
            }
        };
        let paths = scheme.paths(content.type_of());
        let wanted = paths.iter().find(|path| {
            path.target().is_some_and(|(_, kind)| kind.group_version == *group_version)
        });
        let Some(path) = wanted else {
            return Err(SchemeError::from(no_route(content.kind())).at(&place));
        };
        let (content, losses) = path
            .follow(content, scheme.losses)
            .map_err(|error| SchemeError::from(Reason::Conversion(error)).at(&place))?;
        Ok(Self {
            held: Held::Typed(content),
            read: self.read,
            losses: self.losses.into_iter().chain(losses).collect(),
            place: self.place,
        })
    }

    /// The object as compact JSON.
    ///
    /// # Errors
    ///
    /// When the type refuses to be written.
    pub fn to_json(&self) -> Result<String, SchemeError> {
        match &self.held {
            Held::Typed(content) => content.to_json(),
            Held::Dynamic(_, value) => write::to_json(&write::Ordered(value)),
        }
    }

    /// The object as a JSON value.
    ///
    /// # Errors
    ///
    /// When the type refuses to be written.
    pub fn to_value(&self) -> Result<Value, SchemeError> {
        match &self.held {
            Held::Typed(content) => content.to_value(),
            Held::Dynamic(_, value) => Ok(value.clone()),
        }
    }

    /// The object as one YAML document: `apiVersion`, `kind` and `metadata` first, then the
    /// other fields in the order of the type, or sorted where there is none.
    ///
    /// # Errors
    ///
    /// When the type refuses to be written.
    #[cfg(feature = "yaml")]
    pub fn to_yaml(&self) -> Result<String, SchemeError> {
        match &self.held {
            Held::Typed(content) => content.to_yaml(),
            Held::Dynamic(_, value) => super::yaml::to_yaml(&write::Ordered(value)),
        }
    }
}

impl Clone for Object {
    fn clone(&self) -> Self {
        Self {
            held: match &self.held {
                Held::Typed(content) => Held::Typed(content.duplicate()),
                Held::Dynamic(kind, value) => Held::Dynamic(kind.clone(), value.clone()),
            },
            read: self.read.clone(),
            losses: self.losses.clone(),
            place: self.place.clone(),
        }
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        match (&self.held, &other.held) {
            (Held::Typed(one), Held::Typed(other)) => one.equals(&**other),
            (Held::Dynamic(_, one), Held::Dynamic(_, other)) => one == other,
            _ => false,
        }
    }
}

/// Shown as `storage.k8s.io/v1 CSINode node-1`, with `namespace/` before the name of what is in
/// one.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&describe(&self.kind(), (self.name(), self.namespace())))
    }
}

/// A kind, with the name and the namespace of an object of it.
pub(super) fn describe(
    kind: &GroupVersionKind,
    names: (Option<&str>, Option<&str>),
) -> String {
    match names {
        (None, _) => kind.to_string(),
        (Some(name), None) => format!("{kind} {name}"),
        (Some(name), Some(namespace)) => format!("{kind} {namespace}/{name}"),
    }
}
