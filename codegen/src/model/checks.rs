//! The checks of a field, in the order and nesting in which they are made.

use serde::Serialize;

use super::{Call, CelRule};
use crate::name::{Ident, RulePath};
use crate::release::Releases;

/// The checks of the value of a field.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FieldChecks {
    /// True if it must be set.
    pub(crate) is_set: bool,
    /// Hand-written functions that check what a server can't even read.
    pub(crate) readings: Vec<RulePath>,
    /// Hand-written functions.
    pub(crate) functions: Vec<RulePath>,
    /// True if these are called only where the field is the only one that is set.
    pub(crate) functions_alone: bool,
    /// Calls about the number of entries, which are made even if the list or map is absent.
    pub(crate) counts: Vec<Call>,
    /// The checks of the value where it is there.
    pub(crate) steps: Vec<CheckStep>,
    /// True if the struct that it holds itself has checks.
    pub(crate) inside: bool,
    /// The comparison with the stored value.
    pub(crate) equality: Equality,
    /// The pairing of the structs that it holds with the stored ones, if they are compared.
    pub(crate) pairing: Option<Pairing>,
}

impl FieldChecks {
    /// The checks of a field that a server doesn't look at.
    pub(crate) fn none() -> Self {
        Self {
            is_set: false,
            readings: Vec::new(),
            functions: Vec::new(),
            functions_alone: false,
            counts: Vec::new(),
            steps: Vec::new(),
            inside: false,
            equality: Equality::Exact,
            pairing: None,
        }
    }

    /// Returns true if a check is made only where the field is the only one that is set.
    pub(crate) fn ask_whether_only(&self) -> bool {
        let is_alone = |call: &Call| call.alone;
        self.functions_alone && !self.functions.is_empty()
            || self.counts.iter().any(is_alone)
            || self.steps.iter().any(CheckStep::is_alone)
    }
}

/// A step of the checks of a value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckStep {
    /// A method of the checker.
    Call(Call),
    /// Steps that are made where the value passes a call.
    IfPassed {
        call: Call,
        /// The servers that make them in any case.
        or: Option<Releases>,
        /// The servers that make them on creation only.
        on_create: Option<Releases>,
        then: Vec<CheckStep>,
    },
    /// Steps that are made on creation; on updates by servers of other releases only.
    OnCreate(Releases, Vec<CheckStep>),
    /// A rule in CEL.
    Cel(Box<CelRule>),
    /// The steps of each element of a list.
    Elements {
        /// A server reports errors so many steps further up.
        above: u64,
        repeats: Option<Repeats>,
        steps: Vec<CheckStep>,
    },
    /// The steps of each value of a map.
    Entries(Vec<CheckStep>),
    /// The checks of a struct.
    Struct,
}

impl CheckStep {
    /// Returns true if it, or a step in it, is made only where the field is the only one that is
    /// set.
    fn is_alone(&self) -> bool {
        match self {
            Self::Call(call) => call.alone,
            Self::IfPassed { call, then, .. } => call.alone || then.iter().any(Self::is_alone),
            Self::OnCreate(_, steps) => steps.iter().any(Self::is_alone),
            Self::Cel(_) | Self::Elements { .. } | Self::Entries(_) | Self::Struct => false,
        }
    }
}

/// The check that no element of a list repeats another.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Repeats {
    pub(crate) key: RepeatKey,
    /// The field at which a repeated element is reported, by its name on the wire, if not at the
    /// element.
    pub(crate) reported_at: Option<String>,
    /// The field that is reported as the value, if not the element.
    pub(crate) value: Option<Ident>,
    /// True if the other steps of a repeated element are left out.
    pub(crate) leaves_out: bool,
}

/// The key by which elements must differ.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RepeatKey {
    /// The element as a text.
    Text,
    /// These fields, of which some are compared as texts.
    Fields(Vec<(Ident, bool)>),
}

/// A server's comparison of two values of a field.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Equality {
    /// The operator `==`.
    Exact,
    /// The trait `Semantic`.
    Semantic,
    /// A hand-written function.
    Function(RulePath),
}

/// The pairing of structs in a field with their stored counterparts.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Pairing {
    /// The field holds the struct itself.
    Itself,
    /// Elements of a list that are the same in these fields.
    ByFields(Vec<Ident>),
    /// Values of a map with the same key.
    ByKey,
}
