//! Regular expressions, which are compiled on their first use.

use std::sync::OnceLock;

use regex_lite::Regex;

/// A regular expression that a text must match somewhere, as `pattern` in JSON Schema.
///
/// It is read by the crate regex-lite. Classes such as `\d` and `\w` match ASCII only, as in Go,
/// whose expressions Kubernetes uses. Where the two differ, generated code has a translation.
/// Syntax that only JavaScript has is not supported.
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
    /// What is compiled: the text or its translation.
    expression: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Returns the pattern with that expression, which is compiled on its first use.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self::translated(text, text)
    }

    /// Returns the pattern that is `text` in messages, and that regex-lite has to read as another
    /// expression to match the same texts.
    ///
    /// ```
    /// use kubernetes_validation::Pattern;
    ///
    /// static FLAG: Pattern = Pattern::translated("^(?i)on$", "^[Oo][Nn]$");
    /// assert!(FLAG.matches("On"));
    /// assert_eq!(FLAG.as_str(), "^(?i)on$");
    /// ```
    #[must_use]
    pub const fn translated(text: &'static str, expression: &'static str) -> Self {
        Self {
            text,
            expression,
            regex: OnceLock::new(),
        }
    }

    /// Returns the expression as its author wrote it.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        self.text
    }

    /// Returns true if the text has a match. Every text matches an expression that doesn't compile.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let regex = self.regex.get_or_init(|| Regex::new(self.expression).ok());
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }

    /// Returns the first part of a text that matches, or the empty text: `find` in CEL.
    #[must_use]
    #[inline]
    pub fn find(&self, text: &str) -> String {
        let found = self.compiled().and_then(|regex| regex.find(text));
        found.map_or_else(String::new, |found| found.as_str().to_owned())
    }

    /// Returns all parts of a text that match: `findAll` in CEL.
    #[must_use]
    #[inline]
    pub fn find_all(&self, text: &str) -> Vec<String> {
        let found = self
            .compiled()
            .into_iter()
            .flat_map(|regex| regex.find_iter(text));
        found.map(|found| found.as_str().to_owned()).collect()
    }

    #[inline]
    fn compiled(&self) -> Option<&Regex> {
        let regex = self.regex.get_or_init(|| Regex::new(self.expression).ok());
        regex.as_ref()
    }
}
