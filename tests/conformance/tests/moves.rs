//! Conversion between types of the same shape moves: the heap buffers of the source are those
//! of the target, and no memory is asked for, neither for an object nor for a list.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::hint::black_box;

use conformance::kind::Kind;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static HEAP: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// Where the contents of a string, list or box are.
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

/// The fewest allocations of several tries: other tests of this program allocate as well.
fn allocations<A, B>(source: impl Fn() -> A, convert: impl Fn(A) -> B) -> usize {
    let tries = (0..1000).map(|_| {
        let source = source();
        let region = Region::new(HEAP);
        let target = black_box(convert(black_box(source)));
        let change = region.change();
        drop(target);
        change.allocations + change.reallocations
    });
    tries.min().unwrap()
}

fn no_allocations<Old, New>()
where
    Old: Kind + From<New>,
    New: Kind + From<Old>,
    Old::List: From<New::List>,
    New::List: From<Old::List>,
{
    assert_eq!(allocations(Old::sample, New::from), 0);
    assert_eq!(allocations(New::sample, Old::from), 0);
    let old = || {
        [Old::sample(), Old::default(), Old::sample()]
            .into_iter()
            .collect()
    };
    assert_eq!(allocations::<Old::List, _>(old, New::List::from), 0);
    let new = || {
        [New::sample(), New::default(), New::sample()]
            .into_iter()
            .collect()
    };
    assert_eq!(allocations::<New::List, _>(new, Old::List::from), 0);
}

mod allocate_nothing {
    conformance::each_lossless_pair!(super::no_allocations);
}

/// A value that nobody knows is moved as well.
#[test]
fn unknown_values_are_moved() {
    let sample = || {
        let mut driver = storage_v1::CSIDriver::sample();
        driver.spec.fs_group_policy = Some("FromTheFuture".into());
        driver
    };
    assert_eq!(allocations(sample, storage_v1beta1::CSIDriver::from), 0);
    let old = || storage_v1beta1::CSIDriver::from(sample());
    assert_eq!(allocations(old, storage_v1::CSIDriver::from), 0);
}

/// The counting itself.
#[test]
fn a_copy_is_counted() {
    assert!(allocations(storage_v1::CSINode::sample, |node| node.clone()) > 5);
}
