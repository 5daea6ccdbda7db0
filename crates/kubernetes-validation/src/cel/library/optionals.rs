//! Optional values.

use std::collections::BTreeMap;

use super::{Failure, Result, Time};

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

/// Returns a time as an optional one, unless it is the first one of Go.
#[must_use]
#[inline]
pub fn non_zero_time(time: Time) -> Option<Time> {
    (!time.is_first()).then_some(time)
}

/// Returns the values of those that have one.
#[must_use]
#[inline]
pub fn present_of<T>(list: impl IntoIterator<Item = Option<T>>) -> Vec<T> {
    list.into_iter().flatten().collect()
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

/// Returns a value of a list that has been made, if there is one at that position.
#[must_use]
#[inline]
pub fn value_at<T: Clone>(list: impl AsRef<[T]>, index: i64) -> Option<T> {
    element_at(list.as_ref(), index).cloned()
}

/// Returns the element at a position of an optional list, if there is one.
#[must_use]
#[inline]
pub fn item_of<T>(list: Option<&Vec<T>>, index: i64) -> Option<&T> {
    list.and_then(|list| element_at(list, index))
}

/// Returns the value of a key of an optional map, if there is one.
#[must_use]
#[inline]
pub fn value_of<'a, T>(map: Option<&'a BTreeMap<String, T>>, key: &str) -> Option<&'a T> {
    map.and_then(|map| map.get(key))
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
        assert_eq!((value_at([1], 0), value_at([1], -1)), (Some(1), None));
        let (list, map) = (vec![1], BTreeMap::from([("a".to_owned(), 2)]));
        assert_eq!(
            (item_of(Some(&list), 0), item_of(Some(&list), 1)),
            (Some(&1), None)
        );
        assert_eq!(
            (value_of(Some(&map), "a"), value_of(Some(&map), "b")),
            (Some(&2), None)
        );
        assert!(item_of::<i64>(None, 0).is_none() && value_of::<i64>(None, "a").is_none());
        assert_eq!(present_of([Some(1), None, Some(2)]), [1, 2]);
        let first = super::super::written_time("0001-01-01T01:00:00+01:00");
        assert_eq!(first.map(non_zero_time), Ok(None));
        assert!(super::super::since_1970(0).is_ok_and(|time| non_zero_time(time).is_some()));
        assert_eq!(
            map_some(Some(1), |n| super::super::super::divide(n, 0)),
            Err(Failure::Division)
        );
        assert_eq!(and_then(Some(1), |_| Ok(None::<i64>)), Ok(None));
        assert_eq!(and_then(None::<i64>, |n| Ok(Some(n))), Ok(None));
    }
}
