//! The commands of a driver, and what it answers.

use serde::Deserialize;
use serde_json::Value;

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
#[serde(rename_all = "lowercase")]
pub(super) struct Answer {
    pub(super) status: Status,
    #[serde(default)]
    pub(super) message: String,
    /// The path of a device.
    #[serde(default)]
    pub(super) device: Option<String>,
    #[serde(default, rename = "volumename")]
    pub(super) volume_name: Option<String>,
    #[serde(default)]
    pub(super) attached: bool,
    #[serde(default)]
    pub(super) capabilities: Option<Capabilities>,
    /// The new size in bytes.
    #[serde(default, rename = "volumenewsize")]
    pub(super) volume_new_size: Option<u64>,
}

impl Answer {
    /// Reads an answer as Go does, in which drivers are written too: names of fields in any case,
    /// such as `Capabilities`, and `null` for what is absent.
    pub(super) fn parse(output: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_value(lowered(serde_json::from_slice(output)?))
    }
}

/// An object with the names of its fields, and of those of objects in it, in lower case.
fn lowered(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let present = fields.into_iter().filter(|(_, value)| !value.is_null());
            let fields = present.map(|(name, value)| (name.to_lowercase(), lowered(value)));
            Value::Object(fields.collect())
        }
        other => other,
    }
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
#[serde(default)]
pub(super) struct Capabilities {
    pub(super) attach: bool,
    #[serde(rename = "selinuxrelabel")]
    pub(super) selinux_relabel: bool,
    #[serde(rename = "supportsmetrics")]
    pub(super) supports_metrics: bool,
    #[serde(rename = "fsgroup")]
    pub(super) fs_group: bool,
    #[serde(rename = "requiresfsresize")]
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
