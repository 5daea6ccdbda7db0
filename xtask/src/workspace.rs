//! The root of the workspace, and files with errors that name them.

use std::error::Error;
use std::path::{Path, PathBuf};

pub(crate) use kubernetes_crdgen::files::{error, read, read_if_there};

/// The configuration file, which marks the root of the workspace.
pub(crate) const CONFIG: &str = "codegen.toml";

/// The nearest folder from here upwards that holds the configuration.
pub(crate) fn root() -> Result<PathBuf, Box<dyn Error>> {
    let here = std::env::current_dir().map_err(|e| format!("no current folder: {e}"))?;
    let root = here
        .ancestors()
        .find(|folder| folder.join(CONFIG).is_file());
    root.map(Path::to_owned).ok_or_else(|| {
        format!(
            "error: no {CONFIG} in {} or above\n  help: run this inside the workspace",
            here.display()
        )
        .into()
    })
}
