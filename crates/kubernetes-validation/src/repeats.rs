//! Elements of lists that repeat others.

use std::collections::HashSet;
use std::hash::Hash;
use std::marker::PhantomData;

/// The most elements that are compared one by one; longer lists use a hash table.
const FEW: usize = 32;

/// Finds the elements of a list that have the same key as an earlier element.
#[derive(Debug)]
pub struct Repeats<I, K> {
    /// One value for each element of a long list, true if it repeats an earlier one. A short list
    /// is searched instead.
    repeats: Option<Vec<bool>>,
    keys: I,
    seen: usize,
    key: PhantomData<K>,
}

impl<K: Eq + Hash, I: ExactSizeIterator<Item = K> + Clone> Repeats<I, K> {
    /// Takes the keys of a list, in its order.
    // Loops, because adapters of iterators cost each list a dozen functions more.
    #[inline]
    pub fn of(keys: I) -> Self {
        let mut repeats = None;
        if keys.len() > FEW {
            let mut seen = HashSet::with_capacity(keys.len());
            let mut all = Vec::with_capacity(keys.len());
            for key in keys.clone() {
                all.push(!seen.insert(key));
            }
            repeats = Some(all);
        }
        Self {
            repeats,
            keys,
            seen: 0,
            key: PhantomData,
        }
    }

    /// Returns true if the next element, which has this key, repeats an earlier element.
    #[inline]
    pub fn next(&mut self, key: K) -> bool {
        let at = self.seen;
        self.seen += 1;
        if let Some(repeats) = &self.repeats {
            return repeats.get(at).copied().unwrap_or_default();
        }
        let mut keys = self.keys.clone();
        for _ in 0..at {
            match keys.next() {
                Some(before) if before == key => return true,
                Some(_) => {}
                None => break,
            }
        }
        false
    }
}

/// Finds those elements of a list of a custom resource that are the first to repeat an earlier one:
/// of further ones a server says nothing (`validateListSet` of apiextensions-apiserver).
// Not a mode of the other, whose users it would cost size.
#[cfg(feature = "custom-resources")]
#[derive(Debug)]
pub struct FirstRepeats<I, K> {
    repeats: Option<Vec<bool>>,
    keys: I,
    seen: usize,
    key: PhantomData<K>,
}

#[cfg(feature = "custom-resources")]
impl<K: Eq + Hash, I: ExactSizeIterator<Item = K> + Clone> FirstRepeats<I, K> {
    /// Takes the keys of a list, in its order.
    #[inline]
    pub fn of(keys: I) -> Self {
        let mut repeats = None;
        if keys.len() > FEW {
            let (mut seen, mut reported) = (HashSet::with_capacity(keys.len()), HashSet::new());
            let mut all = Vec::with_capacity(keys.len());
            for (key, same) in keys.clone().zip(keys.clone()) {
                all.push(!seen.insert(key) && reported.insert(same));
            }
            repeats = Some(all);
        }
        Self {
            repeats,
            keys,
            seen: 0,
            key: PhantomData,
        }
    }

    /// Returns true if the next element, which has this key, is the first to repeat another.
    #[inline]
    pub fn next(&mut self, key: K) -> bool {
        let at = self.seen;
        self.seen += 1;
        if let Some(repeats) = &self.repeats {
            return repeats.get(at).copied().unwrap_or_default();
        }
        let mut keys = self.keys.clone();
        let mut same = 0;
        for _ in 0..at {
            match keys.next() {
                Some(before) if before == key => same += 1,
                Some(_) => {}
                None => break,
            }
        }
        same == 1
    }
}
