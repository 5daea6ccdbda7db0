//! Sets an emptyDir up.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, Pod};
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider};
use kubernetes_mount::mount::Mount;
use rustix::fs::statfs;

use super::medium::Medium;
use crate::interfaces::{Mounter, Volume, VolumeHost};
use crate::plugins::EMPTY_DIR;
use crate::plugins::shared::dirs::{self, Marker};
use crate::plugins::shared::measure::Measure;
use crate::plugins::shared::own::Owner;
use crate::plugins::shared::{is_mounted, newer, real_path, remove};
use crate::{Attributes, Error, MounterArgs, Result};

/// The default mode of a directory, and of a file system of huge pages.
const MODE: u32 = 0o777;

pub(super) struct EmptyDirMounter {
    mounter: Arc<dyn Mount>,
    path: PathBuf,
    marker: Marker,
    medium: Medium,
    /// The mode in the specification.
    mode: Option<u32>,
    owner: Owner,
}

impl EmptyDirMounter {
    pub(super) fn new(
        host: Arc<dyn VolumeHost>,
        name: &str,
        pod_uid: &str,
        source: &EmptyDirVolumeSource,
        pod: &Pod,
    ) -> Result<Self> {
        Ok(Self {
            mounter: host.mounter(EMPTY_DIR),
            path: host.pod_volume_dir(pod_uid, EMPTY_DIR, name),
            marker: Marker::new(&*host, pod_uid, name),
            medium: Medium::of(&*host, source, pod)?,
            mode: mode(source)?,
            owner: Owner::new(&*host, pod, name),
        })
    }

    /// Makes what is missing. Returns whether this call has mounted it.
    fn provide(&self, dir: &Path) -> Result<bool> {
        let Some(fs_type) = self.medium.fs_type() else {
            dirs::set_mode(dir, self.mode.unwrap_or(MODE))?;
            return Ok(false);
        };
        if is_mounted(&*self.mounter, dir)? {
            self.check_mounted(dir, fs_type)?;
            return Ok(false);
        }
        self.mount(dir, fs_type)?;
        Ok(true)
    }

    fn mount(&self, dir: &Path, fs_type: &str) -> Result<()> {
        let option = self.medium.option();
        let options: Vec<&str> = option.iter().map(String::as_str).collect();
        if let Medium::Memory { .. } = self.medium {
            return Ok(self.mounter.noswap().mount(&*self.mounter, dir, &options)?);
        }
        self.mounter
            .mount(Path::new(fs_type), dir, fs_type, &options)?;
        Ok(())
    }

    /// Fails if something else is mounted than this volume needs.
    fn check_mounted(&self, dir: &Path, fs_type: &str) -> Result<()> {
        let real = real_path(dir)?;
        let mounts = self.mounter.list()?;
        let found = mounts.iter().rev().find(|mount| mount.path == real);
        let Some(found) = found.filter(|mount| mount.fs_type != fs_type) else {
            return self.check_page_size(dir);
        };
        Err(Error::invalid(format!(
            "{} has {} mounted where the volume needs {fs_type}; unmount it",
            dir.display(),
            found.fs_type
        )))
    }

    fn check_page_size(&self, dir: &Path) -> Result<()> {
        let Medium::HugePages { page, any: false } = self.medium else {
            return Ok(());
        };
        let found = statfs(dir).map_err(Error::io("look at the file system of", dir))?;
        if u64::try_from(found.f_bsize).is_ok_and(|size| size == page) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{} has pages of {} bytes mounted, and the volume needs {page}; unmount it",
            dir.display(),
            found.f_bsize
        )))
    }

    /// Returns true if an earlier call has done everything.
    fn is_ready(&self, dir: &Path) -> Result<bool> {
        if !self.marker.is_set()? || !dirs::exists(dir)? {
            return Ok(false);
        }
        // After a restart of the node, the directory is there and the memory is gone.
        match self.medium {
            Medium::Disk => Ok(true),
            Medium::Memory { .. } | Medium::HugePages { .. } => is_mounted(&*self.mounter, dir),
        }
    }

    fn finish(&self, dir: &Path, args: &MounterArgs) -> Result<()> {
        // A new file system has a mode of its own. That of a tmpfs is 1777, so that users can't
        // remove each other's files.
        let mode = match self.medium {
            Medium::Disk => None,
            Medium::Memory { .. } => self.mode,
            Medium::HugePages { .. } => Some(self.mode.unwrap_or(MODE)),
        };
        if let Some(mode) = mode {
            dirs::set_mode(dir, mode)?;
        }
        self.owner
            .give(dir, args.fs_group, args.fs_group_change_policy, false)?;
        self.marker.set()
    }
}

fn mode(source: &EmptyDirVolumeSource) -> Result<Option<u32>> {
    match newer::empty_dir_mode(source) {
        None => Ok(None),
        Some(mode @ 0..=0o1777) => Ok(Some(mode.unsigned_abs())),
        Some(mode) => Err(Error::invalid(format!(
            "the mode {mode:#o} of an emptyDir is not from 0 to 0o1777"
        ))),
    }
}

impl Volume for EmptyDirMounter {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for EmptyDirMounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        Measure::mounted_or_files(&*self.mounter, &self.path).metrics()
    }
}

impl Mounter for EmptyDirMounter {
    fn set_up_at(&self, dir: &Path, args: &MounterArgs) -> Result<()> {
        remove::finish(&*self.mounter, dir)?;
        if self.is_ready(dir)? {
            return Ok(());
        }
        let is_new = dirs::make_empty_dir(dir, self.mode.unwrap_or(MODE))?;
        let mut mounted = false;
        let done = self.provide(dir).and_then(|here| {
            mounted = here;
            self.finish(dir, args)
        });
        if done.is_err() {
            // The first error says more than one of tidying up.
            if mounted {
                let _ = self.mounter.unmount(dir);
            }
            if is_new {
                let _ = dirs::remove_empty(dir);
            }
            let _ = self.marker.remove();
        }
        done
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: false,
            managed: true,
            selinux_relabel: true,
        }
    }
}
