//! Nothing is allocated for an object that is as it should be: neither by setting defaults that
//! are set, nor by validating it, as new or as an update, nor by validating its status.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use conformance::rules::Ruled;
use conformance::workload::{self, Workload};
use kubernetes_kinds::Release;
use kubernetes_validation::{Target, Validate};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static HEAP: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// Held by the one test that counts: the allocations are those of the whole program.
static COUNTS: Mutex<()> = Mutex::new(());

/// The fewest allocations of several tries: the runner of the tests allocates as well.
fn allocations(mut run: impl FnMut()) -> usize {
    let tries = (0..200).map(|_| {
        let region = Region::new(HEAP);
        run();
        let change = region.change();
        change.allocations + change.reallocations
    });
    tries.min().unwrap()
}

/// Objects like those of a busy cluster, rare forms included, with their defaults. Since 1.35,
/// servers warn of CSI drivers like these.
fn objects<K: Ruled + Workload>(target: &Target) -> Vec<K> {
    let json = workload::list::<K>(21).unwrap();
    let list: K::List = serde_json::from_str(&json).unwrap();
    let mut objects: Vec<K> = list.into_iter().collect();
    for object in &mut objects {
        object.set_defaults(target);
    }
    objects
}

fn no_allocations<K: Ruled + Workload>() {
    let _counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Target::new(Release::new(1, 34));
    for mut object in objects::<K>(&target) {
        let report = object.validate_update(&object, &target);
        assert!(
            report.is_accepted() && report.warnings.is_empty(),
            "{report:?}"
        );
        let validating = allocations(|| {
            let object = black_box(&object);
            drop(black_box(object.validate(&target)));
            drop(black_box(object.validate_update(object, &target)));
            drop(black_box(object.validate_status(&target)));
        });
        assert_eq!(validating, 0, "{}", K::KIND);
        let defaulting = allocations(|| black_box(&mut object).set_defaults(&target));
        assert_eq!(defaulting, 0);
    }
}

mod a_good_object {
    conformance::each_kind!(super::no_allocations);
}

/// The counting itself: an error has a path and a message.
#[test]
fn an_error_is_counted() {
    let _counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Target::new(storage_v1::KUBERNETES);
    let class = storage_v1::StorageClass::new("c", "");
    assert!(allocations(|| drop(black_box(class.validate(&target)))) > 3);
}
