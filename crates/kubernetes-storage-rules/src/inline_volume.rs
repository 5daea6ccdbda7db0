//! The specification of a PersistentVolume inside a VolumeAttachment, which must be one of CSI.

use k8s_openapi::api::core::v1::{
    NodeSelectorRequirement, PersistentVolumeSpec, VolumeNodeAffinity,
};
use kubernetes_kinds::quantity::Amount;
use kubernetes_validation::{Checker, Path, Semantic as _, default_text};

use crate::sources::view::ObjectReference;
use crate::{access_modes, implement_volume_sources, sources};

/// Sets the defaults of fields of volume sources that are absent or, for some, empty.
pub fn volume_source_defaults(spec: &mut Option<Box<PersistentVolumeSpec>>) {
    fn fill(field: &mut Option<String>, default: &str) {
        if field.as_deref().is_none_or(str::is_empty) {
            *field = Some(default.to_owned());
        }
    }
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

/// Returns true if a server finds two volumes equal.
pub fn is_same_volume_spec(
    spec: &Option<Box<PersistentVolumeSpec>>,
    other: &Option<Box<PersistentVolumeSpec>>,
) -> bool {
    match (spec, other) {
        (Some(spec), Some(other)) => {
            spec == other
                || (sources::is_same(&**spec, &**other, false) && is_rest_same(spec, other))
        }
        _ => spec == other,
    }
}

/// Returns true if all but the sources of two volumes is equal.
fn is_rest_same(spec: &PersistentVolumeSpec, other: &PersistentVolumeSpec) -> bool {
    fn text(text: &Option<String>) -> &str {
        text.as_deref().unwrap_or_default()
    }
    fn claim(spec: &PersistentVolumeSpec) -> Option<ObjectReference<'_>> {
        implement_volume_sources!(@object spec.claim_ref)
    }
    spec.access_modes.is_same(&other.access_modes)
        && amounts(spec).eq(amounts(other))
        && claim(spec) == claim(other)
        && spec.mount_options.is_same(&other.mount_options)
        && is_same_affinity(spec.node_affinity.as_ref(), other.node_affinity.as_ref())
        && text(&spec.persistent_volume_reclaim_policy)
            == text(&other.persistent_volume_reclaim_policy)
        && text(&spec.storage_class_name) == text(&other.storage_class_name)
        && spec.volume_attributes_class_name == other.volume_attributes_class_name
        && spec.volume_mode == other.volume_mode
}

/// Returns the capacity as amounts, and as text where it is no quantity.
fn amounts(spec: &PersistentVolumeSpec) -> impl Iterator<Item = (&str, Result<Amount, &str>)> {
    let capacity = spec.capacity.iter().flatten();
    capacity.map(|(name, value)| {
        let amount = Amount::try_from(value);
        (name.as_str(), amount.map_err(|_| value.0.as_str()))
    })
}

fn is_same_affinity(new: Option<&VolumeNodeAffinity>, old: Option<&VolumeNodeAffinity>) -> bool {
    let (Some(new), Some(old)) = (new, old) else {
        return new == old;
    };
    let (Some(new), Some(old)) = (&new.required, &old.required) else {
        return new == old;
    };
    let (new, old) = (&new.node_selector_terms, &old.node_selector_terms);
    new.len() == old.len()
        && new.iter().zip(old).all(|(new, old)| {
            is_same_list(&new.match_expressions, &old.match_expressions)
                && is_same_list(&new.match_fields, &old.match_fields)
        })
}

fn is_same_list(
    new: &Option<Vec<NodeSelectorRequirement>>,
    old: &Option<Vec<NodeSelectorRequirement>>,
) -> bool {
    let new = new.as_deref().unwrap_or_default();
    let old = old.as_deref().unwrap_or_default();
    new.len() == old.len()
        && new.iter().zip(old).all(|(new, old)| {
            new.key == old.key && new.operator == old.operator && new.values.is_same(&old.values)
        })
}
