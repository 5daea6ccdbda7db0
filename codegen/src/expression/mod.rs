//! Regular expressions of schemas and rules: read as Go does, written for the crate regex-lite.
//!
//! Servers compile them with Go's package `regexp`, generated code with regex-lite. What both read
//! alike stays as it is. Flags are written out where they have an effect, because the two differ in
//! what they fold, and what isn't surely known is refused with a reason.

mod character;
mod class;
mod escape;
mod reader;
mod set;

use serde::{Serialize, Serializer};

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expression {
    /// As its author wrote it.
    pub(crate) text: String,
    /// As regex-lite has to read it, if that is another text.
    pub(crate) translated: Option<String>,
}

impl Expression {
    /// Reads an expression in Go's syntax, or returns why generated code can't match as Go does.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let translated = reader::Reader::new(text).translate()?;
        // It has limits of size and depth that Go doesn't have.
        let compiled = regex_lite::Regex::new(&translated);
        compiled.map_err(|error| format!("the crate regex-lite doesn't read it: {error}"))?;
        Ok(Self {
            text: text.to_owned(),
            translated: Some(translated).filter(|translated| translated != text),
        })
    }
}

/// As its author wrote it.
impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}
