//! The specification of a PersistentVolume inside a VolumeAttachment, which must be one of CSI.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use kubernetes_validation::{Checker, Path, default_text};

use crate::sources::VolumeSources as _;
use crate::{access_modes, sources};

/// Sets the defaults of fields of volume sources that are absent or, for some, empty.
#[inline]
pub fn volume_source_defaults(spec: &mut Option<Box<PersistentVolumeSpec>>) {
    fn fill(field: &mut Option<String>, default: &str) {
        if field.as_deref().is_none_or(str::is_empty) {
            *field = Some(default.to_owned());
        }
    }
    // Those of core-v1's types are generated from the documents, with which a test of
    // `conformance`, `source_defaults`, compares these.
    let Some(spec) = spec else { return };
    if let Some(host_path) = &mut spec.host_path {
        host_path.type_.get_or_insert_default();
    }
    if let Some(rbd) = &mut spec.rbd {
        fill(&mut rbd.pool, "rbd");
        fill(&mut rbd.user, "admin");
        fill(&mut rbd.keyring, "/etc/ceph/keyring");
    }
    if let Some(iscsi) = &mut spec.iscsi {
        fill(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(disk) = &mut spec.azure_disk {
        default_text(&mut disk.caching_mode, "ReadWrite");
        default_text(&mut disk.fs_type, "ext4");
        disk.read_only.get_or_insert(false);
        default_text(&mut disk.kind, "Shared");
    }
    if let Some(scale_io) = &mut spec.scale_io {
        fill(&mut scale_io.fs_type, "xfs");
        fill(&mut scale_io.storage_mode, "ThinProvisioned");
    }
}

/// Checks that the quantities of a volume inside a VolumeAttachment can be read.
#[inline]
pub fn inline_volume_quantities(
    spec: &Option<Box<PersistentVolumeSpec>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let Some(spec) = spec else { return };
    for (name, value) in spec.capacity.iter().flatten() {
        to.quantity(at.field("capacity").key(name), value);
    }
}

/// Checks the specification of a volume inside a VolumeAttachment.
#[inline]
pub fn inline_volume_spec(
    spec: &Option<Box<PersistentVolumeSpec>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let Some(spec) = spec else { return };
    let at = &at;
    not_inline(spec, at, to);
    let modes = spec.access_modes.as_deref().unwrap_or_default();
    let modes = modes.iter().map(String::as_str);
    access_modes::check(modes, at.field("accessModes"), to);
    sources::check(&**spec, None, at, to);
}

/// Checks that a volume has no field that only a PersistentVolume may have.
#[inline]
fn not_inline(spec: &PersistentVolumeSpec, at: &Path<'_>, to: &mut Checker<'_>) {
    const ONLY: &str = "only a PersistentVolume can have it: remove it";
    if spec.csi.is_none() {
        to.required(
            at.field("csi"),
            "inline",
            "only a CSI volume is allowed here",
        );
    }
    let has_capacity = spec.capacity.as_ref().is_some_and(|c| !c.is_empty());
    let class = spec.storage_class_name.as_deref().unwrap_or_default();
    let policy = spec
        .persistent_volume_reclaim_policy
        .as_deref()
        .unwrap_or_default();
    let mode = spec.volume_mode.as_deref().unwrap_or("Filesystem");
    let forbidden = [
        ("claimRef", spec.claim_ref.is_some(), ONLY),
        ("capacity", has_capacity, ONLY),
        ("nodeAffinity", spec.node_affinity.is_some(), ONLY),
        ("storageClassName", !class.is_empty(), ONLY),
        (
            "persistentVolumeReclaimPolicy",
            !matches!(policy, "" | "Retain"),
            "it can only be Retain here, or unset",
        ),
        (
            "volumeMode",
            mode != "Filesystem",
            "it can only be Filesystem here, or unset",
        ),
    ];
    for (field, is_wrong, message) in forbidden {
        if is_wrong {
            to.forbidden(at.field(field), "inline", message);
        }
    }
}

/// Returns true if a server finds two volumes equal. Both are valid: they have no source but `csi`,
/// and no field that only a PersistentVolume may have.
#[inline]
pub fn is_same_volume_spec(
    spec: &Option<Box<PersistentVolumeSpec>>,
    other: &Option<Box<PersistentVolumeSpec>>,
) -> bool {
    match (spec, other) {
        (Some(spec), Some(other)) => {
            spec == other || (spec.csi() == other.csi() && without_csi(spec) == without_csi(other))
        }
        _ => spec == other,
    }
}

/// Returns a volume without its source, in which what Go takes for unset is unset.
#[inline]
fn without_csi(spec: &PersistentVolumeSpec) -> PersistentVolumeSpec {
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let list = |list: &Option<Vec<String>>| list.clone().filter(|list| !list.is_empty());
    PersistentVolumeSpec {
        access_modes: list(&spec.access_modes),
        capacity: spec
            .capacity
            .clone()
            .filter(|capacity| !capacity.is_empty()),
        csi: None,
        mount_options: list(&spec.mount_options),
        persistent_volume_reclaim_policy: text(&spec.persistent_volume_reclaim_policy),
        storage_class_name: text(&spec.storage_class_name),
        ..spec.clone()
    }
}
