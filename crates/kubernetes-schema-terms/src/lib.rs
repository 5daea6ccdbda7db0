//! Terms that the schemas of Kubernetes and the code generated from them share.
//!
//! [`NameFormat`] has the formats of names, and [`ErrorType`] the types of validation errors. With
//! the feature `custom-resources`, `TextFormat` has the formats of texts in custom resources. The
//! generator writes a variant by [`Term`].
//!
//! ```
//! use kubernetes_schema_terms::{ErrorType, NameFormat};
//!
//! assert_eq!(NameFormat::parse("dns1123Label"), Some(NameFormat::DnsLabel));
//! assert!(NameFormat::DnsLabel.matches("csi-node"));
//! assert_eq!(ErrorType::TooLong.to_string(), "Too long");
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "custom-resources")]
mod dates;
#[cfg(feature = "custom-resources")]
mod durations;
#[cfg(feature = "custom-resources")]
mod emails;
mod error_type;
#[cfg(feature = "custom-resources")]
mod hosts;
mod names;
#[cfg(feature = "custom-resources")]
mod numbers;
#[cfg(feature = "custom-resources")]
mod texts;
#[cfg(feature = "custom-resources")]
mod unicode;
#[cfg(feature = "custom-resources")]
mod urls;

#[cfg(feature = "custom-resources")]
pub use dates::is_date_time;
// For rules in CEL, which read the same texts.
#[cfg(feature = "custom-resources")]
#[doc(hidden)]
pub use durations::{duration, written_duration};
pub use error_type::ErrorType;
pub use names::NameFormat;
#[doc(hidden)]
pub use names::lowered;
#[cfg(feature = "custom-resources")]
pub use texts::TextFormat;
#[cfg(feature = "custom-resources")]
#[doc(hidden)]
pub use urls::Url;

#[cfg(all(doctest, feature = "custom-resources"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// An enumeration whose variants generated code names.
///
/// ```
/// use kubernetes_schema_terms::{ErrorType, Term};
///
/// fn path<T: Term>(term: T) -> String {
///     format!("{}::{}", T::TYPE, term.variant())
/// }
/// assert_eq!(path(ErrorType::TooLong), "ErrorType::TooLong");
/// ```
pub trait Term: Copy {
    /// The name of the enumeration in Rust.
    const TYPE: &'static str;

    /// Returns the name of the variant in Rust.
    fn variant(self) -> &'static str;
}

/// Declares an enumeration, the list of its variants and their names.
macro_rules! terms {
    (
        $(#[$attribute:meta])*
        $name:ident { $($(#[$docs:meta])* $variant:ident,)* }
    ) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$docs])* $variant,)*
        }

        impl $name {
            /// Each of them.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant),*];
        }

        impl crate::Term for $name {
            const TYPE: &'static str = stringify!($name);

            #[inline]
            fn variant(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($variant),)*
                }
            }
        }
    };
}
use terms;
