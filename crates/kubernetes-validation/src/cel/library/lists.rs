//! Functions of lists of plain values, and of lists as sets.

use std::cmp::Ordering;

use super::{Failure, Result, size};

/// The most steps of one rule: a server stops a rule that takes more.
const STEPS: i64 = 1_000_000;

/// Returns true if two lists have the same elements in the same order.
#[must_use]
#[inline]
pub fn same<T: PartialEq>(a: impl AsRef<[T]>, b: impl AsRef<[T]>) -> bool {
    a.as_ref() == b.as_ref()
}

/// Returns the elements of one list, then those of another.
#[must_use]
#[inline]
pub fn chained<T: Clone>(a: impl AsRef<[T]>, b: impl AsRef<[T]>) -> Vec<T> {
    [a.as_ref(), b.as_ref()].concat()
}

/// Returns true if a list has a value.
#[must_use]
#[inline]
pub fn contains<T: PartialEq<V>, V: ?Sized>(list: impl AsRef<[T]>, value: &V) -> bool {
    list.as_ref().iter().any(|item| item == value)
}

/// Returns the position of the first element that equals a value, or -1.
#[must_use]
#[inline]
pub fn position<T: PartialEq<V>, V: ?Sized>(list: impl AsRef<[T]>, value: &V) -> i64 {
    let found = list.as_ref().iter().position(|item| item == value);
    found.map_or(-1, size)
}

/// Returns the position of the last element that equals a value, or -1.
#[must_use]
#[inline]
pub fn last_position<T: PartialEq<V>, V: ?Sized>(list: impl AsRef<[T]>, value: &V) -> i64 {
    let found = list.as_ref().iter().rposition(|item| item == value);
    found.map_or(-1, size)
}

/// Returns the least element; an empty list has none.
#[inline]
pub fn min<T: PartialOrd + Clone>(list: impl AsRef<[T]>) -> Result<T> {
    let least = |a, b| if b < a { b } else { a };
    let found = list.as_ref().iter().reduce(least);
    found.cloned().ok_or(Failure::Range)
}

/// Returns the greatest element; an empty list has none.
#[inline]
pub fn max<T: PartialOrd + Clone>(list: impl AsRef<[T]>) -> Result<T> {
    let greatest = |a, b| if b > a { b } else { a };
    let found = list.as_ref().iter().reduce(greatest);
    found.cloned().ok_or(Failure::Range)
}

/// Returns the sum of whole numbers.
#[inline]
pub fn sum(list: impl AsRef<[i64]>) -> Result<i64> {
    list.as_ref()
        .iter()
        .try_fold(0, |sum, item| super::super::add(sum, *item))
}

/// Returns the sum of numbers that may have fractions.
#[must_use]
#[inline]
pub fn total(list: impl AsRef<[f64]>) -> f64 {
    // The sum of nothing in the standard library is the negative zero.
    list.as_ref().iter().fold(0.0, |sum, item| sum + item)
}

/// Returns true if no element is less than the one before it.
#[must_use]
#[inline]
pub fn is_sorted<T: PartialOrd>(list: impl AsRef<[T]>) -> bool {
    let mut pairs = list.as_ref().windows(2);
    pairs.all(|pair| !matches!(pair, [a, b] if a > b))
}

/// Returns the first element, if there is one.
#[must_use]
#[inline]
pub fn first<T: Clone>(list: impl AsRef<[T]>) -> Option<T> {
    list.as_ref().first().cloned()
}

/// Returns the last element, if there is one.
#[must_use]
#[inline]
pub fn last<T: Clone>(list: impl AsRef<[T]>) -> Option<T> {
    list.as_ref().last().cloned()
}

/// Returns the elements without those that have been there before.
#[must_use]
#[inline]
pub fn distinct<T: PartialEq + Clone>(list: impl AsRef<[T]>) -> Vec<T> {
    let mut found = Vec::new();
    for item in list.as_ref() {
        if !found.contains(item) {
            found.push(item.clone());
        }
    }
    found
}

/// Returns the elements from the last to the first.
#[must_use]
#[inline]
pub fn reversed<T: Clone>(list: impl AsRef<[T]>) -> Vec<T> {
    list.as_ref().iter().rev().cloned().collect()
}

/// Returns the elements in their order.
#[must_use]
#[inline]
pub fn sorted<T: PartialOrd + Clone>(list: impl AsRef<[T]>) -> Vec<T> {
    let mut sorted = list.as_ref().to_vec();
    sorted.sort_by(order);
    sorted
}

/// Returns items in the order of what a function makes of them.
#[inline]
pub fn sort_by<T: Clone, K: PartialOrd>(
    items: impl IntoIterator<Item = T>,
    mut key: impl FnMut(T) -> Result<K>,
) -> Result<Vec<T>> {
    let keyed = items.into_iter().map(|item| Ok((key(item.clone())?, item)));
    let mut keyed = keyed.collect::<Result<Vec<_>>>()?;
    keyed.sort_by(|(a, _), (b, _)| order(a, b));
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

/// The order of two values, with those that are no number after the others.
#[inline]
fn order<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    let is_none = |value: &T| value.partial_cmp(value).is_none();
    a.partial_cmp(b)
        .unwrap_or_else(|| is_none(a).cmp(&is_none(b)))
}

/// Returns the whole numbers from 0 up to another.
#[inline]
pub fn range(to: i64) -> Result<Vec<i64>> {
    match to {
        0..=STEPS => Ok((0..to).collect()),
        _ => Err(Failure::Range),
    }
}

/// Returns the first elements, or all for a negative number of them.
#[must_use]
#[inline]
pub fn up_to<T>(mut list: Vec<T>, count: i64) -> Vec<T> {
    if count >= 0 {
        list.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    }
    list
}

/// Returns a list without elements.
#[must_use]
#[inline]
pub fn no_values<T>() -> Vec<T> {
    Vec::new()
}

/// Returns an element of a list of what is elsewhere.
#[inline]
pub fn kept_at<'a, T>(list: &[&'a T], index: i64) -> Result<&'a T> {
    super::super::element(list, index).copied()
}

/// Returns the elements from a position up to another.
#[inline]
pub fn slice<T: Clone>(list: impl AsRef<[T]>, from: i64, to: i64) -> Result<Vec<T>> {
    let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
    let found = range.and_then(|(from, to)| list.as_ref().get(from..to));
    found.map(<[T]>::to_vec).ok_or(Failure::Range)
}

/// Returns the elements of lists as one list.
#[must_use]
#[inline]
pub fn flatten<T: Clone>(lists: impl AsRef<[Vec<T>]>) -> Vec<T> {
    lists.as_ref().concat()
}

/// Returns true if a list has all elements of another.
#[must_use]
#[inline]
pub fn contains_all<T: PartialEq>(list: impl AsRef<[T]>, others: impl AsRef<[T]>) -> bool {
    let list = list.as_ref();
    others.as_ref().iter().all(|item| list.contains(item))
}

/// Returns true if each of two lists has all elements of the other.
#[must_use]
#[inline]
pub fn is_equivalent<T: PartialEq>(a: impl AsRef<[T]>, b: impl AsRef<[T]>) -> bool {
    contains_all(&a, &b) && contains_all(&b, &a)
}

/// Returns true if two lists share an element.
#[must_use]
#[inline]
pub fn intersects<T: PartialEq>(a: impl AsRef<[T]>, b: impl AsRef<[T]>) -> bool {
    let b = b.as_ref();
    a.as_ref().iter().any(|item| b.contains(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_lists() {
        let list = [3, 1, 3];
        assert_eq!(
            (
                position(list, &3),
                last_position(list, &3),
                position(list, &2)
            ),
            (0, 2, -1)
        );
        assert_eq!((min(list), max(list), sum(list)), (Ok(1), Ok(3), Ok(7)));
        assert_eq!((min::<i64>([]), sum([])), (Err(Failure::Range), Ok(0)));
        assert_eq!(sum([i64::MAX, 1]), Err(Failure::Overflow));
        assert!(total([]).is_sign_positive());
        assert!(is_sorted([1, 1, 2]) && !is_sorted(list) && is_sorted::<i64>([]));
        assert!(contains(["a".to_owned()], "a") && !contains(["a".to_owned()], "b"));
    }

    #[test]
    fn lists_of_lists() {
        let list = [3, 1, 3];
        assert_eq!((first(list), last([0; 0])), (Some(3), None));
        assert_eq!(
            (distinct(list), reversed([1, 2]), sorted(list)),
            (vec![3, 1], vec![2, 1], vec![1, 3, 3])
        );
        assert_eq!(
            (slice(list, 1, 3), slice(list, 3, 3)),
            (Ok(vec![1, 3]), Ok(vec![]))
        );
        for (from, to) in [(-1, 1), (2, 1), (0, 4)] {
            assert_eq!(slice(list, from, to), Err(Failure::Range));
        }
        assert_eq!(
            (flatten([vec![1], vec![2]]), chained([1], [2])),
            (vec![1, 2], vec![1, 2])
        );
        assert!(same([1], vec![1]) && !same([1], [2]));
        assert_eq!((range(2), range(0)), (Ok(vec![0, 1]), Ok(vec![])));
        assert_eq!(
            (range(-1), range(i64::MAX)),
            (Err(Failure::Range), Err(Failure::Range))
        );
        for (count, found) in [(-1, 3), (0, 0), (2, 2), (9, 3)] {
            assert_eq!(up_to(list.to_vec(), count).len(), found, "{count}");
        }
        assert_eq!(
            (kept_at(&[&1], 0), kept_at(&[&1], 1)),
            (Ok(&1), Err(Failure::Range))
        );
    }

    #[test]
    fn orders() {
        assert_eq!(sort_by([1, 2, 3], |n: i64| Ok(-n)), Ok(vec![3, 2, 1]));
        assert_eq!(
            sort_by([1], |_| Err::<i64, _>(Failure::Key)),
            Err(Failure::Key)
        );
        let with_none = sorted([f64::NAN, 2.0, f64::NAN, 1.0]);
        assert!(with_none[..2] == [1.0, 2.0] && with_none[2].is_nan());
        assert!(is_sorted([1.0, f64::NAN, 0.0]) && !is_sorted([1.0, 0.0]));
    }

    #[test]
    fn lists_as_sets() {
        assert!(contains_all([1, 2], [2, 2]) && !contains_all([1], [1, 2]));
        assert!(is_equivalent([1, 2, 1], [2, 1]) && !is_equivalent([1, 2], [1]));
        assert!(intersects([1, 2], [2]) && !intersects([1], [2]));
    }
}
