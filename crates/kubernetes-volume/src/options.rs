//! Arguments and configuration of plugins.

use std::collections::BTreeMap;
use std::path::PathBuf;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};

use crate::{Error, Result, Spec};

/// The parameter of a StorageClass that names the file system of a volume, such as `ext4`.
pub const VOLUME_PARAMETER_FS_TYPE: &str = "fstype";

/// The settings of a Pod that a mounter needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MounterArgs {
    /// The user who shall own the files of a service account token. Other volumes ignore it.
    pub fs_user: Option<u32>,
    /// The group that shall own the files (`securityContext.fsGroup`).
    pub fs_group: Option<u32>,
    /// The condition for changing the group. `None` is `Always`.
    pub fs_group_change_policy: Option<crate::ownership::FsGroupChangePolicy>,
    /// The size of the volume in bytes, for plugins that limit it.
    pub desired_size: Option<u64>,
    /// The SELinux label with which the volume is mounted, if its plugin can.
    pub selinux_label: Option<String>,
    /// Set if the volume was found on disk, so that it may be mounted.
    pub reconstructed_volume: bool,
    /// Set if the Pod has the volume mounted, and it is set up again.
    pub is_remount: bool,
}

/// The settings of a Pod that a mounter of devices needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceMounterArgs {
    /// The group that shall own the files (`securityContext.fsGroup`).
    pub fs_group: Option<u32>,
    /// The SELinux label with which the volume is mounted, if its plugin can.
    pub selinux_label: Option<String>,
}

/// The attributes of a mounted volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Set if the volume is read-only.
    pub read_only: bool,
    /// Ownership of the files is Kubernetes' affair: `fsGroup` applies.
    pub managed: bool,
    /// The file system has SELinux labels (`SupportsSELinux`).
    pub selinux_relabel: bool,
}

/// The settings of a volume that a plugin mounts or makes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeOptions {
    /// The action on a PersistentVolume after its claim is deleted: `Delete`, `Retain` or
    /// `Recycle`.
    pub persistent_volume_reclaim_policy: String,
    /// The mount options of a PersistentVolume.
    pub mount_options: Vec<String>,
    /// A name for the PersistentVolume that is unique in the cluster.
    pub pv_name: String,
    /// The claim for which a volume is made.
    pub pvc: Option<Box<PersistentVolumeClaim>>,
    /// The name of the cluster.
    pub cluster_name: String,
    /// Tags for the volume in a cloud.
    pub cloud_tags: BTreeMap<String, String>,
    /// The parameters of the StorageClass.
    pub parameters: BTreeMap<String, String>,
}

impl VolumeOptions {
    /// Sets the claim for which a volume is made.
    ///
    /// The claim is that of `k8s_openapi`, or of `core_v1` with its feature `k8s-openapi-types`.
    ///
    /// # Errors
    ///
    /// When the claim sets a field that the Kubernetes release of `k8s_openapi` lacks.
    pub fn with_claim<C>(mut self, claim: C) -> Result<Self>
    where
        C: TryInto<PersistentVolumeClaim>,
        C::Error: std::error::Error + Send + Sync + 'static,
    {
        let claim = claim.try_into().map_err(Error::other)?;
        self.pvc = Some(Box::new(claim));
        Ok(self)
    }
}

/// The settings for growing a volume on the node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeResizeOptions {
    /// The volume.
    pub volume_spec: Spec,
    /// The device, or the identifier that a CSI driver has for it.
    pub device_path: PathBuf,
    /// The mount point of the device: once for the node if it is attachable, otherwise for the Pod.
    pub device_mount_path: PathBuf,
    /// The staging path of the volume.
    pub device_stage_path: PathBuf,
    /// The size to reach, in bytes.
    pub new_size: u64,
    /// The size so far, in bytes.
    pub old_size: u64,
    /// The mount phase of a CSI volume.
    pub csi_volume_phase: Option<CsiVolumePhase>,
}

/// The mount phase of a CSI volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CsiVolumePhase {
    /// Mounted once for the node.
    Staged,
    /// Mounted for a Pod.
    Published,
}

impl CsiVolumePhase {
    /// Returns the name in Kubernetes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::Published => "published",
        }
    }
}

/// The configuration of a plugin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeConfig {
    /// The Pod that empties volumes. The plugin sets its volume.
    pub recycler_pod_template: Option<Box<Pod>>,
    /// The least time in seconds that the Pod gets.
    pub recycler_minimum_timeout: u32,
    /// The seconds that the Pod gets for each GiB of the volume.
    pub recycler_timeout_increment: u32,
    /// The name of the PersistentVolume that is emptied.
    pub pv_name: String,
    /// Settings that only one plugin knows.
    pub other_attributes: BTreeMap<String, String>,
    /// Set if the plugin may make volumes. Only hostPath reads it.
    pub provisioning_enabled: bool,
}
