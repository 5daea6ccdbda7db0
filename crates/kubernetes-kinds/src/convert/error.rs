use std::fmt;

use crate::FieldPath;

/// The most bytes that the annotations of an object may have in all, keys and values:
/// Kubernetes rejects more.
pub const MAX_ANNOTATIONS: usize = 256 << 10;

/// The error of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversionError {
    /// The object is inconsistent.
    Invalid {
        /// The invalid field, `spec.drivers[1].name`.
        path: FieldPath,
        /// The problem and how to solve it.
        message: String,
    },
    /// The annotation that an earlier conversion has written can't be read.
    Annotation {
        /// The annotation.
        path: FieldPath,
        /// The problem and how to solve it.
        message: String,
    },
    /// The source doesn't fit into the annotation beside the other annotations.
    TooLarge {
        /// The annotation.
        path: FieldPath,
        /// The bytes that all annotations would have, keys and values.
        bytes: usize,
    },
}

impl ConversionError {
    /// Returns the error of an object that is inconsistent at `path`.
    pub fn invalid(path: FieldPath, message: impl Into<String>) -> Self {
        Self::Invalid {
            path,
            message: message.into(),
        }
    }

    /// Returns the path of the invalid field, or of the annotation.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        match self {
            Self::Invalid { path, .. }
            | Self::Annotation { path, .. }
            | Self::TooLarge { path, .. } => path,
        }
    }

    /// Returns the error of a list that has this error in an item.
    pub(super) fn inside(mut self, index: usize) -> Self {
        match &mut self {
            Self::Invalid { path, .. }
            | Self::Annotation { path, .. }
            | Self::TooLarge { path, .. } => {
                *path = FieldPath::new("items")
                    .index(index)
                    .join(std::mem::take(path));
            }
        }
        self
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { path, message } | Self::Annotation { path, message } => {
                write!(f, "{path}: {message}")
            }
            Self::TooLarge { path, bytes } => write!(
                f,
                "{path}: preserving the source here makes {bytes} bytes of annotations, and an \
                 object may have {} in all: convert without preserving, or shorten the object",
                MAX_ANNOTATIONS
            ),
        }
    }
}

impl std::error::Error for ConversionError {}
