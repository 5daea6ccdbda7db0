//! Conversion between generated types and the types of k8s-openapi for the same schemas.
//!
//! The generated crates implement [`Counterpart`] for their types, with the macros [`object!`] and
//! [`enumeration!`], and with it the conversions of the standard library:
//!
//! * `From` converts from the type of k8s-openapi, and loses nothing;
//! * `From` converts to it if the Kubernetes release that k8s-openapi is built for has all fields;
//! * `TryFrom` converts to it if that release lacks fields. Its [`LossyError`] lists those that are
//!   set.
//!
//! The release decides which of the two exists. A library that doesn't know the release uses
//! `TryFrom`, which `From` implies, or [`Counterpart::into_k8s_openapi`].

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::serde::Serialize;

use crate::FieldPath;
use crate::convert::{Converted, UnrepresentableField};
use crate::path::Segment;
use crate::wire::{self, UnknownFields, Zero};
#[doc(inline)]
pub use crate::{__counterpart_enumeration as enumeration, __counterpart_object as object};

/// A type that has a counterpart in k8s-openapi.
///
/// Lists, maps and optional values of such types have one as well.
pub trait Counterpart: Sized {
    /// The type of k8s-openapi; a text, for an enumeration.
    type Theirs;

    /// True if the counterpart has all fields, so that nothing can be lost.
    const IS_COMPLETE: bool;

    /// Converts from the counterpart, all of whose fields this type has.
    fn from_theirs(theirs: Self::Theirs) -> Self;

    /// Converts to the counterpart, and adds the fields that it lacks to `lost`.
    fn into_theirs(self, lost: &mut Lost) -> Self::Theirs;

    /// Converts to the type of k8s-openapi, and reports the fields that it lacks.
    fn into_k8s_openapi(self) -> Converted<Self::Theirs> {
        let mut lost = Lost::default();
        Converted {
            object: self.into_theirs(&mut lost),
            unrepresentable: lost.0,
        }
    }
}

/// The fields that a conversion has lost.
#[derive(Debug, Default)]
pub struct Lost(Vec<UnrepresentableField>);

impl Lost {
    /// Adds a field unless it has its zero value.
    pub fn add<T: PartialEq + Serialize + Zero>(&mut self, name: &'static str, value: &T) {
        if *value != T::zero() {
            self.0.push(UnrepresentableField {
                path: FieldPath::new(name),
                // Types of the API are always serializable.
                value: wire::to_value(value).unwrap_or_default(),
            });
        }
    }

    /// Adds unknown fields that were preserved.
    pub fn add_unknown(&mut self, unknown: UnknownFields) {
        let fields = unknown
            .into_iter()
            .map(|(name, value)| UnrepresentableField {
                path: FieldPath::new(name),
                value,
            });
        self.0.extend(fields);
    }

    /// Converts a field, and adds its lost fields.
    pub fn inside<T: Counterpart>(&mut self, name: &'static str, value: T) -> T::Theirs {
        self.below(|| Segment::Field(name.into()), value)
    }

    fn below<T: Counterpart>(&mut self, segment: impl FnOnce() -> Segment, value: T) -> T::Theirs {
        let before = self.0.len();
        let theirs = value.into_theirs(self);
        if self.0.len() > before {
            let above = FieldPath::default().with(segment());
            for field in self.0.iter_mut().skip(before) {
                field.path = above.clone().join(std::mem::take(&mut field.path));
            }
        }
        theirs
    }
}

/// Fields that are set and that the type of k8s-openapi lacks, because it is of a Kubernetes
/// release without them.
#[derive(Clone, Debug, PartialEq)]
pub struct LossyError {
    /// The fields, at least one.
    pub unrepresentable: Vec<UnrepresentableField>,
}

impl fmt::Display for LossyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the Kubernetes release of k8s-openapi's types lacks ")?;
        for (index, field) in self.unrepresentable.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{field}")?;
        }
        f.write_str(": unset what it lacks, or select a later release of k8s-openapi")
    }
}

impl std::error::Error for LossyError {}

/// Converts to the type of k8s-openapi if it has all fields.
///
/// # Errors
///
/// When fields are set that it lacks.
pub fn try_into_theirs<T: Counterpart>(ours: T) -> Result<T::Theirs, LossyError> {
    let Converted {
        object,
        unrepresentable,
    } = ours.into_k8s_openapi();
    if unrepresentable.is_empty() {
        Ok(object)
    } else {
        Err(LossyError { unrepresentable })
    }
}

/// Returns true if nothing of the field that a function returns can be lost.
pub const fn is_complete<O, T: Counterpart>(_: fn(&O) -> &T) -> bool {
    T::IS_COMPLETE
}

/// The same of a field that is boxed here only.
pub const fn is_complete_boxed<O, T: Counterpart>(_: fn(&O) -> &Option<Box<T>>) -> bool {
    T::IS_COMPLETE
}

impl<T: Counterpart> Counterpart for Option<T> {
    type Theirs = Option<T::Theirs>;

    const IS_COMPLETE: bool = T::IS_COMPLETE;

    fn from_theirs(theirs: Self::Theirs) -> Self {
        theirs.map(T::from_theirs)
    }

    fn into_theirs(self, lost: &mut Lost) -> Self::Theirs {
        self.map(|value| value.into_theirs(lost))
    }
}

impl<T: Counterpart> Counterpart for Box<T> {
    type Theirs = Box<T::Theirs>;

    const IS_COMPLETE: bool = T::IS_COMPLETE;

    fn from_theirs(theirs: Self::Theirs) -> Self {
        Self::new(T::from_theirs(*theirs))
    }

    fn into_theirs(self, lost: &mut Lost) -> Self::Theirs {
        Box::new((*self).into_theirs(lost))
    }
}

impl<T: Counterpart> Counterpart for Vec<T> {
    type Theirs = Vec<T::Theirs>;

    const IS_COMPLETE: bool = T::IS_COMPLETE;

    fn from_theirs(theirs: Self::Theirs) -> Self {
        theirs.into_iter().map(T::from_theirs).collect()
    }

    fn into_theirs(self, lost: &mut Lost) -> Self::Theirs {
        let elements = self.into_iter().enumerate();
        elements
            .map(|(at, value)| lost.below(|| Segment::Index(at), value))
            .collect()
    }
}

impl<T: Counterpart> Counterpart for BTreeMap<String, T> {
    type Theirs = BTreeMap<String, T::Theirs>;

    const IS_COMPLETE: bool = T::IS_COMPLETE;

    fn from_theirs(theirs: Self::Theirs) -> Self {
        theirs
            .into_iter()
            .map(|(key, value)| (key, T::from_theirs(value)))
            .collect()
    }

    fn into_theirs(self, lost: &mut Lost) -> Self::Theirs {
        let entries = self.into_iter().map(|(key, value)| {
            let theirs = lost.below(|| Segment::Key(key.clone()), value);
            (key, theirs)
        });
        entries.collect()
    }
}

/// Implements conversion from and to a type of k8s-openapi, from the table of fields.
///
/// The first row is `total` if the type of k8s-openapi has all fields, in parts too, `partial` if
/// it lacks some. With two of k8s-openapi's macros in brackets, such as
/// `total [k8s_if_ge_1_36 k8s_if_le_1_35]`, it has them in the releases of the first. The compiler
/// checks that this is so.
///
/// All is `#[inline]`, so that a program carries only the conversions that it uses.
///
/// A row of a field has its name in JSON and in Rust. With `as part` the field has a counterpart,
/// with `as boxed` it is in a `Box` here only, with `as boxed_part` both; otherwise it has the same
/// type on both sides.
/// Brackets before a field have the releases in which k8s-openapi has it, as above, if not in all;
/// empty brackets mean none. These fields come last. A last row `_ => field` names the field with
/// the preserved unknown fields.
///
/// ```
/// use k8s_openapi::api::core::v1 as theirs;
/// use kubernetes_kinds::counterpart::{self, Counterpart};
/// use kubernetes_kinds::wire;
///
/// #[derive(Clone, Debug, Default, PartialEq)]
/// struct SecretReference {
///     name: Option<String>,
///     namespace: Option<String>,
///     color: Option<String>,
/// }
///
/// counterpart::object! {
///     SecretReference => theirs::SecretReference {
///         partial,
///         "name" => name,
///         "namespace" => namespace,
///         [] "color" => color,
///     }
/// }
///
/// let ours = SecretReference {
///     name: Some("credentials".to_owned()),
///     color: Some("red".to_owned()),
///     ..Default::default()
/// };
/// let error = theirs::SecretReference::try_from(ours.clone()).unwrap_err();
/// assert_eq!(error.unrepresentable[0].to_string(), "color: \"red\"");
///
/// let converted = ours.into_k8s_openapi();
/// assert_eq!(converted.object.name.as_deref(), Some("credentials"));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_object {
    ($name:ident => $theirs:ty {
        $how:ident $([$since:ident $before:ident])?,
        $($key:literal => $field:ident $(as $shape:ident)?,)*
        $([$($gate:ident)*] $gated_key:literal => $gated:ident $(as $gated_shape:ident)?,)*
        $(_ => $unknown:ident,)?
    }) => {
        $crate::__counterpart_gated! {
            ($name, $theirs)
            [$(($key $field $($shape)?))*]
            []
            $([$($gate)*] ($gated_key $gated $($gated_shape)?))*
            $(_ $unknown)?
        }

        impl ::core::convert::From<$theirs> for $name {
            #[inline]
            fn from(theirs: $theirs) -> Self {
                $crate::counterpart::Counterpart::from_theirs(theirs)
            }
        }

        $crate::__counterpart_way! { $how ($name, $theirs) $([$since $before])? }
    };
}

/// Sorts the fields into those that the type of k8s-openapi has and those that it lacks.
#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_gated {
    ($types:tt [$($has:tt)*] [$($lacks:tt)*] [] $row:tt $($rest:tt)*) => {
        $crate::__counterpart_gated! { $types [$($has)*] [$($lacks)* $row] $($rest)* }
    };
    (
        $types:tt [$($has:tt)*] [$($lacks:tt)*]
        [$since:ident $before:ident] $row:tt $($rest:tt)*
    ) => {
        $crate::generated::k8s_openapi::$since! {
            $crate::__counterpart_gated! { $types [$($has)* $row] [$($lacks)*] $($rest)* }
        }
        $crate::generated::k8s_openapi::$before! {
            $crate::__counterpart_gated! { $types [$($has)*] [$($lacks)* $row] $($rest)* }
        }
    };
    ($types:tt $has:tt $lacks:tt $(_ $unknown:ident)?) => {
        $crate::__counterpart_fields! { $types $has $lacks $($unknown)? }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_fields {
    (
        ($name:ident, $theirs:ty)
        [$(($key:literal $field:ident $($shape:ident)?))*]
        [$(($lost_key:literal $lost:ident $($lost_shape:ident)?))*]
        $($unknown:ident)?
    ) => {
        impl $crate::counterpart::Counterpart for $name {
            type Theirs = $theirs;

            const IS_COMPLETE: bool = true
                $(&& $crate::__counterpart_lacks!($lost))*
                $(&& $crate::__counterpart_lacks!($unknown))?
                $(&& $crate::__counterpart_complete!($name, $field $($shape)?))*;

            #[inline]
            fn from_theirs(theirs: $theirs) -> Self {
                // An alias can be matched, but not the path of a generic type.
                type Theirs = $theirs;
                let Theirs { $($field),* } = theirs;
                Self {
                    $($field: $crate::__counterpart_from!($field $($shape)?),)*
                    $($lost: $crate::wire::Zero::zero(),)*
                    $($unknown: ::core::default::Default::default(),)?
                }
            }

            #[inline]
            fn into_theirs(self, lost: &mut $crate::counterpart::Lost) -> $theirs {
                type Theirs = $theirs;
                let _ = &lost;
                let Self { $($field,)* $($lost,)* $($unknown,)? } = self;
                $(lost.add($lost_key, &$lost);)*
                $(lost.add_unknown($unknown);)?
                Theirs {
                    $($field: $crate::__counterpart_into!(lost, $key, $field $($shape)?)),*
                }
            }
        }
    };
}

/// Expands to `false`: a type is not complete if its counterpart lacks a field.
#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_lacks {
    ($field:ident) => {
        false
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_complete {
    ($name:ident, $field:ident part) => {
        $crate::counterpart::is_complete(|object: &$name| &object.$field)
    };
    ($name:ident, $field:ident boxed_part) => {
        $crate::counterpart::is_complete_boxed(|object: &$name| &object.$field)
    };
    ($name:ident, $field:ident $(boxed)?) => {
        true
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_from {
    ($field:ident) => {
        $field
    };
    ($field:ident boxed) => {
        $field.map($crate::generated::Box::new)
    };
    ($field:ident part) => {
        $crate::counterpart::Counterpart::from_theirs($field)
    };
    ($field:ident boxed_part) => {
        $field.map(|part| {
            $crate::generated::Box::new($crate::counterpart::Counterpart::from_theirs(part))
        })
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_into {
    ($lost:ident, $key:literal, $field:ident) => {
        $field
    };
    ($lost:ident, $key:literal, $field:ident boxed) => {
        $field.map(|value| *value)
    };
    ($lost:ident, $key:literal, $field:ident part) => {
        $lost.inside($key, $field)
    };
    ($lost:ident, $key:literal, $field:ident boxed_part) => {
        $field.map(|part| $lost.inside($key, *part))
    };
}

/// Implements the conversion to k8s-openapi; the compiler checks the choice between `From` and
/// `TryFrom`.
#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_way {
    (total $types:tt [$since:ident $before:ident]) => {
        $crate::generated::k8s_openapi::$since! {
            $crate::__counterpart_way! { total $types }
        }
        $crate::generated::k8s_openapi::$before! {
            $crate::__counterpart_way! { partial $types }
        }
    };
    (total ($name:ident, $theirs:ty)) => {
        const _: () = ::core::assert!(
            <$name as $crate::counterpart::Counterpart>::IS_COMPLETE,
            "k8s-openapi lacks fields"
        );

        impl ::core::convert::From<$name> for $theirs {
            #[inline]
            fn from(ours: $name) -> Self {
                $crate::counterpart::Counterpart::into_theirs(
                    ours,
                    &mut ::core::default::Default::default(),
                )
            }
        }
    };
    (partial ($name:ident, $theirs:ty)) => {
        const _: () = ::core::assert!(
            !<$name as $crate::counterpart::Counterpart>::IS_COMPLETE,
            "k8s-openapi has all fields"
        );

        impl ::core::convert::TryFrom<$name> for $theirs {
            type Error = $crate::counterpart::LossyError;

            #[inline]
            fn try_from(
                ours: $name,
            ) -> ::core::result::Result<Self, $crate::counterpart::LossyError> {
                $crate::counterpart::try_into_theirs(ours)
            }
        }
    };
}

/// Implements the conversion of enumerations, whose counterparts are strings.
#[doc(hidden)]
#[macro_export]
macro_rules! __counterpart_enumeration {
    ($($name:ident),*) => {$(
        impl $crate::counterpart::Counterpart for $name {
            type Theirs = $crate::generated::String;

            const IS_COMPLETE: bool = true;

            #[inline]
            fn from_theirs(theirs: $crate::generated::String) -> Self {
                Self::from(theirs)
            }

            #[inline]
            fn into_theirs(
                self,
                _: &mut $crate::counterpart::Lost,
            ) -> $crate::generated::String {
                $crate::generated::String::from(self.as_str())
            }
        }
    )*};
}
