//! The choice between keeping and losing fields.

use clap::ValueEnum;

/// The handling of fields that the target version cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Lossy {
    /// Leave the file unchanged
    Refuse,
    /// Preserve the fields in an annotation, from which converting back restores them
    Annotate,
    /// Discard the fields, and unknown fields too
    Discard,
}
