//! Texts that only one side reads, and why: `classes.toml`.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// The side that reads a text.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Only {
    Kubernetes,
    Ours,
}

/// A class of texts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Class {
    name: String,
    /// The side that reads them.
    pub(crate) only: Only,
    /// Parts of the errors with which the other side refuses them.
    errors: Vec<String>,
    pub(crate) example: String,
    #[expect(dead_code, reason = "for those who read the list")]
    why: String,
}

impl Class {
    /// Returns true if the other side refuses such texts with this error.
    pub(crate) fn has(&self, error: &str) -> bool {
        self.errors.iter().any(|part| error.contains(part))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Classes {
    #[serde(default)]
    class: Vec<Class>,
}

impl Classes {
    pub(crate) fn none() -> Self {
        Self { class: Vec::new() }
    }

    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/yaml/classes.toml");
        toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    pub(crate) fn all(&self) -> &[Class] {
        &self.class
    }

    /// Returns the name of the class of a text that the other side refuses with an error.
    pub(crate) fn of(&self, only: Only, error: &str) -> Option<&str> {
        let is_known = |class: &&Class| class.only == only && class.has(error);
        self.class
            .iter()
            .find(is_known)
            .map(|class| class.name.as_str())
    }
}
