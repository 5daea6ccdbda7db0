//! Attaching, and mounting devices once for the node.

use std::path::{Path, PathBuf};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kubernetes_mount::filesystem::SafeFormatAndMount;
use kubernetes_mount::mount::clean_up_mount_point;

use super::answer::Command;
use super::mount::{BENEATH, removed, uncertain_if_killed};
use super::node::Node;
use super::options::Source;
use super::program::text;
use crate::interfaces::{Attacher, Detacher, DeviceMounter, DeviceUnmounter};
use crate::plugins::shared::{after_failure, dirs, is_mounted};
use crate::{DeviceMounterArgs, Error, Result, Spec};

impl DeviceMounter for Node {
    fn device_mount_path(&self, spec: &Spec) -> Result<PathBuf> {
        self.device_mount_path(spec)
    }

    fn mount_device(
        &self,
        spec: &Spec,
        device_path: &Path,
        dir: &Path,
        _args: &DeviceMounterArgs,
    ) -> Result<()> {
        let source = Source::of(spec, self.name())?;
        let mounter = self.mounter();
        if is_mounted(&*mounter, dir)? {
            return Ok(());
        }
        let is_new = dirs::make(dir, BENEATH)?;
        let options = source.options().to_json()?;
        let args = [text(dir)?, text(device_path)?, &options];
        let done = match self.call(Command::MountDevice, &args) {
            Ok(Some(_)) => Ok(()),
            // A driver that attaches nothing has no device to be mounted.
            Ok(None) if device_path.as_os_str().is_empty() => Ok(()),
            Ok(None) => {
                let (fs_type, options) = (source.fs_type, [source.access()]);
                SafeFormatAndMount::new(mounter.clone(), self.exec())
                    .format_and_mount(device_path, dir, fs_type, &options)
                    .map_err(Error::from)
            }
            Err(error) => Err(uncertain_if_killed(error)),
        };
        done.inspect_err(|_| after_failure(&*mounter, dir, is_new))
    }
}

impl DeviceUnmounter for Node {
    fn unmount_device(&self, dir: &Path) -> Result<()> {
        if !dirs::exists(dir)? {
            return Ok(());
        }
        let mounter = self.mounter();
        if !is_mounted(&*mounter, dir)? {
            return dirs::remove_empty(dir);
        }
        match self.call(Command::UnmountDevice, &[text(dir)?])? {
            Some(_) => removed(&*mounter, dir),
            None => Ok(clean_up_mount_point(&*mounter, dir, false)?),
        }
    }
}

impl Attacher for Node {
    fn attach(&self, spec: &Spec, node_name: &str) -> Result<PathBuf> {
        let options = Source::of(spec, self.name())?.options().to_json()?;
        let answer = self.call(Command::Attach, &[&options, node_name])?;
        Ok(answer
            .and_then(|answer| answer.device)
            .unwrap_or_default()
            .into())
    }

    fn volumes_are_attached(&self, specs: &[Spec], node_name: &str) -> Result<Vec<bool>> {
        let mut attached = Vec::with_capacity(specs.len());
        for spec in specs {
            let options = Source::of(spec, self.name())?.options().to_json()?;
            match self.call(Command::IsAttached, &[&options, node_name])? {
                Some(answer) => attached.push(answer.attached),
                // As in Kubernetes: otherwise they would be attached again and again.
                None => return Ok(vec![true; specs.len()]),
            }
        }
        Ok(attached)
    }

    fn wait_for_attach(
        &self,
        spec: &Spec,
        device_path: &Path,
        _pod: &Pod,
        timeout: Duration,
    ) -> Result<PathBuf> {
        let options = Source::of(spec, self.name())?.options().to_json()?;
        let args = [text(device_path)?, &options];
        let command = Command::WaitForAttach;
        let answer = self
            .program
            .call_for(&*self.exec(), command, &args, &[], timeout)?;
        // An answer counts even if it names no device.
        Ok(match answer {
            Some(answer) => answer.device.unwrap_or_default().into(),
            None => device_path.to_owned(),
        })
    }
}

impl Detacher for Node {
    fn detach(&self, volume_name: &str, node_name: &str) -> Result<()> {
        self.call(Command::Detach, &[volume_name, node_name])
            .map(drop)
    }
}
