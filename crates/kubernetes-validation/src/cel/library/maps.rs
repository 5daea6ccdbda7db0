//! Maps that rules make.

use std::collections::BTreeMap;

use super::Result;

/// Returns a map of values.
#[must_use]
#[inline]
pub fn entries<T, const N: usize>(of: [(&str, T); N]) -> BTreeMap<String, T> {
    of.map(|(key, value)| (key.to_owned(), value)).into()
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
pub fn filter_entries<T, R>(
    items: impl IntoIterator<Item = T>,
    make: impl FnMut(T) -> Result<Option<(String, R)>>,
) -> Result<BTreeMap<String, R>> {
    let made = items.into_iter().map(make);
    made.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::{Failure, divide};

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
    }
}
