//! A volume of a Pod, or a PersistentVolume.

use k8s_openapi::api::core::v1::{PersistentVolume, Volume};

/// A volume as plugins see it: that of a Pod, or a PersistentVolume.
///
/// ```
/// use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, Volume};
/// use kubernetes_volume::Spec;
///
/// let spec = Spec::from(Volume {
///     name: "scratch".to_owned(),
///     empty_dir: Some(EmptyDirVolumeSource::default()),
///     ..Volume::default()
/// });
/// assert_eq!(spec.name(), "scratch");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spec {
    /// The volume of a Pod.
    pub volume: Option<Box<Volume>>,
    /// The PersistentVolume.
    pub persistent_volume: Option<Box<PersistentVolume>>,
    /// Set if the claim asks for a PersistentVolume that isn't written to.
    pub read_only: bool,
    /// Set if the PersistentVolume was made from a Pod's volume, to be mounted by a CSI driver.
    pub inline_volume_spec_for_csi_migration: bool,
}

impl Spec {
    /// Returns the specification of a PersistentVolume (`NewSpecFromPersistentVolume`).
    ///
    /// The volume is that of `k8s_openapi`, or of `core_v1` with its feature `k8s-openapi-types`.
    #[must_use]
    pub fn from_persistent_volume(volume: impl Into<PersistentVolume>, read_only: bool) -> Self {
        Self {
            persistent_volume: Some(Box::new(volume.into())),
            read_only,
            ..Self::default()
        }
    }

    /// Returns the name of the Pod's volume, or else of the PersistentVolume, or an empty one.
    #[must_use]
    pub fn name(&self) -> &str {
        match (&self.volume, &self.persistent_volume) {
            (Some(volume), _) => &volume.name,
            (None, Some(volume)) => volume.metadata.name.as_deref().unwrap_or_default(),
            (None, None) => "",
        }
    }

    /// Returns true if the node alone can grow the volume: for FlexVolumes, which the controllers
    /// of a cluster don't know.
    #[must_use]
    pub fn is_kubelet_expandable(&self) -> bool {
        self.flex_driver().is_some()
    }

    /// Returns the name of the plugin that grows the volume on the node: that of the FlexVolume's
    /// driver, or an empty one.
    #[must_use]
    pub fn kubelet_expandable_plugin_name(&self) -> &str {
        self.flex_driver().unwrap_or_default()
    }

    fn flex_driver(&self) -> Option<&str> {
        if let Some(volume) = &self.volume
            && let Some(flex) = &volume.flex_volume
        {
            return Some(&flex.driver);
        }
        let spec = self.persistent_volume.as_ref()?.spec.as_ref()?;
        spec.flex_volume.as_ref().map(|flex| flex.driver.as_str())
    }
}

/// A volume as far as it can be known from its mounted directory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReconstructedVolume {
    /// The volume.
    pub spec: Spec,
    /// The SELinux label of all its files, if it was mounted with one (`context=`).
    pub selinux_mount_context: Option<String>,
}

impl From<Spec> for ReconstructedVolume {
    /// Returns a volume that was mounted without a label.
    fn from(spec: Spec) -> Self {
        Self {
            spec,
            selinux_mount_context: None,
        }
    }
}

impl From<Volume> for Spec {
    /// Returns the specification of a Pod's volume (`NewSpecFromVolume`).
    fn from(volume: Volume) -> Self {
        Self {
            volume: Some(Box::new(volume)),
            ..Self::default()
        }
    }
}
