//! The files to write.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A file of a volume.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FileProjection {
    /// Its content.
    pub data: Vec<u8>,
    /// Its permissions, such as `0o644`, whatever the process' umask is.
    pub mode: u32,
    /// The user who owns it. `None` is the user of this process.
    pub fs_user: Option<u32>,
}

impl std::fmt::Debug for FileProjection {
    /// Leaves out the content, which may be a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = format!("{} bytes, mode {:o}", self.data.len(), self.mode);
        if let Some(user) = self.fs_user {
            // Writing to a text can't fail.
            let _ = write!(shown, ", user {user}");
        }
        f.write_str(&shown)
    }
}

/// The files of a volume by their paths in it, such as `tls/key.pem`.
pub type Payload = BTreeMap<String, FileProjection>;
