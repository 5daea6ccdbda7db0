//! The errors of a provisioner.

use std::error::Error;
use std::fmt::Write;

/// Any error, or a message.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// An error of provisioning. It says whether provisioning may still go on.
///
/// The difference matters when the claim is deleted: a claim whose provisioning may go on is
/// provisioned again until that is known, so that nothing is left in the backend.
///
/// Each constructor takes any error, or a message:
///
/// ```
/// use kubernetes_provisioner::ProvisionError;
///
/// let error = ProvisionError::failed("the pool is full");
/// assert_eq!(error.to_string(), "the pool is full");
/// assert!(matches!(error, ProvisionError::Final(_)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvisionError {
    /// Another provisioner takes care of the claim. Nothing is reported, and the claim is not
    /// tried again until it changes.
    #[error("ignored: {reason}")]
    Ignored {
        /// The reason, for logs.
        reason: String,
    },
    /// There is no volume, and provisioning certainly doesn't go on. It is tried again.
    #[error(transparent)]
    Final(BoxError),
    /// Provisioning may go on in the background, as after a timeout. It is tried again with
    /// the same request until it ends, even if the claim is deleted.
    #[error(transparent)]
    InBackground(BoxError),
    /// The backend was not reached, so nothing new is known. It is tried again.
    #[error(transparent)]
    NoChange(BoxError),
    /// There can't be a volume for the selected node, and provisioning doesn't go on. The
    /// scheduler selects a node again. Without a selected node this is [`Final`](Self::Final).
    #[error(transparent)]
    Reschedule(BoxError),
    /// The request can never be fulfilled, and provisioning doesn't go on. It is tried again
    /// after five minutes, or once the class has been replaced.
    #[error(transparent)]
    Infeasible(BoxError),
}

impl ProvisionError {
    /// Returns [`Ignored`](Self::Ignored).
    pub fn ignored(reason: impl Into<String>) -> Self {
        Self::Ignored {
            reason: reason.into(),
        }
    }

    /// Returns [`Final`](Self::Final).
    pub fn failed(source: impl Into<BoxError>) -> Self {
        Self::Final(source.into())
    }

    /// Returns [`InBackground`](Self::InBackground).
    pub fn in_background(source: impl Into<BoxError>) -> Self {
        Self::InBackground(source.into())
    }

    /// Returns [`NoChange`](Self::NoChange).
    pub fn no_change(source: impl Into<BoxError>) -> Self {
        Self::NoChange(source.into())
    }

    /// Returns [`Reschedule`](Self::Reschedule).
    pub fn reschedule(source: impl Into<BoxError>) -> Self {
        Self::Reschedule(source.into())
    }

    /// Returns [`Infeasible`](Self::Infeasible).
    pub fn infeasible(source: impl Into<BoxError>) -> Self {
        Self::Infeasible(source.into())
    }
}

/// An error of deleting the storage of a volume.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeleteError {
    /// Another provisioner takes care of the volume. Nothing is reported, and the volume is
    /// not tried again until it changes.
    #[error("ignored: {reason}")]
    Ignored {
        /// The reason, for logs.
        reason: String,
    },
    /// The volume is still in use, such as mounted on a node, so that it can't be deleted yet. A
    /// Normal event says so, the attempt isn't counted as a failure, and deleting is tried again.
    #[error("in use: {reason}")]
    InUse {
        /// The reason, for the event.
        reason: String,
    },
    /// The storage may still be there. Deleting is tried again.
    #[error(transparent)]
    Failed(BoxError),
}

impl DeleteError {
    /// Returns [`Ignored`](Self::Ignored).
    pub fn ignored(reason: impl Into<String>) -> Self {
        Self::Ignored {
            reason: reason.into(),
        }
    }

    /// Returns [`InUse`](Self::InUse).
    pub fn in_use(reason: impl Into<String>) -> Self {
        Self::InUse {
            reason: reason.into(),
        }
    }

    /// Returns [`Failed`](Self::Failed).
    pub fn failed(source: impl Into<BoxError>) -> Self {
        Self::Failed(source.into())
    }
}

/// Returns the messages of an error and its sources, each once.
pub(crate) fn report(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let message = error.to_string();
        if !text.contains(&message) {
            // Writing to a string can't fail.
            let _ = write!(text, ": {message}");
        }
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

    use super::{BoxError, DeleteError, ProvisionError, report};

    #[derive(Debug, thiserror::Error)]
    #[error("can't create the volume")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn a_report_has_the_sources_of_an_error() {
        let error = ProvisionError::in_background(Outer(std::io::Error::other("disk on fire")));
        assert_eq!(report(&error), "can't create the volume: disk on fire");
    }

    #[test]
    fn a_message_that_contains_its_source_is_not_repeated() {
        let source: BoxError = "no route".into();
        assert_eq!(report(&DeleteError::failed(source)), "no route");
        assert_eq!(report(&DeleteError::ignored("theirs")), "ignored: theirs");
    }
}
