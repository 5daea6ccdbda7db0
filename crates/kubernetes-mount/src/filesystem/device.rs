//! Devices: their size, and what is at their beginning.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::FilesystemError;
use crate::{Error, Result};

/// The bytes that must be readable before a device counts as empty: all superblocks that
/// programs look for are in it, but for those at the end.
const BEGINNING: u64 = 256 << 10;

/// Returns the size in bytes of a block device, or of a file with an image.
///
/// # Errors
///
/// When it doesn't exist, can't be read or is something else.
pub fn device_size(device: &Path) -> Result<u64> {
    let mut file = open(device)?;
    file.seek(SeekFrom::End(0))
        .map_err(Error::io("find the end of", device))
}

/// Checks that the device is there and can be read. `blkid` says "nothing found" otherwise, as
/// for an empty one.
pub(super) fn check_readable(device: &Path) -> Result<()> {
    let mut beginning = open(device)?.take(BEGINNING);
    io::copy(&mut beginning, &mut io::sink()).map_err(Error::io("read", device))?;
    Ok(())
}

/// Returns bytes of a device, or nothing if it ends before.
pub(super) fn read_at(device: &Path, offset: u64, length: usize) -> Result<Option<Vec<u8>>> {
    let mut file = open(device)?;
    file.seek(SeekFrom::Start(offset))
        .map_err(Error::io("seek in", device))?;
    let mut bytes = vec![0; length];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(Error::io("read", device)(error)),
    }
}

/// Returns true if the path is a block device, and false for a file with an image.
///
/// # Errors
///
/// When it doesn't exist, or is neither.
pub(super) fn is_block_device(device: &Path) -> Result<bool> {
    if !device.is_absolute() {
        // A command would take `-x` for an option.
        let text = "is not an absolute path of a device";
        return Err(Error::invalid(format!("{} {text}", device.display())));
    }
    let metadata = match fs::metadata(device) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(FilesystemError::NoDevice {
                device: device.to_owned(),
            }
            .into());
        }
        result => result.map_err(Error::io("look at", device))?,
    };
    let file_type = metadata.file_type();
    if !file_type.is_block_device() && !file_type.is_file() {
        let text = "is neither a block device nor a file with an image";
        return Err(Error::invalid(format!("{} {text}", device.display())));
    }
    Ok(file_type.is_block_device())
}

/// Returns true if the kernel lets nobody write to a block device.
pub(super) fn is_read_only(device: &Path) -> Result<bool> {
    if !is_block_device(device)? {
        return Ok(false);
    }
    let number = fs::metadata(device)
        .map_err(Error::io("look at", device))?
        .rdev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let path = format!("/sys/dev/block/{major}:{minor}/ro");
    // Without sysfs nothing is known; the command that writes will say so.
    Ok(fs::read_to_string(path).is_ok_and(|text| text.trim() == "1"))
}

fn open(device: &Path) -> Result<File> {
    // Before it is opened: a pipe would wait for its other end.
    is_block_device(device)?;
    File::open(device).map_err(Error::io("open", device))
}
