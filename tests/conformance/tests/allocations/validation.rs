//! Nothing is allocated for a valid object: neither by setting defaults that are set, nor by
//! validating it, as new or as an update, nor by validating its status.

use std::hint::black_box;

use conformance::rules::Ruled;
use conformance::workload::{self, Workload};
use kubernetes_kinds::Release;
use kubernetes_validation::{Target, Validate};

use crate::Counter;

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
    let counter = Counter::lock();
    let target = Target::new(Release::new(1, 34));
    for mut object in objects::<K>(&target) {
        let report = object.validate_update(&object, &target);
        assert!(
            report.is_accepted() && report.warnings.is_empty(),
            "{report:?}"
        );
        let validating = counter.allocations(|| {
            let object = black_box(&object);
            drop(black_box(object.validate(&target)));
            drop(black_box(object.validate_update(object, &target)));
            drop(black_box(object.validate_status(&target)));
        });
        assert_eq!(validating, 0, "{}", K::KIND);
        let defaulting = counter.allocations(|| black_box(&mut object).set_defaults(&target));
        assert_eq!(defaulting, 0);
    }
}

mod a_good_object {
    conformance::each_kind!(super::no_allocations);
}

/// Tests the counting itself: an error has a path and a message.
#[test]
fn an_error_is_counted() {
    let counter = Counter::lock();
    let target = Target::new(storage_v1::KUBERNETES);
    let class = storage_v1::StorageClass::new("c", "");
    let validating = || drop(black_box(class.validate(&target)));
    assert!(counter.allocations(validating) > 3);
}
