//! Keeps the secrets of a request out of logs and answers.

use std::error::Error as _;

use kubernetes_csi::Secrets;
use kubernetes_mount::masking;
use tonic::Status;
use tracing::warn;

use crate::Error;

/// Texts that are neither logged nor sent back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask(masking::Secrets);

impl Mask {
    pub(crate) fn of(secrets: &Secrets) -> Self {
        Self::of_values(secrets.values())
    }

    pub(crate) fn of_values<'a>(values: impl IntoIterator<Item = &'a String>) -> Self {
        let texts = values
            .into_iter()
            .flat_map(|value| [value.as_str()].into_iter().chain(tokens(value)));
        Self(masking::Secrets::of(texts.map(str::to_owned)))
    }

    /// Returns a text without the secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        self.0.mask(text)
    }

    /// Logs the error of a call with its causes, and returns what is sent of it.
    pub(crate) fn failed(&self, error: &Error) -> Status {
        warn!(code = ?error.code(), "{}", self.text(&chain(error)));
        Status::new(error.code(), self.text(error.message()))
    }
}

/// Returns the tokens in the kubelet's JSON, in which they have no escapes: the driver needs them
/// one by one, so that its errors may have one without the rest.
fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let after_keys = json.split("\"token\":").skip(1);
    after_keys.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
}

/// Returns the text of an error with those of its causes.
fn chain(error: &Error) -> String {
    let mut text = error.message().to_owned();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
