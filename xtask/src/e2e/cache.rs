//! Where programs are kept once they are built.

use std::env;
use std::error::Error;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::workspace::error;

/// The place of the programs that come of certain inputs.
pub(super) struct Place {
    folder: PathBuf,
    name: String,
}

/// A place that nobody else writes to as long as this lives.
pub(super) struct Locked {
    /// Where the programs are once they are complete.
    pub(super) place: PathBuf,
    /// Where they are built.
    pub(super) beside: PathBuf,
    _file: File,
}

impl Place {
    /// The place for programs of a version that are built from all of the inputs.
    pub(super) fn of(version: &str, inputs: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut digest = Sha256::new();
        for input in inputs {
            // With lengths, what is moved from one input to the next makes another name.
            digest.update(input.len().to_le_bytes());
            digest.update(input);
        }
        let digest: String = digest
            .finalize()
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(Self {
            folder: caches()?.join("kubernetes-storage").join("control-plane"),
            name: format!("{version}-{digest}"),
        })
    }

    /// Waits until nobody else is writing there.
    pub(super) fn lock(&self) -> Result<Locked, Box<dyn Error>> {
        let Self { folder, name } = self;
        fs::create_dir_all(folder).map_err(|e| error("can't make", folder, &e))?;
        let path = folder.join(format!("{name}.lock"));
        let file = File::create(&path).map_err(|e| error("can't write", &path, &e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("waiting for another build of the same programs");
                file.lock().map_err(|e| error("can't lock", &path, &e))?;
            }
            Err(TryLockError::Error(e)) => return Err(error("can't lock", &path, &e)),
        }
        Ok(Locked {
            place: folder.join(name),
            beside: folder.join(format!("{name}.incomplete")),
            _file: file,
        })
    }
}

impl Locked {
    /// Whether all of the programs are there.
    pub(super) fn has(&self, programs: &[&str]) -> bool {
        programs
            .iter()
            .all(|program| self.place.join(program).is_file())
    }

    /// An empty folder to build in; what a build that was broken off has left goes.
    pub(super) fn begin(&self) -> Result<&Path, Box<dyn Error>> {
        remove(&self.beside)?;
        fs::create_dir(&self.beside).map_err(|e| error("can't make", &self.beside, &e))?;
        Ok(&self.beside)
    }

    /// Puts what has been built in its place, all at once.
    pub(super) fn complete(self) -> Result<PathBuf, Box<dyn Error>> {
        remove(&self.place)?;
        let moved = fs::rename(&self.beside, &self.place);
        moved.map_err(|e| error("can't move programs to", &self.place, &e))?;
        Ok(self.place)
    }
}

fn remove(folder: &Path) -> Result<(), Box<dyn Error>> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(error("can't remove", folder, &e))
        }
        _ => Ok(()),
    }
}

/// The user's folder for caches, by the rules of the XDG base directories.
fn caches() -> Result<PathBuf, Box<dyn Error>> {
    let folder = |name| env::var_os(name).map(PathBuf::from);
    // A relative path is to be ignored, by those rules.
    let own = folder("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let home = || {
        folder("HOME")
            .filter(|path| path.is_absolute())
            .map(|home| home.join(".cache"))
    };
    own.or_else(home).ok_or_else(|| {
        "error: no folder for caches\n  help: set XDG_CACHE_HOME or HOME to an absolute path".into()
    })
}
