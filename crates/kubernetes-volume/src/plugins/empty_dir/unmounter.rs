//! Tears an emptyDir down.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider};
use kubernetes_mount::mount::Mount;

use crate::interfaces::{Unmounter, Volume, VolumeHost};
use crate::plugins::EMPTY_DIR;
use crate::plugins::shared::dirs::Marker;
use crate::plugins::shared::measure::Measure;
use crate::plugins::shared::{refuse_mounts_inside, remove, unmount_all};
use crate::{Result, plugins::shared::dirs};

pub(super) struct EmptyDirUnmounter {
    mounter: Arc<dyn Mount>,
    path: PathBuf,
    marker: Marker,
}

impl EmptyDirUnmounter {
    pub(super) fn new(host: Arc<dyn VolumeHost>, name: &str, pod_uid: &str) -> Self {
        Self {
            mounter: host.mounter(EMPTY_DIR),
            path: host.pod_volume_dir(pod_uid, EMPTY_DIR, name),
            marker: Marker::new(&*host, pod_uid, name),
        }
    }
}

impl Volume for EmptyDirUnmounter {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for EmptyDirUnmounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        Measure::mounted_or_files(&*self.mounter, &self.path).metrics()
    }
}

impl Unmounter for EmptyDirUnmounter {
    fn tear_down_at(&self, dir: &Path) -> Result<()> {
        if dirs::exists(dir)? {
            refuse_mounts_inside(&*self.mounter, dir)?;
        }
        // From here on the volume is not set up, whatever happens.
        self.marker.unset()?;
        unmount_all(&*self.mounter, dir)?;
        // Where memory was mounted, files of the disk may be beneath.
        remove::remove_volume(&*self.mounter, dir)?;
        self.marker.remove()
    }
}
