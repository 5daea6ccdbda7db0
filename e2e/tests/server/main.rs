//! The generated kinds, the conversion and the generator against a running API server, one for
//! all of these tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conversion;
mod kinds;
mod openapi;

use std::time::Duration;

use e2e::ControlPlane;
use kube::Client;

/// Runs a test with a client of the shared control plane, and gives up on one that hangs.
fn run<F: Future>(test: impl FnOnce(Client) -> F) -> F::Output {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let server = ControlPlane::shared().await.unwrap();
        let test = test(server.client().unwrap());
        tokio::time::timeout(Duration::from_secs(60), test).await.expect("in time")
    })
}
