//! `chmod` of an entry of a directory that never follows a link.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, StatxFlags, chmod, openat, statx};

/// Set when the kernel has no `fchmodat2`, which is older than 6.6.
static MISSING: AtomicBool = AtomicBool::new(false);

/// Sets the mode of what has this name in a directory. A symbolic link is an error.
pub(crate) fn chmod_at(dir: BorrowedFd<'_>, name: &CStr, mode: u32) -> io::Result<()> {
    if MISSING.load(Ordering::Relaxed) {
        return chmod_pinned(dir, name, mode);
    }
    // `fchmodat` of C libraries has no such flag, or opens the file first, and no crate offers the
    // system call itself.
    //
    // SAFETY: the arguments are those that the kernel documents for fchmodat2: a descriptor that
    // is borrowed, a text that ends with NUL and outlives the call, a mode and a flag. The kernel
    // writes to no memory.
    let done = unsafe {
        libc::syscall(
            libc::SYS_fchmodat2,
            dir.as_raw_fd(),
            name.as_ptr(),
            mode,
            libc::AT_SYMLINK_NOFOLLOW,
        )
    };
    if done == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    if error.raw_os_error() == Some(libc::ENOSYS) {
        MISSING.store(true, Ordering::Relaxed);
        return chmod_pinned(dir, name, mode);
    }
    Err(error)
}

/// Does the same in older kernels: opens the entry itself, not what a link leads to, and changes
/// what is open.
pub(crate) fn chmod_pinned(
    dir: BorrowedFd<'_>,
    name: &CStr,
    mode: u32,
) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(dir, name, flags, Mode::empty())?;
    let stat = statx(&fd, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE)?;
    if FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Symlink {
        return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
    }
    chmod_open(fd.as_fd(), mode)
}

/// Sets the mode of a file that is open with `O_PATH`, and is no symbolic link.
pub(crate) fn chmod_open(fd: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
    Ok(chmod(format!("/proc/self/fd/{}", fd.as_raw_fd()), Mode::from_raw_mode(mode))?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        symlink(&file, folder.path().join("link")).unwrap();
        let dir = File::open(folder.path()).unwrap();
        let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
        for (at, change) in [chmod_at, chmod_pinned].into_iter().enumerate() {
            let mode_wanted = 0o2640 + u32::try_from(at).unwrap();
            change(dir.as_fd(), c"file", mode_wanted).unwrap();
            assert_eq!(mode(), mode_wanted);
            let error = change(dir.as_fd(), c"link", 0o777).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EOPNOTSUPP));
            assert_eq!(mode(), mode_wanted);
            assert_eq!(
                change(dir.as_fd(), c"none", 0o777).unwrap_err().kind(),
                io::ErrorKind::NotFound
            );
        }
    }
}
