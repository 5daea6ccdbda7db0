//! The suite of `kubernetes-test-apiserver`, with a real API server: where they differ, the server
//! for tests is wrong.

use std::time::Duration;

use e2e::ControlPlane;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use tokio::sync::OnceCell;

/// One for all functions, each of which has its namespace. It ends with the process.
static SERVER: OnceCell<ControlPlane> = OnceCell::const_new();

async fn run(name: &str, test: impl AsyncFnOnce(Client, &str)) {
    let start = || async { ControlPlane::start().await.unwrap() };
    let client = SERVER.get_or_init(start).await.client().unwrap();
    let namespace = Namespace {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..Namespace::default()
    };
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces
        .create(&PostParams::default(), &namespace)
        .await
        .unwrap();
    let running = test(client, name);
    tokio::time::timeout(Duration::from_secs(60), running)
        .await
        .expect("in time");
}

macro_rules! run {
    ($($module:ident: $($name:ident)*;)*) => {$(
        mod $module {
            $(
                #[tokio::test]
                #[ignore = "needs a control plane: run cargo xtask e2e"]
                async fn $name() {
                    let name = concat!(stringify!($module), "-", stringify!($name));
                    super::run(&name.replace('_', "-"), apiserver_suite::$module::$name).await;
                }
            )*
        }
    )*};
}

apiserver_suite::for_each_function!(run);
