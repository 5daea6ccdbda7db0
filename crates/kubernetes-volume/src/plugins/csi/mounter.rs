//! Volumes that are mounted for a Pod.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::core::v1::Pod;
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider};
use kubernetes_mount::mount::selinux_mount_option;
use storage_v1::{CSIDriverSpec, FSGroupPolicy, VolumeLifecycleMode};

use super::data::{self, VolumeData};
use super::node::{Node, add_pod_info};
use super::paths::{attachment_name, inline_handle, staging};
use super::source::Source;
use super::stats::CsiMetrics;
use super::{
    AccessType, NodeCapability, NodePublishVolumeRequest, NodeUnpublishVolumeRequest, tokens,
};
use crate::interfaces::{Mounter, Unmounter, Volume};
use crate::plugins::CSI;
use crate::plugins::shared::own::Owner;
use crate::plugins::shared::slot::host_utils;
use crate::plugins::shared::{dirs, names};
use crate::{Attributes, Error, MounterArgs, Result, Spec};

/// The mode of the directory of a volume.
pub(super) const DIRECTORY: u32 = 0o750;

/// Returns where a volume is mounted for a Pod.
fn mount_path(node: &Node, pod_uid: &str, volume_name: &str) -> PathBuf {
    node.host
        .pod_volume_dir(pod_uid, CSI, volume_name)
        .join("mount")
}

pub(super) struct CsiMounter {
    node: Node,
    spec: Spec,
    pod: Pod,
    driver: String,
    handle: String,
    mode: VolumeLifecycleMode,
    read_only: bool,
    selinux_relabel: AtomicBool,
    path: PathBuf,
}

impl CsiMounter {
    pub(super) fn new(node: Node, spec: &Spec, pod: &Pod) -> Result<Self> {
        let uid = names::pod_uid(pod)?;
        let source = Source::of(spec)?;
        Ok(Self {
            path: mount_path(&node, uid, spec.name()),
            driver: source.driver().to_owned(),
            handle: match source {
                Source::Inline(_) => inline_handle(uid, spec.name()),
                Source::Persistent(source) => source.csi.volume_handle.clone(),
            },
            mode: source.lifecycle_mode(),
            read_only: source.read_only(spec),
            selinux_relabel: AtomicBool::new(false),
            spec: spec.clone(),
            pod: pod.clone(),
            node,
        })
    }

    /// Fails unless the driver has volumes of this kind. Without a CSIDriver object it has
    /// PersistentVolumes only.
    fn check_mode(&self, csi_driver: Option<&CSIDriverSpec>) -> Result<()> {
        let default = [VolumeLifecycleMode::Persistent];
        let modes = csi_driver.and_then(|spec| spec.volume_lifecycle_modes.as_deref());
        let modes = modes.filter(|modes| !modes.is_empty()).unwrap_or(&default);
        if modes.contains(&self.mode) {
            return Ok(());
        }
        let modes: Vec<_> = modes.iter().map(VolumeLifecycleMode::as_str).collect();
        let error = Error::invalid(format!(
            "the CSI driver {} has no volumes of the mode {}, only of {}",
            self.driver,
            self.mode.as_str(),
            modes.join(", ")
        ));
        // The CSIDriver may be on its way.
        Err(error.transient())
    }

    /// Returns the call that mounts the volume.
    fn request(
        &self,
        dir: &Path,
        args: &MounterArgs,
        csi_driver: Option<&CSIDriverSpec>,
        capabilities: &[NodeCapability],
        context_option: Option<&str>,
    ) -> Result<NodePublishVolumeRequest> {
        let source = Source::of(&self.spec)?;
        let mut request = NodePublishVolumeRequest {
            volume_id: self.handle.clone(),
            publish_context: Default::default(),
            staging_target_path: PathBuf::new(),
            target_path: dir.to_owned(),
            volume_capability: source.capability(
                file_system(source, args.fs_group, context_option, capabilities),
                capabilities,
            ),
            readonly: self.read_only,
            secrets: Default::default(),
            volume_context: source.attributes(),
        };
        if self.mode == VolumeLifecycleMode::Persistent {
            if capabilities.contains(&NodeCapability::StageUnstageVolume) {
                request.staging_target_path = staging(&*self.node.host, &self.driver, &self.handle);
            }
            request.publish_context = self.node.publish_context(&self.driver, &self.handle)?;
        }
        let secret = source.publish_secret(names::pod_namespace(&self.pod));
        request.secrets = self.node.secrets(secret.as_ref())?;
        let context = &mut request.volume_context;
        add_pod_info(context, csi_driver, &self.pod, &self.mode);
        tokens::add(
            &self.node,
            csi_driver,
            &self.pod,
            context,
            &mut request.secrets,
        )?;
        Ok(request)
    }

    fn data(&self, context: Option<&str>) -> VolumeData {
        let node_name = self.node.host.node_name();
        VolumeData {
            attachment_id: attachment_name(&self.handle, &self.driver, &node_name),
            driver_name: self.driver.clone(),
            node_name,
            selinux_mount_context: context.unwrap_or_default().to_owned(),
            spec_vol_id: self.spec.name().to_owned(),
            volume_handle: self.handle.clone(),
            volume_lifecycle_mode: self.mode.as_str().to_owned(),
        }
    }

    /// Returns true if the node gives the files to the group, and not the driver.
    fn applies_group(&self, csi_driver: Option<&CSIDriverSpec>) -> Result<bool> {
        if self.read_only {
            return Ok(false);
        }
        let source = Source::of(&self.spec)?;
        Ok(
            match csi_driver.and_then(|spec| spec.fs_group_policy.as_ref()) {
                Some(FSGroupPolicy::None) => false,
                Some(FSGroupPolicy::File) => true,
                // Also without a CSIDriver: ReadWriteOnceWithFSType.
                _ => {
                    let once = match source {
                        Source::Inline(_) => true,
                        Source::Persistent(source) => source.has_writer_on_one_node(),
                    };
                    once && !source.fs_type().is_empty()
                }
            },
        )
    }
}

/// Returns the use of a volume as a file system.
pub(super) fn file_system(
    source: Source<'_>,
    fs_group: Option<u32>,
    context_option: Option<&str>,
    capabilities: &[NodeCapability],
) -> AccessType {
    let group = fs_group.filter(|_| capabilities.contains(&NodeCapability::VolumeMountGroup));
    let mut mount_flags = source.mount_options();
    mount_flags.extend(context_option.map(selinux_mount_option));
    AccessType::Mount {
        fs_type: source.fs_type().to_owned(),
        mount_flags,
        volume_mount_group: group.map(|group| group.to_string()).unwrap_or_default(),
    }
}

/// Returns the label with which a volume is mounted, if the driver takes one.
pub(super) fn selinux_label<'a>(
    csi_driver: Option<&CSIDriverSpec>,
    label: Option<&'a str>,
) -> Option<&'a str> {
    let supports = csi_driver.and_then(|spec| spec.se_linux_mount) == Some(true);
    label.filter(|label| supports && !label.is_empty())
}

impl Volume for CsiMounter {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for CsiMounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        CsiMetrics::new(&self.node, &self.driver, &self.handle, &self.path).metrics()
    }
}

impl Mounter for CsiMounter {
    fn set_up_at(&self, dir: &Path, args: &MounterArgs) -> Result<()> {
        let driver = self.node.driver(&self.driver)?;
        let csi_driver = self
            .node
            .csi_driver(&self.driver)
            .map_err(Error::transient)?;
        let csi_driver = csi_driver.as_ref();
        self.check_mode(csi_driver)?;
        let capabilities = driver.capabilities()?;
        let label = selinux_label(csi_driver, args.selinux_label.as_deref());
        let request = self.request(dir, args, csi_driver, &capabilities, label)?;

        let above = data::above(dir)?;
        dirs::make(&above, DIRECTORY)?;
        let mounter = self.node.mounter();
        // Before the call: whatever becomes of it, the volume can be torn down.
        self.data(label).save(&above).inspect_err(|_| {
            let _ = data::remove(&*mounter, dir);
        })?;
        let answer = driver.client.node_publish_volume(&request);
        driver
            .done("NodePublishVolume", answer)
            .inspect_err(|error| {
                // A Pod that has the volume already goes on with it.
                if error.is_final() && !args.is_remount && !args.reconstructed_volume {
                    data::after_failure(&*mounter, dir);
                }
            })?;

        // From here on the volume is mounted.
        if label.is_none() {
            let support = host_utils(&*self.node.host).selinux_support(dir);
            let support = support.map_err(|error| Error::from(error).uncertain())?;
            self.selinux_relabel.store(support, Ordering::Relaxed);
        }
        let delegated = capabilities.contains(&NodeCapability::VolumeMountGroup);
        if !delegated && self.applies_group(csi_driver)? {
            let owner = Owner::new(&*self.node.host, &self.pod, self.spec.name());
            owner
                .give(dir, args.fs_group, args.fs_group_change_policy, false)
                .map_err(|error| Error::from(error).uncertain())?;
        }
        Ok(())
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: self.read_only,
            managed: !self.read_only,
            selinux_relabel: self.selinux_relabel.load(Ordering::Relaxed),
        }
    }
}

pub(super) struct CsiUnmounter {
    node: Node,
    /// Nothing if the volume was torn down, or its set-up got nowhere.
    data: Option<VolumeData>,
    path: PathBuf,
}

impl CsiUnmounter {
    pub(super) fn new(node: Node, volume_name: &str, pod_uid: &str) -> Result<Self> {
        names::check("name of a volume", volume_name)?;
        names::check("UID of the Pod", pod_uid)?;
        let path = mount_path(&node, pod_uid, volume_name);
        let data = VolumeData::load(&data::above(&path)?)?;
        Ok(Self { node, data, path })
    }
}

impl Volume for CsiUnmounter {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl MetricsProvider for CsiUnmounter {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        let Some(data) = &self.data else {
            return Err(MetricsError::not_supported());
        };
        CsiMetrics::new(
            &self.node,
            &data.driver_name,
            &data.volume_handle,
            &self.path,
        )
        .metrics()
    }
}

impl Unmounter for CsiUnmounter {
    fn tear_down_at(&self, dir: &Path) -> Result<()> {
        let mounter = self.node.mounter();
        let Some(data) = &self.data else {
            return data::remove_unknown(&*mounter, dir);
        };
        let driver = self.node.driver(&data.driver_name)?;
        let request = NodeUnpublishVolumeRequest {
            volume_id: data.volume_handle.clone(),
            target_path: dir.to_owned(),
        };
        let answer = driver.client.node_unpublish_volume(&request);
        driver.undone("NodeUnpublishVolume", answer)?;
        // The driver should have removed the directory.
        data::remove(&*mounter, dir)
    }
}
