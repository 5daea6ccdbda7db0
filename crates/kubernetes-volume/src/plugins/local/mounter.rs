//! The bind mounts of local volumes for Pods.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider, MetricsStatFs};
use kubernetes_mount::mount::{Mount, clean_up_mount_point};
use tracing::warn;

use super::source::Local;
use crate::interfaces::{Mounter, Unmounter, Volume, VolumeHost};
use crate::ownership::FsGroupChangePolicy;
use crate::plugins::LOCAL;
use crate::plugins::shared::own::Owner;
use crate::plugins::shared::{dirs, is_mounted, real_path, refuse_mounts_inside};
use crate::{Attributes, Error, MounterArgs, Result, Spec, VolumeOptions};

/// The reason of the event of a Pod whose `fsGroup` isn't applied.
const ALREADY_MOUNTED: &str = "AlreadyMountedVolume";

/// The mode of the directory beneath a mount.
const BENEATH: u32 = 0o750;

pub(super) struct LocalMounter {
    mounter: Arc<dyn Mount>,
    name: String,
    from: PathBuf,
    path: PathBuf,
    /// The directory below which all Pods have their mounts.
    pods: PathBuf,
    read_only: bool,
    options: Vec<String>,
    owner: Owner,
}

impl LocalMounter {
    pub(super) fn new(
        host: Arc<dyn VolumeHost>,
        local: &Local<'_>,
        (pod, pod_uid): (&Pod, &str),
        from: PathBuf,
        spec: &Spec,
        options: &VolumeOptions,
    ) -> Self {
        let mut mount_options = local.mount_options.clone();
        mount_options.extend(options.mount_options.iter().cloned());
        mount_options.sort();
        mount_options.dedup();
        Self {
            mounter: host.mounter(LOCAL),
            name: local.name.to_owned(),
            from,
            path: host.pod_volume_dir(pod_uid, LOCAL, local.name),
            pods: host.pods_dir(),
            read_only: spec.read_only,
            options: mount_options,
            owner: Owner::new(&*host, pod, local.name),
        }
    }

    fn bind(&self, dir: &Path) -> Result<()> {
        let mut options = vec!["bind"];
        if self.read_only {
            options.push("ro");
        }
        options.extend(self.options.iter().map(String::as_str));
        Ok(self.mounter.mount(&self.from, dir, "", &options)?)
    }

    /// Makes right what an interrupted call has mounted.
    fn check_mounted(&self, dir: &Path) -> Result<()> {
        let file = |path: &Path| {
            let file = fs::metadata(path).map_err(Error::io("look at", path))?;
            Ok::<_, Error>((file.dev(), file.ino()))
        };
        if file(dir)? != file(&self.from)? {
            return Err(Error::invalid(format!(
                "{} has something else mounted than {}; unmount it",
                dir.display(),
                self.from.display()
            )));
        }
        if !self.read_only {
            return Ok(());
        }
        let real = real_path(dir)?;
        let mounts = self.mounter.list()?;
        let found = mounts.iter().rev().find(|mount| mount.path == real);
        if found.is_some_and(|mount| mount.options.iter().any(|option| option == "ro")) {
            return Ok(());
        }
        Ok(self
            .mounter
            .mount(&self.from, dir, "", &["bind", "remount", "ro"])?)
    }

    /// Gives the files to the group, unless another Pod has them or they aren't written to.
    fn own(&self, dir: &Path, args: &MounterArgs, again: bool) -> Result<()> {
        let Some(group) = args.fs_group else {
            return Ok(());
        };
        if self.is_shared(dir)? {
            let owner = fs::metadata(dir).map_err(Error::io("look at", dir))?.gid();
            // Once for each mount.
            if owner != group && !again {
                let message = format!(
                    "fsGroup {group} is not applied: the files of the volume {} keep the group \
                     {owner}, because another Pod has them mounted",
                    self.name
                );
                warn!(volume = self.name, "{message}");
                self.owner.warn(ALREADY_MOUNTED, message);
            }
            return Ok(());
        }
        if self.read_only {
            return Ok(());
        }
        // The root is last: if it is right, an earlier call has done everything.
        let policy = if again {
            Some(FsGroupChangePolicy::OnRootMismatch)
        } else {
            args.fs_group_change_policy
        };
        Ok(self.owner.give(dir, Some(group), policy, false)?)
    }

    /// Returns true if the files are mounted for another Pod, by this PersistentVolume or by
    /// another one of the same path.
    fn is_shared(&self, dir: &Path) -> Result<bool> {
        let (dir, pods) = (real_path(dir)?, real_path(&self.pods)?);
        let refs = self.mounter.mount_refs(&dir)?;
        Ok(refs
            .iter()
            .any(|path| *path != dir && path.starts_with(&pods)))
    }
}

impl Volume for LocalMounter {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for LocalMounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsStatFs::new(&self.path).metrics()
    }
}

impl Mounter for LocalMounter {
    fn set_up_at(&self, dir: &Path, args: &MounterArgs) -> Result<()> {
        if is_mounted(&*self.mounter, dir)? {
            self.check_mounted(dir)?;
            return self.own(dir, args, true);
        }
        if !self.from.is_dir() {
            let from = self.from.display();
            return Err(Error::invalid(format!(
                "{from} of {:?} is not a directory",
                self.name
            )));
        }
        let is_new = dirs::make(dir, BENEATH)?;
        let mut mounted = false;
        let done = self.bind(dir).and_then(|()| {
            mounted = true;
            self.own(dir, args, false)
        });
        if done.is_err() {
            // The first error says more than one of tidying up.
            if mounted || is_mounted(&*self.mounter, dir).unwrap_or(false) {
                let _ = self.mounter.unmount(dir);
            }
            if is_new {
                let _ = dirs::remove_empty(dir);
            }
        }
        done
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: self.read_only,
            managed: !self.read_only,
            selinux_relabel: true,
        }
    }
}

pub(super) struct LocalUnmounter {
    mounter: Arc<dyn Mount>,
    path: PathBuf,
}

impl LocalUnmounter {
    pub(super) fn new(host: &dyn VolumeHost, name: &str, pod_uid: &str) -> Self {
        Self {
            mounter: host.mounter(LOCAL),
            path: host.pod_volume_dir(pod_uid, LOCAL, name),
        }
    }
}

impl Volume for LocalUnmounter {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for LocalUnmounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsStatFs::new(&self.path).metrics()
    }
}

impl Unmounter for LocalUnmounter {
    fn tear_down_at(&self, dir: &Path) -> Result<()> {
        if !dirs::exists(dir)? {
            return Ok(());
        }
        refuse_mounts_inside(&*self.mounter, dir)?;
        // Never removes content: it would be the node's.
        Ok(clean_up_mount_point(&*self.mounter, dir, false)?)
    }
}
