use std::fmt;

/// Why an object can't be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversionError {
    /// The object contradicts itself.
    Invalid {
        /// The field at fault, `spec.drivers[1].name`.
        path: String,
        /// What is wrong with it and what to do.
        message: String,
    },
    /// What an earlier conversion kept can't be read.
    Annotation {
        /// The annotation.
        path: String,
        /// What is wrong with it and what to do.
        message: String,
    },
    /// What is to be kept doesn't fit beside the annotations that are there.
    TooLarge {
        /// The annotation.
        path: String,
        /// The bytes that all annotations would have, keys and values.
        bytes: usize,
    },
}

impl ConversionError {
    /// An object that contradicts itself at `path`.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid {
            path: path.into(),
            message: message.into(),
        }
    }

    /// The field at fault.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Invalid { path, .. }
            | Self::Annotation { path, .. }
            | Self::TooLarge { path, .. } => path,
        }
    }

    /// The same of an item of a list.
    pub(super) fn inside(mut self, index: usize) -> Self {
        match &mut self {
            Self::Invalid { path, .. }
            | Self::Annotation { path, .. }
            | Self::TooLarge { path, .. } => {
                path.insert_str(0, &format!("items[{index}]."))
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
                "{path}: keeping the source here makes {bytes} bytes of annotations, and an \
                 object may have {} in all: convert without keeping, or shorten the object",
                super::MAX_ANNOTATIONS
            ),
        }
    }
}

impl std::error::Error for ConversionError {}
