//! The results of generating.

use std::ops::Range;

use crate::release::Release;

/// A generated crate.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The crate's name.
    pub name: String,
    /// The number of documents it was made from.
    pub documents: usize,
    /// The number of structs.
    pub structs: usize,
    /// The number of enumerations.
    pub enums: usize,
    /// The groups and versions of its kinds, in the order of the configuration.
    pub group_versions: Vec<GroupVersion>,
    /// The files, by path.
    pub files: Vec<GeneratedFile>,
    /// The paths of the files beside them that are written by hand: the configuration names
    /// them, or a rule of it calls their functions.
    pub hand_written: Vec<String>,
    /// The rules of its schemas that aren't checked.
    pub unchecked: Vec<UncheckedRule>,
}

/// A rule of a schema that a generated crate doesn't check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncheckedRule {
    /// The file of the schema, as the caller named it.
    pub file: String,
    /// The line of the rule, counted from 1, if it is known.
    pub line: Option<usize>,
    /// The kind of the object, such as `Gateway`.
    pub kind: String,
    /// The place of the value in it: `spec.listeners[*].name`; empty for the object as a whole.
    pub path: String,
    /// The rule: an expression of CEL, or a keyword with its value.
    pub rule: String,
    /// The reason.
    pub reason: String,
}

/// The part of a generated crate for one group and version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersion {
    /// The group and version, as in `apiVersion`.
    pub api_version: String,
    /// The names of the kinds, sorted.
    pub kinds: Vec<String>,
    /// The newest Kubernetes release whose fields they have; `None` for custom resources.
    pub release: Option<Release>,
}

/// A generated file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path in the crate, with `/` between the parts.
    pub path: String,
    /// The contents.
    pub text: String,
    /// The parts of a Rust file, in bytes of the text, that rustfmt with its defaults leaves as
    /// they are: whole items with their lines, in their order.
    pub formatted: Vec<Range<usize>>,
}
