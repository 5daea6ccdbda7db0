//! A driver on a node.

use std::path::PathBuf;
use std::sync::Arc;

use kubernetes_mount::exec::Exec;
use kubernetes_mount::mount::Mount;

use super::answer::{Answer, Capabilities, Command};
use super::options::Source;
use super::program::Program;
use crate::interfaces::VolumeHost;
use crate::plugins::shared::dirs::flex_device_mounts;
use crate::plugins::shared::names;
use crate::{Result, Spec};

/// The driver on the node of a host.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) host: Arc<dyn VolumeHost>,
    pub(super) program: Arc<Program>,
    pub(super) capabilities: Capabilities,
}

impl Node {
    pub(super) fn name(&self) -> &str {
        &self.program.name
    }

    pub(super) fn exec(&self) -> Arc<dyn Exec> {
        self.host.exec(self.name())
    }

    pub(super) fn mounter(&self) -> Arc<dyn Mount> {
        self.host.mounter(self.name())
    }

    /// Runs a command of the driver; nothing if it doesn't support it.
    pub(super) fn call(&self, command: Command, args: &[&str]) -> Result<Option<Answer>> {
        self.program.call(&*self.exec(), command, args, &[])
    }

    /// Returns the driver's name for what is behind the volume.
    pub(super) fn volume_name(&self, spec: &Spec) -> Result<String> {
        let source = Source::of(spec, self.name())?;
        let answer = self.call(Command::GetVolumeName, &[&source.options().to_json()?])?;
        let named = answer.and_then(|answer| answer.volume_name);
        let name = named.unwrap_or_else(|| spec.name().to_owned());
        // It becomes the name of a directory.
        names::check("name that the driver has for a volume", &name)?;
        Ok(name)
    }

    pub(super) fn device_mount_path(&self, spec: &Spec) -> Result<PathBuf> {
        let mounts = flex_device_mounts(&*self.host, self.name());
        Ok(mounts.join(self.volume_name(spec)?))
    }
}
