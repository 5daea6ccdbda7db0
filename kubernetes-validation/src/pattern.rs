//! Regular expressions, which are read once, when they are first asked for.

use std::sync::OnceLock;

use regex_lite::Regex;

/// A regular expression that a text must match somewhere, as `pattern` in JSON Schema.
///
/// Classes such as `\d` and `\w` are those of ASCII, as in Go, whose expressions Kubernetes
/// uses; what an expression of JavaScript has beyond that isn't known.
///
/// ```
/// use kubernetes_validation::Pattern;
///
/// static MECHANISM: Pattern = Pattern::new("^(in-tree|csi)$");
/// assert!(MECHANISM.matches("csi"));
/// assert!(!MECHANISM.matches("csi-plugin"));
/// ```
#[derive(Debug)]
pub struct Pattern {
    text: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// The pattern of that text, which is read when it is first needed.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self {
            text,
            regex: OnceLock::new(),
        }
    }

    /// The expression as it is written.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        self.text
    }

    /// Whether there is a match in the text; every text matches an expression that can't be
    /// read.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let regex = self.regex.get_or_init(|| Regex::new(self.text).ok());
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}
