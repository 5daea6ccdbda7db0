//! What the API server asks of a value, beyond its type.

use std::collections::BTreeMap;

use crate::name::Ident;
use crate::release::Releases;

use super::Lifecycle;

/// What is asked of a struct as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeChecks {
    /// Exactly one of its fields must be set.
    pub(crate) exactly_one: bool,
    /// Fields that may only be set if another, a list, has elements; on the wire.
    pub(crate) depends: BTreeMap<String, String>,
    /// What warns, with the fields it looks at.
    pub(crate) warning: Option<(Ident, Vec<String>)>,
    /// Whether an update without a resource version is one of the latest.
    pub(crate) unconditional_update: bool,
    /// Whether an update leaves `generateName` unchecked.
    pub(crate) names_on_create_only: bool,
}

/// What is asked of the value of a field, or of the elements of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    /// It must be there once defaults are set.
    pub(crate) must_be_set: bool,
    /// A text that must not be empty.
    pub(crate) not_empty_text: bool,
    /// Whether an empty text is checked further.
    pub(crate) checks_empty: bool,
    pub(crate) max_length: Option<u64>,
    pub(crate) minimum: Option<i64>,
    pub(crate) maximum: Option<i64>,
    pub(crate) format: Option<Format>,
    /// Whether the format is that of the text in lower case.
    pub(crate) lowered: bool,
    /// A list or map that must have entries.
    pub(crate) not_empty: bool,
    pub(crate) max_entries: Option<u64>,
    pub(crate) keys_not_empty: bool,
    pub(crate) max_total_length: Option<u64>,
    pub(crate) unique: Unique,
    /// The regular expression that a text must match. Where it stands beside an enumeration,
    /// that need not have the value.
    pub(crate) pattern: Option<String>,
    /// The values that are accepted, where they are fewer than those of the enumeration.
    pub(crate) accepted: Option<Vec<String>>,
    pub(crate) immutable: Option<Immutable>,
    /// Functions that check what keywords can't say.
    pub(crate) functions: Vec<Ident>,
    /// Functions that warn.
    pub(crate) warnings: Vec<Ident>,
    /// The function that sets defaults inside.
    pub(crate) set_defaults: Option<Ident>,
    /// The kinds of faults that differ from the usual, by keyword.
    pub(crate) faults: BTreeMap<String, FaultKind>,
    pub(crate) place: Place,
    pub(crate) items: Option<Box<Checks>>,
}

impl Checks {
    /// The kind of fault for a keyword.
    pub(crate) fn fault(&self, keyword: &str, usual: FaultKind) -> FaultKind {
        self.faults.get(keyword).copied().unwrap_or(usual)
    }
}

/// Where the server reports a fault, if not where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// So many steps further up.
    pub(crate) above: u64,
    /// The name that the field goes by.
    pub(crate) name: Option<String>,
}

/// How the elements of a list must differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unique {
    #[default]
    No,
    /// As a whole.
    Whole,
    /// In these fields. The rest of an element that repeats is checked or left.
    Keys {
        keys: Vec<String>,
        leaves_repeats: bool,
    },
}

/// That an update must not change a value.
#[derive(Clone, Debug)]
pub(crate) struct Immutable {
    pub(crate) kind: FaultKind,
    pub(crate) releases: Releases,
    /// With this feature on, it may.
    pub(crate) unless: Option<Lifecycle>,
    pub(crate) above: u64,
}

/// The forms of texts that have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    DnsSubdomain,
    DnsLabel,
    QualifiedName,
    LabelValue,
}

/// The kinds of faults, as Kubernetes names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Required,
    Invalid,
    NotSupported,
    Duplicate,
    TooLong,
    TooMany,
    Forbidden,
}

impl FaultKind {
    /// Reads `TooLong`, or `FieldValueTooLong` as Kubernetes' reasons are spelt.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text.strip_prefix("FieldValue").unwrap_or(text) {
            "Required" => Self::Required,
            "Invalid" => Self::Invalid,
            "NotSupported" => Self::NotSupported,
            "Duplicate" => Self::Duplicate,
            "TooLong" => Self::TooLong,
            "TooMany" => Self::TooMany,
            "Forbidden" => Self::Forbidden,
            _ => return None,
        })
    }
}
