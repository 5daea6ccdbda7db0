//! The folder of the programs.

use std::env;
use std::path::{Path, PathBuf};

use crate::Error;

/// The variable that envtest uses for the folder of the programs.
const VARIABLE: &str = "KUBEBUILDER_ASSETS";

/// The folder that holds the programs of a control plane.
pub(crate) struct Assets {
    folder: PathBuf,
}

impl Assets {
    /// The folder that is given, or else the one that the environment names.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self, Error> {
        let folder = given
            .map(Path::to_owned)
            .or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
        let folder = folder.ok_or_else(|| {
            Error::new(format!(
                "{VARIABLE} doesn't name a folder with etcd and kube-apiserver\n  \
                 help: run these tests with `cargo xtask e2e`, which builds them where needed"
            ))
        })?;
        Ok(Self { folder })
    }

    /// The path of one of the programs.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.folder.join(name);
        if !path.is_file() {
            return Err(Error::new(format!(
                "{} has no {name}\n  help: {VARIABLE} names a folder that has it",
                self.folder.display()
            )));
        }
        std::path::absolute(&path).map_err(|e| Error::because("find the current folder", &e))
    }
}
