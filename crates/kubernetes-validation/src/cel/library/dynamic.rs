//! Values of no one type, such as a port that is a number or a text.

use std::cmp::Ordering;

use k8s_openapi::serde_json::Value as Json;
use kubernetes_kinds::values::{IntOrQuantity, IntOrString};

use super::{Failure, Result};

/// A value whose type is known when it is read. Values of different types aren't equal, but
/// numbers are by what they count.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A flag.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number without a sign.
    Unsigned(u64),
    /// A number that may have a fraction.
    Double(f64),
    /// A text.
    Text(&'a str),
}

/// Returns a value as one of no one type.
#[inline]
pub fn value<'a>(of: impl Into<Value<'a>>) -> Value<'a> {
    of.into()
}

/// Returns a whole number without a sign as a value of no one type.
#[must_use]
#[inline]
pub fn value_unsigned(of: u64) -> Value<'static> {
    Value::Unsigned(of)
}

/// Returns a value of JSON, of which numbers may have fractions.
#[must_use]
#[inline]
pub fn number(of: &Json) -> Value<'_> {
    match of.as_f64() {
        Some(number) => Value::Double(number),
        None => of.into(),
    }
}

/// Returns the order of two values of one type; others have none.
#[inline]
pub fn order<'a, 'b>(a: impl Into<Value<'a>>, b: impl Into<Value<'b>>) -> Result<Ordering> {
    let found = match (a.into(), b.into()) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(&b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (a, b) => match (a.whole_of_any_sign(), b.whole_of_any_sign()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => match a.any_number().zip(b.any_number()) {
                Some((a, b)) => a.partial_cmp(&b),
                None => None,
            },
        },
    };
    found.ok_or(Failure::Type)
}

impl<'a> Value<'a> {
    #[inline]
    fn whole_of_any_sign(self) -> Option<i128> {
        match self {
            Self::Int(number) => Some(number.into()),
            Self::Unsigned(number) => Some(number.into()),
            _ => None,
        }
    }

    #[inline]
    fn any_number(self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(number as f64),
            Self::Unsigned(number) => Some(number as f64),
            Self::Double(number) => Some(number),
            _ => None,
        }
    }

    /// Returns true for `null`.
    #[must_use]
    #[inline]
    pub fn is_null(self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the name of its type in CEL.
    #[must_use]
    #[inline]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Unsigned(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
        }
    }

    /// Returns the text that it is.
    #[inline]
    pub fn text(self) -> Result<&'a str> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err(Failure::Type),
        }
    }

    /// Returns the whole number that it is.
    #[inline]
    pub fn whole(self) -> Result<i64> {
        match self {
            Self::Int(number) => Ok(number),
            _ => Err(Failure::Type),
        }
    }

    /// Returns it as a whole number: `int`.
    #[inline]
    pub fn to_int(self) -> Result<i64> {
        match self {
            Self::Int(number) => Ok(number),
            Self::Unsigned(number) => super::signed(number),
            Self::Text(text) => super::int(text),
            Self::Double(number) => super::truncated(number),
            Self::Null | Self::Bool(_) => Err(Failure::Type),
        }
    }

    /// Returns it as a whole number without a sign: `uint`.
    #[inline]
    pub fn to_unsigned(self) -> Result<u64> {
        match self {
            Self::Unsigned(number) => Ok(number),
            Self::Int(number) => super::without_sign(number),
            Self::Text(text) => super::unsigned(text),
            Self::Double(number) => super::truncated_unsigned(number),
            Self::Null | Self::Bool(_) => Err(Failure::Type),
        }
    }

    /// Returns it as a number that may have a fraction: `double`.
    #[inline]
    pub fn to_double(self) -> Result<f64> {
        match self {
            Self::Text(text) => super::parsed(text),
            other => other.any_number().ok_or(Failure::Type),
        }
    }

    /// Returns it as a text: `string`.
    #[inline]
    pub fn to_text(self) -> Result<String> {
        match self {
            Self::Null => Err(Failure::Type),
            other => Ok(other.formatted()),
        }
    }

    /// Returns the text that takes the place of `%s`.
    #[must_use]
    #[inline]
    pub fn formatted(self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(flag) => flag.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Unsigned(number) => number.to_string(),
            Self::Double(number) => super::general(number),
            Self::Text(text) => text.to_owned(),
        }
    }

    /// Returns the same, as it is in a list or map.
    #[must_use]
    #[inline]
    pub fn formatted_inside(self) -> String {
        match self {
            Self::Double(number) => super::plain(number),
            Self::Text(text) => super::in_quotes(text),
            other => other.formatted(),
        }
    }
}

impl<'b, T: Copy + Into<Value<'b>>> PartialEq<T> for Value<'_> {
    #[inline]
    fn eq(&self, other: &T) -> bool {
        let other = (*other).into();
        self.is_null() && other.is_null() || matches!(order(*self, other), Ok(Ordering::Equal))
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident),*) => {$(
        impl<'a> From<$ty> for Value<'a> {
            #[inline]
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

from!(bool => Bool, i64 => Int, f64 => Double, &'a str => Text);

impl<'a> From<&'a Json> for Value<'a> {
    /// Takes a list or an object, which has another type, for nothing.
    #[inline]
    fn from(value: &'a Json) -> Self {
        match value {
            Json::Bool(flag) => Self::Bool(*flag),
            Json::String(text) => Self::Text(text),
            value => match (value.as_i64(), value.as_f64()) {
                (Some(number), _) => Self::Int(number),
                (_, Some(number)) => Self::Double(number),
                _ => Self::Null,
            },
        }
    }
}

impl<'a> From<&'a IntOrString> for Value<'a> {
    #[inline]
    fn from(value: &'a IntOrString) -> Self {
        match value {
            IntOrString::Int(number) => Self::Int(*number),
            IntOrString::String(text) => Self::Text(text),
        }
    }
}

impl<'a> From<&'a IntOrQuantity> for Value<'a> {
    #[inline]
    fn from(value: &'a IntOrQuantity) -> Self {
        match value {
            IntOrQuantity::Int(number) => Self::Int(*number),
            IntOrQuantity::Quantity(quantity) => Self::Text(&quantity.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_different_types() {
        let (port, name) = (IntOrString::Int(80), IntOrString::from("http"));
        assert!(value(&port) == 80 && value(&port) == 80.0 && value(&port) != "80");
        assert!(value(&name) == "http" && value(&name) != 80 && value(true) != "true");
        assert_eq!(order(&port, 81).map(Ordering::is_lt), Ok(true));
        assert_eq!(order(&port, "81"), Err(Failure::Type));
        assert_eq!(
            (value(&port).text(), value(&name).text()),
            (Err(Failure::Type), Ok("http"))
        );
        assert_eq!(
            (value(&port).to_int(), value("7").to_int()),
            (Ok(80), Ok(7))
        );
        assert_eq!(value(&name).to_int(), Err(Failure::Form));
        assert_eq!(
            (value(&port).to_text(), value(&name).type_name()),
            (Ok("80".to_owned()), "string")
        );
        assert_eq!(value(&port).to_unsigned(), Ok(80));
        assert_eq!(
            (value("1.5").to_double(), value(&port).to_double()),
            (Ok(1.5), Ok(80.0))
        );
    }

    #[test]
    fn values_that_may_be_null() {
        let null = value(&Json::Null);
        assert!(null.is_null() && null == Value::Null && null != 0 && null != false);
        assert_eq!(
            (order(null, null), null.to_text()),
            (Err(Failure::Type), Err(Failure::Type))
        );
        assert_eq!(
            (null.type_name(), null.formatted()),
            ("null_type", "null".to_owned())
        );
        assert_eq!(
            (null.to_int(), null.to_double()),
            (Err(Failure::Type), Err(Failure::Type))
        );
        let one = Json::from(1);
        assert!(
            value(&one) == 1
                && value(&one) == value_unsigned(1)
                && value(&one).type_name() == "int"
        );
        assert!(number(&one) == 1 && number(&one).type_name() == "double");
        assert!(number(&Json::Null).is_null() && value(&Json::from("a")) == "a");
    }

    #[test]
    fn numbers_of_different_types() {
        let largest = value_unsigned(u64::MAX);
        assert!(largest != -1 && largest != i64::MAX && largest == u64::MAX as f64);
        assert_eq!(order(largest, i64::MAX).map(Ordering::is_gt), Ok(true));
        assert_eq!(order(-1, value_unsigned(0)).map(Ordering::is_lt), Ok(true));
        assert_eq!(order(f64::NAN, value_unsigned(1)), Err(Failure::Type));
        let none = f64::NAN;
        assert!(value(none) != none);
        assert_eq!(value(1.5).formatted_inside(), "1.500000");
        assert_eq!(value("a").formatted_inside(), "\"a\"");
    }
}
