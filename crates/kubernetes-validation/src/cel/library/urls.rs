//! URLs: `url` and `isURL`, which take what an HTTP request can name.

use kubernetes_schema_terms::TextFormat;
pub use kubernetes_schema_terms::Url;

use super::{Failure, Result};

/// Reads a URL with a scheme, or an absolute path.
#[inline]
pub fn url(text: &str) -> Result<Url> {
    Url::read(text).ok_or(Failure::Form)
}

/// Returns true for a URL with a scheme, or an absolute path. It may have a fragment of any form,
/// with which [`url`] doesn't read it.
#[must_use]
#[inline]
pub fn is_url(text: &str) -> bool {
    TextFormat::Uri.matches(text)
}
