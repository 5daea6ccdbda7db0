//! Equality of values in rules, where a server sees other differences than Rust.

use std::collections::BTreeMap;

use super::Result;

/// Equality of structs with lists whose order doesn't count, or with times.
pub trait Same {
    /// Returns true if a server sees no difference.
    fn is_same(&self, other: &Self) -> bool;
}

/// Returns true if two lists of the type `set` have the same elements.
#[must_use]
pub fn is_same_set<T: PartialEq>(new: &[T], old: &[T]) -> bool {
    let has_all = |of: &[T], others: &[T]| others.iter().all(|other| of.contains(other));
    new.len() == old.len() && has_all(new, old) && has_all(old, new)
}

/// Returns true if two lists of the type `map` have the same elements. `is_it` says whether two
/// elements have the same keys.
#[must_use]
pub fn is_same_by_key<T>(
    new: &[T],
    old: &[T],
    is_it: impl Fn(&T, &T) -> bool,
    is_same: impl Fn(&T, &T) -> bool,
) -> bool {
    // A repeated key stands for its last element.
    let found = |old| new.iter().rev().find(|new| is_it(new, old));
    let has = |new| old.iter().any(|old| is_it(new, old));
    new.len() == old.len()
        && old
            .iter()
            .all(|old| found(old).is_some_and(|new| is_same(new, old)))
        && new.iter().all(has)
}

/// Returns true if two lists have the same elements in the same order.
#[must_use]
pub fn is_each_same<T>(new: &[T], old: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
    let mut pairs = new.iter().zip(old);
    new.len() == old.len() && pairs.all(|(new, old)| is_same(new, old))
}

/// Returns true if two maps have the same values of the same keys.
#[must_use]
pub fn is_each_value_same<T>(
    new: &BTreeMap<String, T>,
    old: &BTreeMap<String, T>,
    is_same: impl Fn(&T, &T) -> bool,
) -> bool {
    let mut pairs = new.iter().zip(old);
    let is_pair_same =
        |((a, new), (b, old)): ((&String, &T), (&String, &T))| a == b && is_same(new, old);
    new.len() == old.len() && pairs.all(is_pair_same)
}

/// Returns true if two objects of any properties have as many, and those of the first that the
/// second has are equal. A server asks no more.
#[must_use]
pub fn is_same_open<T: PartialEq>(new: &BTreeMap<String, T>, old: &BTreeMap<String, T>) -> bool {
    let mut of_both = new
        .iter()
        .filter_map(|(key, new)| Some((new, old.get(key)?)));
    new.len() == old.len() && of_both.all(|(new, old)| new == old)
}

/// Returns true if two texts say the same, as a function reads them.
#[must_use]
pub fn is_same_written<T: PartialEq>(
    new: impl AsRef<str>,
    old: impl AsRef<str>,
    read: impl Fn(&str) -> Result<T>,
) -> bool {
    let (new, old) = (new.as_ref(), old.as_ref());
    match (read(new), read(old)) {
        (Ok(new), Ok(old)) => new == old,
        _ => new == old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::Failure;

    #[test]
    fn lists_in_any_order() {
        assert!(is_same_set(&["a", "b"], &["b", "a"]) && is_same_set::<i64>(&[], &[]));
        assert!(!is_same_set(&["a", "b"], &["a", "a"]) && !is_same_set(&["a"], &["a", "a"]));
        let same = |new: &[(i64, i64)], old: &[(i64, i64)]| {
            is_same_by_key(new, old, |a, b| a.0 == b.0, PartialEq::eq)
        };
        assert!(same(&[(1, 1), (2, 2)], &[(2, 2), (1, 1)]));
        assert!(!same(&[(1, 1), (2, 2)], &[(2, 1), (1, 1)]));
        assert!(!same(&[(1, 1), (2, 2)], &[(1, 1), (3, 2)]));
        assert!(!same(&[(1, 1), (2, 2)], &[(1, 1), (1, 1)]));
        assert!(!same(&[(1, 1)], &[(1, 1), (1, 1)]));
    }

    #[test]
    fn lists_maps_and_texts() {
        let is_same = |a: &i64, b: &i64| a.abs() == b.abs();
        assert!(is_each_same(&[1, -2], &[-1, 2], is_same) && !is_each_same(&[1], &[1, 1], is_same));
        let map = |key: &str, value| BTreeMap::from([(key.to_owned(), value)]);
        assert!(is_each_value_same(&map("a", 1), &map("a", -1), is_same));
        assert!(!is_each_value_same(&map("a", 1), &map("b", 1), is_same));
        assert!(!is_each_value_same(&map("a", 1), &BTreeMap::new(), is_same));
        assert!(
            is_same_open(&map("a", 1), &map("a", 1)) && !is_same_open(&map("a", 1), &map("a", 2))
        );
        assert!(is_same_open(&map("a", 1), &map("b", 2)));
        assert!(!is_same_open(&map("a", 1), &BTreeMap::new()));
        let read = |text: &str| text.parse::<i64>().map_err(|_| Failure::Form);
        assert!(is_same_written("1", "+1", read) && !is_same_written("1", "2", read));
        assert!(is_same_written("x", "x", read) && !is_same_written("x", "1", read));
    }
}
