//! The type check of a hostPath.

use std::path::Path;

use kubernetes_mount::mount::{FileType, HostUtils};

use crate::plugins::shared::dirs;
use crate::{Error, Result};

/// The field `type` of a hostPath.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No check: the path may not exist.
    Any,
    DirectoryOrCreate,
    FileOrCreate,
    Existing(FileType),
}

impl Kind {
    pub(super) fn parse(text: &str) -> Result<Self> {
        Ok(match text {
            "" => Self::Any,
            "DirectoryOrCreate" => Self::DirectoryOrCreate,
            "Directory" => Self::Existing(FileType::Directory),
            "FileOrCreate" => Self::FileOrCreate,
            "File" => Self::Existing(FileType::File),
            "Socket" => Self::Existing(FileType::Socket),
            "CharDevice" => Self::Existing(FileType::CharDevice),
            "BlockDevice" => Self::Existing(FileType::BlockDevice),
            _ => {
                return Err(Error::invalid(format!(
                    "the type {text:?} of a hostPath is unknown; it is empty, \
                     DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice or \
                     BlockDevice"
                )));
            }
        })
    }

    /// Fails if the path is something else. Makes it if that is asked for.
    pub(super) fn check(self, utils: &dyn HostUtils, path: &Path) -> Result<()> {
        let wanted = match self {
            Self::Any => return Ok(()),
            Self::Existing(wanted) => wanted,
            Self::DirectoryOrCreate => {
                if !utils.path_exists(path)? {
                    // A kubelet leaves a link that leads nowhere to the container runtime.
                    if dirs::exists(path)? {
                        return Ok(());
                    }
                    utils.make_dir(path)?;
                    return set_mode(path, 0o755);
                }
                FileType::Directory
            }
            Self::FileOrCreate => {
                if !utils.path_exists(path)? {
                    utils.make_file(path)?;
                    return set_mode(&utils.eval_host_symlinks(path)?, 0o644);
                }
                FileType::File
            }
        };
        let found = utils.file_type(path)?;
        if found == wanted {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the hostPath {} is {}, and its type asks for {}",
            path.display(),
            shown(found),
            shown(wanted)
        )))
    }
}

/// Gives what was made its mode, whatever the umask is.
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    // A host that is elsewhere makes it elsewhere, with a mode of its own.
    if dirs::exists(path)? {
        dirs::set_mode_of(path, mode)
    } else {
        Ok(())
    }
}

fn shown(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a directory",
        FileType::File => "a file",
        FileType::Socket => "a socket",
        FileType::CharDevice => "a character device",
        FileType::BlockDevice => "a block device",
        FileType::Fifo => "a named pipe",
    }
}
