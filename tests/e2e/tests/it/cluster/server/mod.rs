//! The generated kinds, the conversion and the generator against a running API server, one for
//! all of these tests.

/// Makes a test of every kind for each function.
macro_rules! each_kind {
    ($($check:ident)*) => {$(
        mod $check {
            each_kind! { super::$check =>
                csi_driver: CSIDriver;
                csi_node: CSINode;
                csi_storage_capacity: CSIStorageCapacity;
                storage_class: StorageClass;
                volume_attachment: VolumeAttachment;
                volume_attributes_class: VolumeAttributesClass;
            }
        }
    )*};
    ($check:path => $($test:ident: $kind:ident;)*) => {$(
        #[test]
        #[ignore = "needs a control plane: run cargo xtask e2e"]
        fn $test() {
            use $check as check;
            check::<storage_v1::$kind>();
        }
    )*};
}

mod applied;
mod claims;
mod conversion;
mod copies;
mod costs;
mod custom;
mod formats;
mod gates;
pub(super) mod golden;
mod kinds;
mod lean;
mod merged;
mod openapi;
mod owned;
mod protobuf;
mod random;
mod served;
mod status;

use std::time::Duration;

use conformance::valid::Kind;
use e2e::ControlPlane;

use crate::cluster::discovery::Server;

/// Runs a test with the shared control plane, and gives up on one that hangs.
fn run<F: Future>(test: impl FnOnce(Server) -> F) -> F::Output {
    run_within(Duration::from_secs(60), test)
}

fn run_within<F: Future>(limit: Duration, test: impl FnOnce(Server) -> F) -> F::Output {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let server = ControlPlane::shared().await.unwrap();
        let test = test(Server::of(server).await);
        tokio::time::timeout(limit, test).await.expect("in time")
    })
}

/// The same of a test of some kinds. A release that serves only others is said, and right to do so.
fn run_for<F: Future<Output = ()>>(kinds: &[Kind], test: impl FnOnce(Server) -> F) {
    run_for_cases(kinds, 0, test);
}

/// The same with more time, for a number of cases that is given from outside.
fn run_for_cases<F: Future<Output = ()>>(
    kinds: &[Kind],
    cases: u64,
    test: impl FnOnce(Server) -> F,
) {
    run_within(Duration::from_secs(60 + cases), async |server| {
        let serves = |kind: &Kind| server.kinds.contains(kind);
        let should = |kind: &Kind| kind.lifecycle().unwrap().is_served(server.release);
        for kind in kinds {
            assert_eq!(serves(kind), should(kind), "{kind:?}");
        }
        if kinds.iter().all(serves) {
            test(server).await;
        } else {
            println!(
                "nothing to test: Kubernetes {} lacks a kind",
                server.release
            );
        }
    });
}
