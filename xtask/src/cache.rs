//! The user's cache folder, where results that take long to make are kept.

use std::env;
use std::error::Error;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::checksum;
use crate::workspace::error;

/// The place of a result, named after its inputs.
pub(crate) struct Place {
    folder: PathBuf,
    name: String,
}

/// A place that no other process writes to while this lives.
pub(crate) struct Locked {
    /// The folder of the complete result.
    pub(crate) place: PathBuf,
    /// The folder in which it is made.
    beside: PathBuf,
    _file: File,
}

impl Place {
    /// Returns the place of a result of this kind and version that is made from all of the inputs.
    pub(crate) fn of(kind: &str, version: &str, inputs: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut digest = Sha256::new();
        for input in inputs {
            // With lengths, what is moved from one input to the next makes another name.
            digest.update(input.len().to_le_bytes());
            digest.update(input);
        }
        let digest = checksum::hex(digest.finalize().get(..8).unwrap_or_default());
        Ok(Self {
            folder: caches()?.join("kubernetes-storage").join(kind),
            name: format!("{version}-{digest}"),
        })
    }

    /// Waits until no other process writes there.
    pub(crate) fn lock(&self) -> Result<Locked, Box<dyn Error>> {
        let Self { folder, name } = self;
        fs::create_dir_all(folder).map_err(|e| error("can't make", folder, &e))?;
        let path = folder.join(format!("{name}.lock"));
        let file = File::create(&path).map_err(|e| error("can't write", &path, &e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("waiting for another build of {name}");
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
    /// Returns true if the result is complete and has all of these files.
    pub(crate) fn has(&self, files: &[&str]) -> bool {
        files.iter().all(|file| self.place.join(file).is_file())
    }

    /// Returns an empty folder to build in. Removes the files of an interrupted build.
    pub(crate) fn begin(&self) -> Result<&Path, Box<dyn Error>> {
        remove(&self.beside)?;
        fs::create_dir(&self.beside).map_err(|e| error("can't make", &self.beside, &e))?;
        Ok(&self.beside)
    }

    /// Moves the result to its place, all at once.
    pub(crate) fn complete(self) -> Result<PathBuf, Box<dyn Error>> {
        remove(&self.place)?;
        let moved = fs::rename(&self.beside, &self.place);
        moved.map_err(|e| error("can't move the result to", &self.place, &e))?;
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

/// Returns the user's cache folder, as the XDG base directory specification defines it.
fn caches() -> Result<PathBuf, Box<dyn Error>> {
    let folder = |name| env::var_os(name).map(PathBuf::from);
    // The specification says to ignore relative paths.
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
