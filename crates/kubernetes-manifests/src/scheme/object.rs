use std::fmt;

use k8s_openapi::serde_json::Value;
use kubernetes_kinds::convert::{Converted, UnrepresentableField};
use kubernetes_kinds::{GroupVersion, GroupVersionKind};

use super::content::{self, Boxed, Versioned};
use super::decode::no_route;
use super::type_meta::TypeMeta;
use super::{Decoded, Scheme, write};
use crate::error::{Location, Reason, SchemeError};

/// An object of any kind: of a registered type, or of a kind without a type as JSON.
///
/// JSON is written back with all of its fields, sorted. Two objects are equal if they have the
/// same type and are written the same.
pub struct AnyObject {
    held: Held,
    read: GroupVersionKind,
    unrepresentable: Vec<UnrepresentableField>,
    location: Location,
}

enum Held {
    Typed(Boxed),
    Dynamic(GroupVersionKind, Value),
}

impl AnyObject {
    /// Returns an object of a type.
    #[must_use]
    pub fn new<T: Versioned>(object: T) -> Self {
        Self::typed(Box::new(object), Location::default())
    }

    /// Returns an object of a kind without a type.
    ///
    /// # Errors
    ///
    /// When it is not an object or doesn't name its `apiVersion` and `kind`.
    pub fn dynamic(value: Value) -> Result<Self, SchemeError> {
        let kind = TypeMeta::of_value(&value)?.kind()?;
        Ok(Self::untyped(kind, value, Location::default()))
    }

    pub(super) fn typed(content: Boxed, location: Location) -> Self {
        Self {
            read: content.kind(),
            held: Held::Typed(content),
            unrepresentable: Vec::new(),
            location,
        }
    }

    pub(super) fn untyped(kind: GroupVersionKind, value: Value, location: Location) -> Self {
        Self {
            read: kind.clone(),
            held: Held::Dynamic(kind, value),
            unrepresentable: Vec::new(),
            location,
        }
    }

    /// Returns the kind that the object had when it was read or made.
    #[must_use]
    pub fn read(&self) -> &GroupVersionKind {
        &self.read
    }

    /// Returns the kind that the object has now.
    #[must_use]
    pub fn kind(&self) -> GroupVersionKind {
        match &self.held {
            Held::Typed(content) => content.kind(),
            Held::Dynamic(kind, _) => kind.clone(),
        }
    }

    /// Returns the location of the object in the input.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns `metadata.name`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.held {
            Held::Typed(content) => content.names().0,
            Held::Dynamic(_, value) => value.pointer("/metadata/name")?.as_str(),
        }
    }

    /// Returns `metadata.namespace`.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        match &self.held {
            Held::Typed(content) => content.names().1,
            Held::Dynamic(_, value) => value.pointer("/metadata/namespace")?.as_str(),
        }
    }

    /// Returns the fields that were not representable in a target of
    /// [`convert_to`](Self::convert_to).
    #[must_use]
    pub fn unrepresentable(&self) -> &[UnrepresentableField] {
        &self.unrepresentable
    }

    /// Returns the object as JSON, if its kind has no type.
    #[must_use]
    pub fn as_value(&self) -> Option<&Value> {
        match &self.held {
            Held::Typed(_) => None,
            Held::Dynamic(_, value) => Some(value),
        }
    }

    /// Returns a reference to the object, if it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Versioned>(&self) -> Option<&T> {
        match &self.held {
            Held::Typed(content) => content::downcast_ref(&**content),
            Held::Dynamic(..) => None,
        }
    }

    /// Returns the object, if it is a `T`; an object of another type is dropped, so
    /// use [`downcast_ref`](Self::downcast_ref) first.
    #[must_use]
    pub fn downcast<T: Versioned>(self) -> Option<T> {
        match self.held {
            Held::Typed(content) => content::downcast(content),
            Held::Dynamic(..) => None,
        }
    }

    /// Converts the object to a `T` along the shortest route; a `T` is returned unchanged.
    ///
    /// # Errors
    ///
    /// When no route leads to `T`, as for every object without a type, and when the object can't be
    /// converted.
    pub fn convert<T: Versioned>(self, scheme: &Scheme) -> Result<Decoded<T>, SchemeError> {
        let (mut location, kind) = (self.location, self.read);
        let converted = match self.held {
            Held::Typed(content) => {
                location
                    .object
                    .get_or_insert_with(|| describe(&kind, content.names()));
                let from = content.kind();
                scheme.become_type(content, &from)
            }
            Held::Dynamic(kind, _) => Err(no_route::<T>(&kind)),
        };
        let Converted {
            object,
            unrepresentable,
        } = converted.map_err(|reason| SchemeError::from(reason).at(&location))?;
        let mut all = self.unrepresentable;
        all.extend(unrepresentable);
        Ok(Decoded {
            object,
            read: kind,
            unrepresentable: all,
        })
    }

    /// Converts the object to the nearest kind of a group and version, such as storage.k8s.io/v1;
    /// an object of that version is returned unchanged.
    ///
    /// # Errors
    ///
    /// When no route leads to the version, and when the object can't be converted.
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
        let mut location = self.location.clone();
        location.object.get_or_insert_with(|| self.to_string());
        let content = match self.held {
            Held::Typed(content) => content,
            Held::Dynamic(kind, _) => {
                return Err(SchemeError::from(no_route(kind)).at(&location));
            }
        };
        let paths = scheme.paths(content.type_of());
        let wanted = paths.iter().find(|path| {
            path.target()
                .is_some_and(|(_, kind)| kind.group_version == *group_version)
        });
        let Some(path) = wanted else {
            return Err(SchemeError::from(no_route(content.kind())).at(&location));
        };
        let (content, unrepresentable) = path
            .follow(content, scheme.unrepresentable)
            .map_err(|error| SchemeError::from(Reason::Conversion(error)).at(&location))?;
        let mut all = self.unrepresentable;
        all.extend(unrepresentable);
        Ok(Self {
            held: Held::Typed(content),
            read: self.read,
            unrepresentable: all,
            location: self.location,
        })
    }

    /// Returns the object as compact JSON.
    ///
    /// # Errors
    ///
    /// When serializing fails.
    pub fn to_json(&self) -> Result<String, SchemeError> {
        match &self.held {
            Held::Typed(content) => write::to_json(&content.to_tree()?),
            Held::Dynamic(_, value) => write::to_json(&write::Ordered(value)),
        }
    }

    /// Returns the object as a JSON value.
    ///
    /// # Errors
    ///
    /// When serializing fails.
    pub fn to_value(&self) -> Result<Value, SchemeError> {
        match &self.held {
            Held::Typed(content) => Ok(content.to_tree()?.into_value()),
            Held::Dynamic(_, value) => Ok(value.clone()),
        }
    }

    /// Returns the object as one YAML document: `apiVersion`, `kind` and `metadata` first, then the
    /// other fields in the order of the type, or sorted where there is none.
    ///
    /// # Errors
    ///
    /// When serializing fails.
    #[cfg(feature = "yaml")]
    pub fn to_yaml(&self) -> Result<String, SchemeError> {
        match &self.held {
            Held::Typed(content) => super::yaml::tree_to_yaml(&content.to_tree()?),
            Held::Dynamic(_, value) => super::yaml::tree_to_yaml(&write::Ordered(value)),
        }
    }
}

impl Clone for AnyObject {
    fn clone(&self) -> Self {
        Self {
            held: match &self.held {
                Held::Typed(content) => Held::Typed(content.duplicate()),
                Held::Dynamic(kind, value) => Held::Dynamic(kind.clone(), value.clone()),
            },
            read: self.read.clone(),
            unrepresentable: self.unrepresentable.clone(),
            location: self.location.clone(),
        }
    }
}

impl PartialEq for AnyObject {
    fn eq(&self, other: &Self) -> bool {
        match (&self.held, &other.held) {
            (Held::Typed(one), Held::Typed(other)) => {
                // The methods are those of the objects, not of their boxes.
                let (one, other) = (&**one, &**other);
                one.type_of() == other.type_of() && one.to_tree() == other.to_tree()
            }
            (Held::Dynamic(_, one), Held::Dynamic(_, other)) => one == other,
            _ => false,
        }
    }
}

/// Shown as the JSON of the object.
impl fmt::Debug for AnyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("AnyObject");
        match self.to_json() {
            Ok(json) => shown.field("object", &format_args!("{json}")),
            Err(error) => shown.field("error", &error),
        };
        shown
            .field("read", &self.read)
            .field("location", &self.location);
        shown.finish_non_exhaustive()
    }
}

/// Shown as `storage.k8s.io/v1 CSINode node-1`, with `namespace/` before a name in a namespace.
impl fmt::Display for AnyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&describe(&self.kind(), (self.name(), self.namespace())))
    }
}

/// Returns a kind with the name and the namespace of an object.
pub(super) fn describe(kind: &GroupVersionKind, names: (Option<&str>, Option<&str>)) -> String {
    match names {
        (None, _) => kind.to_string(),
        (Some(name), None) => format!("{kind} {name}"),
        (Some(name), Some(namespace)) => format!("{kind} {namespace}/{name}"),
    }
}
