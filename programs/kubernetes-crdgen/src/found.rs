//! The inputs of the generator, with the files they are from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use codegen::{Config, Diagnostics, Inputs};

/// The inputs of the generator, and their files.
pub struct Found {
    /// The configuration, cut down to the documents that there are.
    pub config: Config,
    /// The texts.
    pub inputs: Inputs,
    /// The path of each document and overlay, by the name that generated files give it.
    pub paths: BTreeMap<String, PathBuf>,
}

impl Found {
    /// Combines inputs, of which no file is known yet.
    pub fn new(config: Config, inputs: Inputs) -> Self {
        Self {
            config,
            inputs,
            paths: BTreeMap::new(),
        }
    }

    /// Names files in diagnostics as the user can open them from where the command runs.
    #[must_use]
    pub fn locate(&self, diagnostics: Diagnostics) -> Diagnostics {
        diagnostics.renamed(|name| self.paths.contains_key(name).then(|| self.shown(name)))
    }

    /// Names a document or an overlay as the user can open it from where the command runs.
    pub fn shown(&self, name: &str) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        let path = self
            .paths
            .get(name)
            .map(|path| path.strip_prefix(&here).unwrap_or(path));
        path.map_or_else(|| name.to_owned(), |path| path.display().to_string())
    }
}
