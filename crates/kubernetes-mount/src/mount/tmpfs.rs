//! File systems in memory.

use std::fs;
use std::path::Path;

use super::Mount;
use crate::Result;

/// The first release of Linux that has `noswap`.
const SINCE: (u32, u32) = (6, 4);

/// The support for tmpfs with `noswap`: the kernel writes nothing of it to swap space, where
/// secrets would outlive it.
///
/// The rules are those of Kubernetes 1.37, `k8s.io/kubernetes/pkg/kubelet/util/swap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Noswap {
    /// The kernel has the option: it is Linux 6.4 or later.
    Supported,
    /// Only mounting shows it: distributions add it to older kernels.
    Unknown,
    /// The kernel refuses it, because the process is in a user namespace.
    Refused,
}

impl Noswap {
    /// Asks the kernel.
    #[must_use]
    pub fn of_kernel() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Self::of(
            &read("/proc/self/uid_map"),
            &read("/proc/sys/kernel/osrelease"),
        )
    }

    /// Returns the answer for the texts of `/proc/self/uid_map`, which may be empty, and of
    /// `/proc/sys/kernel/osrelease`.
    ///
    /// ```
    /// use kubernetes_mount::mount::Noswap;
    ///
    /// assert_eq!(Noswap::of("0 0 4294967295", "6.12.9-amd64"), Noswap::Supported);
    /// assert_eq!(Noswap::of("0 100000 65536", "6.12.9-amd64"), Noswap::Refused);
    /// ```
    #[must_use]
    pub fn of(uid_map: &str, release: &str) -> Self {
        let ids: Vec<_> = uid_map.split_ascii_whitespace().collect();
        // The first namespace maps all IDs to themselves.
        if !matches!(ids[..], [] | ["0", "0", "4294967295"]) {
            return Self::Refused;
        }
        let mut numbers = release
            .trim()
            .split(|c: char| !c.is_ascii_digit())
            .map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= SINCE => Self::Supported,
            _ => Self::Unknown,
        }
    }

    /// Mounts a tmpfs at a directory, with `noswap` if it can be.
    ///
    /// # Errors
    ///
    /// When it can't be mounted.
    pub fn mount(self, mounter: &dyn Mount, target: &Path, options: &[&str]) -> Result<()> {
        let mount = |options: &[&str]| mounter.mount(Path::new("tmpfs"), target, "tmpfs", options);
        let with = [options, &["noswap"]].concat();
        match self {
            Self::Supported => mount(&with),
            Self::Unknown => mount(&with).or_else(|_| mount(options)),
            Self::Refused => mount(options),
        }
    }
}
