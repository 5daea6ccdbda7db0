//! PersistentVolumes, and what claims have too.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_storage_rules::sources;
use kubernetes_validation::{Checker, NameFormat, Path, Target};

use super::{STORAGE_CLASS, given, has_attributes_class, node_affinity, volume_update};
use crate::{
    PersistentVolume, PersistentVolumeAccessMode, PersistentVolumeReclaimPolicy,
    PersistentVolumeSpec,
};

/// The annotation that had mount options before there was a field.
const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";

/// Checks access modes.
pub(crate) fn access_modes(
    modes: &Option<Vec<PersistentVolumeAccessMode>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let modes = modes.as_deref().unwrap_or_default();
    let modes = modes.iter().map(PersistentVolumeAccessMode::as_str);
    kubernetes_storage_rules::access_modes::check(modes, at, to);
}

/// Checks the name of a class, which may be empty.
pub(crate) fn class_name(name: &Option<String>, at: Path<'_>, to: &mut Checker<'_>) {
    if let Some(name) = name.as_deref().filter(|name| !name.is_empty()) {
        to.format(at, name, NameFormat::DnsSubdomain);
    }
}

/// Checks what concerns several fields of a PersistentVolume, and what an update changes.
pub(crate) fn persistent_volume(
    volume: &PersistentVolume,
    stored: Option<&PersistentVolume>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let path = &at.field("spec");
    let Some(spec) = &volume.spec else {
        to.is_set(*path, false);
        return;
    };
    let old = stored.map(|stored| given(&stored.spec));
    if let Some(affinity) = &spec.node_affinity {
        let old = old.as_ref().and_then(|old| old.node_affinity.as_ref());
        node_affinity::check(affinity, old, &path.field("nodeAffinity"), to);
    }
    let name = volume.metadata.name.as_deref().unwrap_or_default();
    sources::check(spec, Some(name), path, to);
    let had_class = old
        .as_ref()
        .is_some_and(|old| old.volume_attributes_class_name.is_some());
    if had_class || has_attributes_class(to.target()) {
        attributes_class(spec, path, to);
    }
    mount_options(&volume.metadata, spec, at, to);
    if let Some(old) = old {
        volume_update::check(spec, &old, path, to);
    }
}

fn attributes_class(spec: &PersistentVolumeSpec, at: &Path<'_>, to: &mut Checker<'_>) {
    let Some(name) = &spec.volume_attributes_class_name else {
        return;
    };
    let path = at.field("volumeAttributesClassName");
    if to.min_length(path, name) {
        to.format(path, name, NameFormat::DnsSubdomain);
    }
    if spec.csi.is_none() {
        let message = "only CSI volumes have a VolumeAttributesClass";
        to.required(at.field("csi"), "attributesClass.csi", message);
    }
}

/// Checks that mount options in the annotation are of a volume that can be mounted with them.
fn mount_options(
    meta: &ObjectMeta,
    spec: &PersistentVolumeSpec,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let has_options = meta
        .annotations
        .as_ref()
        .is_some_and(|a| a.contains_key(MOUNT_OPTIONS));
    let supports_options = spec.gce_persistent_disk.is_some()
        || spec.aws_elastic_block_store.is_some()
        || spec.glusterfs.is_some()
        || spec.nfs.is_some()
        || spec.rbd.is_some()
        || spec.quobyte.is_some()
        || spec.iscsi.is_some()
        || spec.cinder.is_some()
        || spec.cephfs.is_some()
        || spec.azure_file.is_some()
        || spec.vsphere_volume.is_some()
        || spec.azure_disk.is_some()
        || spec.photon_persistent_disk.is_some();
    if has_options && !supports_options {
        let metadata = at.field("metadata");
        let annotations = metadata.field("annotations");
        let message = "the annotation has no effect on this kind of source: use mountOptions";
        to.forbidden(
            annotations.key_as_field(MOUNT_OPTIONS),
            "mountOptions",
            message,
        );
    }
}

/// Keeps the time of the last change of phase where a write of the status doesn't change the phase.
/// If it does, a server sets the current time, which is left unset here.
pub(crate) fn phase_transition(
    volume: &mut PersistentVolume,
    stored: &PersistentVolume,
    _target: &Target,
) {
    let (Some(status), Some(old)) = (&mut volume.status, &stored.status) else {
        return;
    };
    let (time, old_time) = (
        &mut status.last_phase_transition_time,
        &old.last_phase_transition_time,
    );
    if status.phase != old.phase && time == old_time {
        *time = None;
    } else if status.phase == old.phase && time.is_none() {
        time.clone_from(old_time);
    }
}

/// Warns of deprecated annotations, policies, labels and sources.
pub(crate) fn persistent_volume_warnings(
    _stored: Option<&ObjectMeta>,
    meta: &ObjectMeta,
    spec: &Option<PersistentVolumeSpec>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let metadata = at.field("metadata");
    let annotations = metadata.field("annotations");
    let deprecated = [
        (STORAGE_CLASS, "deprecated since 1.8: use storageClassName"),
        (MOUNT_OPTIONS, "deprecated since 1.31: use mountOptions"),
    ];
    for (key, message) in deprecated {
        if meta
            .annotations
            .as_ref()
            .is_some_and(|all| all.contains_key(key))
        {
            to.warn(annotations.key(key), message);
        }
    }
    let Some(spec) = spec else { return };
    let at = &at.field("spec");
    let recycled = Some(&PersistentVolumeReclaimPolicy::Recycle);
    if spec.persistent_volume_reclaim_policy.as_ref() == recycled {
        let message = "recycling is deprecated: provision volumes for their claims instead";
        to.warn(at.field("persistentVolumeReclaimPolicy"), message);
    }
    if let Some(selector) = spec.node_affinity.iter().find_map(|a| a.required.as_ref()) {
        let at = at.field("nodeAffinity");
        node_affinity::warn(selector, &at.field("required"), to);
    }
    let removed = [
        ("cephfs", spec.cephfs.is_some(), "1.28", "1.31"),
        (
            "photonPersistentDisk",
            spec.photon_persistent_disk.is_some(),
            "1.11",
            "1.16",
        ),
        ("scaleIO", spec.scale_io.is_some(), "1.16", "1.22"),
        ("storageos", spec.storageos.is_some(), "1.22", "1.25"),
        ("glusterfs", spec.glusterfs.is_some(), "1.25", "1.26"),
        ("rbd", spec.rbd.is_some(), "1.28", "1.31"),
    ];
    for (field, is_set, since, until) in removed {
        if is_set {
            // The server writes the name of one of them in another way.
            let reported = match field {
                "storageos" => "storageOS",
                field => field,
            };
            let message = format!("deprecated since {since}, and without effect since {until}");
            to.warn(at.field(field).reported_as(reported), message);
        }
    }
}
