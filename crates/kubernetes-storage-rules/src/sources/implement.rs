//! `VolumeSources` for a type with the fields of a PersistentVolumeSpec.

use std::collections::BTreeMap;

use super::view::Entries;

static NO_ENTRIES: Entries = BTreeMap::new();

/// The value of a text that isn't a pointer in Go.
#[doc(hidden)]
#[inline]
pub fn text(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or_default()
}

/// The value of entries, which are the same unset and empty.
#[doc(hidden)]
#[inline]
pub fn entries(entries: &Option<Entries>) -> &Entries {
    entries.as_ref().unwrap_or(&NO_ENTRIES)
}

/// The value of a list, which is the same unset and empty.
#[doc(hidden)]
#[inline]
pub fn list(list: &Option<Vec<String>>) -> &[String] {
    list.as_deref().unwrap_or_default()
}

/// Implements [`VolumeSources`](crate::sources::VolumeSources) for a type with the fields of a
/// PersistentVolumeSpec: a text may be a `String` or an enumeration with `as_str`.
#[macro_export]
macro_rules! implement_volume_sources {
    ($($source:ident: $view:ident { $($how:ident $field:ident,)* })*) => {$(
        fn $source(&self) -> Option<$crate::sources::view::$view<'_>> {
            let source = self.$source.as_ref()?;
            Some($crate::sources::view::$view {
                $($field: $crate::implement_volume_sources!(@$how source.$field),)*
            })
        }
    )*};

    (@plain $value:expr) => { &$value };
    (@number $value:expr) => { $value };
    (@copied $value:expr) => { $value };
    (@zero $value:expr) => { $value.unwrap_or_default() };
    (@text $value:expr) => { $crate::sources::implement::text(&$value) };
    (@pointer $value:expr) => { $value.as_deref() };
    (@name $value:expr) => { $value.as_ref().map(|value| value.as_str()) };
    (@list $value:expr) => { $crate::sources::implement::list(&$value) };
    (@entries $value:expr) => { $crate::sources::implement::entries(&$value) };
    (@secret $value:expr) => {
        $value.as_ref().map(|value| $crate::implement_volume_sources!(@reference value))
    };
    (@reference $value:expr) => {
        $crate::sources::view::SecretReference {
            name: $crate::sources::implement::text(&$value.name),
            namespace: $crate::sources::implement::text(&$value.namespace),
        }
    };
    (@object $value:expr) => {
        $value.as_ref().map(|value| $crate::sources::view::ObjectReference {
            api_version: $crate::sources::implement::text(&value.api_version),
            field_path: $crate::sources::implement::text(&value.field_path),
            kind: $crate::sources::implement::text(&value.kind),
            name: $crate::sources::implement::text(&value.name),
            namespace: $crate::sources::implement::text(&value.namespace),
            resource_version: $crate::sources::implement::text(&value.resource_version),
            uid: $crate::sources::implement::text(&value.uid),
        })
    };

    ($spec:ty) => {
        impl $crate::sources::VolumeSources for $spec {
            fn reclaim_policy(&self) -> &str {
                let policy = self.persistent_volume_reclaim_policy.as_ref();
                policy.map(|policy| policy.as_str()).unwrap_or_default()
            }

            fn has_node_affinity(&self) -> bool {
                self.node_affinity.is_some()
            }

            $crate::implement_volume_sources! {
                aws_elastic_block_store: AwsElasticBlockStore {
                    plain volume_id, text fs_type, zero partition, zero read_only,
                }
                azure_disk: AzureDisk {
                    plain disk_name, plain disk_uri, name caching_mode, pointer fs_type,
                    name kind, copied read_only,
                }
                azure_file: AzureFile {
                    plain secret_name, plain share_name, zero read_only, pointer secret_namespace,
                }
                cephfs: CephFs {
                    plain monitors, text path, zero read_only, text secret_file,
                    secret secret_ref, text user,
                }
                cinder: Cinder {
                    plain volume_id, text fs_type, zero read_only, secret secret_ref,
                }
                csi: Csi {
                    plain driver, plain volume_handle, secret controller_expand_secret_ref,
                    secret controller_publish_secret_ref, text fs_type,
                    secret node_expand_secret_ref, secret node_publish_secret_ref,
                    secret node_stage_secret_ref, zero read_only, entries volume_attributes,
                }
                fc: FibreChannel {
                    text fs_type, copied lun, zero read_only, list target_wwns, list wwids,
                }
                flex_volume: FlexVolume {
                    plain driver, text fs_type, entries options, zero read_only,
                    secret secret_ref,
                }
                flocker: Flocker { text dataset_name, text dataset_uuid, }
                gce_persistent_disk: GcePersistentDisk {
                    plain pd_name, text fs_type, zero partition, zero read_only,
                }
                glusterfs: Glusterfs {
                    plain endpoints, plain path, pointer endpoints_namespace, zero read_only,
                }
                iscsi: Iscsi {
                    plain iqn, number lun, plain target_portal, zero chap_auth_discovery,
                    zero chap_auth_session, text fs_type, pointer initiator_name,
                    text iscsi_interface, list portals, zero read_only, secret secret_ref,
                }
                local: Local { plain path, pointer fs_type, }
                nfs: Nfs { plain path, plain server, zero read_only, }
                photon_persistent_disk: PhotonPersistentDisk { plain pd_id, text fs_type, }
                portworx_volume: PortworxVolume {
                    plain volume_id, text fs_type, zero read_only,
                }
                quobyte: Quobyte {
                    plain registry, plain volume, text group, zero read_only, text tenant,
                    text user,
                }
                rbd: Rbd {
                    plain image, plain monitors, text fs_type, text keyring, text pool,
                    zero read_only, secret secret_ref, text user,
                }
                scale_io: ScaleIo {
                    plain gateway, reference secret_ref, plain system, text fs_type,
                    text protection_domain, zero read_only, zero ssl_enabled, text storage_mode,
                    text storage_pool, text volume_name,
                }
                storageos: StorageOs {
                    text fs_type, zero read_only, object secret_ref, text volume_name,
                    text volume_namespace,
                }
                vsphere_volume: VsphereVolume {
                    plain volume_path, text fs_type, text storage_policy_id,
                    text storage_policy_name,
                }
            }

            fn host_path(&self) -> Option<$crate::sources::view::HostPath<'_>> {
                let source = self.host_path.as_ref()?;
                Some($crate::sources::view::HostPath {
                    path: &source.path,
                    kind: source.type_.as_ref().map(|kind| kind.as_str()),
                })
            }
        }
    };
}

implement_volume_sources!(k8s_openapi::api::core::v1::PersistentVolumeSpec);
