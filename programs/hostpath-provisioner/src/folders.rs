//! The folders below the root.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

/// The reason why a folder can't be the root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// Its path doesn't begin with `/`.
    #[error("the root {0:?} is not an absolute path, which Pods need to mount it")]
    Relative(PathBuf),
    /// It isn't UTF-8, so no volume could name it.
    #[error("the root {0:?} is not UTF-8, which the API server needs")]
    NotUtf8(PathBuf),
    /// It isn't there, or isn't a folder that can be written to.
    #[error("can't use the root {path:?}: {source}; mount a folder of the node there")]
    Unusable {
        /// Its path.
        path: PathBuf,
        /// The error of the filesystem.
        source: io::Error,
    },
}

/// The folder of notes: one for each folder whose volume is not stored yet.
const NOTES: &str = ".unstored";
/// The file among them that shows that the root can be written to.
const PROBE: &str = ".probe";

/// The folders below a root.
///
/// Each folder is directly below the root. Symbolic links are never followed below it, and other
/// folders are left alone. A folder has a note, a file in `.unstored/`, from before it is created
/// until it is [confirmed](Self::confirm) or removed.
#[derive(Clone, Debug)]
pub struct Folders {
    root: String,
}

impl Folders {
    /// Checks the root, which has to exist: a root that isn't mounted must not become a folder of
    /// the container.
    ///
    /// # Errors
    ///
    /// When the path is relative or not UTF-8, or isn't a folder that can be written to.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, RootError> {
        let path = root.into();
        if !path.is_absolute() {
            return Err(RootError::Relative(path));
        }
        // The root must exist: creating it would hide that it isn't mounted.
        let probed = fs::metadata(&path).and_then(|_| fs::create_dir_all(path.join(NOTES)));
        // One name for all processes: a file that a killed one left goes with that of the next.
        let probe = path.join(NOTES).join(PROBE);
        let probed = probed
            .and_then(|()| fs::write(&probe, ""))
            .and_then(|()| ignore_absent(fs::remove_file(&probe)));
        if let Err(source) = probed {
            return Err(RootError::Unusable { path, source });
        }
        match path.to_str() {
            Some(root) => Ok(Self {
                root: root.trim_end_matches('/').to_owned(),
            }),
            None => Err(RootError::NotUtf8(path)),
        }
    }

    /// Creates the folder of a name, or finds it, and sets its permissions. Returns its path. Its
    /// note has this text until it is confirmed.
    ///
    /// # Errors
    ///
    /// When the name isn't that of a folder below the root, something else than a folder has it, or
    /// the filesystem refuses.
    pub fn create(&self, name: &str, mode: u32, note: &str) -> io::Result<String> {
        let path = self.path(name)?;
        write_if_changed(&self.note(name), note)?;
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&path)?.is_dir() {
                    let message = format!("{path} exists and is not a folder");
                    return Err(io::Error::new(ErrorKind::NotADirectory, message));
                }
            }
            created => created?,
        }
        // A mode given at creation would be cut by the umask.
        fs::set_permissions(&path, Permissions::from_mode(mode))?;
        Ok(path)
    }

    /// Removes the folder of a name with all that is in it. It need not be there.
    ///
    /// # Errors
    ///
    /// When the name isn't that of a folder below the root, or the filesystem refuses.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        ignore_absent(fs::remove_dir_all(self.path(name)?))?;
        self.confirm(name)
    }

    /// Removes the note of a folder.
    ///
    /// # Errors
    ///
    /// When the name isn't that of a folder below the root, or the filesystem refuses.
    pub fn confirm(&self, name: &str) -> io::Result<()> {
        self.path(name)?;
        ignore_absent(fs::remove_file(self.note(name)))
    }

    /// Returns the path of the folder of a name below the root.
    #[must_use]
    pub fn path_of(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    /// Returns true if a path is that of the folder of a name.
    #[must_use]
    pub fn is(&self, path: &str, name: &str) -> bool {
        self.path(name)
            .is_ok_and(|own| Path::new(&own) == Path::new(path))
    }

    /// Returns the names of the folders that are not confirmed, each with its note, sorted. An
    /// empty note is one that a killed process did not write, before it created the folder.
    ///
    /// # Errors
    ///
    /// When the notes can't be read.
    pub fn unconfirmed(&self) -> io::Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(Path::new(&self.root).join(NOTES))? {
            let Ok(name) = entry?.file_name().into_string() else {
                continue;
            };
            if name == PROBE {
                continue;
            }
            match fs::read_to_string(self.note(&name)) {
                Ok(note) => found.push((name, note)),
                // It was confirmed meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        found.sort();
        Ok(found)
    }

    fn note(&self, name: &str) -> PathBuf {
        Path::new(&self.root).join(NOTES).join(name)
    }

    fn path(&self, name: &str) -> io::Result<String> {
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(only)), None) if only == name && name != NOTES => {
                Ok(self.path_of(name))
            }
            _ => {
                let message = format!("{name:?} can't be the name of a folder");
                Err(io::Error::new(ErrorKind::InvalidInput, message))
            }
        }
    }
}

/// Writes a file that has another text. One that has this text never loses it, even for a moment.
fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    match fs::read(path) {
        Ok(present) if present == text.as_bytes() => Ok(()),
        _ => fs::write(path, text),
    }
}

fn ignore_absent(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
