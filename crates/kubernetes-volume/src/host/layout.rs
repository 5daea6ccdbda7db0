//! The directories under the root.

use std::path::{Path, PathBuf};

use crate::plugins::names;

/// The replacement of a name that is not that of one directory.
const INVALID: &str = "~invalid";

pub(super) struct Layout {
    root: PathBuf,
}

impl Layout {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn pods(&self) -> PathBuf {
        self.root.join("pods")
    }

    pub(super) fn pod(&self, uid: &str) -> PathBuf {
        self.pods().join(part(uid))
    }

    pub(super) fn of_pod(&self, uid: &str, kind: &str, plugin: &str) -> PathBuf {
        self.pod(uid).join(kind).join(part(&names::escaped(plugin)))
    }

    pub(super) fn plugins(&self) -> PathBuf {
        self.root.join("plugins")
    }

    pub(super) fn plugin(&self, name: &str) -> PathBuf {
        let mut path = self.plugins();
        path.extend(name.split('/').map(part));
        path
    }
}

/// The name if it can be that of one directory.
pub(super) fn part(name: &str) -> &str {
    match names::check("name", name) {
        Ok(()) => name,
        Err(_) => INVALID,
    }
}
