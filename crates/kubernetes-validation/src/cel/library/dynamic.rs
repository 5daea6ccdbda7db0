//! Values of no one type, such as a port that is a number or a text.

use std::cmp::Ordering;

use kubernetes_kinds::values::{IntOrQuantity, IntOrString};

use super::{Failure, Result};

/// A value whose type is known when it is read. Values of different types aren't equal, but
/// numbers are by what they count.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A flag.
    Bool(bool),
    /// A whole number.
    Int(i64),
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

/// Returns the name of the type of a value, which has to be there.
#[inline]
pub fn type_of<T>(_: T, name: &'static str) -> &'static str {
    name
}

/// Returns the order of two values of one type; others have none.
#[inline]
pub fn order<'a, 'b>(a: impl Into<Value<'a>>, b: impl Into<Value<'b>>) -> Result<Ordering> {
    let found = match (a.into(), b.into()) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(&b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        (Value::Int(a), Value::Double(b)) => (a as f64).partial_cmp(&b),
        (Value::Double(a), Value::Int(b)) => a.partial_cmp(&(b as f64)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(&b),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        _ => None,
    };
    found.ok_or(Failure::Type)
}

impl<'a> Value<'a> {
    /// Returns the name of its type in CEL.
    #[must_use]
    #[inline]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
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
            Self::Text(text) => super::int(text),
            Self::Double(number) => super::truncated(number),
            Self::Bool(_) => Err(Failure::Type),
        }
    }

    /// Returns it as a text: `string`.
    #[must_use]
    #[inline]
    pub fn to_text(self) -> String {
        match self {
            Self::Bool(flag) => flag.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Double(number) => super::general(number),
            Self::Text(text) => text.to_owned(),
        }
    }
}

impl<'b, T: Copy + Into<Value<'b>>> PartialEq<T> for Value<'_> {
    #[inline]
    fn eq(&self, other: &T) -> bool {
        matches!(order(*self, *other), Ok(Ordering::Equal))
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
            ("80".to_owned(), "string")
        );
    }
}
