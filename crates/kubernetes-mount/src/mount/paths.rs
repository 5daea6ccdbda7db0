//! Comparing paths without looking at files.

use std::path::{Component, Path, PathBuf};

/// Returns true if a path is a directory or inside of it, by name alone: `..` removes the
/// component before it, and symbolic links are not followed. Use it for names that nobody else
/// can change, and never as a guard against symbolic links.
///
/// Both must be absolute, or both relative.
///
/// ```
/// use std::path::Path;
/// use kubernetes_mount::mount::path_within_base;
///
/// assert!(path_within_base(Path::new("/var/lib/volume"), Path::new("/var/lib")));
/// assert!(!path_within_base(Path::new("/var/library"), Path::new("/var/lib")));
/// ```
#[must_use]
pub fn path_within_base(path: &Path, base: &Path) -> bool {
    let (Some(path), Some(base)) = (clean_path(path), clean_path(base)) else {
        return false;
    };
    path.is_absolute() == base.is_absolute() && path.starts_with(base)
}

/// Returns the path without `.` and `..`, by name alone, or `None` if a relative one leaves where
/// it begins.
///
/// ```
/// use std::path::{Path, PathBuf};
/// use kubernetes_mount::mount::clean_path;
///
/// assert_eq!(clean_path(Path::new("/var/./log/../lib")), Some(PathBuf::from("/var/lib")));
/// assert_eq!(clean_path(Path::new("log/../../lib")), None);
/// ```
#[must_use]
pub fn clean_path(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if clean.as_os_str().is_empty() => return None,
            // Above the root is the root.
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    Some(clean)
}
