//! What is found.

use std::sync::Arc;

use serde::Serialize;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A server refuses the object, or can't even read it.
    Error,
    /// A server accepts the object, but something in it is unwise or has no effect.
    Warning,
    /// Something is not checked.
    Note,
}

/// The document or object that something is about.
///
/// Texts of the input are cut off after 253 characters, the most that a valid name has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The document of the file, counted from 1; those that hold nothing don't count.
    pub document: usize,
    /// The `apiVersion` that the object names.
    pub api_version: Option<String>,
    /// Its kind.
    pub kind: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
}

impl std::fmt::Display for Subject {
    /// As `storage.k8s.io/v1 StorageClass fast`, or `document 2` if it doesn't say what it is.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.api_version, &self.kind) {
            (None, None) => write!(f, "document {}", self.document)?,
            (Some(said), None) | (None, Some(said)) => {
                write!(f, "document {}, {said}", self.document)?;
            }
            (Some(version), Some(kind)) => write!(f, "{version} {kind}")?,
        }
        match (&self.namespace, &self.name) {
            (Some(namespace), Some(name)) => write!(f, " {namespace}/{name}"),
            (None, Some(name)) => write!(f, " {name}"),
            (_, None) => Ok(()),
        }
    }
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in characters; nothing where only the line is known.
    pub column: Option<usize>,
    /// What it is about.
    pub subject: Arc<Subject>,
    /// What is to be said.
    pub note: Note,
}

/// What is to be said of a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// How bad it is.
    pub severity: Severity,
    /// The exact path in the object; empty for the whole object.
    pub path: String,
    /// The path as a server reports it, where it does.
    pub field: Option<String>,
    /// The kind of error: that of a server's cause, such as `FieldValueInvalid`, or one of ours.
    pub reason: &'static str,
    /// The rule that is broken, by a name that doesn't change, where it has one.
    pub rule: Option<&'static str>,
    /// The kind of error in words; text shows it where JSON has the reason.
    #[serde(skip)]
    pub title: String,
    /// What is wrong and what to do.
    pub message: String,
}
