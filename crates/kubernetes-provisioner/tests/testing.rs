//! The suite of what clients see, with the server for tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[macro_use]
mod suite;

use std::time::Duration;

use kube::Client;
use kubernetes_provisioner::testing::Server;

/// Runs a function of the suite, and gives up on one that hangs.
async fn run(test: impl AsyncFnOnce(Client, &str)) {
    let server = Server::for_provisioner().await.unwrap();
    let running = test(server.client(), "suite");
    tokio::time::timeout(Duration::from_secs(60), running)
        .await
        .expect("in time");
}

macro_rules! run {
    ($($module:ident: $($name:ident)*;)*) => {$(
        mod $module {
            $(
                #[tokio::test]
                async fn $name() {
                    super::run(crate::suite::$module::$name).await;
                }
            )*
        }
    )*};
}

for_each_function!(run);
