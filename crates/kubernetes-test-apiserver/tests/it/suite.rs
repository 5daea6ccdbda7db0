//! The suite of what clients see, with the server for tests.

use std::time::Duration;

use kube::Client;
use kubernetes_test_apiserver::Server;

/// Runs a function of the suite, and gives up on one that hangs.
async fn run(test: impl AsyncFnOnce(Client, &str)) {
    let server = Server::start().await.unwrap();
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
                    super::run(apiserver_suite::$module::$name).await;
                }
            )*
        }
    )*};
}

apiserver_suite::for_each_function!(run);
