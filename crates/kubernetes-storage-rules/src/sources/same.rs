//! Equality of sources.

use super::VolumeSources;

/// Returns true if a server finds the sources of two volumes equal.
///
/// `may_add_secret` tolerates a `controllerExpandSecretRef` that only the first one has.
#[must_use]
#[inline]
pub fn is_same(new: &impl VolumeSources, old: &impl VolumeSources, may_add_secret: bool) -> bool {
    let (mut csi, old_csi) = (new.csi(), old.csi());
    if let (Some(csi), Some(old)) = (&mut csi, &old_csi)
        && may_add_secret
        && old.controller_expand_secret_ref.is_none()
    {
        csi.controller_expand_secret_ref = None;
    }
    csi == old_csi
        && new.host_path() == old.host_path()
        && new.local() == old.local()
        && new.nfs() == old.nfs()
        && new.aws_elastic_block_store() == old.aws_elastic_block_store()
        && new.azure_disk() == old.azure_disk()
        && new.azure_file() == old.azure_file()
        && new.cephfs() == old.cephfs()
        && new.cinder() == old.cinder()
        && new.fc() == old.fc()
        && new.flex_volume() == old.flex_volume()
        && new.flocker() == old.flocker()
        && new.gce_persistent_disk() == old.gce_persistent_disk()
        && new.glusterfs() == old.glusterfs()
        && new.iscsi() == old.iscsi()
        && new.photon_persistent_disk() == old.photon_persistent_disk()
        && new.portworx_volume() == old.portworx_volume()
        && new.quobyte() == old.quobyte()
        && new.rbd() == old.rbd()
        && new.scale_io() == old.scale_io()
        && new.storageos() == old.storageos()
        && new.vsphere_volume() == old.vsphere_volume()
}
