//! Rules that a server finds too expensive.

/// A rule of a CustomResourceDefinition that a server estimates to cost more than it allows, so
/// that it refuses the definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostlyRule {
    /// The file of the definition, as the caller named it.
    pub file: String,
    /// The kind of the objects, such as `Gateway`.
    pub kind: String,
    /// The version of the schema, such as `v1`.
    pub version: String,
    /// The place of the value in the object: `spec.listeners[*].name`; empty for the object as a
    /// whole.
    pub path: String,
    /// The part that costs too much.
    pub of: CostOf,
    /// The expression in CEL; empty of all rules together.
    pub rule: String,
    /// The cost of the worst object that a request can have.
    pub cost: u64,
    /// The bounds that the schema lacks and that lower the cost.
    pub missing: Vec<MissingBound>,
}

/// The things with a limit for their cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostOf {
    /// A rule, for all values in an object that it is about.
    Rule,
    /// The expression of the message of a rule.
    Message,
    /// All rules of a version together.
    All,
}

impl CostOf {
    /// The greatest cost that a server allows.
    pub const fn limit(self) -> u64 {
        match self {
            Self::Rule | Self::Message => 10_000_000,
            Self::All => 100_000_000,
        }
    }
}

/// A keyword that a schema lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingBound {
    /// The place of the value, as in [`CostlyRule::path`].
    pub path: String,
    /// The keyword: `maxItems`, `maxLength` or `maxProperties`.
    pub keyword: &'static str,
}
