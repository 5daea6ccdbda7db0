//! A mounter that mounts nothing.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::lock;
use crate::Result;
use crate::mount::{ForceUnmount, Mount, MountError, MountPoint, Noswap};

/// A call of a mounter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FakeAction {
    /// [`Mount::mount`] or [`Mount::mount_sensitive`].
    Mount {
        /// The mounted device or directory.
        source: PathBuf,
        /// The mount point.
        target: PathBuf,
        /// The type of the file system.
        fs_type: String,
        /// The options.
        options: Vec<String>,
        /// The options that appear in no message.
        sensitive: Vec<String>,
    },
    /// [`Mount::unmount`] or [`ForceUnmount::unmount_with_force`].
    Unmount {
        /// The path.
        target: PathBuf,
        /// The limit, after which force is used.
        force_after: Option<Duration>,
    },
    /// [`Mount::list`].
    List,
    /// [`Mount::is_mount_point`].
    IsMountPoint {
        /// The path.
        path: PathBuf,
    },
    /// [`Mount::mount_refs`].
    MountRefs {
        /// The path.
        path: PathBuf,
    },
}

impl FakeAction {
    /// Returns true if the call changes mounts.
    #[must_use]
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Mount { .. } | Self::Unmount { .. })
    }
}

/// A function that is called before each action with the number of actions before it.
type Hook = dyn Fn(usize, &FakeAction) -> Result<()> + Send + Sync;

/// Keeps mounts in memory, and records its calls. Paths need not exist, and are
/// compared as they are.
///
/// As with the kernel, mounts lie over each other, an unmount removes the last one at a path,
/// a bind mount has the device of its source, and a remount changes the options. What a
/// hook refuses is recorded, but not done:
///
/// ```
/// use std::path::Path;
/// use kubernetes_mount::Error;
/// use kubernetes_mount::mount::Mount;
/// use kubernetes_mount::testing::{FakeAction, FakeMounter};
///
/// let mounter = FakeMounter::new().with_hook(|_, action| match action {
///     FakeAction::Unmount { .. } => Err(Error::other("the volume is in use")),
///     _ => Ok(()),
/// });
/// mounter.mount(Path::new("/dev/vdb"), Path::new("/a"), "ext4", &[]).unwrap();
/// assert!(mounter.unmount(Path::new("/a")).is_err());
/// assert!(mounter.is_mount_point(Path::new("/a")).unwrap());
/// assert_eq!(mounter.changes().len(), 2);
/// ```
#[derive(Default)]
pub struct FakeMounter {
    state: Mutex<State>,
    hook: Option<Box<Hook>>,
}

#[derive(Debug, Default)]
struct State {
    mounts: Vec<MountPoint>,
    actions: Vec<FakeAction>,
}

impl std::fmt::Debug for FakeMounter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeMounter")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl FakeMounter {
    /// Returns a mounter with nothing mounted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the initial mounts, the oldest first.
    #[must_use]
    pub fn with_mounts(self, mounts: impl IntoIterator<Item = MountPoint>) -> Self {
        lock(&self.state).mounts = mounts.into_iter().collect();
        self
    }

    /// Sets a function that is called before each action, with the number of actions before it.
    /// If it returns an error, the action fails with that and changes nothing. It may wait, to
    /// let something else happen first.
    #[must_use]
    pub fn with_hook(
        mut self,
        hook: impl Fn(usize, &FakeAction) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.hook = Some(Box::new(hook));
        self
    }

    /// Returns all actions so far, those that failed too.
    #[must_use]
    pub fn actions(&self) -> Vec<FakeAction> {
        lock(&self.state).actions.clone()
    }

    /// Returns the mounts and unmounts so far, those that failed too.
    #[must_use]
    pub fn changes(&self) -> Vec<FakeAction> {
        let state = lock(&self.state);
        state
            .actions
            .iter()
            .filter(|action| action.is_change())
            .cloned()
            .collect()
    }

    /// Returns the number of actions so far for which the function returns true.
    pub fn count(&self, is: impl Fn(&FakeAction) -> bool) -> usize {
        lock(&self.state)
            .actions
            .iter()
            .filter(|action| is(action))
            .count()
    }

    /// Forgets the actions so far, but not what is mounted.
    pub fn clear_actions(&self) {
        lock(&self.state).actions.clear();
    }

    /// Returns the mounts, the oldest first. This is not an action.
    #[must_use]
    pub fn mount_points(&self) -> Vec<MountPoint> {
        lock(&self.state).mounts.clone()
    }

    fn record(&self, action: FakeAction) -> Result<()> {
        let number = {
            let mut state = lock(&self.state);
            state.actions.push(action.clone());
            state.actions.len() - 1
        };
        // Without the lock: a hook may ask the mounter.
        self.hook
            .as_ref()
            .map_or(Ok(()), |hook| hook(number, &action))
    }

    fn unmount_after(&self, target: &Path, force_after: Option<Duration>) -> Result<()> {
        self.record(FakeAction::Unmount {
            target: target.to_owned(),
            force_after,
        })?;
        let mounts = &mut lock(&self.state).mounts;
        let Some(last) = mounts.iter().rposition(|mount| mount.path == target) else {
            return Err(MountError::NotMounted {
                path: target.to_owned(),
            }
            .into());
        };
        mounts.remove(last);
        Ok(())
    }
}

impl Mount for FakeMounter {
    fn mount_sensitive(
        &self,
        source: &Path,
        target: &Path,
        fs_type: &str,
        options: &[&str],
        sensitive: &[&str],
    ) -> Result<()> {
        let owned = |options: &[&str]| options.iter().map(ToString::to_string).collect();
        let mut options: Vec<String> = owned(options);
        self.record(FakeAction::Mount {
            source: source.to_owned(),
            target: target.to_owned(),
            fs_type: fs_type.to_owned(),
            options: options.clone(),
            sensitive: owned(sensitive),
        })?;
        let mounts = &mut lock(&self.state).mounts;
        let has = |name: &str| options.iter().any(|option| option == name);
        if has("remount") {
            let mount = mounts.iter_mut().rfind(|mount| mount.path == target);
            let mount = mount.ok_or_else(|| MountError::NotMounted {
                path: target.to_owned(),
            })?;
            options.retain(|option| option != "remount");
            mount.options = options;
            return Ok(());
        }
        let mut device = source.to_string_lossy().into_owned();
        let mut fs_type = fs_type.to_owned();
        if has("bind") || has("rbind") {
            let of_source = mounts.iter().rfind(|mount| mount.path == source);
            if let Some(mount) = of_source {
                device.clone_from(&mount.device);
                fs_type.clone_from(&mount.fs_type);
            }
        }
        mounts.push(MountPoint {
            device,
            path: target.to_owned(),
            fs_type,
            options,
        });
        Ok(())
    }

    fn unmount(&self, target: &Path) -> Result<()> {
        self.unmount_after(target, None)
    }

    fn list(&self) -> Result<Vec<MountPoint>> {
        self.record(FakeAction::List)?;
        Ok(self.mount_points())
    }

    /// The same on each machine.
    fn noswap(&self) -> Noswap {
        Noswap::Supported
    }

    fn is_mount_point(&self, path: &Path) -> Result<bool> {
        self.record(FakeAction::IsMountPoint {
            path: path.to_owned(),
        })?;
        Ok(lock(&self.state)
            .mounts
            .iter()
            .any(|mount| mount.path == path))
    }

    fn mount_refs(&self, path: &Path) -> Result<Vec<PathBuf>> {
        self.record(FakeAction::MountRefs {
            path: path.to_owned(),
        })?;
        let mounts = &lock(&self.state).mounts;
        let Some(own) = mounts.iter().rfind(|mount| mount.path == path) else {
            return Ok(Vec::new());
        };
        let mut refs: Vec<PathBuf> = Vec::new();
        for mount in mounts {
            let other = mount.device == own.device && mount.path != path;
            if other && !refs.contains(&mount.path) {
                refs.push(mount.path.clone());
            }
        }
        Ok(refs)
    }

    fn as_force_unmount(&self) -> Option<&dyn ForceUnmount> {
        Some(self)
    }
}

impl ForceUnmount for FakeMounter {
    fn unmount_with_force(&self, target: &Path, limit: Duration) -> Result<()> {
        self.unmount_after(target, Some(limit))
    }
}
