//! The findings of the linter.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A server rejects the object or can't decode it.
    Error,
    /// A server accepts the object, but a part of it is unwise or has no effect.
    Warning,
    /// The document is not checked.
    Note,
}

/// The document or object of a finding.
///
/// Its texts are cut off after 253 characters, the most that a valid name has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The number of the document in the file, from 1; empty documents don't count.
    pub document: usize,
    /// The `apiVersion` of the object.
    pub api_version: Option<String>,
    /// The kind of the object.
    pub kind: Option<String>,
    /// The name of the object.
    pub name: Option<String>,
    /// The namespace of the object.
    pub namespace: Option<String>,
}

impl std::fmt::Display for Subject {
    /// Writes `storage.k8s.io/v1 StorageClass fast`, or `document 2` if the type is unknown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.api_version, &self.kind) {
            (None, None) => write!(f, "document {}", self.document)?,
            (Some(part), None) | (None, Some(part)) => {
                write!(f, "document {}, {part}", self.document)?;
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

/// An error, warning or note about a position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The file from which a template engine has made the text, if it says so.
    pub source: Option<Arc<str>>,
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in characters; `None` where only the line is known.
    pub column: Option<usize>,
    /// The document or object.
    pub subject: Arc<Subject>,
    /// The message.
    pub message: Message,
}

/// The message of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The severity.
    pub severity: Severity,
    /// The exact path in the object; empty for the whole object.
    pub path: String,
    /// The path that a server reports, if a server reports the error.
    pub field: Option<String>,
    /// The reason: that of a server's cause, such as `FieldValueInvalid`, or one of the linter.
    pub reason: &'static str,
    /// The stable name of the violated rule, which [`crate::rules`] explains.
    pub rule: &'static str,
    /// The reason in words, which text shows in place of the reason.
    #[serde(skip)]
    pub title: String,
    /// The problem, and often how to solve it.
    #[serde(rename = "message")]
    pub text: String,
}
