//! Metrics of a directory.

use std::collections::HashSet;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Statx, StatxFlags, fstatvfs, statx};

use super::statfs::add;
use super::{Metrics, MetricsError, MetricsProvider};
use crate::walk::{Visit, open_root, walk};

/// The bytes of a block, whatever blocks the file system has.
const BLOCK: u64 = 512;

/// Measures a directory by a walk over its files (`NewMetricsDu`).
///
/// [`used`](Metrics::used) and [`inodes_used`](Metrics::inodes_used) are those of the directory and
/// of all below it in the same file system. A file with several links counts once. The rest is that
/// of the file system. The kubelet asks project quotas first, if there are some; this doesn't.
#[derive(Clone, Debug)]
pub struct MetricsDu {
    path: PathBuf,
}

impl MetricsDu {
    /// Returns the metrics provider of the directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl MetricsProvider for MetricsDu {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        if self.path.as_os_str().is_empty() {
            return Err(MetricsError::no_path_defined());
        }
        let failed = |error: io::Error| MetricsError::at(&self.path, error);
        let mut metrics = Metrics::now();
        let root = open_root(&self.path).map_err(failed)?;
        let stat = look(&root, c"", AtFlags::EMPTY_PATH).map_err(failed)?;
        let du = Du {
            device: device(&stat),
            linked: Mutex::default(),
        };
        let walked = walk(&root, &du);
        let root_usage = Usage {
            blocks: stat.stx_blocks,
            inodes: 1,
        };
        let usage = walked
            .found
            .into_iter()
            .fold(root_usage, |one, other| Usage {
                blocks: one.blocks + other.blocks,
                inodes: one.inodes + other.inodes,
            });
        metrics.used = Some(usage.blocks.saturating_mul(BLOCK));
        metrics.inodes_used = Some(usage.inodes);
        let added = add(&self.path, fstatvfs(&root), &mut metrics);
        let error = match (walked.error, added) {
            (Some(error), _) => MetricsError::at(&error.path, error.source),
            (None, Err(error)) => error,
            (None, Ok(_)) => return Ok(metrics),
        };
        Err(error.with_partial(metrics))
    }
}

#[derive(Default)]
struct Usage {
    blocks: u64,
    inodes: u64,
}

struct Du {
    device: (u32, u32),
    /// The files with several links that were counted.
    linked: Mutex<HashSet<u64>>,
}

impl Du {
    /// Counts a file, unless it belongs to another file system or was counted. Returns whether it
    /// belongs to this one.
    fn count(&self, stat: &Statx, usage: &mut Usage) -> bool {
        if device(stat) != self.device {
            return false;
        }
        let is_directory = FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Directory;
        if stat.stx_nlink > 1 && !is_directory {
            let mut linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
            if !linked.insert(stat.stx_ino) {
                return true;
            }
        }
        usage.blocks += stat.stx_blocks;
        usage.inodes += 1;
        true
    }
}

fn device(stat: &Statx) -> (u32, u32) {
    (stat.stx_dev_major, stat.stx_dev_minor)
}

fn look(dir: impl AsFd, name: &CStr, flags: AtFlags) -> io::Result<Statx> {
    let flags = flags | AtFlags::STATX_DONT_SYNC | AtFlags::NO_AUTOMOUNT;
    let wanted = StatxFlags::TYPE | StatxFlags::NLINK | StatxFlags::INO | StatxFlags::BLOCKS;
    Ok(statx(dir, name, flags, wanted)?)
}

impl Visit for Du {
    type Found = Usage;

    fn enter(&self, dir: BorrowedFd<'_>, usage: &mut Usage) -> io::Result<bool> {
        Ok(self.count(&look(dir, c"", AtFlags::EMPTY_PATH)?, usage))
    }

    fn entry(&self, dir: BorrowedFd<'_>, name: &CStr, usage: &mut Usage) -> io::Result<()> {
        self.count(&look(dir, name, AtFlags::SYMLINK_NOFOLLOW)?, usage);
        Ok(())
    }
}
