//! The directories of Pods.

use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::Pod;
use kubernetes_mount::exec::ExecError;
use kubernetes_mount::metrics::{
    Metrics, MetricsError, MetricsNil, MetricsProvider, MetricsStatFs,
};
use kubernetes_mount::mount::{Mount, clean_up_mount_point};

use super::answer::Command;
use super::node::Node;
use super::options::Source;
use super::program::text;
use crate::interfaces::{Mounter, Unmounter, Volume};
use crate::ownership::FsGroupChangePolicy;
use crate::plugins::shared::own::Owner;
use crate::plugins::shared::{after_failure, dirs, is_mounted, names, still_mounted};
use crate::{Attributes, Error, MounterArgs, NodeError, Result, Spec};

/// The mode of the directory beneath a mount.
pub(super) const BENEATH: u32 = 0o750;

/// A volume of a Pod.
pub(super) struct FlexVolume {
    node: Node,
    path: PathBuf,
}

impl FlexVolume {
    pub(super) fn new(node: Node, name: &str, pod_uid: &str) -> Result<Self> {
        names::check("name of a volume", name)?;
        names::check("UID of the Pod", pod_uid)?;
        let path = node.host.pod_volume_dir(pod_uid, node.name(), name);
        Ok(Self { node, path })
    }
}

impl Volume for FlexVolume {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for FlexVolume {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        if self.node.capabilities.supports_metrics {
            MetricsStatFs::new(&self.path).metrics()
        } else {
            MetricsNil.metrics()
        }
    }
}

impl Unmounter for FlexVolume {
    fn tear_down_at(&self, dir: &Path) -> Result<()> {
        if !dirs::exists(dir)? {
            return Ok(());
        }
        let mounter = self.node.mounter();
        match self.node.call(Command::Unmount, &[text(dir)?])? {
            Some(_) => removed(&*mounter, dir),
            None => Ok(clean_up_mount_point(&*mounter, dir, false)?),
        }
    }
}

pub(super) struct FlexMounter {
    volume: FlexVolume,
    spec: Spec,
    pod: Pod,
    read_only: bool,
}

impl FlexMounter {
    pub(super) fn new(node: Node, spec: &Spec, pod: &Pod) -> Result<Self> {
        let read_only = Source::of(spec, node.name())?.read_only;
        Ok(Self {
            volume: FlexVolume::new(node, spec.name(), names::pod_uid(pod)?)?,
            spec: spec.clone(),
            pod: pod.clone(),
            read_only,
        })
    }

    fn mount(&self, mounter: &dyn Mount, dir: &Path, args: &MounterArgs) -> Result<()> {
        let node = &self.volume.node;
        let source = Source::of(&self.spec, node.name())?;
        let options = source.of_mount(&*node.host, node.name(), &self.pod, args)?;
        let texts = [text(dir)?, &options.to_json()?];
        let command = Command::Mount;
        let called = node
            .program
            .call(&*node.exec(), command, &texts, &options.secrets);
        if called.map_err(uncertain_if_killed)?.is_some() {
            return Ok(());
        }
        if !node.capabilities.attach {
            // There is no device's directory to be shown.
            return Err(node.program.not_supported(command));
        }
        let from = node.device_mount_path(&self.spec)?;
        let options: &[&str] = if self.read_only {
            &["bind", "ro"]
        } else {
            &["bind"]
        };
        Ok(mounter.mount(&from, dir, "", options)?)
    }

    fn own(&self, dir: &Path, args: &MounterArgs, again: bool) -> Result<()> {
        if self.read_only || !self.volume.node.capabilities.fs_group {
            return Ok(());
        }
        // The root is last: if it is right, an earlier call has done everything.
        let policy = if again {
            Some(FsGroupChangePolicy::OnRootMismatch)
        } else {
            args.fs_group_change_policy
        };
        let owner = Owner::new(&*self.volume.node.host, &self.pod, self.spec.name());
        Ok(owner.give(dir, args.fs_group, policy, false)?)
    }
}

impl Volume for FlexMounter {
    fn path(&self) -> PathBuf {
        self.volume.path()
    }
}

impl MetricsProvider for FlexMounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        self.volume.metrics()
    }
}

impl Mounter for FlexMounter {
    fn set_up_at(&self, dir: &Path, args: &MounterArgs) -> Result<()> {
        let mounter = self.volume.node.mounter();
        if is_mounted(&*mounter, dir)? {
            return self.own(dir, args, true);
        }
        let is_new = dirs::make(dir, BENEATH)?;
        self.mount(&*mounter, dir, args)
            .inspect_err(|_| after_failure(&*mounter, dir, is_new))?;
        let owned = self.own(dir, args, false);
        if owned.is_err() {
            // The first error says more than one of tidying up.
            let _ = self.volume.tear_down_at(dir);
        }
        owned
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: self.read_only,
            managed: !self.read_only,
            selinux_relabel: self.volume.node.capabilities.selinux_relabel,
        }
    }
}

/// Removes the directory after the driver has unmounted it, unless the driver has.
pub(super) fn removed(mounter: &dyn Mount, dir: &Path) -> Result<()> {
    if is_mounted(mounter, dir)? {
        return Err(still_mounted(dir).into());
    }
    dirs::remove_empty(dir)
}

/// A driver that was killed may have begun what the kernel ends.
pub(super) fn uncertain_if_killed(error: Error) -> Error {
    match error {
        Error::Node(NodeError::Exec(ExecError::TimedOut { .. })) => error.uncertain(),
        error => error,
    }
}
