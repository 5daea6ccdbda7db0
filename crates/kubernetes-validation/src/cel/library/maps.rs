//! Maps that rules make.

use std::collections::BTreeMap;

use super::{Failure, Result};

/// Returns a map of values by texts. The last value of a repeated key counts.
#[must_use]
#[inline]
pub fn entries<T, const N: usize>(of: [(&str, T); N]) -> BTreeMap<String, T> {
    entries_by(of.map(|(key, value)| (key.to_owned(), value)))
}

/// Returns a map of values by other keys.
#[must_use]
#[inline]
pub fn entries_by<K: Ord, T>(of: impl IntoIterator<Item = (K, T)>) -> BTreeMap<K, T> {
    let mut map = BTreeMap::new();
    for (key, value) in of {
        map.insert(key, value);
    }
    map
}

/// Returns a map of those values by texts that there are.
#[must_use]
#[inline]
pub fn entries_there<T, const N: usize>(of: [(&str, Option<T>); N]) -> BTreeMap<String, T> {
    entries_there_by(of.map(|(key, value)| (key.to_owned(), value)))
}

/// Returns a map of those values by other keys that there are.
#[must_use]
#[inline]
pub fn entries_there_by<K: Ord, T>(of: impl IntoIterator<Item = (K, Option<T>)>) -> BTreeMap<K, T> {
    let there = of.into_iter();
    entries_by(there.filter_map(|(key, value)| Some((key, value?))))
}

/// Returns a map without entries.
#[must_use]
#[inline]
pub fn no_entries_made<K, T>() -> BTreeMap<K, T> {
    BTreeMap::new()
}

/// Returns the value of a key.
#[inline]
pub fn entry_at<K: Ord, T: Clone>(map: BTreeMap<K, T>, key: K) -> Result<T> {
    found_at(map, key).ok_or(Failure::Key)
}

/// Returns the value of a key, if there is one.
#[must_use]
#[inline]
pub fn found_at<K: Ord, T: Clone>(map: BTreeMap<K, T>, key: K) -> Option<T> {
    map.get(&key).cloned()
}

/// Returns true if a map has a key.
#[must_use]
#[inline]
pub fn has_key_at<K: Ord, T>(map: BTreeMap<K, T>, key: K) -> bool {
    map.contains_key(&key)
}

/// Returns the results of a function for the items for which it has one.
#[inline]
pub fn filter_map<T, R>(
    items: impl IntoIterator<Item = T>,
    make: impl FnMut(T) -> Result<Option<R>>,
) -> Result<Vec<R>> {
    let made = items.into_iter().map(make);
    made.filter_map(Result::transpose).collect()
}

/// Returns the same as a map, of a function that returns keys and values.
#[inline]
pub fn filter_entries<T, K: Ord, R>(
    items: impl IntoIterator<Item = T>,
    make: impl FnMut(T) -> Result<Option<(K, R)>>,
) -> Result<BTreeMap<K, R>> {
    let made = items.into_iter().map(make);
    made.filter_map(Result::transpose).collect()
}

/// Returns the entries of the maps that a function makes of items. No two have a key in common.
#[inline]
pub fn merge_entries<T, K: Ord, R>(
    items: impl IntoIterator<Item = T>,
    mut make: impl FnMut(T) -> Result<Option<BTreeMap<K, R>>>,
) -> Result<BTreeMap<K, R>> {
    let mut all = BTreeMap::new();
    for item in items {
        for (key, value) in make(item)?.into_iter().flatten() {
            if all.insert(key, value).is_some() {
                return Err(Failure::Repeated);
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::divide;

    #[test]
    fn maps_and_filters() {
        let map = entries([("b", 2), ("a", 1)]);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b"]);
        let larger = |(key, value): (String, i64)| Ok((value > 1).then_some((key, value)));
        assert_eq!(filter_entries(map, larger), Ok(entries([("b", 2)])));
        let odd = |n: i64| Ok((n % 2 == 1).then_some(n * n));
        assert_eq!(filter_map([1, 2, 3], odd), Ok(vec![1, 9]));
        let inverse = |n| divide(1, n).map(Some);
        assert_eq!(filter_map([1, 0], inverse), Err(Failure::Division));
        assert_eq!(entries([("a", 1), ("a", 2)]), entries([("a", 2)]));
        let there = entries_there([("a", Some(1)), ("b", None)]);
        assert_eq!(
            (there, no_entries_made::<i64, i64>().len()),
            (entries([("a", 1)]), 0)
        );
    }

    #[test]
    fn maps_by_numbers() {
        let map = || entries_by([(1, 'a'), (2, 'b')]);
        assert_eq!(
            (entry_at(map(), 2), entry_at(map(), 3)),
            (Ok('b'), Err(Failure::Key))
        );
        assert_eq!((found_at(map(), 1), found_at(map(), 0)), (Some('a'), None));
        assert!(has_key_at(map(), 1) && !has_key_at(map(), 3));
        let doubled = |n| Ok((n > 0).then(|| entries_by([(n, n * 2)])));
        assert_eq!(
            merge_entries([0, 1, 2], doubled),
            Ok(entries_by([(1, 2), (2, 4)]))
        );
        assert_eq!(merge_entries([1, 1], doubled), Err(Failure::Repeated));
        let fails = |n: i64| divide(1, n).map(|n| Some(entries_by([(n, n)])));
        assert_eq!(merge_entries([0], fails), Err(Failure::Division));
    }
}
