//! Finding and following the way from one type to another.

use std::any::TypeId;
use std::collections::HashSet;

use kubernetes_kinds::convert::{
    ConversionError, Convert, Converted, UnrepresentableField,
};
use kubernetes_kinds::{FieldPath, GroupVersionKind};

use super::about::{Route, Step};
use super::content::{Boxed, Versioned, downcast};
use super::{Losses, Scheme};

/// What a conversion makes of an object.
type Outcome = Result<(Boxed, Vec<UnrepresentableField>), ConversionError>;

/// A registered conversion; the function is made for its two types.
#[derive(Clone)]
pub(super) struct Conversion {
    pub(super) to: TypeId,
    target: GroupVersionKind,
    lossy: bool,
    run: fn(Boxed, Losses) -> Outcome,
}

impl Conversion {
    pub(super) fn lossless<A: Versioned, B: Versioned + From<A>>() -> Self {
        Self {
            to: TypeId::of::<B>(),
            target: GroupVersionKind::of::<B>(),
            lossy: false,
            run: |content, _| Ok((Box::new(B::from(source::<A>(content)?)), Vec::new())),
        }
    }

    pub(super) fn lossy<A: Versioned + Convert<B>, B: Versioned>() -> Self {
        Self {
            to: TypeId::of::<B>(),
            target: GroupVersionKind::of::<B>(),
            lossy: true,
            run: |content, losses| {
                let source = source::<A>(content)?;
                let Converted {
                    object,
                    unrepresentable: losses,
                } = match losses {
                    Losses::Keep => source.convert_preserving()?,
                    Losses::Drop => source.convert()?,
                };
                Ok((Box::new(object), losses))
            },
        }
    }
}

/// Routes lead only through the types of their conversions, so that this doesn't fail.
fn source<A: Versioned>(content: Boxed) -> Result<A, ConversionError> {
    downcast(content).ok_or_else(|| {
        let kind = GroupVersionKind::of::<A>();
        ConversionError::invalid(
            FieldPath::default(),
            format!("is not the type registered for {kind}"),
        )
    })
}

/// The conversions that make one type of another, one after the other.
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
        Self(self.0.iter().copied().chain([next]).collect())
    }

    pub(super) fn route(&self) -> Route {
        let step = |conversion: &&Conversion| Step {
            to: conversion.target.clone(),
            lossy: conversion.lossy,
        };
        Route {
            steps: self.0.iter().map(step).collect(),
        }
    }

    /// Converts an object of the type from which this leads.
    pub(super) fn follow(&self, content: Boxed, losses: Losses) -> Outcome {
        let mut all = Vec::new();
        let mut content = content;
        for conversion in &self.0 {
            let (next, lost) = (conversion.run)(content, losses)?;
            content = next;
            all.extend(lost);
        }
        Ok((content, all))
    }
}

impl Scheme {
    /// The path to every type that one can become, those of the fewest conversions first;
    /// of several paths that long, the one with the fewest that are lossy.
    pub(super) fn paths(&self, from: TypeId) -> Vec<Path<'_>> {
        let mut reached = HashSet::from([from]);
        let mut paths: Vec<Path<'_>> = Vec::new();
        let mut edge = vec![(from, Path::default())];
        while !edge.is_empty() {
            let mut next: Vec<Path<'_>> = Vec::new();
            for (at, path) in &edge {
                let conversions = self.conversions.get(at).into_iter().flatten();
                next.extend(conversions.map(|conversion| path.then(conversion)));
            }
            next.sort_by_key(Path::lossy);
            edge.clear();
            for path in next {
                if let Some((to, _)) = path.target()
                    && reached.insert(to)
                {
                    paths.push(path.clone());
                    edge.push((to, path));
                }
            }
        }
        paths
    }

    /// The path between two types, empty for the type itself.
    pub(super) fn path(&self, from: TypeId, to: TypeId) -> Option<Path<'_>> {
        if from == to {
            return Some(Path::default());
        }
        let leads =
            |path: &Path<'_>| path.target().is_some_and(|(target, _)| target == to);
        self.paths(from).into_iter().find(leads)
    }
}
