//! Values that are whole numbers or texts.

use std::fmt;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr;
use k8s_openapi::serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use k8s_openapi::serde::ser::{Serialize, Serializer};

/// A whole number or a text in a custom resource: `x-kubernetes-int-or-string` in its schema.
///
/// A server takes numbers of 64 bits, more than the type of that name in k8s-openapi.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntOrString {
    /// A number.
    Int(i64),
    /// A text.
    String(String),
}

/// A whole number or a quantity in a custom resource: `x-kubernetes-int-or-string` in its schema,
/// with the pattern of quantities.
///
/// A server keeps `1` and `"1"` as they were sent, though they are the same amount.
///
/// ```
/// use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
/// use k8s_openapi::serde_json;
/// use kubernetes_kinds::values::IntOrQuantity;
///
/// let memory: IntOrQuantity = serde_json::from_str("8589934592")?;
/// assert_eq!(Quantity::from(memory.clone()), Quantity("8589934592".to_owned()));
/// assert_eq!(serde_json::to_string(&memory)?, "8589934592");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum IntOrQuantity {
    /// A number.
    Int(i64),
    /// A quantity.
    Quantity(Quantity),
}

impl IntOrString {
    /// Returns the number, if it is one.
    #[must_use]
    #[inline]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::String(_) => None,
        }
    }

    /// Returns the text, if it is one.
    #[must_use]
    #[inline]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Int(_) => None,
            Self::String(text) => Some(text),
        }
    }
}

impl IntOrQuantity {
    /// Returns the number, if it is one.
    #[must_use]
    #[inline]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Quantity(_) => None,
        }
    }

    /// Returns the text of the quantity, if it isn't a number.
    #[must_use]
    #[inline]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Int(_) => None,
            Self::Quantity(quantity) => Some(&quantity.0),
        }
    }
}

impl From<intstr::IntOrString> for IntOrString {
    #[inline]
    fn from(value: intstr::IntOrString) -> Self {
        match value {
            intstr::IntOrString::Int(number) => Self::Int(number.into()),
            intstr::IntOrString::String(text) => Self::String(text),
        }
    }
}

impl TryFrom<IntOrString> for intstr::IntOrString {
    type Error = std::num::TryFromIntError;

    /// Converts to the type of k8s-openapi; the error is a number of more than 32 bits.
    #[inline]
    fn try_from(value: IntOrString) -> Result<Self, Self::Error> {
        Ok(match value {
            IntOrString::Int(number) => Self::Int(number.try_into()?),
            IntOrString::String(text) => Self::String(text),
        })
    }
}

impl From<Quantity> for IntOrQuantity {
    #[inline]
    fn from(quantity: Quantity) -> Self {
        Self::Quantity(quantity)
    }
}

impl From<IntOrQuantity> for Quantity {
    #[inline]
    fn from(value: IntOrQuantity) -> Self {
        match value {
            IntOrQuantity::Int(number) => Self(number.to_string()),
            IntOrQuantity::Quantity(quantity) => quantity,
        }
    }
}

macro_rules! either {
    ($name:ident $text:ident $of:expr;) => {
        impl Default for $name {
            /// Returns 0.
            #[inline]
            fn default() -> Self {
                Self::Int(0)
            }
        }

        impl fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Int(number) => fmt::Display::fmt(number, f),
                    _ => f.pad(self.text().unwrap_or_default()),
                }
            }
        }

        impl From<i32> for $name {
            #[inline]
            fn from(number: i32) -> Self {
                Self::Int(number.into())
            }
        }

        impl From<i64> for $name {
            #[inline]
            fn from(number: i64) -> Self {
                Self::Int(number)
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                text.to_owned().into()
            }
        }

        impl From<String> for $name {
            #[inline]
            fn from(text: String) -> Self {
                Self::$text($of(text))
            }
        }

        impl Serialize for $name {
            #[inline]
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Self::Int(number) => serializer.serialize_i64(*number),
                    _ => serializer.serialize_str(self.text().unwrap_or_default()),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            #[inline]
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(match deserializer.deserialize_any(EitherVisitor)? {
                    Either::Number(number) => Self::Int(number),
                    Either::Text(text) => text.into(),
                })
            }
        }
    };
}

either!(IntOrString String String::from;);
either!(IntOrQuantity Quantity Quantity;);

enum Either {
    Number(i64),
    Text(String),
}

struct EitherVisitor;

impl Visitor<'_> for EitherVisitor {
    type Value = Either;

    #[inline]
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of 64 bits or a string")
    }

    #[inline]
    fn visit_i64<E: Error>(self, number: i64) -> Result<Either, E> {
        Ok(Either::Number(number))
    }

    #[inline]
    fn visit_u64<E: Error>(self, number: u64) -> Result<Either, E> {
        let number = i64::try_from(number);
        number
            .map(Either::Number)
            .map_err(|_| E::invalid_type(Unexpected::Other("a larger number"), &self))
    }

    #[inline]
    fn visit_f64<E: Error>(self, number: f64) -> Result<Either, E> {
        // A server takes `1.0` for a whole number, up to where floats have gaps.
        match number.fract() == 0.0 && number.abs() < 2f64.powi(53) {
            true => Ok(Either::Number(number as i64)),
            false => Err(E::invalid_type(Unexpected::Float(number), &self)),
        }
    }

    #[inline]
    fn visit_str<E: Error>(self, text: &str) -> Result<Either, E> {
        Ok(Either::Text(text.to_owned()))
    }

    #[inline]
    fn visit_string<E: Error>(self, text: String) -> Result<Either, E> {
        Ok(Either::Text(text))
    }
}
