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
    match fchmodat2(dir, name, mode, libc::AT_SYMLINK_NOFOLLOW) {
        Some(done) => done,
        None => chmod_pinned(dir, name, mode),
    }
}

/// Does the same in older kernels: opens the entry itself, not what a link leads to, and changes
/// what is open.
fn chmod_pinned(dir: BorrowedFd<'_>, name: &CStr, mode: u32) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(dir, name, flags, Mode::empty())?;
    let stat = statx(&fd, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE)?;
    if FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Symlink {
        return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
    }
    chmod_by_proc(fd.as_fd(), mode)
}

/// Sets the mode of a file that is open with `O_PATH`, and isn't a symbolic link.
pub(crate) fn chmod_open(fd: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
    match fchmodat2(fd, c"", mode, libc::AT_EMPTY_PATH) {
        Some(done) => done,
        None => chmod_by_proc(fd, mode),
    }
}

/// Does the same in older kernels.
fn chmod_by_proc(fd: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
    Ok(chmod(
        format!("/proc/self/fd/{}", fd.as_raw_fd()),
        Mode::from_raw_mode(mode),
    )?)
}

/// Returns the result of the system call, or nothing if the kernel lacks it.
fn fchmodat2(
    dir: BorrowedFd<'_>,
    name: &CStr,
    mode: u32,
    flags: libc::c_int,
) -> Option<io::Result<()>> {
    if MISSING.load(Ordering::Relaxed) {
        return None;
    }
    // `fchmodat` of C libraries has no such flags, or opens the file first, and no crate offers the
    // system call itself.
    //
    // SAFETY: the arguments are those that the kernel documents for fchmodat2: a descriptor that
    // is borrowed, a text that ends with NUL and outlives the call, a mode and flags. The kernel
    // writes to no memory.
    let done = unsafe {
        libc::syscall(
            libc::SYS_fchmodat2,
            dir.as_raw_fd(),
            name.as_ptr(),
            mode,
            flags,
        )
    };
    if done == 0 {
        return Some(Ok(()));
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::ENOSYS) => {
            MISSING.store(true, Ordering::Relaxed);
            None
        }
        // Filters of system calls in containers may answer so to what they don't know. If it is the
        // kernel that does, the other way fails in the same manner.
        Some(libc::EPERM) => None,
        _ => Some(Err(error)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    type Change = fn(BorrowedFd<'_>, &CStr, u32) -> io::Result<()>;

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        symlink(&file, folder.path().join("link")).unwrap();
        let dir = File::open(folder.path()).unwrap();
        let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
        for (change, wanted) in [(chmod_at as Change, 0o2640), (chmod_pinned, 0o4641)] {
            change(dir.as_fd(), c"file", wanted).unwrap();
            assert_eq!(mode(), wanted);
            let error = change(dir.as_fd(), c"link", 0o777).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EOPNOTSUPP));
            assert_eq!(mode(), wanted);
            assert_eq!(
                change(dir.as_fd(), c"none", 0o777).unwrap_err().kind(),
                io::ErrorKind::NotFound
            );
        }
    }

    #[test]
    fn an_open_file_is_changed_without_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "").unwrap();
        let flags = OFlags::PATH | OFlags::NOFOLLOW;
        let file = openat(rustix::fs::CWD, &path, flags, Mode::empty()).unwrap();
        fs::rename(&path, folder.path().join("moved")).unwrap();
        fs::write(&path, "").unwrap();
        let mode = |name| {
            fs::metadata(folder.path().join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o7777
        };
        let before = mode("file");
        for (change, wanted) in [
            (
                chmod_open as fn(BorrowedFd<'_>, u32) -> io::Result<()>,
                0o600,
            ),
            (chmod_by_proc, 0o4755),
        ] {
            change(file.as_fd(), wanted).unwrap();
            assert_eq!((mode("moved"), mode("file")), (wanted, before));
        }
    }
}
