//! Objects that builders make from parts that keep the rules are accepted by every server, in every
//! version.

use std::collections::{BTreeMap, BTreeSet};

use conformance::arbitrary::check_all;
use conformance::rules::Ruled;
use k8s_openapi::api::core::v1::{
    CSIPersistentVolumeSource, PersistentVolumeSpec, TopologySelectorLabelRequirement,
    TopologySelectorTerm,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::Release;
use kubernetes_validation::{Target, Validate as _};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use storage_v1::{
    CSIDriver, CSIDriverSpec, CSINode, CSINodeDriver, CSINodeSpec, CSIStorageCapacity,
    StorageClass, TokenRequest, VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentSpec,
    VolumeAttributesClass, VolumeNodeResources,
};

/// The object is accepted by servers of the release, as a new one and in its own place; and
/// so is what it becomes in an older version.
fn accepted<K: Ruled>(mut object: K, minor: u16) -> Result<K, TestCaseError> {
    let target = Target::new(Release::new(1, minor));
    prop_assert_eq!(object.default_and_validate(&target).errors, vec![]);
    object.metadata_mut().resource_version = Some("1".to_owned());
    let mut again = object.clone();
    prop_assert_eq!(
        again.default_and_validate_update(&object, &target).errors,
        vec![]
    );
    prop_assert_eq!(&again, &object);
    Ok(object)
}

fn all_accepted<K: Ruled, Old: Ruled + From<K>>(objects: impl Strategy<Value = K>) {
    check_all(&(objects, 23_u16..=37), |(object, minor)| {
        accepted(Old::from(object.clone()), minor)?;
        accepted(object, minor)?;
        Ok(())
    });
}

fn domain() -> impl Strategy<Value = String> {
    "[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?(\\.[a-z0-9]{1,9}){0,2}"
}

fn driver_name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9]([a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]{1,9}){0,2}"
}

fn key() -> impl Strategy<Value = String> {
    "([a-z0-9]{1,20}\\.[a-z]{2,3}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,60}[A-Za-z0-9])?"
}

fn label_value() -> impl Strategy<Value = String> {
    "([A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?)?"
}

fn parameters(fewest: usize) -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map("\\PC{1,12}", "\\PC{0,12}", fewest..5)
}

/// Terms of which no two are equal: each has a value of its own.
fn topologies() -> impl Strategy<Value = Vec<TopologySelectorTerm>> {
    let requirements = btree_map(key(), btree_set("[a-z]{1,5}", 1..4), 1..4);
    let term = |(index, requirements): (usize, BTreeMap<String, BTreeSet<String>>)| {
        let requirements = requirements.into_iter().map(|(key, mut values)| {
            values.insert(format!("own-{index}"));
            let values = values.into_iter().collect();
            TopologySelectorLabelRequirement { key, values }
        });
        TopologySelectorTerm {
            match_label_expressions: Some(requirements.collect()),
        }
    };
    vec(requirements, 0..3).prop_map(move |terms| terms.into_iter().enumerate().map(term).collect())
}

#[test]
fn storage_classes() {
    let parts = (domain(), key(), parameters(0), topologies());
    let enums = (
        of(select(vec!["Delete", "Retain"])),
        of(select(vec!["Immediate", "WaitForFirstConsumer"])),
    );
    let classes = (parts, enums).prop_map(|(parts, (policy, mode))| {
        let (name, provisioner, parameters, topologies) = parts;
        let mut class = StorageClass::new(name, provisioner)
            .with_parameters(parameters)
            .with_allowed_topologies(topologies);
        class.reclaim_policy = policy.map(Into::into);
        class.volume_binding_mode = mode.map(Into::into);
        class
    });
    all_accepted::<StorageClass, storage_v1beta1::StorageClass>(classes);
}

#[test]
fn volume_attributes_classes() {
    let classes = || {
        (domain(), key(), parameters(1)).prop_map(|(name, driver, parameters)| {
            VolumeAttributesClass::new(name, driver).with_parameters(parameters)
        })
    };
    all_accepted::<_, storage_v1beta1::VolumeAttributesClass>(classes());
    all_accepted::<_, storage_v1alpha1::VolumeAttributesClass>(classes());
}

#[test]
fn csi_drivers() {
    let modes = vec(select(vec!["Persistent", "Ephemeral"]), 0..4);
    let requests = btree_map("[a-z]{0,4}", of(600_i64..=1 << 32), 0..4);
    let policy = of(select(vec!["ReadWriteOnceWithFSType", "File", "None"]));
    let rest = (of(any::<bool>()), of(10_i64..), any::<bool>());
    let drivers = (domain(), modes, requests, policy, rest).prop_map(
        |(name, modes, requests, policy, (attach, period, in_secrets))| {
            let mut spec = CSIDriverSpec::new().with_volume_lifecycle_modes(modes);
            spec.attach_required = attach;
            spec.fs_group_policy = policy.map(Into::into);
            spec.node_allocatable_update_period_seconds = period;
            if !requests.is_empty() {
                spec.service_account_token_in_secrets = Some(in_secrets);
            }
            let requests = requests.into_iter().map(|(audience, expiration)| {
                let mut request = TokenRequest::new(audience);
                request.expiration_seconds = expiration;
                request
            });
            CSIDriver::new(name, spec.with_token_requests(requests))
        },
    );
    all_accepted::<_, storage_v1beta1::CSIDriver>(drivers);
}

#[test]
fn csi_nodes() {
    let driver = ("\\PC{1,60}", btree_set(key(), 0..4), of(0_i32..));
    let drivers = btree_map(driver_name(), driver, 0..5);
    let nodes = (domain(), drivers).prop_map(|(name, drivers)| {
        let drivers = drivers.into_iter().map(|(name, (id, keys, count))| {
            let driver = CSINodeDriver::new(name, id).with_topology_keys(keys);
            match count {
                Some(count) => {
                    driver.with_allocatable(VolumeNodeResources::new().with_count(count))
                }
                None => driver,
            }
        });
        CSINode::new(name, CSINodeSpec::new(drivers))
    });
    all_accepted::<_, storage_v1beta1::CSINode>(nodes);
}

#[test]
fn csi_storage_capacities() {
    let labels = of(btree_map(key(), label_value(), 0..4)).boxed();
    let capacities = || {
        (domain(), domain(), labels.clone(), "[0-9]{1,6}(|Ki|Gi|m)").prop_map(
            |(name, class, labels, size)| {
                let mut capacity = CSIStorageCapacity::new(name, class)
                    .with_capacity(Quantity(size.clone()))
                    .with_maximum_volume_size(Quantity(size));
                capacity.metadata.namespace = Some("n".to_owned());
                capacity.node_topology = labels.map(|labels| LabelSelector {
                    match_labels: Some(labels),
                    match_expressions: None,
                });
                capacity
            },
        )
    };
    all_accepted::<_, storage_v1beta1::CSIStorageCapacity>(capacities());
    all_accepted::<_, storage_v1alpha1::CSIStorageCapacity>(capacities());
}

#[test]
fn volume_attachments() {
    let source = prop_oneof![
        domain()
            .prop_map(|name| { VolumeAttachmentSource::new().with_persistent_volume_name(name) }),
        driver_name().prop_map(|driver| {
            let csi = CSIPersistentVolumeSource {
                driver,
                volume_handle: "h".to_owned(),
                ..Default::default()
            };
            VolumeAttachmentSource::new().with_inline_volume_spec(PersistentVolumeSpec {
                access_modes: Some(vec!["ReadWriteOncePod".to_owned()]),
                csi: Some(csi),
                ..Default::default()
            })
        }),
    ];
    let source = source.boxed();
    let attachments = || {
        (domain(), driver_name(), domain(), source.clone()).prop_map(
            |(name, attacher, node, source)| {
                let spec = VolumeAttachmentSpec::new(attacher, node, source);
                VolumeAttachment::new(name, spec)
            },
        )
    };
    all_accepted::<_, storage_v1beta1::VolumeAttachment>(attachments());
    all_accepted::<_, storage_v1alpha1::VolumeAttachment>(attachments());
}
