//! The CSI source of a volume.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    CSIPersistentVolumeSource, CSIVolumeSource, PersistentVolumeSpec, SecretReference,
};
use storage_v1::VolumeLifecycleMode;

use super::{AccessMode, AccessType, NodeCapability, VolumeCapability};
use crate::plugins::shared::names;
use crate::{Error, Result, Spec};

/// The source of a volume.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// Of a Pod's volume.
    Inline(&'a CSIVolumeSource),
    /// Of a PersistentVolume.
    Persistent(Persistent<'a>),
}

/// The source of a PersistentVolume.
#[derive(Clone, Copy)]
pub(super) struct Persistent<'a> {
    pub(super) csi: &'a CSIPersistentVolumeSource,
    pub(super) spec: &'a PersistentVolumeSpec,
}

impl<'a> Source<'a> {
    /// Returns the source, if the volume has one of CSI and nothing else.
    pub(super) fn find(spec: &'a Spec) -> Option<Self> {
        match (&spec.volume, &spec.persistent_volume) {
            (Some(volume), None) => volume.csi.as_ref().map(Self::Inline),
            (None, Some(volume)) => {
                let spec = volume.spec.as_ref()?;
                let csi = spec.csi.as_ref()?;
                Some(Self::Persistent(Persistent { csi, spec }))
            }
            _ => None,
        }
    }

    /// Returns the source, checked.
    pub(super) fn of(spec: &'a Spec) -> Result<Self> {
        names::one_source(spec)?;
        let source = Self::find(spec).ok_or_else(|| {
            Error::invalid(format!("the volume {:?} has no source `csi`", spec.name()))
        })?;
        names::check("name of a volume", spec.name())?;
        names::check("name of the CSI driver", source.driver())?;
        if let Self::Persistent(source) = source
            && source.csi.volume_handle.is_empty()
        {
            let name = spec.name();
            return Err(Error::invalid(format!(
                "the PersistentVolume {name:?} has no volumeHandle"
            )));
        }
        Ok(source)
    }

    pub(super) fn driver(self) -> &'a str {
        match self {
            Self::Inline(csi) => &csi.driver,
            Self::Persistent(source) => &source.csi.driver,
        }
    }

    pub(super) fn fs_type(self) -> &'a str {
        let fs_type = match self {
            Self::Inline(csi) => &csi.fs_type,
            Self::Persistent(source) => &source.csi.fs_type,
        };
        fs_type.as_deref().unwrap_or_default()
    }

    pub(super) fn attributes(self) -> BTreeMap<String, String> {
        let attributes = match self {
            Self::Inline(csi) => &csi.volume_attributes,
            Self::Persistent(source) => &source.csi.volume_attributes,
        };
        attributes.clone().unwrap_or_default()
    }

    /// Returns the use of the volume by a driver with these capabilities.
    pub(super) fn capability(
        self,
        access_type: AccessType,
        capabilities: &[NodeCapability],
    ) -> VolumeCapability {
        let multi_writer = capabilities.contains(&NodeCapability::SingleNodeMultiWriter);
        VolumeCapability {
            access_mode: access_mode(self.access_mode(), multi_writer),
            access_type,
        }
    }

    /// The access mode in Kubernetes. A volume of a Pod is that Pod's.
    fn access_mode(self) -> &'a str {
        match self {
            Self::Inline(_) => READ_WRITE_ONCE,
            Self::Persistent(source) => source.access_mode(),
        }
    }

    pub(super) fn mount_options(self) -> Vec<String> {
        match self {
            Self::Inline(_) => Vec::new(),
            Self::Persistent(source) => source.mount_options(),
        }
    }

    pub(super) fn lifecycle_mode(self) -> VolumeLifecycleMode {
        match self {
            Self::Inline(_) => VolumeLifecycleMode::Ephemeral,
            Self::Persistent(_) => VolumeLifecycleMode::Persistent,
        }
    }

    /// The claim says whether a PersistentVolume is read-only, not the source.
    pub(super) fn read_only(self, spec: &Spec) -> bool {
        match self {
            Self::Inline(csi) => csi.read_only == Some(true),
            Self::Persistent(_) => spec.read_only,
        }
    }

    /// The secret for publishing. That of a Pod's volume is in the namespace of the Pod.
    pub(super) fn publish_secret(self, namespace: &str) -> Option<SecretReference> {
        match self {
            Self::Inline(csi) => {
                let secret = csi.node_publish_secret_ref.as_ref()?;
                Some(SecretReference {
                    name: Some(secret.name.clone()),
                    namespace: Some(namespace.to_owned()),
                })
            }
            Self::Persistent(source) => source.csi.node_publish_secret_ref.clone(),
        }
    }
}

impl<'a> Persistent<'a> {
    /// Returns the source of a PersistentVolume, checked.
    pub(super) fn of(spec: &'a Spec) -> Result<Self> {
        match Source::of(spec)? {
            Source::Persistent(source) => Ok(source),
            Source::Inline(_) => Err(Error::invalid(format!(
                "the volume {:?} is of a Pod; it must be a PersistentVolume",
                spec.name()
            ))),
        }
    }

    /// Only the first one counts, as for a kubelet.
    fn access_mode(self) -> &'a str {
        let modes = self.spec.access_modes.as_deref().unwrap_or_default();
        modes.first().map_or(READ_WRITE_ONCE, String::as_str)
    }

    pub(super) fn has_writer_on_one_node(self) -> bool {
        let modes = self.spec.access_modes.as_deref().unwrap_or_default();
        let once = [READ_WRITE_ONCE, READ_WRITE_ONCE_POD];
        modes.iter().any(|mode| once.contains(&mode.as_str()))
    }

    /// The annotation with mount options is for other plugins.
    pub(super) fn mount_options(self) -> Vec<String> {
        self.spec.mount_options.clone().unwrap_or_default()
    }

    pub(super) fn is_block(self) -> bool {
        self.spec.volume_mode.as_deref() == Some("Block")
    }
}

const READ_WRITE_ONCE: &str = "ReadWriteOnce";
const READ_WRITE_ONCE_POD: &str = "ReadWriteOncePod";

/// Returns the access mode of CSI. Drivers without `SINGLE_NODE_MULTI_WRITER` know one mode for a
/// single node.
fn access_mode(mode: &str, multi_writer: bool) -> AccessMode {
    match (mode, multi_writer) {
        (READ_WRITE_ONCE, true) => AccessMode::SingleNodeMultiWriter,
        (READ_WRITE_ONCE_POD, true) => AccessMode::SingleNodeSingleWriter,
        (READ_WRITE_ONCE | READ_WRITE_ONCE_POD, false) => AccessMode::SingleNodeWriter,
        ("ReadOnlyMany", _) => AccessMode::MultiNodeReaderOnly,
        ("ReadWriteMany", _) => AccessMode::MultiNodeMultiWriter,
        _ => AccessMode::Unknown,
    }
}
