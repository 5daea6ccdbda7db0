//! The checks that fields have by their types, and the paths of fields.

use std::collections::BTreeMap;
use std::fmt;

use kubernetes_csi::Secrets;
use tonic::Code;

use super::Error;

/// A message that is checked.
pub trait Checked {
    /// Checks the fields of the message, whose path is `message`.
    fn check(&self, _message: &Field<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// The path of a field, of which nothing is allocated before an error is found.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    parent: Option<&'a Field<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    /// The request itself.
    Request,
    Name(&'static str),
    Index(usize),
    Key(&'a str),
}

/// The longest path, in bytes: Linux' `PATH_MAX` without the NUL at its end.
const PATH_MAX: usize = 4095;

/// The start of keys that Kubernetes adds to maps: csi-provisioner to parameters, and the kubelet
/// to the context or the secrets in `NodePublishVolume`.
const RESERVED: &str = "csi.storage.k8s.io/";

/// The key that csi-provisioner adds to the context of each volume.
const IDENTITY: &str = "storage.kubernetes.io/csiProvisionerIdentity";

impl<'a> Field<'a> {
    /// Returns the path of the request itself.
    pub(super) fn request() -> Self {
        Self {
            parent: None,
            step: Step::Request,
        }
    }

    /// Returns the path of a field of this message.
    pub(super) fn field(&'a self, name: &'static str) -> Self {
        self.step(Step::Name(name))
    }

    /// Returns the path of an element of this list.
    pub(super) fn index(&'a self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// Returns the path of a value in this map.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        self.step(Step::Key(key))
    }

    fn step(&'a self, step: Step<'a>) -> Self {
        Self {
            parent: Some(self),
            step,
        }
    }

    /// Returns an error of `INVALID_ARGUMENT`. The reason follows the path of the field.
    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        self.error_of(Code::InvalidArgument, reason)
    }

    /// Returns an error of a code.
    pub(super) fn error_of(&self, code: Code, reason: impl Into<String>) -> Error {
        Error::new(self.to_string(), code, reason.into())
    }

    pub(super) fn required(&self, is_set: bool) -> Result<(), Error> {
        match is_set {
            true => Ok(()),
            false => Err(self.error("is missing; set it")),
        }
    }

    pub(super) fn text(&self, text: &str, limit: usize) -> Result<(), Error> {
        self.size(text.len(), limit, "bytes")
    }

    /// Checks each element of a list.
    pub(super) fn texts(&self, texts: &[String], limit: usize) -> Result<(), Error> {
        let mut texts = texts.iter().enumerate();
        texts.try_for_each(|(index, text)| self.index(index).text(text, limit))
    }

    /// Checks all elements of a list together.
    pub(super) fn list(&self, texts: &[String], limit: usize) -> Result<(), Error> {
        let size = texts.iter().map(String::len).sum();
        self.size(size, limit, "bytes in all")
    }

    /// Checks the size of a map, without the entries that Kubernetes adds to those of the user or
    /// the driver.
    pub(super) fn map(&self, map: &BTreeMap<String, String>, limit: usize) -> Result<(), Error> {
        let own = map
            .iter()
            .filter(|(key, _)| !key.starts_with(RESERVED) && *key != IDENTITY);
        let size = own.map(|(key, value)| key.len() + value.len()).sum();
        self.size(size, limit, "bytes of keys and values")
    }

    /// Checks secrets, of which no error shows more than their size.
    pub(super) fn secrets(&self, secrets: &Secrets, limit: usize) -> Result<(), Error> {
        self.map(secrets, limit)?;
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_key = |key: &String| !key.is_empty() && key.chars().all(is_allowed);
        let mut own = secrets.keys().filter(|key| !key.starts_with(RESERVED));
        match own.all(is_key) {
            true => Ok(()),
            false => Err(self.error(
                "has a key that isn't made of letters, digits, `-`, `_` and `.` alone; rename it",
            )),
        }
    }

    fn size(&self, size: usize, limit: usize, unit: &str) -> Result<(), Error> {
        match size <= limit {
            true => Ok(()),
            false => Err(self.error(format!("has {size} {unit}; send at most {limit}"))),
        }
    }

    /// Checks a path, if it is set.
    pub(super) fn path(&self, path: &str) -> Result<(), Error> {
        if path.is_empty() {
            return Ok(());
        }
        self.size(path.len(), PATH_MAX, "bytes")?;
        let shown = || shown(path);
        if !path.starts_with('/') {
            return Err(self.error(format!("{} is relative; send an absolute path", shown())));
        }
        if path.contains('\0') {
            return Err(self.error(format!("{} contains NUL; send a path without it", shown())));
        }
        match path.split('/').find(|part| matches!(*part, "." | "..")) {
            Some(part) => Err(self.error(format!(
                "{} has the component {part:?}; send a path without it",
                shown()
            ))),
            None => Ok(()),
        }
    }

    /// Checks that an enumeration has a value of that number.
    pub(super) fn known<E: TryFrom<i32>>(&self, number: i32) -> Result<(), Error> {
        match E::try_from(number) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.error(format!("{number} is unknown; send a value of CSI 1.13"))),
        }
    }

    /// Checks a message, if it is set.
    pub(super) fn message<M: Checked>(&self, message: Option<&M>) -> Result<(), Error> {
        message.map_or(Ok(()), |message| message.check(self))
    }

    /// Checks each message of a list.
    pub(super) fn messages<M: Checked>(&self, messages: &[M]) -> Result<(), Error> {
        let mut messages = messages.iter().enumerate();
        messages.try_for_each(|(index, message)| message.check(&self.index(index)))
    }
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Request => Ok(()),
            Step::Name(name) => {
                let is_first = self.parent.is_none_or(|parent| parent.parent.is_none());
                f.write_str(if is_first { "" } else { "." })?;
                f.write_str(name)
            }
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Key(key) => write!(f, "[{}]", shown(key)),
        }
    }
}

/// The number of characters of a value that an error shows.
const SHOWN: usize = 64;

/// Returns the start of a text in quotes, with escapes, in one line.
pub(super) fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    let mut quoted = format!("{start:?}");
    if start.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
