//! A host that records events and mounts nothing.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kubernetes_mount::testing::{FakeExec, FakeMounter};

use crate::Result;
use crate::host::{StandaloneHost, StandaloneHostBuilder};
use crate::interfaces::{Event, EventRecorder};

/// A [`StandaloneHost`] whose mounter and commands are fakes, for tests of plugins without root.
///
/// ```
/// use kubernetes_volume::interfaces::Mounter;
/// use kubernetes_volume::testing::{FakeAction, FakeHost};
/// use kubernetes_volume::{MounterArgs, Spec, VolumeConfig, VolumeOptions, plugins};
/// # use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, Pod, Volume};
///
/// # fn main() -> kubernetes_volume::Result<()> {
/// # let dir = tempfile::tempdir().unwrap();
/// # let root = dir.path();
/// # let pod: Pod = serde_json::from_value(serde_json::json!({
/// #     "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "uid": "1"},
/// # })).unwrap();
/// # let volume = Volume {
/// #     name: "scratch".to_owned(),
/// #     empty_dir: Some(EmptyDirVolumeSource {
/// #         medium: Some("Memory".to_owned()), ..EmptyDirVolumeSource::default()
/// #     }),
/// #     ..Volume::default()
/// # };
/// let host = FakeHost::new(root, |host| host.allocatable([("memory", "1Gi")]))?;
/// let manager = host.start(plugins::all(VolumeConfig::default()), None)?;
/// let spec = Spec::from(volume); // an emptyDir in memory
/// let plugin = manager.find_plugin_by_spec(&spec)?;
/// plugin.new_mounter(&spec, &pod, &VolumeOptions::default())?.set_up(&MounterArgs::default())?;
///
/// assert_eq!(host.mounter.mount_points()[0].fs_type, "tmpfs");
/// assert_eq!(host.mounter.mount_points()[0].options, ["size=1073741824", "noswap"]);
/// # Ok(())
/// # }
/// ```
pub struct FakeHost {
    /// The host, to pass to a manager.
    pub host: Arc<StandaloneHost>,
    /// The mounter, in memory.
    pub mounter: Arc<FakeMounter>,
    /// The runner of commands, which runs none.
    pub exec: Arc<FakeExec>,
    /// The recorded events.
    pub events: Arc<FakeEvents>,
}

impl FakeHost {
    /// Returns a host over a root directory, with the settings of the function.
    ///
    /// # Errors
    ///
    /// As [`StandaloneHostBuilder::build`].
    pub fn new(
        root: impl Into<PathBuf>,
        set: impl FnOnce(StandaloneHostBuilder) -> StandaloneHostBuilder,
    ) -> Result<Self> {
        Self::with(root, FakeMounter::new(), FakeExec::new(), set)
    }

    /// Does the same as [`new`](Self::new), with a prepared mounter and commands.
    ///
    /// # Errors
    ///
    /// As [`StandaloneHostBuilder::build`].
    pub fn with(
        root: impl Into<PathBuf>,
        mounter: FakeMounter,
        exec: FakeExec,
        set: impl FnOnce(StandaloneHostBuilder) -> StandaloneHostBuilder,
    ) -> Result<Self> {
        let (mounter, exec) = (Arc::new(mounter), Arc::new(exec));
        let events = Arc::new(FakeEvents::default());
        let builder = StandaloneHost::builder(root)
            .host_name("fake-host")
            .node_name("fake-node")
            .mounter(mounter.clone())
            .exec(exec.clone())
            .event_recorder(events.clone());
        let host = set(builder).build()?;
        Ok(Self {
            host,
            mounter,
            exec,
            events,
        })
    }
}

impl Deref for FakeHost {
    type Target = Arc<StandaloneHost>;

    fn deref(&self) -> &Self::Target {
        &self.host
    }
}

/// Keeps events.
#[derive(Debug, Default)]
pub struct FakeEvents {
    recorded: Mutex<Vec<Event>>,
}

impl FakeEvents {
    /// Locks, even after a test panicked with the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<Event>> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the events so far.
    #[must_use]
    pub fn recorded(&self) -> Vec<Event> {
        self.lock().clone()
    }
}

impl EventRecorder for FakeEvents {
    fn record(&self, event: Event) {
        self.lock().push(event);
    }
}
