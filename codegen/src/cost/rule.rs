//! The cost of one expression, and what would lower it.

use cel::common::ast::IdedExpr;

use super::costly::{CostOf, MissingBound};
use super::estimate::Estimator;
use super::shape::{Shape, Sort};
use super::ty::Type;

/// A rule about values of a shape, or the expression of its message.
#[derive(Clone, Copy)]
pub(super) struct Rule<'r> {
    pub(super) of: CostOf,
    pub(super) text: &'r str,
    pub(super) expr: &'r IdedExpr,
    /// True if the stored value is an optional value in it.
    pub(super) is_optional: bool,
    pub(super) shape: &'r Shape,
}

impl<'r> Rule<'r> {
    /// The cost for one value, and what of the value can be of any size; `None` if it can't be
    /// estimated.
    pub(super) fn cost(&self) -> Option<(u64, Vec<&'r Shape>)> {
        self.cost_without(None)
    }

    /// The same as if a part of the value were always empty.
    fn cost_without(&self, empty: Option<&'r Shape>) -> Option<(u64, Vec<&'r Shape>)> {
        let mut estimator = Estimator::new(self.shape, self.is_optional, empty);
        let value = estimator.value(self.expr)?;
        let is_right = match self.of {
            CostOf::Message => value.ty.may_be(Type::is_text),
            CostOf::Rule | CostOf::All => value.ty.may_be(|ty| matches!(ty, Type::Bool)),
        };
        is_right.then(|| (value.cost, estimator.unbounded()))
    }

    /// The bounds that the schema lacks and that lower the cost, most of all those that can halve
    /// it. `at` is the place of the value.
    pub(super) fn missing(&self, cost: u64, parts: &[&'r Shape], at: &str) -> Vec<MissingBound> {
        let mut lower: Vec<(u64, MissingBound)> = Vec::new();
        for (nth, part) in parts.iter().enumerate() {
            let before = parts.get(..nth).unwrap_or_default();
            if before.iter().any(|other| std::ptr::eq(*other, *part)) {
                continue;
            }
            let without = self.cost_without(Some(part)).map_or(cost, |(cost, _)| cost);
            let place = place_of(self.shape, part, at);
            if let (true, Some(path), Some(keyword)) = (without < cost, place, part.lacks) {
                lower.push((without, MissingBound { path, keyword }));
            }
        }
        let halves = |without: u64| without <= cost / 2;
        let is_any = lower.iter().any(|(without, _)| halves(*without));
        lower.retain(|(without, _)| !is_any || halves(*without));
        lower.into_iter().map(|(_, bound)| bound).collect()
    }
}

/// The path of a part of a value that is at a place.
fn place_of(shape: &Shape, part: &Shape, at: &str) -> Option<String> {
    if std::ptr::eq(shape, part) {
        return Some(at.to_owned());
    }
    match &shape.sort {
        Sort::List(inside) | Sort::Map(inside) => place_of(inside, part, &format!("{at}[*]")),
        Sort::Object(properties) => properties.iter().find_map(|(name, property)| {
            let dot = if at.is_empty() { "" } else { "." };
            place_of(property, part, &format!("{at}{dot}{name}"))
        }),
        _ => None,
    }
}
