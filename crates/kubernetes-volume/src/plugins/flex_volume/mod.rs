//! flexVolume: a program does the work.

mod answer;
mod attach;
mod mount;
mod node;
mod options;
mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{FlexVolumeSource, Pod, Volume as PodVolume};
use kubernetes_mount::filesystem::ResizeFs;

use self::answer::{Capabilities, Command};
use self::node::Node;
use self::options::Source;
use self::program::Program;
use super::shared::names;
use super::shared::slot::Slot;
use crate::interfaces::{
    AttachableVolumePlugin, Attacher, Detacher, DeviceMountableVolumePlugin, DeviceMounter,
    DeviceUnmounter, ExpandableVolumePlugin, Mounter, NodeExpandableVolumePlugin,
    PersistentVolumePlugin, Unmounter, VolumeHost, VolumePlugin,
};
use crate::probe::{DirectoryProber, Driver};
use crate::{NodeResizeOptions, ReconstructedVolume, Result, Spec, VolumeOptions};

/// The default time limit of one command.
const LIMIT: Duration = Duration::from_secs(120);

/// The volumes of one FlexVolume driver, which is a program.
///
/// The program is run with a command, such as `mount`, and its arguments: paths, names, and the
/// options of the volume as a JSON object. It answers with a JSON object on its standard output,
/// whose `status` is `Success`, `Failure` or `Not supported`. Commands that it doesn't support
/// are done here where that is possible, and not tried again:
///
/// | command | arguments | otherwise |
/// |---|---|---|
/// | `init` | | the plugin isn't registered |
/// | `getvolumename` | OPTIONS | the name of the volume |
/// | `attach` | OPTIONS NODE | nothing |
/// | `waitforattach` | DEVICE OPTIONS | the device as it is |
/// | `isattached` | OPTIONS NODE | all are taken to be attached |
/// | `detach` | VOLUME NODE | nothing |
/// | `mountdevice` | DIR DEVICE OPTIONS | formats an empty device, and mounts it, if there is one |
/// | `unmountdevice` | DIR, if something is mounted there | unmounts |
/// | `mount` | DIR OPTIONS | bind mounts the device's directory |
/// | `unmount` | DIR | unmounts |
/// | `expandvolume` | OPTIONS DIR NEW OLD | the new size |
/// | `expandfs` | OPTIONS DEVICE DIR NEW OLD | grows ext4, XFS and btrfs |
///
/// The options are those of the volume and, all with the prefix `kubernetes.io/`, `fsType`,
/// `readwrite` (`ro` or `rw`) and `pvOrVolumeName`; for `mount` also `pod.name`, `pod.namespace`,
/// `pod.uid`, `serviceAccount.name`, `mounterArgs.FsGroup`, and `secret/KEY` in base64 of the
/// Secret, whose type must be the name of the driver. No message has the content of the Secret.
///
/// A program that takes longer than the [limit](Self::with_limit) is killed with all it has
/// started. Kubernetes has no such limit.
pub struct FlexVolumePlugin {
    program: Arc<Program>,
    capabilities: Capabilities,
    host: Slot,
}

impl FlexVolumePlugin {
    /// Returns the plugin of a driver.
    #[must_use]
    pub fn new(driver: &Driver) -> Self {
        Self {
            program: Arc::new(Program::new(driver, LIMIT)),
            capabilities: Capabilities::default(),
            host: Slot::default(),
        }
    }

    /// Sets the time limit of one command. The default is two minutes.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.program = Arc::new(self.program.with_limit(limit));
        self
    }

    /// Returns a prober that finds drivers in a folder, such as
    /// `/usr/libexec/kubernetes/kubelet-plugins/volume/exec`.
    #[must_use]
    pub fn prober(folder: impl Into<PathBuf>) -> DirectoryProber {
        DirectoryProber::new(folder, |driver| Ok(Box::new(Self::new(driver))))
    }

    fn node(&self) -> Result<Node> {
        Ok(Node {
            host: self.host.get(&self.program.name)?,
            program: Arc::clone(&self.program),
            capabilities: self.capabilities,
        })
    }
}

impl VolumePlugin for FlexVolumePlugin {
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()> {
        let exec = host.exec(&self.program.name);
        let answer = self.program.required(&*exec, Command::Init, &[])?;
        self.capabilities = answer.capabilities.unwrap_or_default();
        self.host.set(host);
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        &self.program.name
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        self.node()?.volume_name(spec)
    }

    fn can_support(&self, spec: &Spec) -> bool {
        options::driver(spec) == Some(&self.program.name)
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        pod: &Pod,
        _options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        let node = self.node()?;
        Ok(Box::new(mount::FlexMounter::new(node, spec, pod)?))
    }

    fn new_unmounter(&self, volume_name: &str, pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        let node = self.node()?;
        Ok(Box::new(mount::FlexVolume::new(
            node,
            volume_name,
            pod_uid,
        )?))
    }

    fn construct_volume_spec(
        &self,
        volume_name: &str,
        _volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        names::check("name of a volume", volume_name)?;
        let source = FlexVolumeSource {
            driver: self.program.name.clone(),
            ..FlexVolumeSource::default()
        };
        Ok(Spec::from(PodVolume {
            name: volume_name.to_owned(),
            flex_volume: Some(source),
            ..PodVolume::default()
        })
        .into())
    }

    fn as_persistent(self: Arc<Self>) -> Option<Arc<dyn PersistentVolumePlugin>> {
        Some(self)
    }

    fn as_attachable(self: Arc<Self>) -> Option<Arc<dyn AttachableVolumePlugin>> {
        self.capabilities.attach.then_some(self as _)
    }

    fn as_device_mountable(self: Arc<Self>) -> Option<Arc<dyn DeviceMountableVolumePlugin>> {
        self.capabilities.attach.then_some(self as _)
    }

    fn as_expandable(self: Arc<Self>) -> Option<Arc<dyn ExpandableVolumePlugin>> {
        Some(self)
    }

    fn as_node_expandable(self: Arc<Self>) -> Option<Arc<dyn NodeExpandableVolumePlugin>> {
        Some(self)
    }
}

impl PersistentVolumePlugin for FlexVolumePlugin {
    fn access_modes(&self) -> Vec<String> {
        ["ReadWriteOnce", "ReadOnlyMany"]
            .map(str::to_owned)
            .to_vec()
    }
}

impl DeviceMountableVolumePlugin for FlexVolumePlugin {
    fn new_device_mounter(&self) -> Result<Box<dyn DeviceMounter>> {
        Ok(Box::new(self.node()?))
    }

    fn new_device_unmounter(&self) -> Result<Box<dyn DeviceUnmounter>> {
        Ok(Box::new(self.node()?))
    }

    fn device_mount_refs(&self, device_mount_path: &Path) -> Result<Vec<PathBuf>> {
        Ok(self.node()?.mounter().mount_refs(device_mount_path)?)
    }
}

impl AttachableVolumePlugin for FlexVolumePlugin {
    fn new_attacher(&self) -> Result<Box<dyn Attacher>> {
        Ok(Box::new(self.node()?))
    }

    fn new_detacher(&self) -> Result<Box<dyn Detacher>> {
        Ok(Box::new(self.node()?))
    }
}

impl ExpandableVolumePlugin for FlexVolumePlugin {
    fn expand_volume_device(&self, spec: &Spec, new_size: u64, old_size: u64) -> Result<u64> {
        let node = self.node()?;
        let options = Source::of(spec, node.name())?.options().to_json()?;
        let dir = node.device_mount_path(spec)?;
        let dir = program::text(&dir)?;
        let (new, old) = (new_size.to_string(), old_size.to_string());
        let answer = node.call(Command::ExpandVolume, &[&options, dir, &new, &old])?;
        Ok(answer
            .and_then(|answer| answer.volume_new_size)
            .unwrap_or(new_size))
    }

    fn requires_fs_resize(&self) -> bool {
        self.capabilities.requires_fs_resize
    }
}

impl NodeExpandableVolumePlugin for FlexVolumePlugin {
    fn requires_fs_resize(&self) -> bool {
        self.capabilities.requires_fs_resize
    }

    fn node_expand(&self, resize: &NodeResizeOptions) -> Result<bool> {
        let node = self.node()?;
        let options = Source::of(&resize.volume_spec, node.name())?
            .options()
            .to_json()?;
        let device = program::text(&resize.device_path)?;
        let dir = program::text(&resize.device_mount_path)?;
        let (new, old) = (resize.new_size.to_string(), resize.old_size.to_string());
        if node
            .call(Command::ExpandFs, &[&options, device, dir, &new, &old])?
            .is_none()
        {
            ResizeFs::new(node.exec()).resize(&resize.device_path, &resize.device_mount_path)?;
        }
        Ok(true)
    }
}
