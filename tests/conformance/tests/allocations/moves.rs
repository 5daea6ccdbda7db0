//! Conversion between types of the same shape moves: the target has the heap buffers of the source,
//! and nothing is allocated, neither for an object nor for a list.

use conformance::kind::Kind;

use crate::Counter;

/// Returns the address of the contents of a string, list or box.
fn place<T: ?Sized>(contents: &T) -> *const () {
    std::ptr::from_ref(contents).cast()
}

fn metadata<K: Kind>(object: &K) -> [*const (); 2] {
    let metadata = object.metadata();
    let labels = metadata.labels.as_ref().unwrap();
    [
        place(&**metadata.name.as_ref().unwrap()),
        place(&**labels.values().next().unwrap()),
    ]
}

/// Each list names the buffers of an object, of either version.
macro_rules! same_places {
    ($($test:ident: $old:ty, $new:ty, $object:ident => [$($contents:expr,)*];)*) => {$(
        #[test]
        fn $test() {
            let before = <$old as Kind>::sample();
            let places = |$object: &$old| ([$(place($contents)),*], metadata($object));
            let expected = places(&before);
            let new = <$new>::from(before);
            let $object = &new;
            assert_eq!(([$(place($contents)),*], metadata($object)), expected);
            let back = <$old>::from(new);
            assert_eq!(places(&back), expected);
            assert_eq!(back, <$old as Kind>::sample());
        }
    )*};
}

same_places! {
    v1beta1_csi_driver: storage_v1beta1::CSIDriver, storage_v1::CSIDriver, driver => [
        &**driver.spec.token_requests.as_ref().unwrap(),
        &*driver.spec.token_requests.as_ref().unwrap()[0].audience,
        &**driver.spec.volume_lifecycle_modes.as_ref().unwrap(),
    ];
    v1beta1_csi_node: storage_v1beta1::CSINode, storage_v1::CSINode, node => [
        &*node.spec.drivers,
        &*node.spec.drivers[0].node_id,
        &**node.spec.drivers[0].topology_keys.as_ref().unwrap(),
        &**node.status.as_ref().unwrap().storage_health.as_ref().unwrap(),
    ];
    v1beta1_csi_storage_capacity:
        storage_v1beta1::CSIStorageCapacity, storage_v1::CSIStorageCapacity, capacity => [
        &*capacity.storage_class_name,
        &*capacity.capacity.as_ref().unwrap().0,
    ];
    v1alpha1_csi_storage_capacity:
        storage_v1alpha1::CSIStorageCapacity, storage_v1::CSIStorageCapacity, capacity => [
        &*capacity.storage_class_name,
        &*capacity.capacity.as_ref().unwrap().0,
    ];
    v1beta1_storage_class: storage_v1beta1::StorageClass, storage_v1::StorageClass, class => [
        &*class.provisioner,
        &**class.mount_options.as_ref().unwrap(),
        &**class.allowed_topologies.as_ref().unwrap(),
    ];
    v1beta1_volume_attachment:
        storage_v1beta1::VolumeAttachment, storage_v1::VolumeAttachment, attachment => [
        &*attachment.spec.attacher,
        &**attachment.spec.source.inline_volume_spec.as_ref().unwrap(),
    ];
    v1alpha1_volume_attachment:
        storage_v1alpha1::VolumeAttachment, storage_v1::VolumeAttachment, attachment => [
        &*attachment.spec.attacher,
        &**attachment.spec.source.inline_volume_spec.as_ref().unwrap(),
    ];
    v1beta1_volume_attributes_class:
        storage_v1beta1::VolumeAttributesClass, storage_v1::VolumeAttributesClass, class => [
        &*class.driver_name,
    ];
    v1alpha1_volume_attributes_class:
        storage_v1alpha1::VolumeAttributesClass, storage_v1::VolumeAttributesClass, class => [
        &*class.driver_name,
    ];
}

fn no_allocations<Old, New>()
where
    Old: Kind + From<New>,
    New: Kind + From<Old>,
    Old::List: From<New::List>,
    New::List: From<Old::List>,
{
    let counter = Counter::lock();
    assert_eq!(counter.allocations_with(Old::sample, New::from), 0);
    assert_eq!(counter.allocations_with(New::sample, Old::from), 0);
    let old = || {
        [Old::sample(), Old::default(), Old::sample()]
            .into_iter()
            .collect()
    };
    assert_eq!(
        counter.allocations_with::<Old::List, _>(old, New::List::from),
        0
    );
    let new = || {
        [New::sample(), New::default(), New::sample()]
            .into_iter()
            .collect()
    };
    assert_eq!(
        counter.allocations_with::<New::List, _>(new, Old::List::from),
        0
    );
}

mod allocate_nothing {
    conformance::each_lossless_pair!(super::no_allocations);
}

/// Unknown values are moved as well.
#[test]
fn unknown_values_are_moved() {
    let sample = || {
        let mut driver = storage_v1::CSIDriver::sample();
        driver.spec.fs_group_policy = Some("FromTheFuture".into());
        driver
    };
    let counter = Counter::lock();
    assert_eq!(
        counter.allocations_with(sample, storage_v1beta1::CSIDriver::from),
        0
    );
    let old = || storage_v1beta1::CSIDriver::from(sample());
    assert_eq!(
        counter.allocations_with(old, storage_v1::CSIDriver::from),
        0
    );
}

/// Tests the counting itself.
#[test]
fn a_copy_is_counted() {
    let counter = Counter::lock();
    assert!(counter.allocations_with(storage_v1::CSINode::sample, |node| node.clone()) > 5);
}
