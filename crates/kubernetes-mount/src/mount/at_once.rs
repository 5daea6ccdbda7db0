//! Bind mounts that have their flags from the moment in which they are there.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;

use rustix::fs::CWD;
use rustix::mount::{
    MountAttrFlags, MountFlags, MoveMountFlags, OpenTreeFlags, move_mount, open_tree,
};

/// The flags of mounts, as `mount_setattr` knows them. Times of access have rules of their own, and
/// the flags of file systems don't belong to a bind mount.
const ATTRIBUTES: [(MountFlags, MountAttrFlags); 4] = [
    (MountFlags::RDONLY, MountAttrFlags::MOUNT_ATTR_RDONLY),
    (MountFlags::NOSUID, MountAttrFlags::MOUNT_ATTR_NOSUID),
    (MountFlags::NODEV, MountAttrFlags::MOUNT_ATTR_NODEV),
    (MountFlags::NOEXEC, MountAttrFlags::MOUNT_ATTR_NOEXEC),
];

/// Returns true if this process can mount with flags at once: the kernel is 5.12 or newer, no
/// filter of system calls is in the way, and it may mount at all.
///
/// Otherwise a process that is killed while it binds something read-only can leave a mount that
/// can be written.
#[must_use]
pub fn binds_at_once() -> bool {
    let attempt = || {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let tree = open_tree(CWD, c"/", flags)?;
        set_attributes(tree.as_fd(), &Attributes::default())
    };
    attempt().is_ok()
}

/// Binds a directory or file with flags that are set and taken back, or does nothing and returns
/// false: then the two steps of older kernels tell what is wrong, if anything is.
pub(super) fn bind(
    source: &Path,
    target: &Path,
    recursive: bool,
    set: MountFlags,
    clear: MountFlags,
) -> bool {
    let Some(attributes) = Attributes::of(set, clear) else {
        return false;
    };
    let mut flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    if recursive {
        flags |= OpenTreeFlags::AT_RECURSIVE;
    }
    // Until it is moved, nobody else can find the mount; if it isn't, it ends with its descriptor.
    let attempt = || {
        let tree = open_tree(CWD, source, flags)?;
        set_attributes(tree.as_fd(), &attributes)?;
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_SYMLINKS;
        Ok::<_, io::Error>(move_mount(&tree, c"", CWD, target, flags)?)
    };
    attempt().is_ok()
}

/// The kernel's `struct mount_attr`.
#[derive(Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

impl Attributes {
    /// Returns the attributes of flags, if all flags have one.
    fn of(set: MountFlags, clear: MountFlags) -> Option<Self> {
        let known = ATTRIBUTES.iter().map(|(flag, _)| *flag);
        let known = known.fold(MountFlags::empty(), MountFlags::union);
        let attributes = |flags: MountFlags| {
            let found = ATTRIBUTES.iter().filter(|(flag, _)| flags.contains(*flag));
            found.fold(0, |all, (_, attribute)| all | u64::from(attribute.bits()))
        };
        known.contains(set | clear).then(|| Self {
            set: attributes(set),
            clear: attributes(clear),
            ..Self::default()
        })
    }
}

/// Changes the attributes of the uppermost mount of a tree.
fn set_attributes(tree: BorrowedFd<'_>, attributes: &Attributes) -> io::Result<()> {
    // No crate offers the system call.
    //
    // SAFETY: the arguments are those that the kernel documents for mount_setattr: a descriptor
    // that is borrowed, an empty text that ends with NUL, the flag that goes with it, and a
    // structure of the kernel's layout that outlives the call, with its size. The kernel writes to
    // no memory.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            std::ptr::from_ref(attributes),
            size_of::<Attributes>(),
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_attributes() {
        let attributes =
            Attributes::of(MountFlags::RDONLY | MountFlags::NOEXEC, MountFlags::NODEV).unwrap();
        assert_eq!((attributes.set, attributes.clear), (0b1001, 0b100));
        assert_eq!(size_of::<Attributes>(), 32);
        for flag in [
            MountFlags::NOATIME,
            MountFlags::NODIRATIME,
            MountFlags::SYNCHRONOUS,
        ] {
            let with_ro = MountFlags::RDONLY | flag;
            assert_eq!(Attributes::of(with_ro, MountFlags::empty()), None);
            assert_eq!(Attributes::of(MountFlags::RDONLY, flag), None);
        }
    }
}
