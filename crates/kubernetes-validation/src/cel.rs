//! Functions for generated checks of rules in CEL, `x-kubernetes-validations`.
//!
//! An expression of a rule is Rust that returns a [`Result`], because CEL has errors where Rust's
//! types have none: a field that isn't set, a sum that overflows. A server rejects an object for
//! which a rule has no result.
//!
//! The operators, the macros and what reads fields are always here. The functions are there with
//! the feature `cel-library`, which a generated crate enables if one of its rules calls them: a
//! program that validates objects of other crates doesn't build them.

#[cfg(feature = "cel-library")]
mod library;
mod same;

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

#[cfg(feature = "cel-library")]
pub use library::*;
pub use same::*;

/// The reason why a rule has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The rule reads a field of this name, which is not set.
    Missing(&'static str),
    /// The rule reads a key that a map doesn't have.
    Key,
    /// A position is outside of its list or text.
    Range,
    /// A number has more than 64 bits.
    Overflow,
    /// A number is divided by zero.
    Division,
    /// A text isn't of the form that a function reads.
    Form,
    /// A value is of another type than the rule expects.
    Type,
    /// An optional value is absent.
    Absent,
    /// A macro makes two entries of one key.
    Repeated,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(field) => write!(f, "`{field}` is not set"),
            Self::Key => f.write_str("a map lacks the key"),
            Self::Range => f.write_str("there is nothing at that position"),
            Self::Overflow => f.write_str("a number exceeds 64 bits"),
            Self::Division => f.write_str("division by zero"),
            Self::Form => f.write_str("a text is of another form than a function reads"),
            Self::Absent => f.write_str("an optional value is absent"),
            Self::Type => f.write_str("a value is of another type than the rule expects"),
            Self::Repeated => f.write_str("a map has the key already"),
        }
    }
}

impl std::error::Error for Failure {}

/// The value of an expression, or the reason why it has none.
pub type Result<T> = std::result::Result<T, Failure>;

/// Returns the value of a field that the rule expects to be set.
pub fn get<'a, T>(field: &'a Option<T>, name: &'static str) -> Result<&'a T> {
    field.as_ref().ok_or(Failure::Missing(name))
}

/// Returns a value that is known wherever another one is.
#[inline]
pub fn beside<T, R>(_: T, value: R) -> R {
    value
}

/// Returns the value of a key.
pub fn entry<'a, T>(map: &'a BTreeMap<String, T>, key: &str) -> Result<&'a T> {
    map.get(key).ok_or(Failure::Key)
}

/// Returns a map without entries.
#[must_use]
#[inline]
pub fn no_entries<T: 'static>() -> &'static BTreeMap<String, T> {
    struct Empty<T>(PhantomData<T>);

    impl<T: 'static> Empty<T> {
        const MAP: &'static BTreeMap<String, T> = &BTreeMap::new();
    }

    Empty::<T>::MAP
}

/// Returns an element of a list.
pub fn element<T>(list: &[T], index: i64) -> Result<&T> {
    let index = usize::try_from(index).ok();
    index
        .and_then(|index| list.get(index))
        .ok_or(Failure::Range)
}

/// Returns `left && right`. As in CEL, false beside a failure is false, in any order.
#[inline]
pub fn and(
    left: impl FnOnce() -> Result<bool>,
    right: impl FnOnce() -> Result<bool>,
) -> Result<bool> {
    match left() {
        Ok(false) => Ok(false),
        Ok(true) => right(),
        Err(failure) => match right() {
            Ok(false) => Ok(false),
            _ => Err(failure),
        },
    }
}

/// Returns `left || right`. As in CEL, true beside a failure is true, in any order.
#[inline]
pub fn or(
    left: impl FnOnce() -> Result<bool>,
    right: impl FnOnce() -> Result<bool>,
) -> Result<bool> {
    let not = |value: Result<bool>| value.map(|value| !value);
    not(and(|| not(left()), || not(right())))
}

/// Returns true if the predicate holds for all items; an error counts only if none is false.
pub fn all<T>(
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool>,
) -> Result<bool> {
    let mut result = Ok(true);
    for item in items {
        match holds(item) {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(failure) => result = result.and(Err(failure)),
        }
    }
    result
}

/// Returns true if the predicate holds for any item; an error counts only if none is true.
pub fn exists<T>(
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool>,
) -> Result<bool> {
    all(items, |item| holds(item).map(|holds| !holds)).map(|none| !none)
}

/// Returns true if the predicate holds for exactly one item.
pub fn exists_one<T>(
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool>,
) -> Result<bool> {
    let mut found = 0;
    for item in items {
        found += usize::from(holds(item)?);
    }
    Ok(found == 1)
}

/// Returns the items for which the predicate holds.
pub fn filter<'a, T>(
    items: impl IntoIterator<Item = &'a T>,
    mut holds: impl FnMut(&'a T) -> Result<bool>,
) -> Result<Vec<&'a T>> {
    let mut kept = Vec::new();
    for item in items {
        if holds(item)? {
            kept.push(item);
        }
    }
    Ok(kept)
}

/// Returns the values for which the predicate holds.
pub fn select<T: Clone>(
    values: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool>,
) -> Result<Vec<T>> {
    let mut kept = Vec::new();
    for value in values {
        if holds(value.clone())? {
            kept.push(value);
        }
    }
    Ok(kept)
}

/// Returns the result of a function for each item.
pub fn map<T, R>(
    items: impl IntoIterator<Item = T>,
    make: impl FnMut(T) -> Result<R>,
) -> Result<Vec<R>> {
    items.into_iter().map(make).collect()
}

/// Returns a size as a number of CEL.
#[must_use]
#[inline]
pub fn size(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns a sum of whole numbers.
#[inline]
pub fn add(a: i64, b: i64) -> Result<i64> {
    a.checked_add(b).ok_or(Failure::Overflow)
}

/// Returns a difference of whole numbers.
#[inline]
pub fn subtract(a: i64, b: i64) -> Result<i64> {
    a.checked_sub(b).ok_or(Failure::Overflow)
}

/// Returns a product of whole numbers.
#[inline]
pub fn multiply(a: i64, b: i64) -> Result<i64> {
    a.checked_mul(b).ok_or(Failure::Overflow)
}

/// Returns a quotient of whole numbers, rounded towards zero.
#[inline]
pub fn divide(a: i64, b: i64) -> Result<i64> {
    match b {
        0 => Err(Failure::Division),
        b => a.checked_div(b).ok_or(Failure::Overflow),
    }
}

/// Returns the remainder of a division of whole numbers.
#[inline]
pub fn modulo(a: i64, b: i64) -> Result<i64> {
    match b {
        0 => Err(Failure::Division),
        b => a.checked_rem(b).ok_or(Failure::Overflow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILS: Result<bool> = Err(Failure::Key);

    #[test]
    fn failures_beside_what_decides() {
        for (left, right, both, either) in [
            (Ok(true), Ok(false), Ok(false), Ok(true)),
            (FAILS, Ok(false), Ok(false), FAILS),
            (Ok(false), FAILS, Ok(false), FAILS),
            (FAILS, Ok(true), FAILS, Ok(true)),
            (Ok(true), FAILS, FAILS, Ok(true)),
            (FAILS, FAILS, FAILS, FAILS),
        ] {
            assert_eq!(and(|| left, || right), both);
            assert_eq!(or(|| left, || right), either);
            assert_eq!(all([left, right], |value| value), both);
            assert_eq!(exists([left, right], |value| value), either);
        }
        assert_eq!(all([], |value: Result<bool>| value), Ok(true));
        assert_eq!(exists([], |value: Result<bool>| value), Ok(false));
    }

    #[test]
    fn lists() {
        let list = [1, 2, 3];
        assert_eq!(exists_one(list, |n| Ok(n == 2)), Ok(true));
        assert_eq!(exists_one(list, |n| Ok(n > 1)), Ok(false));
        assert_eq!(exists_one(list, |_| FAILS), FAILS);
        assert_eq!(filter(&list, |n| Ok(*n > 1)), Ok(vec![&2, &3]));
        assert_eq!(map(list, |n| add(n, 1)), Ok(vec![2, 3, 4]));
        assert_eq!(element(&list, 2), Ok(&3));
        for outside in [-1, 3] {
            assert_eq!(element(&list, outside), Err(Failure::Range));
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(add(i64::MAX, 1), Err(Failure::Overflow));
        assert_eq!(subtract(i64::MIN, 1), Err(Failure::Overflow));
        assert_eq!(multiply(i64::MAX, 2), Err(Failure::Overflow));
        assert_eq!(divide(-7, 2), Ok(-3));
        assert_eq!(divide(i64::MIN, -1), Err(Failure::Overflow));
        assert_eq!(modulo(-7, 2), Ok(-1));
        for zero in [divide(1, 0), modulo(1, 0)] {
            assert_eq!(zero, Err(Failure::Division));
        }
    }
}
