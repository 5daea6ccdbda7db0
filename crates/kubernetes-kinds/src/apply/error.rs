use std::fmt;

use k8s_openapi::serde_json;

use crate::FieldPath;

/// The error of extracting the fields that a field manager has applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// The live object has a `resourceVersion`, so it is of a server, but no `managedFields`.
    NoManagedFields,
    /// The entry of the manager is of another version of the kind.
    Version {
        /// The index of the entry in `metadata.managedFields`, from 0.
        index: usize,
        /// The `apiVersion` of the entry.
        found: String,
        /// The `apiVersion` of the live object's type.
        expected: &'static str,
    },
    /// The entry of the manager is invalid, or its format is unknown.
    Fields {
        /// The path of the invalid field, `metadata.managedFields[0].fieldsV1.f:spec`.
        path: FieldPath,
        /// The problem.
        message: String,
    },
    /// The apply type can't represent exactly the fields that are owned.
    Inexact {
        /// The first field that differs, `spec.source.inlineVolumeSpec.csi.driver`.
        path: FieldPath,
    },
    /// The live object or the result can't be written as JSON or read from it.
    Json {
        /// The message of the reader or writer.
        message: String,
    },
}

impl ExtractError {
    // By value, for `map_err`.
    #[allow(clippy::needless_pass_by_value)]
    #[inline]
    pub(super) fn json(error: serde_json::Error) -> Self {
        Self::Json {
            message: error.to_string(),
        }
    }
}

impl fmt::Display for ExtractError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoManagedFields => f.write_str(
                "metadata.managedFields: is absent from an object of a server, so what the manager \
                 owns is not known: get the object from the server, not from a cache that leaves \
                 managedFields out, and not as Lean; if they have been reset, apply the whole \
                 object",
            ),
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
                "{path}: the apply type can't represent exactly the fields that are owned here, \
                 because others own required fields beside them: apply the whole object, or JSON"
            ),
            Self::Json { message } => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for ExtractError {}
