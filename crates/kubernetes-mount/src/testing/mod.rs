//! Fakes for tests of plugins and drivers, which need neither root nor devices.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use kubernetes_mount::filesystem::SafeFormatAndMount;
//! use kubernetes_mount::testing::{FakeAnswer, FakeExec, FakeMounter};
//!
//! # let file = std::env::temp_dir().join(format!("mount-testing-{}", std::process::id()));
//! # std::fs::write(&file, [0; 512]).unwrap();
//! # let device: &Path = &file;
//! let mounter = Arc::new(FakeMounter::new());
//! // `blkid` finds nothing, so that the device is formatted.
//! let exec = FakeExec::new()
//!     .answer("blkid", FakeAnswer::exit(2))
//!     .answer("mkfs.ext4", FakeAnswer::success(""));
//! let exec = Arc::new(exec);
//!
//! let formatter = SafeFormatAndMount::new(mounter.clone(), exec.clone());
//! formatter.format_and_mount(device, Path::new("/mnt"), "ext4", &["noatime"]).unwrap();
//!
//! assert_eq!(exec.programs(), ["blkid", "mkfs.ext4"]);
//! assert_eq!(mounter.mount_points()[0].fs_type, "ext4");
//! # std::fs::remove_file(&file).unwrap();
//! ```

mod exec;
mod mount;

pub use exec::{FakeAnswer, FakeCall, FakeExec};
pub use mount::{FakeAction, FakeMounter};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, even after a test panicked with the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
