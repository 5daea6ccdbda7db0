use std::fmt;

use k8s_openapi::serde_json;

/// Why it can't be told what a field manager has applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// The entry of the manager is of another version of the kind.
    Version {
        /// Which of `metadata.managedFields` it is, from 0.
        index: usize,
        /// The `apiVersion` of the entry.
        found: String,
        /// That of the live object's type.
        expected: &'static str,
    },
    /// The entry of the manager is damaged, or of a form that isn't known.
    Fields {
        /// Where, `metadata.managedFields[0].fieldsV1.f:spec`.
        path: String,
        /// What is wrong there.
        message: String,
    },
    /// The apply type says more than what is owned, or can't say part of it.
    Inexact {
        /// The first field for which this is so, `spec.source.inlineVolumeSpec.csi.driver`.
        path: String,
    },
    /// The live object or the result can't be written as JSON or read from it.
    Json {
        /// What the reader or writer has to say.
        message: String,
    },
}

impl ExtractError {
    // By value, as `map_err` hands it over.
    #[allow(clippy::needless_pass_by_value)]
    pub(super) fn json(error: serde_json::Error) -> Self {
        Self::Json {
            message: error.to_string(),
        }
    }
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version {
                index,
                found,
                expected,
            } => write!(
                f,
                "metadata.managedFields[{index}]: was applied as {}, which may have other \
                 fields than {expected}: read and extract the object in that version",
                found.escape_debug()
            ),
            Self::Fields { path, message } => write!(f, "{path}: {message}"),
            Self::Inexact { path } => write!(
                f,
                "{path}: the type for applying can't say exactly what is owned here, because \
                 required fields around it belong to others: apply the whole of it, or as JSON"
            ),
            Self::Json { message } => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for ExtractError {}
