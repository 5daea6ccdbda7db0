//! Numbers, whole or with a fraction.

use std::cmp::Ordering;
use std::fmt;

use k8s_openapi::serde::de::{Deserialize, Deserializer, Error, Visitor};
use k8s_openapi::serde::ser::{Error as _, Serialize, Serializer};

/// A number of a custom resource: `type: number` in its schema.
///
/// A server stores a whole number of 64 bits exactly, and any other as a 64-bit float, and writes
/// `1`, never `1.0`. So does this type.
///
/// ```
/// use k8s_openapi::serde_json;
/// use kubernetes_kinds::values::Number;
///
/// let ratio: Number = serde_json::from_str("1")?;
/// assert_eq!(serde_json::to_string(&ratio)?, "1");
/// assert_eq!(ratio.as_f64(), 1.0);
/// assert_eq!(serde_json::to_string(&Number::from(2.0))?, "2");
/// assert_eq!(serde_json::to_string(&Number::from(0.5))?, "0.5");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Number(Held);

#[derive(Clone, Copy, PartialEq)]
enum Held {
    Whole(i64),
    /// A number that isn't one of those.
    Float(f64),
}

impl Number {
    /// Returns the number as a float, which for whole numbers beyond 2⁵³ is the nearest.
    #[must_use]
    #[inline]
    pub fn as_f64(self) -> f64 {
        match self.0 {
            Held::Whole(number) => number as f64,
            Held::Float(number) => number,
        }
    }

    /// Returns the number if it is a whole one of 64 bits.
    #[must_use]
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Held::Whole(number) => Some(number),
            Held::Float(_) => None,
        }
    }
}

impl Default for Number {
    /// Returns 0.
    #[inline]
    fn default() -> Self {
        Self(Held::Whole(0))
    }
}

impl fmt::Debug for Number {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Number {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Held::Whole(number) => fmt::Display::fmt(&number, f),
            Held::Float(number) => fmt::Display::fmt(&number, f),
        }
    }
}

impl PartialOrd for Number {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.0, other.0) {
            (Held::Whole(a), Held::Whole(b)) => Some(a.cmp(&b)),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

impl From<f64> for Number {
    /// Makes a number of a float. One that isn't finite has no JSON, and can't be written.
    #[inline]
    fn from(number: f64) -> Self {
        // The bounds are floats themselves; the upper one is one too many.
        let fits = number.fract() == 0.0 && (-(2f64.powi(63))..2f64.powi(63)).contains(&number);
        Self(match fits {
            true => Held::Whole(number as i64),
            false => Held::Float(number),
        })
    }
}

macro_rules! from {
    ($($ty:ty => $wide:ty),*) => {$(
        impl From<$ty> for Number {
            #[inline]
            fn from(number: $ty) -> Self {
                <$wide>::from(number).into()
            }
        }
    )*};
}

from!(f32 => f64, i8 => i64, i16 => i64, i32 => i64, u8 => i64, u16 => i64, u32 => i64);

impl From<i64> for Number {
    #[inline]
    fn from(number: i64) -> Self {
        Self(Held::Whole(number))
    }
}

impl From<u64> for Number {
    /// Makes a number; one of more than 63 bits becomes the nearest float, as in a server.
    #[inline]
    fn from(number: u64) -> Self {
        Self(match i64::try_from(number) {
            Ok(number) => Held::Whole(number),
            Err(_) => Held::Float(number as f64),
        })
    }
}

impl From<Number> for f64 {
    /// Returns the number as [`Number::as_f64`] does.
    #[inline]
    fn from(number: Number) -> Self {
        number.as_f64()
    }
}

impl Serialize for Number {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Held::Whole(number) => serializer.serialize_i64(number),
            Held::Float(number) if number.is_finite() => serializer.serialize_f64(number),
            Held::Float(number) => Err(S::Error::custom(format_args!("{number} has no JSON"))),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    #[inline]
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    #[inline]
    fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
        Ok(number.into())
    }

    #[inline]
    fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
        Ok(number.into())
    }

    #[inline]
    fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
        Ok(number.into())
    }
}
