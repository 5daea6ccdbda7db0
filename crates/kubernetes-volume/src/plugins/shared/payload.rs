//! The files of a volume before they are written.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ConfigMap, KeyToPath, Secret};
use kubernetes_mount::atomic_writer::FileProjection;

use super::newer;
use crate::{Error, Result};

/// The default mode of files.
const MODE: u32 = 0o644;

/// The files by their paths, and where each is from.
#[derive(Default)]
pub(crate) struct Payload {
    files: BTreeMap<String, (FileProjection, String)>,
}

/// The default mode and owner of files.
#[derive(Clone, Copy)]
pub(crate) struct Defaults {
    pub(crate) mode: u32,
    pub(crate) user: Option<u32>,
}

impl Defaults {
    pub(crate) fn new(mode: Option<i32>, user: Option<i64>) -> Result<Self> {
        Ok(Self {
            mode: file_mode(mode)?.unwrap_or(MODE),
            user: file_user(user)?,
        })
    }

    /// Returns a file with its own mode and owner, or the default ones.
    pub(crate) fn file(
        self,
        data: Vec<u8>,
        mode: Option<i32>,
        user: Option<i64>,
    ) -> Result<FileProjection> {
        let mode = file_mode(mode)?.unwrap_or(self.mode);
        let fs_user = file_user(user)?.or(self.user);
        Ok(FileProjection {
            data,
            mode,
            fs_user,
        })
    }
}

fn file_mode(mode: Option<i32>) -> Result<Option<u32>> {
    match mode {
        None => Ok(None),
        Some(mode @ 0..=0o777) => Ok(Some(mode.unsigned_abs())),
        Some(mode) => Err(Error::invalid(format!(
            "the mode {mode:#o} of files is not from 0 to 0o777; JSON has it in decimal digits"
        ))),
    }
}

fn file_user(user: Option<i64>) -> Result<Option<u32>> {
    user.map(|user| {
        u32::try_from(user)
            .ok()
            .filter(|user| *user != u32::MAX)
            .ok_or_else(|| Error::invalid(format!("the user {user} of a file is not a user ID")))
    })
    .transpose()
}

impl Payload {
    /// Adds a file, in place of one with the same path: as a kubelet, the last one is written.
    /// `from` describes its source, for messages.
    ///
    /// # Errors
    ///
    /// When another one is above or below it.
    pub(crate) fn add(&mut self, path: &str, from: &str, file: FileProjection) -> Result<()> {
        let path = normal(path, from)?;
        self.refuse_above_and_below(&path, from)?;
        self.files.insert(path, (file, from.to_owned()));
        Ok(())
    }

    fn refuse_above_and_below(&self, path: &str, from: &str) -> Result<()> {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        for above in above {
            if let Some((_, other)) = self.files.get(above) {
                return Err(conflict(path, from, other));
            }
        }
        let folder = format!("{path}/");
        match self.files.range(folder.clone()..).next() {
            Some((below, (_, other))) if below.starts_with(&folder) => {
                Err(conflict(path, from, other))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn into_files(self) -> BTreeMap<String, FileProjection> {
        self.files
            .into_iter()
            .map(|(path, (file, _))| (path, file))
            .collect()
    }
}

fn conflict(path: &str, from: &str, other: &str) -> Error {
    Error::invalid(format!(
        "the path {path:?} of {from} is above or below that of {other}, and one of both is a file"
    ))
}

/// Returns the path without empty parts. The atomic writer checks the rest too; here the message
/// names the source of the path.
fn normal(path: &str, from: &str) -> Result<String> {
    let parts: Vec<_> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let problem = if path.starts_with('/') {
        "is absolute"
    } else if parts.is_empty() {
        "is empty"
    } else if parts.contains(&"..") {
        "has `..`"
    } else if parts.first().is_some_and(|part| part.starts_with("..")) {
        "begins with `..`"
    } else if path.contains('\0') {
        "has a null byte"
    } else {
        return Ok(parts.join("/"));
    };
    Err(Error::invalid(format!(
        "the path {path:?} of {from} {problem}; it must be a relative one"
    )))
}

/// The data of an object by key.
pub(crate) struct Keyed<'a> {
    /// The kind and name of the object, such as `secret default/password`.
    pub(crate) from: String,
    pub(crate) data: BTreeMap<&'a str, &'a [u8]>,
}

impl<'a> Keyed<'a> {
    pub(crate) fn config_map(namespace: &str, name: &str, map: &'a ConfigMap) -> Self {
        let text = map
            .data
            .iter()
            .flatten()
            .map(|(key, text)| (key.as_str(), text.as_bytes()));
        let binary = map.binary_data.iter().flatten();
        let binary = binary.map(|(key, data)| (key.as_str(), data.0.as_slice()));
        // A server refuses a key in both; here text wins as in Kubernetes' own items.
        let data = binary.chain(text).collect();
        Self {
            from: format!("configmap {namespace}/{name}"),
            data,
        }
    }

    pub(crate) fn secret(namespace: &str, name: &str, secret: &'a Secret) -> Self {
        let data = secret.data.iter().flatten();
        let data = data
            .map(|(key, data)| (key.as_str(), data.0.as_slice()))
            .collect();
        Self {
            from: format!("secret {namespace}/{name}"),
            data,
        }
    }

    /// Adds the files of the items, or of all keys if there are none.
    pub(crate) fn add_to(
        &self,
        payload: &mut Payload,
        items: &[KeyToPath],
        defaults: Defaults,
        optional: bool,
    ) -> Result<()> {
        let from = |key: &str| format!("the key {key:?} of {}", self.from);
        if items.is_empty() {
            for (key, data) in &self.data {
                let file = defaults.file(data.to_vec(), None, None)?;
                payload.add(key, &from(key), file)?;
            }
        }
        for item in items {
            let from = from(&item.key);
            let user = newer::item_user(item);
            match self.data.get(item.key.as_str()) {
                Some(data) => {
                    let file = defaults.file(data.to_vec(), item.mode, user)?;
                    payload.add(&item.path, &from, file)?;
                }
                None if optional => {}
                None => return Err(Error::invalid(format!("{from} does not exist"))),
            }
        }
        Ok(())
    }
}
