//! The commands of a driver, and what it answers.

use serde::Deserialize;

/// A command of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Command {
    Init,
    GetVolumeName,
    Attach,
    WaitForAttach,
    IsAttached,
    Detach,
    MountDevice,
    UnmountDevice,
    Mount,
    Unmount,
    ExpandVolume,
    ExpandFs,
}

impl Command {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::GetVolumeName => "getvolumename",
            Self::Attach => "attach",
            Self::WaitForAttach => "waitforattach",
            Self::IsAttached => "isattached",
            Self::Detach => "detach",
            Self::MountDevice => "mountdevice",
            Self::UnmountDevice => "unmountdevice",
            Self::Mount => "mount",
            Self::Unmount => "unmount",
            Self::ExpandVolume => "expandvolume",
            Self::ExpandFs => "expandfs",
        }
    }
}

/// The output of a driver. Each command has fields of its own.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    pub(super) status: Status,
    #[serde(default)]
    pub(super) message: String,
    /// The path of a device.
    #[serde(default)]
    pub(super) device: Option<String>,
    #[serde(default)]
    pub(super) volume_name: Option<String>,
    #[serde(default)]
    pub(super) attached: bool,
    #[serde(default)]
    pub(super) capabilities: Option<Capabilities>,
    /// The new size in bytes.
    #[serde(default)]
    pub(super) volume_new_size: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Status {
    Success,
    Failure,
    #[serde(rename = "Not supported")]
    NotSupported,
}

/// The capabilities of a driver. Fields that it omits are as in [`Default`].
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Capabilities {
    pub(super) attach: bool,
    #[serde(rename = "selinuxRelabel")]
    pub(super) selinux_relabel: bool,
    pub(super) supports_metrics: bool,
    #[serde(rename = "fsGroup")]
    pub(super) fs_group: bool,
    #[serde(rename = "requiresFSResize")]
    pub(super) requires_fs_resize: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            attach: true,
            selinux_relabel: true,
            supports_metrics: false,
            fs_group: true,
            requires_fs_resize: true,
        }
    }
}
