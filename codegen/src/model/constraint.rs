//! Constraints of schemas in combinations.

use serde::Serialize;

use super::{TextFormat, terms};
use crate::expression::Expression;

/// A constraint of a schema in a combination, by its keyword.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Constraint {
    AllOf(Vec<Vec<Constraint>>),
    AnyOf(Vec<Vec<Constraint>>),
    OneOf(Vec<Vec<Constraint>>),
    Not(Vec<Constraint>),
    Required(Vec<String>),
    Property(String, Vec<Constraint>),
    Items(Vec<Constraint>),
    Texts(Vec<String>),
    Numbers(Vec<f64>),
    Pattern(Expression),
    #[serde(serialize_with = "terms::serialize")]
    Format(TextFormat),
    MinLength(usize),
    MaxLength(usize),
    Minimum(f64),
    /// `minimum` with `exclusiveMinimum`.
    Above(f64),
    Maximum(f64),
    /// `maximum` with `exclusiveMaximum`.
    Below(f64),
    MultipleOf(i64),
    MinItems(usize),
    MaxItems(usize),
    MinProperties(usize),
    MaxProperties(usize),
}

impl Constraint {
    /// Returns true if it has a regular expression.
    pub(crate) fn has_pattern(&self) -> bool {
        let any = |all: &[Self]| all.iter().any(Self::has_pattern);
        match self {
            Self::Pattern(_) => true,
            Self::AllOf(all) | Self::AnyOf(all) | Self::OneOf(all) => {
                all.iter().any(|all| any(all))
            }
            Self::Not(all) | Self::Property(_, all) | Self::Items(all) => any(all),
            _ => false,
        }
    }
}
