//! Finds and follows the route from one type to another.

use std::any::TypeId;

use kubernetes_kinds::GroupVersionKind;

use super::content::Boxed;
use super::conversion::{Conversion, ConversionOutcome, Unrepresentable};
use super::description::{Route, Step};
use super::registry::Scheme;

/// The conversions from one type to another, in their order.
#[derive(Clone, Default)]
pub(super) struct Path<'s>(Vec<&'s Conversion>);

impl<'s> Path<'s> {
    pub(super) fn target(&self) -> Option<(TypeId, &'s GroupVersionKind)> {
        self.0.last().map(|last| (last.to, &last.target))
    }

    fn lossy(&self) -> usize {
        self.0.iter().filter(|conversion| conversion.lossy).count()
    }

    fn then(&self, next: &'s Conversion) -> Self {
        let mut steps = self.0.clone();
        steps.push(next);
        Self(steps)
    }

    pub(super) fn route(&self) -> Route {
        let mut steps = Vec::new();
        for conversion in &self.0 {
            steps.push(Step {
                to: conversion.target.clone(),
                lossy: conversion.lossy,
            });
        }
        Route { steps }
    }

    /// Converts an object of the type at which the path begins.
    pub(super) fn follow(
        &self,
        content: Boxed,
        unrepresentable: Unrepresentable,
    ) -> ConversionOutcome {
        let mut all = Vec::new();
        let mut content = content;
        for conversion in &self.0 {
            let (next, lost) = (conversion.run)(content, unrepresentable)?;
            content = next;
            all.extend(lost);
        }
        Ok((content, all))
    }
}

impl Scheme {
    /// Returns the paths to all types that can be reached, the shortest first; of several paths of
    /// the same length to a type, the one with the fewest lossy conversions.
    pub(super) fn paths(&self, from: TypeId) -> Vec<Path<'_>> {
        let mut reached = vec![from];
        let mut paths: Vec<Path<'_>> = Vec::new();
        let mut edge = vec![(from, Path::default())];
        while !edge.is_empty() {
            let mut next: Vec<Path<'_>> = Vec::new();
            for (at, path) in &edge {
                for (_, conversion) in self.conversions.iter().filter(|(a, _)| a == at) {
                    let path = path.then(conversion);
                    let lossy = path.lossy();
                    let after = next.partition_point(|known| known.lossy() <= lossy);
                    next.insert(after, path);
                }
            }
            edge.clear();
            for path in next {
                if let Some((to, _)) = path.target()
                    && !reached.contains(&to)
                {
                    reached.push(to);
                    paths.push(path.clone());
                    edge.push((to, path));
                }
            }
        }
        paths
    }

    /// Returns the path between two types; it is empty if they are the same.
    pub(super) fn path(&self, from: TypeId, to: TypeId) -> Option<Path<'_>> {
        if from == to {
            return Some(Path::default());
        }
        let leads = |path: &Path<'_>| path.target().is_some_and(|(target, _)| target == to);
        self.paths(from).into_iter().find(leads)
    }
}
