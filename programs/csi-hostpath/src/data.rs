//! The data of volumes and snapshots: folders and files.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use kubernetes_mount::remove::remove_tree;

/// Makes an empty folder that every user can write, as a volume is.
pub(crate) fn create(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777))
}

/// Copies a folder with all that is in it, or a file: owners, modes, times, links, holes and
/// extended attributes. Blocks are shared where the file system can.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // It ends with this process: the next one removes the copy, which nothing may fill meanwhile.
    let copied = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "cp"])
        .args([
            "--archive",
            "--reflink=auto",
            "--sparse=auto",
            "--no-target-directory",
            "--",
        ])
        .args([from, to])
        .stdin(Stdio::null())
        .output()?;
    match copied.status.success() {
        true => Ok(()),
        false => {
            let printed = String::from_utf8_lossy(&copied.stderr);
            let message = format!("cp: {}: {}", copied.status, printed.trim());
            let is_full = printed.contains("No space left") || printed.contains("quota");
            Err(match is_full {
                true => io::Error::new(io::ErrorKind::StorageFull, message),
                false => io::Error::other(message),
            })
        }
    }
}

/// Moves a complete folder or file to its place, after all of it is on the disk.
fn place(made: &Path, folder: &Path) -> io::Result<()> {
    let above = folder.parent().unwrap_or(folder);
    rustix::fs::syncfs(File::open(above)?)?;
    fs::rename(made, folder)?;
    File::open(above)?.sync_all()
}

/// Removes a folder or file, if it is there. What is mounted in it stays, and is an error.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(_) => remove_tree(path).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes data beside its place, and moves it there when it is complete. If that fails, nothing is
/// left.
pub(crate) fn make(
    made: &Path,
    folder: &Path,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    remove(made)?;
    let done = fill(made).and_then(|()| place(made, folder));
    if done.is_err() {
        // The next start removes what can't be removed now.
        let _ = remove(made);
    }
    done
}
