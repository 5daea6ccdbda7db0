//! The steps from a document to a value.

use kubernetes_kinds::{FieldPath, Segment};

use super::tree::Field;

/// A step from a value into it.
#[derive(Clone, Copy)]
pub(crate) enum Step<'t> {
    /// A field, and its index among the fields of the object.
    Field(usize, &'t Field<'t>),
    /// An item of a list.
    Item(usize),
}

impl Step<'_> {
    pub(super) fn segment(&self) -> Segment {
        match self {
            Self::Field(_, field) => segment(&field.name),
            Self::Item(index) => Segment::Index(*index),
        }
    }
}

/// Makes a step of a path; names that are not plain are shown in brackets.
pub(super) fn segment(name: &str) -> Segment {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && !name.is_empty() {
        Segment::Field(name.to_owned().into())
    } else {
        Segment::Key(name.to_owned())
    }
}

/// Returns the path of steps.
pub(crate) fn path(steps: &[Step<'_>]) -> FieldPath {
    steps.iter().map(Step::segment).collect()
}
