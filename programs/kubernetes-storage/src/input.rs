//! The files to read, and their text.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kubernetes_manifests::scheme::Syntax;

use crate::template;

/// A source of manifests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Input {
    /// Standard input.
    Standard,
    /// A file.
    File(PathBuf),
}

/// An input whose text can't be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// Reading fails, for the reason in the message.
    Io(String),
    /// The text is neither UTF-8 nor UTF-16 with a byte order mark.
    NotUtf8 {
        /// The name of the input.
        file: String,
        /// The line of the first invalid byte, counted from 1.
        line: usize,
        /// True if an object of Kubernetes is in it, or may be.
        has_object: bool,
    },
}

impl ReadError {
    /// The message for text that is not UTF-8.
    pub(crate) const NOT_UTF8: &str = "invalid UTF-8; save the file as UTF-8";

    /// Returns true for a text that can't be read and has no object of Kubernetes.
    pub(crate) const fn is_no_manifest(&self) -> bool {
        matches!(
            self,
            Self::NotUtf8 {
                has_object: false,
                ..
            }
        )
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(message) => f.write_str(message),
            Self::NotUtf8 { file, line, .. } => write!(f, "{file}:{line}: {}", Self::NOT_UTF8),
        }
    }
}

/// Returns true if a path has an extension, in any case.
pub(crate) fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Returns the message about a path that can't be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => format!("{path}: no such file or directory"),
        io::ErrorKind::PermissionDenied => format!("{path}: permission denied"),
        _ => format!("{path}: cannot read: {error}"),
    }
}

impl Input {
    /// Returns the name of the input in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Standard => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Returns the syntax: JSON for the extension `.json`.
    pub(crate) fn syntax(&self) -> Syntax {
        match self {
            Self::File(path) if has_extension(path, "json") => Syntax::Json,
            _ => Syntax::JsonOrYaml,
        }
    }

    /// Returns the path, if the input is a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Standard => None,
        }
    }

    /// Reads the text, which may be UTF-16 if it has a byte order mark.
    ///
    /// # Errors
    ///
    /// When reading fails, or the text is neither.
    pub(crate) fn read(&self) -> Result<String, ReadError> {
        let bytes = self.bytes().map_err(ReadError::Io)?;
        match utf16(&bytes) {
            Some(text) => Ok(text),
            None => self.text(bytes),
        }
    }

    /// Reads the text, which must be UTF-8.
    ///
    /// # Errors
    ///
    /// When reading fails or the text is not UTF-8.
    pub(crate) fn read_utf8(&self) -> Result<String, ReadError> {
        self.text(self.bytes().map_err(ReadError::Io)?)
    }

    fn text(&self, bytes: Vec<u8>) -> Result<String, ReadError> {
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..valid).unwrap_or_default();
            ReadError::NotUtf8 {
                file: self.name(),
                line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
                // Zeros are those of another encoding.
                has_object: error.as_bytes().contains(&0)
                    || template::has_object(&String::from_utf8_lossy(error.as_bytes())),
            }
        })
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::Standard => {
                let mut bytes = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| unreadable(Path::new(&self.name()), &error))?;
                Ok(bytes)
            }
            Self::File(path) => fs::read(path).map_err(|error| unreadable(path, &error)),
        }
    }
}

/// Returns the text of UTF-16 with a byte order mark.
fn utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<_> = units.iter().skip(1).map(|pair| unit(*pair)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}
