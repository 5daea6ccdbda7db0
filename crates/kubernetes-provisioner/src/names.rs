//! Annotations, finalizers and names that the controller and the control plane agree on.

/// The annotation of a claim with the name of the provisioner that has to provision it. The
/// control plane sets it.
pub const STORAGE_PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";

/// The older name of [`STORAGE_PROVISIONER`], which counts where that is absent.
pub const STORAGE_PROVISIONER_BETA: &str = "volume.beta.kubernetes.io/storage-provisioner";

/// The annotation of a claim with the name of its class. It counts before
/// `spec.storageClassName`.
pub const STORAGE_CLASS_BETA: &str = "volume.beta.kubernetes.io/storage-class";

/// The annotation of a claim with the node for which the scheduler wants the volume.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The annotation of a volume with the name of the provisioner that made it.
pub const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// The annotation of a volume of an in-tree plugin with the CSI driver that now serves it.
pub const MIGRATED_TO: &str = "pv.kubernetes.io/migrated-to";

/// The finalizer of a volume whose storage has not been deleted yet.
pub const FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";

/// The prefix of volume names unless another is set; a hyphen and the UID of the claim follow.
pub const VOLUME_NAME_PREFIX: &str = "pvc";
