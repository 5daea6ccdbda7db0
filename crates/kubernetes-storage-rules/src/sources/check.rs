//! The sources of a volume, of which it must have exactly one.
//!
//! A server validates the first source only, in an order of its own, and refuses the others. It
//! misspells the names of some sources and of fields in them.

use super::VolumeSources;
use super::fields::{
    azure_disk, azure_file, cinder, contained, csi_source, disk_partition, fibre_channel,
    flex_volume, flocker, glusterfs, host_path, iscsi, nfs, quobyte, scale_io, storage_os,
};
use kubernetes_validation::{Checker, Path};

/// Checks one source after the other.
struct Sources<'s, 't> {
    at: &'s Path<'s>,
    to: &'s mut Checker<'t>,
    has_one: bool,
}

impl Sources<'_, '_> {
    /// Returns true if the next source, which is set, is the first one. A server reports a second
    /// one under a name of its own.
    fn is_first(&mut self, name: &'static str, as_second: &'static str) -> bool {
        if self.has_one {
            let at = self.at.field(name).reported_as(as_second);
            let detail = "a volume has one source: remove the others";
            self.to.forbidden(at, "source.one", detail);
        }
        !std::mem::replace(&mut self.has_one, true)
    }
}

/// Checks the next source. A server may report it under other names: as a second source, and in the
/// paths of its fields. A generic function would be compiled for each source.
macro_rules! next {
    ($sources:ident, $name:literal, $source:expr, $($check:tt)*) => {
        next!($sources, $name as [$name, $name], $source, $($check)*)
    };
    (
        $sources:ident, $name:literal as [$second:literal, $parent:literal], $source:expr,
        |$value:ident, $at:ident, $to:ident| $body:block
    ) => {
        if let Some($value) = $source
            && $sources.is_first($name, $second)
        {
            let ($at, $to) = ($sources.at.field($name).reported_as($parent), &mut *$sources.to);
            $body
        }
    };
    (
        $sources:ident, $name:literal as [$second:literal, $parent:literal], $source:expr,
        $check:path
    ) => {
        if let Some(value) = $source
            && $sources.is_first($name, $second)
        {
            $check(&value, &$sources.at.field($name).reported_as($parent), $sources.to);
        }
    };
}

/// Checks that a volume has one source, and the fields of that source.
///
/// `name` is that of the PersistentVolume; a volume inside another object has none, and no node
/// affinity.
#[inline]
pub fn check(spec: &impl VolumeSources, name: Option<&str>, at: &Path<'_>, to: &mut Checker<'_>) {
    let has_one = false;
    let mut sources = Sources { at, to, has_one };
    in_tree(spec, name.unwrap_or_default(), &mut sources);
    if let Some(flex) = spec.flex_volume() {
        // The server never refuses this one as a second source.
        sources.has_one = true;
        flex_volume(&flex, &sources.at.field("flexVolume"), sources.to);
    }
    let has_affinity = name.is_some() && spec.has_node_affinity();
    after_flex(spec, has_affinity, &mut sources);
    next!(sources, "csi", spec.csi(), csi_source);
    if !sources.has_one {
        to.required(*at, "source.one", "a volume needs a source");
    }
    let recycled = spec.reclaim_policy() == "Recycle";
    if recycled && spec.host_path().is_some_and(|host| is_root(host.path)) {
        let at = at.field("persistentVolumeReclaimPolicy");
        let message = "all files of the node would be deleted: use another policy or path";
        to.forbidden(at, "hostPath.recycle", message);
    }
}

/// Returns true if a path leads to the root, as Go's `path.Clean` simplifies it.
#[inline]
fn is_root(path: &str) -> bool {
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

#[inline]
fn in_tree(spec: &impl VolumeSources, name: &str, sources: &mut Sources<'_, '_>) {
    next!(sources, "hostPath", spec.host_path(), host_path);
    let disk = spec.gce_persistent_disk();
    next!(
        sources,
        "gcePersistentDisk" as ["gcePersistentDisk", "persistentDisk"],
        disk,
        |disk, at, to| {
            disk_partition("pdName", disk.pd_name, disk.partition, &at, to);
        }
    );
    let disk = spec.aws_elastic_block_store();
    next!(sources, "awsElasticBlockStore", disk, |disk, at, to| {
        disk_partition("volumeID", disk.volume_id, disk.partition, &at, to);
    });
    next!(sources, "glusterfs", spec.glusterfs(), glusterfs);
    next!(sources, "flocker", spec.flocker(), flocker);
    next!(sources, "nfs", spec.nfs(), nfs);
    next!(sources, "rbd", spec.rbd(), |rbd, at, to| {
        to.not_empty(at.field("monitors"), rbd.monitors.len(), "minItems");
        to.min_length(at.field("image"), rbd.image);
    });
    next!(sources, "quobyte", spec.quobyte(), quobyte);
    next!(sources, "cephfs" as ["cephFS", "cephfs"], spec.cephfs(), |ceph, at, to| {
        to.not_empty(at.field("monitors"), ceph.monitors.len(), "minItems");
    });
    next!(sources, "iscsi", spec.iscsi(), |source, at, to| {
        iscsi(&source, name, &at, to);
    });
    next!(sources, "cinder", spec.cinder(), cinder);
    next!(sources, "fc", spec.fc(), fibre_channel);
}

#[inline]
fn after_flex(spec: &impl VolumeSources, has_affinity: bool, sources: &mut Sources<'_, '_>) {
    next!(sources, "azureFile", spec.azure_file(), azure_file);
    next!(
        sources,
        "vsphereVolume",
        spec.vsphere_volume(),
        |volume, at, to| {
            to.min_length(at.field("volumePath"), volume.volume_path);
        }
    );
    let disk = spec.photon_persistent_disk();
    next!(sources, "photonPersistentDisk", disk, |disk, at, to| {
        to.min_length(at.field("pdID"), disk.pd_id);
    });
    next!(
        sources,
        "portworxVolume",
        spec.portworx_volume(),
        |volume, at, to| {
            to.min_length(at.field("volumeID"), volume.volume_id);
        }
    );
    next!(sources, "azureDisk", spec.azure_disk(), azure_disk);
    next!(sources, "scaleIO", spec.scale_io(), scale_io);
    let is_first = !sources.has_one;
    next!(sources, "local", spec.local(), |local, at, to| {
        contained(local.path, at.field("path"), to);
    });
    if is_first && spec.local().is_some() && !has_affinity {
        // Required even inside another object, where it is forbidden: no local volume is valid
        // there.
        let at = sources.at.field("nodeAffinity");
        sources
            .to
            .required(at, "local", "a local volume is on certain nodes only");
    }
    next!(sources, "storageos", spec.storageos(), storage_os);
}
