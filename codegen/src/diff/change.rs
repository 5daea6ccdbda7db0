//! Changes between two releases, and the report of them.

use serde::Serialize;

use crate::release::Release;

/// The severity of a change for a program that isn't changed itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It has no effect.
    #[default]
    None,
    /// There is something new, which the program may ignore.
    Info,
    /// The program still works, but may meet or cause something that it doesn't expect.
    Warning,
    /// The program can fail.
    Breaking,
}

impl Severity {
    /// All severities, the worst first.
    pub const WORST_FIRST: [Self; 4] = [Self::Breaking, Self::Warning, Self::Info, Self::None];

    /// Returns the name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Breaking => "breaking",
        }
    }
}

/// The effect of a change on the public interface of the generated crate, by Cargo's rules for
/// versions from 1.0 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Semver {
    /// The interface stays the same; values of constants, documentation and behaviour may change.
    #[default]
    Patch,
    /// There are new items.
    Minor,
    /// Code that uses the crate may not compile any more.
    Major,
}

impl Semver {
    /// Returns the name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

/// The kinds of changes, in the order of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// The later release doesn't serve the group-version.
    GroupVersionRemoved,
    /// Only the later release serves the group-version.
    GroupVersionAdded,
    /// The group-version no longer has the kind.
    KindRemoved,
    /// The group-version has a new kind.
    KindAdded,
    /// Objects of the kind are in namespaces, and weren't, or the reverse.
    ScopeChanged,
    /// The name of the resource in paths is another.
    ResourceRenamed,
    /// The resource, or a subresource, lacks verbs that it had.
    VerbsRemoved,
    /// The resource, or a subresource, has new verbs.
    VerbsAdded,
    /// The resource lacks a subresource that it had.
    SubresourceRemoved,
    /// The resource has a new subresource.
    SubresourceAdded,
    /// A schema lacks a field that it had.
    FieldRemoved,
    /// A schema has a new field.
    FieldAdded,
    /// A field that could be absent must be there.
    BecameRequired,
    /// A field that had to be there may be absent.
    BecameOptional,
    /// Values are of another type.
    TypeChanged,
    /// The type has another name. Changes inside of it are changes of their own.
    TypeRenamed,
    /// Values are in another format, such as `int64` instead of `int32`.
    FormatChanged,
    /// The field has another number or type in protobuf.
    NumberChanged,
    /// Values of a list are allowed, where any were.
    EnumIntroduced,
    /// Any value is allowed, where those of a list were.
    EnumDropped,
    /// Values of the list are gone.
    EnumValuesRemoved,
    /// The list has new values.
    EnumValuesAdded,
    /// An absent field means a value that it didn't.
    DefaultAdded,
    /// An absent field no longer means a value.
    DefaultRemoved,
    /// An absent field means another value.
    DefaultChanged,
    /// Lists or objects are merged and owned in another way.
    ListSemanticsChanged,
    /// The server checks a new rule.
    RuleAdded,
    /// A rule refuses more than it did.
    RuleTightened,
    /// A rule is another, and may refuse more or less.
    RuleChanged,
    /// A rule refuses less than it did.
    RuleLoosened,
    /// The server no longer checks a rule.
    RuleRemoved,
    /// A kind or field has reached another stage, or is deprecated.
    LifecycleChanged,
}

impl ChangeKind {
    /// Returns true if it is the change of a rule.
    pub(super) fn is_of_rule(self) -> bool {
        (Self::RuleAdded..=Self::RuleRemoved).contains(&self)
    }

    /// Returns the change in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::GroupVersionRemoved => "group-version removed",
            Self::GroupVersionAdded => "group-version added",
            Self::KindRemoved => "kind removed",
            Self::KindAdded => "kind added",
            Self::ScopeChanged => "scope changed",
            Self::ResourceRenamed => "resource renamed",
            Self::VerbsRemoved => "verbs removed",
            Self::VerbsAdded => "verbs added",
            Self::SubresourceRemoved => "subresource removed",
            Self::SubresourceAdded => "subresource added",
            Self::FieldRemoved => "field removed",
            Self::FieldAdded => "field added",
            Self::BecameRequired => "field became required",
            Self::BecameOptional => "field became optional",
            Self::TypeChanged => "type changed",
            Self::TypeRenamed => "type renamed",
            Self::FormatChanged => "format changed",
            Self::NumberChanged => "number in protobuf changed",
            Self::EnumIntroduced => "values restricted to a list",
            Self::EnumDropped => "list of values dropped",
            Self::EnumValuesRemoved => "values removed",
            Self::EnumValuesAdded => "values added",
            Self::DefaultAdded => "default added",
            Self::DefaultRemoved => "default removed",
            Self::DefaultChanged => "default changed",
            Self::ListSemanticsChanged => "merge semantics changed",
            Self::RuleAdded => "rule added",
            Self::RuleTightened => "rule tightened",
            Self::RuleChanged => "rule changed",
            Self::RuleLoosened => "rule loosened",
            Self::RuleRemoved => "rule removed",
            Self::LifecycleChanged => "lifecycle",
        }
    }
}

/// The place of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The group-versions whose documents have it, as in `apiVersion`, sorted.
    pub group_versions: Vec<String>,
    /// The kind, if it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The name of the schema, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The path from the schema to the field, such as `drivers[].nodeID`; empty for the schema
    /// itself. `[]` is an element of a list, `{}` a value of a map.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The places in kinds that have the field, such as `CSINode spec.drivers[].nodeID`, without
    /// those kinds that have it deeper inside of types of other group-versions. At most
    /// [`Place::SHOWN`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<String>,
    /// The number of further places where kinds have it.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Place {
    /// The most places in kinds that a place lists.
    pub const SHOWN: usize = 3;

    /// Returns the place in short: `CSINode spec.drivers[].nodeID`, or by the schema where no kind
    /// has it.
    pub fn text(&self) -> String {
        if let Some(used) = self.used.first() {
            return used.clone();
        }
        let schema = self.schema.as_deref().map(short);
        let name = self.kind.as_deref().or(schema).unwrap_or_default();
        [name, &self.path].join(" ").trim().to_owned()
    }
}

/// The last part of the name of a schema.
pub(super) fn short(schema: &str) -> &str {
    schema.rsplit('.').next().unwrap_or(schema)
}

/// The effect of a change on generated Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Rust {
    /// The least change of the crate's version.
    pub semver: Semver,
    /// The reason.
    pub why: String,
}

/// One change from a release to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The kind of the change.
    pub what: ChangeKind,
    /// The place.
    pub place: Place,
    /// The earlier value, if `what` doesn't imply it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The later value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Facts about what is new or gone: type, lifecycle, rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// The release that brought it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
    /// The severity for programs that read the objects of a server of the later release.
    pub readers: Severity,
    /// The severity for programs that write objects to such a server.
    pub writers: Severity,
    /// The effect on the generated crate.
    pub rust: Rust,
    /// The loss where objects go from one release or version to the other, if there can be any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion: Option<String>,
    /// The edit that a user has to make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
}

impl Change {
    /// Returns the worse of the severities for readers and for writers.
    pub fn severity(&self) -> Severity {
        self.readers.max(self.writers)
    }
}

/// A text that has changed, on which nothing depends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct TextChange {
    /// The place.
    pub place: Place,
    /// The keyword: `description`, `title` or the like.
    pub keyword: String,
}

/// The changes from one release to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The earlier release, as the caller names it.
    pub from: String,
    /// The later release.
    pub to: String,
    /// The group-versions that have been compared, sorted.
    pub compared: Vec<String>,
    /// Parts that could not be compared, each with the reason.
    pub not_compared: Vec<String>,
    /// The kinds that weren't wanted, with their group-versions, sorted.
    pub not_wanted: Vec<String>,
    /// The kinds that one of the releases doesn't describe although it may have them, with their
    /// group-versions, sorted.
    pub not_described: Vec<String>,
    /// The changes, the worst first, then by place.
    pub changes: Vec<Change>,
    /// The changes of documentation alone.
    pub documentation: Vec<TextChange>,
}

impl Report {
    /// Returns the worst severity of all changes.
    pub fn severity(&self) -> Severity {
        self.changes
            .iter()
            .map(Change::severity)
            .max()
            .unwrap_or_default()
    }

    /// Returns the least change of the versions of the generated crates.
    pub fn semver(&self) -> Semver {
        self.changes
            .iter()
            .map(|change| change.rust.semver)
            .max()
            .unwrap_or_default()
    }
}
