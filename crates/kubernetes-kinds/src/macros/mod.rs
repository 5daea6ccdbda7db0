//! Macros for the implementations that generated types share.
//!
//! The generated crates call them by their names in `wire` and `convert`.

mod protobuf;

/// Implements reading and writing of a part of a kind, from the table of its fields.
///
/// A row has `required` or `optional`, the name of the field in JSON and in Rust, in the order of
/// writing. `= 3` after the name in JSON is the number of the field in protobuf, `= 2/22` that of a
/// field of an object in field 2, which JSON doesn't have, and `always` after that says that Go
/// writes it there even where JSON omits it, `kept` that it writes it in both. `optional` fields
/// are written when they are `Some`, `required` fields always. `as elements` after the name means a
/// list or map in which `null` is the zero value, `as entries` a map in which `null` isn't an
/// entry, `as quantity` a quantity, `as quantities` a map of them, `as metadata` metadata, `as
/// time` a time, `as custom_quantity` and `as custom_time` those of custom resources, `as
/// pruned(..)` a type of `k8s-openapi` in these, and `as shaped(..)` a value that is read with a
/// [`Shape`](crate::wire::Shape). After that, `or null in field` names the field that keeps `null`
/// of an optional one, and `else none` says that `null` isn't the default of a required one. A last
/// row `_ => field` names the field that takes the fields which are not in the table, and also
/// keeps `null`; `_ null => field` one that only does that.
///
/// ```
/// use kubernetes_kinds::wire;
///
/// #[derive(Clone, Debug, Default, PartialEq)]
/// struct TokenRequest {
///     audience: String,
///     expiration_seconds: Option<i64>,
/// }
///
/// wire::object! {
///     TokenRequest {
///         required "audience" => audience,
///         optional "expirationSeconds" => expiration_seconds,
///     }
/// }
///
/// let request = TokenRequest { audience: "vault".to_owned(), ..Default::default() };
/// let json = k8s_openapi::serde_json::to_string(&request)?;
/// assert_eq!(json, r#"{"audience":"vault"}"#);
/// # Ok::<(), k8s_openapi::serde_json::Error>(())
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __wire_object {
    ($name:ident { $($fields:tt)* }) => {
        $crate::__wire_fields!($name, read_object, write_object, write_object_with {
            $($fields)*
        });
    };
}

/// Implements reading and writing of a kind or of a list of a kind, which have `apiVersion` and
/// `kind`, from the table of its other fields. The rows are those of `object!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __wire_kind {
    ($name:ident { $($fields:tt)* }) => {
        $crate::__wire_fields!($name, read_kind, write_kind, write_kind_with {
            $($fields)*
        });
    };
}

/// Implements reading and writing of a kind of custom resources as `kind!` does, but of metadata
/// that occurs twice the last one counts.
#[doc(hidden)]
#[macro_export]
macro_rules! __wire_custom_kind {
    ($name:ident { $($fields:tt)* }) => {
        $crate::__wire_fields!($name, read_custom_kind, write_kind, write_kind_with {
            $($fields)*
        });
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __wire_fields {
    ($name:ident, $read:ident, $write:ident, $write_with:ident {
        $(
            $presence:ident $json:literal
                $(= $number:literal $(/ $inner:literal)* $($mark:ident)?)?
                => $field:ident $(as $shape:ident $(($of:ty))?)?
                $(or null in $holder:ident)? $(else $none:ident)?,
        )*
        $(_ => $unknown:ident,)?
        $(_ null => $nulls:ident,)?
    }) => {
        impl $crate::wire::Object for $name {
            const NAME: &'static str = ::core::stringify!($name);
            const FIELDS: &'static [&'static str] = &[$($json),*];

            fn read_field<'de, M: $crate::generated::serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                map: &mut M,
            ) -> ::core::result::Result<(), M::Error> {
                match name {
                    $($json => $crate::__wire_null!(
                        $crate::__wire_read!(map, &mut self.$field $(, $shape $(, $of)?)?)
                        $(, &mut self.$field, $json, &mut self.$holder)?
                        $(, &mut self.$field, $none)?
                    ),)*
                    _ => $crate::__wire_unknown!(map $(, name, &mut self.$unknown)?),
                }
            }

            fn write_fields<F: $crate::wire::Fields>(
                &self,
                fields: &mut F,
            ) -> ::core::result::Result<(), F::Error> {
                $($crate::wire::$presence(fields, $json, &self.$field)?;)*
                ::core::result::Result::Ok(())
            }
        }

        impl<'de> $crate::generated::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::generated::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::wire::$read(deserializer)
            }
        }

        impl $crate::generated::serde::Serialize for $name {
            fn serialize<S: $crate::generated::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $(if !self.$unknown.is_empty() {
                    return $crate::wire::$write_with(self, &self.$unknown, serializer);
                })?
                $(if !self.$nulls.is_empty() {
                    return $crate::wire::$write_with(self, &self.$nulls, serializer);
                })?
                $crate::wire::$write(self, serializer)
            }
        }

        $crate::__protobuf_numbered! {
            $name { $($($number $(/ $inner)* $($mark)? => $field,)?)* }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __wire_read {
    ($map:ident, $slot:expr) => {
        $crate::wire::read($map, $slot)
    };
    ($map:ident, $slot:expr, quantity) => {
        $crate::wire::read_quantity($map, $slot)
    };
    ($map:ident, $slot:expr, quantities) => {
        $crate::wire::read_quantities($map, $slot)
    };
    ($map:ident, $slot:expr, elements) => {
        $crate::wire::read_elements($map, $slot)
    };
    ($map:ident, $slot:expr, entries) => {
        $crate::wire::read_entries($map, $slot)
    };
    ($map:ident, $slot:expr, shaped, $of:ty) => {
        $crate::wire::read_shaped::<$of, _, _>($map, $slot)
    };
    ($map:ident, $slot:expr, pruned, $of:ty) => {
        $crate::wire::read_pruned::<$of, _, _>($map, $slot)
    };
    ($map:ident, $slot:expr, metadata) => {
        $crate::wire::read_metadata($map, $slot)
    };
    ($map:ident, $slot:expr, time) => {
        $crate::wire::read_time($map, $slot)
    };
    ($map:ident, $slot:expr, custom_quantity) => {
        $crate::wire::read_custom_quantity($map, $slot)
    };
    ($map:ident, $slot:expr, custom_time) => {
        $crate::wire::read_custom_time($map, $slot)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __wire_null {
    ($read:expr) => {
        $read
    };
    ($read:expr, $slot:expr, $json:literal, $nulls:expr) => {{
        *$slot = ::core::option::Option::None;
        let read = $read;
        $crate::wire::note_null(($slot).is_none(), $json, $nulls);
        read
    }};
    ($read:expr, $slot:expr, none) => {{
        *$slot = ::core::option::Option::None;
        $read
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __wire_unknown {
    ($map:ident) => {
        $crate::wire::skip($map)
    };
    ($map:ident, $name:ident, $unknown:expr) => {
        $crate::wire::keep($map, $name, $unknown)
    };
}

/// Implements an open enumeration of strings, from the table of its values.
///
/// The enumeration has a last variant `Unknown(UnknownValue)` that is not in the table.
///
/// ```
/// use kubernetes_kinds::UnknownValue;
///
/// #[derive(Clone, Debug, PartialEq)]
/// enum VolumeBindingMode {
///     Immediate,
///     WaitForFirstConsumer,
///     Unknown(UnknownValue),
/// }
///
/// kubernetes_kinds::wire::enumeration! {
///     VolumeBindingMode {
///         "Immediate" => Immediate,
///         "WaitForFirstConsumer" => WaitForFirstConsumer,
///     }
/// }
///
/// assert_eq!(VolumeBindingMode::from("Immediate"), VolumeBindingMode::Immediate);
/// assert_eq!(VolumeBindingMode::from("Later").as_str(), "Later");
/// let error = VolumeBindingMode::parse_known("Later").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "\"Later\" is not a known VolumeBindingMode, expected one of: Immediate, \
///      WaitForFirstConsumer"
/// );
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __wire_enumeration {
    ($name:ident { $($value:literal => $variant:ident,)* }) => {
        impl $name {
            /// Returns the known values, in the order of the variants.
            #[must_use]
            pub const fn known_values() -> &'static [&'static str] {
                &[$($value),*]
            }

            /// Returns the value as written in JSON.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Unknown(value) => value.as_str(),
                }
            }

            /// Parses a known value. `From` and `FromStr` keep any other as unknown.
            ///
            /// # Errors
            ///
            /// When the value is not known.
            #[inline]
            pub fn parse_known(
                value: &str,
            ) -> ::core::result::Result<Self, $crate::ParseEnumError> {
                Self::known(value).ok_or_else(|| $crate::ParseEnumError {
                    enumeration: ::core::stringify!($name),
                    value: $crate::generated::String::from(value),
                    known: Self::known_values(),
                })
            }

            fn known(value: &str) -> ::core::option::Option<Self> {
                match value {
                    $($value => ::core::option::Option::Some(Self::$variant),)*
                    _ => ::core::option::Option::None,
                }
            }
        }

        impl $crate::wire::Zero for $name {
            fn zero() -> Self {
                Self::from("")
            }
        }

        impl ::core::convert::From<&str> for $name {
            #[inline]
            fn from(value: &str) -> Self {
                Self::known(value)
                    .unwrap_or_else(|| Self::Unknown($crate::UnknownValue::from_generated(value)))
            }
        }

        impl ::core::convert::From<$crate::generated::String> for $name {
            #[inline]
            fn from(value: $crate::generated::String) -> Self {
                Self::known(&value)
                    .unwrap_or_else(|| Self::Unknown($crate::UnknownValue::from_generated(value)))
            }
        }

        impl ::core::convert::From<$crate::UnknownValue> for $name {
            /// Converts the unknown value of another enumeration, which may be a known value of
            /// this one.
            #[inline]
            fn from(value: $crate::UnknownValue) -> Self {
                Self::known(value.as_str()).unwrap_or(Self::Unknown(value))
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = ::core::convert::Infallible;

            #[inline]
            fn from_str(
                value: &str,
            ) -> ::core::result::Result<Self, ::core::convert::Infallible> {
                ::core::result::Result::Ok(Self::from(value))
            }
        }

        impl ::core::convert::AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl ::core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl<'de> $crate::generated::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::generated::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::wire::read_enum(deserializer)
            }
        }

        impl $crate::generated::serde::Serialize for $name {
            fn serialize<S: $crate::generated::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        $crate::__protobuf_enumeration!($name);
    };
}

/// Implements `FromIterator` and `IntoIterator` of a list of a kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __wire_list {
    ($list:ident of $item:ident) => {
        impl ::core::iter::FromIterator<$item> for $list {
            fn from_iter<T: ::core::iter::IntoIterator<Item = $item>>(items: T) -> Self {
                Self {
                    items: ::core::iter::IntoIterator::into_iter(items).collect(),
                    ..::core::default::Default::default()
                }
            }
        }

        impl ::core::iter::IntoIterator for $list {
            type Item = $item;
            type IntoIter = $crate::generated::IntoIter<$item>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.items.into_iter()
            }
        }
    };
}

/// Implements `From` in both directions between the enumerations of two versions. A value that
/// only one version knows is an unknown value of the other.
#[doc(hidden)]
#[macro_export]
macro_rules! __convert_enumerations {
    ($ours:path, $theirs:path) => {
        $crate::__convert_enumeration!($ours, $theirs);
        $crate::__convert_enumeration!($theirs, $ours);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __convert_enumeration {
    ($from:path, $to:path) => {
        impl ::core::convert::From<$from> for $to {
            fn from(value: $from) -> Self {
                type Source = $from;
                match value {
                    Source::Unknown(value) => Self::from(value),
                    value => Self::from(value.as_str()),
                }
            }
        }
    };
}

/// Names that the macros use.
#[doc(hidden)]
pub mod generated {
    pub use std::borrow::Cow;
    pub use std::boxed::Box;
    pub use std::string::String;
    pub use std::vec::IntoIter;

    #[cfg(feature = "k8s-openapi-types")]
    pub use k8s_openapi;
    #[cfg(feature = "schemars")]
    pub use k8s_openapi::schemars;
    pub use k8s_openapi::{Resource, serde};
}
