//! Terms that the schemas of Kubernetes and the code generated from them share.
//!
//! [`NameFormat`] has the formats of names, [`TextFormat`] those of texts in custom resources, and
//! [`ErrorType`] the types of validation errors. The generator writes a variant by [`Term`].
//!
//! ```
//! use kubernetes_schema_terms::{ErrorType, NameFormat, TextFormat};
//!
//! assert_eq!(NameFormat::parse("dns1123Label"), Some(NameFormat::DnsLabel));
//! assert!(NameFormat::DnsLabel.matches("csi-node"));
//! assert!(TextFormat::Uuid.matches("0b9b2f25-9f4a-4c64-8ad6-6d5c8cf5f3a4"));
//! assert_eq!(ErrorType::TooLong.to_string(), "Too long");
//! ```

mod dates;
mod error_type;
mod names;
mod texts;

pub use dates::is_date_time;
pub use error_type::ErrorType;
pub use names::NameFormat;
#[doc(hidden)]
pub use names::lowered;
pub use texts::TextFormat;

#[cfg(doctest)]
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
