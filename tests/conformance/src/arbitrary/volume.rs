//! Random `PersistentVolumeSpec` values, for volumes written inline in an attachment.
//!
//! They have the volume sources whose shapes differ: required lists and objects, names outside
//! the camelCase rule, integers and maps. The server wants exactly one source, but the types
//! must carry any mixture.

use k8s_openapi::api::core::v1::{
    AzureDiskVolumeSource, CSIPersistentVolumeSource, FCVolumeSource, FlexPersistentVolumeSource,
    HostPathVolumeSource, ISCSIPersistentVolumeSource, LocalVolumeSource, NFSVolumeSource,
    NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, ObjectReference, PersistentVolumeSpec,
    RBDPersistentVolumeSource, ScaleIOPersistentVolumeSource, SecretReference, VolumeNodeAffinity,
};
use proptest::collection::btree_map;
use proptest::option::{of, weighted};
use proptest::prelude::*;

use super::{int32, list, map, quantity, text};

fn flag() -> impl Strategy<Value = Option<bool>> {
    of(any::<bool>())
}

fn secret() -> impl Strategy<Value = SecretReference> {
    (of(text()), of(text())).prop_map(|(name, namespace)| SecretReference { name, namespace })
}

fn csi() -> impl Strategy<Value = CSIPersistentVolumeSource> {
    let secrets = (
        of(secret()),
        of(secret()),
        of(secret()),
        of(secret()),
        of(secret()),
    );
    (secrets, text(), text(), of(text()), flag(), of(map())).prop_map(
        |(secrets, driver, volume_handle, fs_type, read_only, volume_attributes)| {
            let (expand, publish, node_expand, node_publish, node_stage) = secrets;
            CSIPersistentVolumeSource {
                controller_expand_secret_ref: expand,
                controller_publish_secret_ref: publish,
                driver,
                fs_type,
                node_expand_secret_ref: node_expand,
                node_publish_secret_ref: node_publish,
                node_stage_secret_ref: node_stage,
                read_only,
                volume_attributes,
                volume_handle,
            }
        },
    )
}

fn iscsi() -> impl Strategy<Value = ISCSIPersistentVolumeSource> {
    let texts = (of(text()), of(text()), of(text()), text(), text());
    (
        texts,
        flag(),
        flag(),
        int32(),
        of(list(text())),
        of(secret()),
    )
        .prop_map(|(texts, discovery, session, lun, portals, secret_ref)| {
            let (fs_type, initiator_name, iscsi_interface, iqn, target_portal) = texts;
            ISCSIPersistentVolumeSource {
                chap_auth_discovery: discovery,
                chap_auth_session: session,
                fs_type,
                initiator_name,
                iqn,
                iscsi_interface,
                lun,
                portals,
                read_only: session,
                secret_ref,
                target_portal,
            }
        })
}

fn rbd() -> impl Strategy<Value = RBDPersistentVolumeSource> {
    let texts = (text(), of(text()), of(text()), of(text()), of(text()));
    (texts, list(text()), flag(), of(secret())).prop_map(
        |(texts, monitors, read_only, secret_ref)| {
            let (image, fs_type, keyring, pool, user) = texts;
            RBDPersistentVolumeSource {
                fs_type,
                image,
                keyring,
                monitors,
                pool,
                read_only,
                secret_ref,
                user,
            }
        },
    )
}

fn scale_io() -> impl Strategy<Value = ScaleIOPersistentVolumeSource> {
    (text(), text(), of(text()), flag(), secret(), of(text())).prop_map(
        |(gateway, system, fs_type, read_only, secret_ref, storage_mode)| {
            ScaleIOPersistentVolumeSource {
                fs_type,
                gateway,
                read_only,
                secret_ref,
                storage_mode,
                system,
                ..Default::default()
            }
        },
    )
}

fn fc() -> impl Strategy<Value = FCVolumeSource> {
    (
        of(text()),
        of(int32()),
        flag(),
        of(list(text())),
        of(list(text())),
    )
        .prop_map(
            |(fs_type, lun, read_only, target_wwns, wwids)| FCVolumeSource {
                fs_type,
                lun,
                read_only,
                target_wwns,
                wwids,
            },
        )
}

fn azure_disk() -> impl Strategy<Value = AzureDiskVolumeSource> {
    (of(text()), text(), text(), of(text()), of(text()), flag()).prop_map(
        |(caching_mode, disk_name, disk_uri, fs_type, kind, read_only)| AzureDiskVolumeSource {
            caching_mode,
            disk_name,
            disk_uri,
            fs_type,
            kind,
            read_only,
        },
    )
}

fn flex() -> impl Strategy<Value = FlexPersistentVolumeSource> {
    (text(), of(text()), of(map()), flag(), of(secret())).prop_map(
        |(driver, fs_type, options, read_only, secret_ref)| FlexPersistentVolumeSource {
            driver,
            fs_type,
            options,
            read_only,
            secret_ref,
        },
    )
}

fn node_affinity() -> impl Strategy<Value = VolumeNodeAffinity> {
    let requirement = || {
        (text(), text(), of(list(text()))).prop_map(|(key, operator, values)| {
            NodeSelectorRequirement {
                key,
                operator,
                values,
            }
        })
    };
    let term = (of(list(requirement())), of(list(requirement()))).prop_map(
        |(match_expressions, match_fields)| NodeSelectorTerm {
            match_expressions,
            match_fields,
        },
    );
    of(list(term)).prop_map(|terms| VolumeNodeAffinity {
        required: terms.map(|node_selector_terms| NodeSelector {
            node_selector_terms,
        }),
    })
}

fn object_reference() -> impl Strategy<Value = ObjectReference> {
    (of(text()), of(text()), of(text()), of(text())).prop_map(
        |(api_version, field_path, name, uid)| ObjectReference {
            api_version,
            field_path,
            name,
            uid,
            ..Default::default()
        },
    )
}

/// Volumes with any mixture of sources.
pub fn persistent_volume_spec() -> BoxedStrategy<PersistentVolumeSpec> {
    let nfs = (text(), flag(), text()).prop_map(|(path, read_only, server)| NFSVolumeSource {
        path,
        read_only,
        server,
    });
    let host_path =
        (text(), of(text())).prop_map(|(path, type_)| HostPathVolumeSource { path, type_ });
    let local =
        (of(text()), text()).prop_map(|(fs_type, path)| LocalVolumeSource { fs_type, path });
    // Most values hold few sources, so that a failing one stays readable.
    let sources = (
        weighted(0.6, csi().boxed()),
        weighted(0.2, iscsi().boxed()),
        weighted(0.2, rbd().boxed()),
        weighted(0.2, scale_io().boxed()),
        weighted(0.2, fc().boxed()),
        weighted(0.2, azure_disk().boxed()),
        weighted(0.2, flex().boxed()),
        weighted(0.2, nfs.boxed()),
        weighted(0.2, host_path.boxed()),
        weighted(0.2, local.boxed()),
    );
    let lists = (
        of(list(text())),
        of(btree_map(text(), quantity(), 0..3)),
        of(object_reference()),
        of(list(text())),
        of(node_affinity()),
    );
    let texts = (of(text()), of(text()), of(text()), of(text()));
    (sources, lists, texts)
        .prop_map(|(sources, lists, texts)| {
            let (csi, iscsi, rbd, scale_io, fc, azure_disk, flex, nfs, host_path, local) = sources;
            let (access_modes, capacity, claim_ref, mount_options, node_affinity) = lists;
            let (reclaim_policy, class_name, attributes_class_name, volume_mode) = texts;
            PersistentVolumeSpec {
                access_modes,
                azure_disk,
                capacity,
                claim_ref,
                csi,
                fc,
                flex_volume: flex,
                host_path,
                iscsi,
                local,
                mount_options,
                nfs,
                node_affinity,
                persistent_volume_reclaim_policy: reclaim_policy,
                rbd,
                scale_io,
                storage_class_name: class_name,
                volume_attributes_class_name: attributes_class_name,
                volume_mode,
                ..Default::default()
            }
        })
        .boxed()
}
