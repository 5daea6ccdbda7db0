//! `xtask/upstream.toml`: the modules, their checksums and the files that are copied.

use std::error::Error;
use std::fmt;
use std::path::{Component, Path};

use serde::Deserialize;

/// The list, relative to the root of the workspace.
pub(super) const FILE: &str = "xtask/upstream.toml";

/// The modules to fetch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    #[serde(rename = "module")]
    pub(super) modules: Vec<Module>,
}

/// A version of a Go module.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Module {
    pub(super) path: String,
    pub(super) version: String,
    /// The checksum of the module, as in go.sum.
    pub(super) sum: String,
    /// The checksum of the copied files by their new paths, computed as that of a module.
    pub(super) files: String,
    #[serde(rename = "copy")]
    pub(super) copies: Vec<Copy>,
}

/// Files to copy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Copy {
    /// A folder of the module; the module itself if empty.
    #[serde(default)]
    pub(super) from: String,
    /// The folder of the result.
    pub(super) to: String,
    /// Patterns of paths relative to `from`; `*` matches any text.
    pub(super) only: Vec<String>,
    /// The names of the copies.
    #[serde(default)]
    pub(super) names: Names,
}

/// The names of copies.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Names {
    /// The same paths as in the module.
    #[default]
    Same,
    /// The names of Kubernetes' repository: `apis/GROUP/VERSION.json` is
    /// `apis__GROUP__VERSION_openapi.json`.
    Openapi,
}

impl List {
    /// Reads the text of the list.
    pub(super) fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let list: Self = toml::from_str(text).map_err(|e| format!("error: {FILE}: {e}"))?;
        let copies = list.modules.iter().flat_map(|module| &module.copies);
        for folder in copies.flat_map(|copy| [&copy.from, &copy.to]) {
            let is_inside = |part| matches!(part, Component::Normal(_));
            if !Path::new(folder).components().all(is_inside) {
                return Err(format!("error: {FILE}: `{folder}` is not a relative path").into());
            }
        }
        Ok(list)
    }
}

impl Names {
    /// Returns the path of the copy of a file.
    pub(super) fn apply(self, path: &str) -> String {
        match (self, path.strip_suffix(".json")) {
            (Self::Openapi, Some(stem)) => format!("{}_openapi.json", stem.replace('/', "__")),
            _ => path.to_owned(),
        }
    }
}

/// What `go mod download` has to bring.
#[derive(Clone, Copy)]
pub(crate) struct Pin<'a> {
    pub(crate) path: &'a str,
    pub(crate) version: &'a str,
    /// The checksum of the module, as in go.sum.
    pub(crate) sum: &'a str,
    /// The file that names the version, for errors.
    pub(crate) file: &'a str,
}

impl Module {
    pub(super) fn pin(&self) -> Pin<'_> {
        Pin {
            path: &self.path,
            version: &self.version,
            sum: &self.sum,
            file: FILE,
        }
    }
}

impl fmt::Display for Pin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.path, self.version)
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pin().fmt(f)
    }
}

/// Returns true if a pattern matches the whole text.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.into_iter().any(|at| matches(rest, &text[at..]))
}
