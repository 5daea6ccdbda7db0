//! The sources of a volume as Go's types have them: borrowed, and independent of the crate whose
//! type the volume is.
//!
//! A field that isn't a pointer in Go is its zero value here if it is unset, and one that is a
//! pointer is an `Option`. So two sources are equal where Kubernetes' `apiequality.Semantic` finds
//! them equal.

use std::collections::BTreeMap;

/// Entries of a source that a driver interprets.
pub type Entries = BTreeMap<String, String>;

/// The specification of a PersistentVolume, of any crate. `implement_volume_sources!` implements
/// it.
pub trait VolumeSources {
    /// The reclaim policy; empty if it is unset.
    fn reclaim_policy(&self) -> &str;
    /// Returns true if the volume has a node affinity.
    fn has_node_affinity(&self) -> bool;
    /// The source `awsElasticBlockStore`.
    fn aws_elastic_block_store(&self) -> Option<AwsElasticBlockStore<'_>>;
    /// The source `azureDisk`.
    fn azure_disk(&self) -> Option<AzureDisk<'_>>;
    /// The source `azureFile`.
    fn azure_file(&self) -> Option<AzureFile<'_>>;
    /// The source `cephfs`.
    fn cephfs(&self) -> Option<CephFs<'_>>;
    /// The source `cinder`.
    fn cinder(&self) -> Option<Cinder<'_>>;
    /// The source `csi`.
    fn csi(&self) -> Option<Csi<'_>>;
    /// The source `fc`.
    fn fc(&self) -> Option<FibreChannel<'_>>;
    /// The source `flexVolume`.
    fn flex_volume(&self) -> Option<FlexVolume<'_>>;
    /// The source `flocker`.
    fn flocker(&self) -> Option<Flocker<'_>>;
    /// The source `gcePersistentDisk`.
    fn gce_persistent_disk(&self) -> Option<GcePersistentDisk<'_>>;
    /// The source `glusterfs`.
    fn glusterfs(&self) -> Option<Glusterfs<'_>>;
    /// The source `hostPath`.
    fn host_path(&self) -> Option<HostPath<'_>>;
    /// The source `iscsi`.
    fn iscsi(&self) -> Option<Iscsi<'_>>;
    /// The source `local`.
    fn local(&self) -> Option<Local<'_>>;
    /// The source `nfs`.
    fn nfs(&self) -> Option<Nfs<'_>>;
    /// The source `photonPersistentDisk`.
    fn photon_persistent_disk(&self) -> Option<PhotonPersistentDisk<'_>>;
    /// The source `portworxVolume`.
    fn portworx_volume(&self) -> Option<PortworxVolume<'_>>;
    /// The source `quobyte`.
    fn quobyte(&self) -> Option<Quobyte<'_>>;
    /// The source `rbd`.
    fn rbd(&self) -> Option<Rbd<'_>>;
    /// The source `scaleIO`.
    fn scale_io(&self) -> Option<ScaleIo<'_>>;
    /// The source `storageos`.
    fn storageos(&self) -> Option<StorageOs<'_>>;
    /// The source `vsphereVolume`.
    fn vsphere_volume(&self) -> Option<VsphereVolume<'_>>;
}

/// Declares the view of a source: its fields, which the documents of the API describe.
macro_rules! views {
    ($($(#[$attribute:meta])* $name:ident { $($field:ident: $ty:ty,)* })*) => {$(
        $(#[$attribute])*
        #[derive(PartialEq)]
        #[allow(missing_docs, reason = "the documents of the API describe the fields")]
        pub struct $name<'s> {
            $(pub $field: $ty,)*
        }
    )*};
}

views! {
    /// A disk of AWS EBS.
    AwsElasticBlockStore {
        volume_id: &'s str,
        fs_type: &'s str,
        partition: i32,
        read_only: bool,
    }
    /// A data disk of Azure.
    AzureDisk {
        disk_name: &'s str,
        disk_uri: &'s str,
        caching_mode: Option<&'s str>,
        fs_type: Option<&'s str>,
        kind: Option<&'s str>,
        read_only: Option<bool>,
    }
    /// A file share of Azure.
    AzureFile {
        secret_name: &'s str,
        share_name: &'s str,
        read_only: bool,
        secret_namespace: Option<&'s str>,
    }
    /// A mount of CephFS.
    CephFs {
        monitors: &'s [String],
        path: &'s str,
        read_only: bool,
        secret_file: &'s str,
        secret_ref: Option<SecretReference<'s>>,
        user: &'s str,
    }
    /// A volume of OpenStack Cinder.
    Cinder {
        volume_id: &'s str,
        fs_type: &'s str,
        read_only: bool,
        secret_ref: Option<SecretReference<'s>>,
    }
    /// A volume of a CSI driver.
    Csi {
        driver: &'s str,
        volume_handle: &'s str,
        controller_expand_secret_ref: Option<SecretReference<'s>>,
        controller_publish_secret_ref: Option<SecretReference<'s>>,
        fs_type: &'s str,
        node_expand_secret_ref: Option<SecretReference<'s>>,
        node_publish_secret_ref: Option<SecretReference<'s>>,
        node_stage_secret_ref: Option<SecretReference<'s>>,
        read_only: bool,
        volume_attributes: &'s Entries,
    }
    /// A volume of a Fibre Channel.
    FibreChannel {
        fs_type: &'s str,
        lun: Option<i32>,
        read_only: bool,
        target_wwns: &'s [String],
        wwids: &'s [String],
    }
    /// A volume of a FlexVolume driver.
    FlexVolume {
        driver: &'s str,
        fs_type: &'s str,
        options: &'s Entries,
        read_only: bool,
        secret_ref: Option<SecretReference<'s>>,
    }
    /// A dataset of Flocker.
    Flocker {
        dataset_name: &'s str,
        dataset_uuid: &'s str,
    }
    /// A persistent disk of GCE.
    GcePersistentDisk {
        pd_name: &'s str,
        fs_type: &'s str,
        partition: i32,
        read_only: bool,
    }
    /// A volume of GlusterFS.
    Glusterfs {
        endpoints: &'s str,
        path: &'s str,
        endpoints_namespace: Option<&'s str>,
        read_only: bool,
    }
    /// A file or directory of the node.
    HostPath {
        path: &'s str,
        kind: Option<&'s str>,
    }
    /// A disk of iSCSI.
    Iscsi {
        iqn: &'s str,
        lun: i32,
        target_portal: &'s str,
        chap_auth_discovery: bool,
        chap_auth_session: bool,
        fs_type: &'s str,
        initiator_name: Option<&'s str>,
        iscsi_interface: &'s str,
        portals: &'s [String],
        read_only: bool,
        secret_ref: Option<SecretReference<'s>>,
    }
    /// A disk, partition or directory of one node.
    Local {
        path: &'s str,
        fs_type: Option<&'s str>,
    }
    /// An export of NFS.
    Nfs {
        path: &'s str,
        server: &'s str,
        read_only: bool,
    }
    /// A disk of the Photon Controller.
    PhotonPersistentDisk {
        pd_id: &'s str,
        fs_type: &'s str,
    }
    /// A volume of Portworx.
    PortworxVolume {
        volume_id: &'s str,
        fs_type: &'s str,
        read_only: bool,
    }
    /// A volume of Quobyte.
    Quobyte {
        registry: &'s str,
        volume: &'s str,
        group: &'s str,
        read_only: bool,
        tenant: &'s str,
        user: &'s str,
    }
    /// A block device of Ceph.
    Rbd {
        image: &'s str,
        monitors: &'s [String],
        fs_type: &'s str,
        keyring: &'s str,
        pool: &'s str,
        read_only: bool,
        secret_ref: Option<SecretReference<'s>>,
        user: &'s str,
    }
    /// A volume of ScaleIO.
    ScaleIo {
        gateway: &'s str,
        secret_ref: SecretReference<'s>,
        system: &'s str,
        fs_type: &'s str,
        protection_domain: &'s str,
        read_only: bool,
        ssl_enabled: bool,
        storage_mode: &'s str,
        storage_pool: &'s str,
        volume_name: &'s str,
    }
    /// A volume of StorageOS.
    StorageOs {
        fs_type: &'s str,
        read_only: bool,
        secret_ref: Option<ObjectReference<'s>>,
        volume_name: &'s str,
        volume_namespace: &'s str,
    }
    /// A disk of vSphere.
    VsphereVolume {
        volume_path: &'s str,
        fs_type: &'s str,
        storage_policy_id: &'s str,
        storage_policy_name: &'s str,
    }
    /// The name of a Secret.
    SecretReference {
        name: &'s str,
        namespace: &'s str,
    }
    /// The name of an object, a part of it, or a state.
    ObjectReference {
        api_version: &'s str,
        field_path: &'s str,
        kind: &'s str,
        name: &'s str,
        namespace: &'s str,
        resource_version: &'s str,
        uid: &'s str,
    }
}
