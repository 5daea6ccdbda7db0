//! Optional values.

use super::{Failure, Result};

/// Returns a value as an optional one.
#[must_use]
#[inline]
pub fn some<T>(value: T) -> Option<T> {
    Some(value)
}

/// Returns a value as an optional one, unless it is empty, zero or false.
#[must_use]
#[inline]
pub fn non_zero<T: Default + PartialEq>(value: T) -> Option<T> {
    (value != T::default()).then_some(value)
}

/// Returns the value that there has to be.
#[inline]
pub fn present<T>(value: Option<T>) -> Result<T> {
    value.ok_or(Failure::Absent)
}

/// Returns the element at a position, if there is one.
#[must_use]
#[inline]
pub fn element_at<T>(list: &[T], index: i64) -> Option<&T> {
    super::super::element(list, index).ok()
}

/// Returns what a function makes of an optional value.
#[inline]
pub fn map_some<T, R>(value: Option<T>, make: impl FnOnce(T) -> Result<R>) -> Result<Option<R>> {
    value.map(make).transpose()
}

/// Returns the optional value that a function makes of another.
#[inline]
pub fn and_then<T, R>(
    value: Option<T>,
    make: impl FnOnce(T) -> Result<Option<R>>,
) -> Result<Option<R>> {
    value.map_or(Ok(None), make)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_values() {
        assert_eq!(
            (non_zero(0), non_zero("a".to_owned())),
            (None, Some("a".to_owned()))
        );
        assert_eq!(
            (present(some(1)), present::<i64>(None)),
            (Ok(1), Err(Failure::Absent))
        );
        assert_eq!((element_at(&[1], 0), element_at(&[1], 1)), (Some(&1), None));
        assert_eq!(
            map_some(Some(1), |n| super::super::super::divide(n, 0)),
            Err(Failure::Division)
        );
        assert_eq!(and_then(Some(1), |_| Ok(None::<i64>)), Ok(None));
        assert_eq!(and_then(None::<i64>, |n| Ok(Some(n))), Ok(None));
    }
}
