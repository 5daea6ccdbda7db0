//! Constraints of schemas in combinations.

use serde::Serialize;
use serde_json::Value;

use super::{TextFormat, terms};
use crate::expression::Expression;

/// A constraint of a schema in a combination, by its keyword.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Constraint {
    /// The schema of an element that can be `null`.
    Schema(Vec<Constraint>),
    /// The names of types of which the value has one.
    Type(Vec<String>),
    AllOf(Vec<Vec<Constraint>>),
    AnyOf(Vec<Vec<Constraint>>),
    OneOf(Vec<Vec<Constraint>>),
    Not(Vec<Constraint>),
    Required(Vec<String>),
    Property(String, Vec<Constraint>),
    Items(Vec<Constraint>),
    Texts(Vec<String>),
    Numbers(Vec<f64>),
    /// An enumeration of other values, or of several types.
    Known(Vec<Known>),
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

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Known {
    Flag(bool),
    Int(i64),
    Text(String),
}

impl Known {
    /// Reads a value, unless it is of another type.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(Self::Flag(*flag)),
            Value::Number(number) => number.as_i64().map(Self::Int),
            Value::String(text) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    pub(crate) fn json(&self) -> Value {
        match self {
            Self::Flag(flag) => (*flag).into(),
            Self::Int(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
        }
    }
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
            Self::Schema(all) | Self::Not(all) | Self::Property(_, all) | Self::Items(all) => {
                any(all)
            }
            _ => false,
        }
    }
}
