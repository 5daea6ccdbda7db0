//! The comparison of two structures that API diffs, `spec verify` and conversions share: it pairs
//! the parts of both by name, at every depth.

use std::collections::{BTreeMap, BTreeSet};

use crate::pointer::Pointer;

/// The step from a structure to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step<'a> {
    /// A field, by its name.
    Field(&'a str),
    /// The elements of a list.
    Elements,
    /// The values of a map.
    Values,
}

/// A part that both sides have, or that only one has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pair<A, B = A> {
    Both(A, B),
    First(A),
    Second(B),
}

/// Pairs parts by name: those of the first side in their order, then those that only the second
/// side has.
pub(crate) fn pairs<K: Clone + Ord, A, B: Copy>(
    first: impl IntoIterator<Item = (K, A)>,
    second: impl IntoIterator<Item = (K, B)>,
) -> Vec<(K, Pair<A, B>)> {
    let second: Vec<_> = second.into_iter().collect();
    // The first of several with one name counts.
    let by_name: BTreeMap<_, _> = second
        .iter()
        .rev()
        .map(|(name, part)| (name, *part))
        .collect();
    let mut found = Vec::new();
    let mut paired = BTreeSet::new();
    for (name, part) in first {
        let pair = match by_name.get_key_value(&name) {
            Some((known, other)) => {
                paired.insert(*known);
                Pair::Both(part, *other)
            }
            None => Pair::First(part),
        };
        found.push((name, pair));
    }
    let others = second.iter().filter(|(name, _)| !paired.contains(name));
    found.extend(others.map(|(name, part)| (name.clone(), Pair::Second(*part))));
    found
}

/// A structure that consists of parts.
pub(crate) trait Structure<'a>: Sized {
    /// Returns the parts, each with the step to it.
    fn parts(&self) -> Vec<(Step<'a>, Self)>;
}

/// The place of a structure inside of the outermost one.
pub(crate) trait Place {
    /// Returns the place of a part.
    #[must_use]
    fn step(&self, step: Step<'_>) -> Self;
}

/// A path such as `drivers[].nodeID`.
impl Place for String {
    fn step(&self, step: Step<'_>) -> Self {
        match step {
            Step::Field(name) if self.is_empty() => name.to_owned(),
            Step::Field(name) => format!("{self}.{name}"),
            Step::Elements => format!("{self}[]"),
            Step::Values => format!("{self}{{}}"),
        }
    }
}

impl Place for Pointer {
    fn step(&self, step: Step<'_>) -> Self {
        match step {
            Step::Field(name) => self.child(name),
            Step::Elements => self.child("items"),
            Step::Values => self.child("additionalProperties"),
        }
    }
}

/// Compares two structures part by part. The methods say what a difference means.
pub(crate) trait Compare<'a> {
    type Structure: Structure<'a>;
    type Place: Place;

    /// Compares what both have at a place. Returns true if their parts are to be compared too.
    fn both(&mut self, at: &Self::Place, a: &Self::Structure, b: &Self::Structure) -> bool;

    /// Takes a part that only the first structure has.
    fn first(&mut self, at: &Self::Place, part: &Self::Structure);

    /// Takes a part that only the second structure has.
    fn second(&mut self, at: &Self::Place, part: &Self::Structure);

    /// Compares two structures and their parts, at any depth.
    fn walk(&mut self, at: &Self::Place, a: &Self::Structure, b: &Self::Structure) {
        if self.both(at, a, b) {
            self.walk_parts(at, a, b);
        }
    }

    /// Compares the parts of two structures.
    fn walk_parts(&mut self, at: &Self::Place, a: &Self::Structure, b: &Self::Structure) {
        let (a, b) = (a.parts(), b.parts());
        let [first, second] = [&a, &b].map(|parts| parts.iter().map(|(step, part)| (*step, part)));
        for (step, pair) in pairs(first, second) {
            let place = at.step(step);
            match pair {
                Pair::Both(a, b) => self.walk(&place, a, b),
                Pair::First(part) => self.first(&place, part),
                Pair::Second(part) => self.second(&place, part),
            }
        }
    }
}
