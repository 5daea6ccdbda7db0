//! Random objects.

use conformance::each_upstream_kind;
use conformance::kind::Kind;
use kubernetes_kinds::Lean;
use kubernetes_kinds::protobuf::{Field, Message, from_slice, to_vec};
use proptest::test_runner::TestRunner;

/// What is written is read again, and written as the same bytes.
fn round_trip<K: Kind + Field + Message>() {
    TestRunner::default()
        .run(&K::arbitrary(), |object| {
            let bytes = to_vec(&object);
            let again: K = from_slice(&bytes).unwrap();
            assert_eq!(to_vec(&again), bytes);
            // Once `Some` of an empty list is `None`, nothing changes any more.
            assert_eq!(from_slice::<K>(&bytes).unwrap(), again);

            let lean: Lean<K> = from_slice(&bytes).unwrap();
            let mut without = again;
            without.metadata_mut().managed_fields = None;
            assert_eq!(lean.into_inner(), without);
            Ok(())
        })
        .unwrap();
}

each_upstream_kind!(round_trip);
