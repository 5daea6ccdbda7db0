//! Stand-in.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileProjection {
    /// Data.
    pub data: Vec<u8>,
    /// Mode.
    pub mode: u32,
    /// User.
    pub fs_user: Option<u32>,
}

/// Stand-in.
pub struct AtomicWriter {
    dir: PathBuf,
}

impl AtomicWriter {
    /// Stand-in.
    pub fn new(dir: impl Into<PathBuf>) -> Result<Self> {
        Ok(Self { dir: dir.into() })
    }

    /// Stand-in.
    pub fn write(
        &self,
        payload: &BTreeMap<String, FileProjection>,
        set_perms: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<bool> {
        let n = format!("..{}", fs::read_dir(&self.dir).map_or(0, Iterator::count));
        let new = self.dir.join(&n);
        fs::create_dir_all(&new).map_err(Error::io("create", &new))?;
        for (path, file) in payload {
            let at = new.join(path);
            if let Some(up) = at.parent() {
                fs::create_dir_all(up).map_err(Error::io("create", up))?;
            }
            fs::write(&at, &file.data).map_err(Error::io("write", &at))?;
            fs::set_permissions(&at, fs::Permissions::from_mode(file.mode))
                .map_err(Error::io("chmod", &at))?;
            std::os::unix::fs::chown(&at, file.fs_user, None).map_err(Error::io("chown", &at))?;
            let first = path.split('/').next().unwrap_or_default();
            let _ = symlink(format!("..data/{first}"), self.dir.join(first));
        }
        set_perms(&new)?;
        let tmp = self.dir.join("..data_tmp");
        symlink(&n, &tmp).map_err(Error::io("link", &tmp))?;
        fs::rename(&tmp, self.dir.join("..data")).map_err(Error::io("rename", &tmp))?;
        Ok(true)
    }
}
