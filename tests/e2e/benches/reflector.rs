//! The resident memory of a kube reflector over VolumeAttachments of a running API server: with
//! k8s-openapi's type, with ours, and with ours without `managedFields`.
//!
//! ```text
//! E2E_OBJECTS=10000 cargo xtask e2e -- --bench reflector
//! ```
//!
//! Without `E2E_OBJECTS` there are few objects, to see that it works. Each reflector is a process
//! of its own, three times over, and the table has the medians.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

use std::fmt::Debug;
use std::process::Command;
use std::{env, hint};

use conformance::measure::median;
use conformance::workload;
use e2e::ControlPlane;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::storage::v1 as peer;
use kube::api::{Patch, PatchParams, PostParams};
use kube::runtime::watcher::Event;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Resource};
use kubernetes_kinds::Lean;
use serde::de::DeserializeOwned;
use storage_v1::VolumeAttachment;

/// Says to a child process which type its reflector is to hold.
const CHILD: &str = "E2E_REFLECTOR";

const TYPES: [(&str, &str); 3] = [
    ("peer", "k8s-openapi"),
    ("full", "these crates"),
    ("lean", "these crates, Lean"),
];

#[tokio::main]
async fn main() {
    match env::var(CHILD).ok().as_deref() {
        Some("peer") => hold::<peer::VolumeAttachment>().await,
        Some("full") => hold::<VolumeAttachment>().await,
        Some("lean") => hold::<Lean<VolumeAttachment>>().await,
        Some(other) => panic!("{CHILD}={other}"),
        None => compare().await,
    }
}

/// Prints the number of objects in a reflector and by how many bytes it has made the process grow.
async fn hold<K>()
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let api: Api<K> = Api::all(Client::try_default().await.unwrap());
    // The memory of the connection is allocated before.
    api.get_metadata("none").await.unwrap_err();
    let before = memory_stats::memory_stats().unwrap().physical_mem;
    let (reader, writer) = reflector::store::<K>();
    let mut events = watcher(api, watcher::Config::default())
        .reflect(writer)
        .boxed();
    while !matches!(events.try_next().await.unwrap().unwrap(), Event::InitDone) {}
    let after = memory_stats::memory_stats().unwrap().physical_mem;
    println!("{} {}", hint::black_box(&reader).len(), after - before);
}

async fn compare() {
    let objects = env::var("E2E_OBJECTS").map_or(50, |number| number.parse().unwrap());
    let server = ControlPlane::start().await.unwrap();
    fill(&server.client().unwrap(), objects).await;

    let kubeconfig = server.kubeconfig();
    let measure = |which: &str| -> f64 {
        let mut child = Command::new(env::current_exe().unwrap());
        let output = child
            .env(CHILD, which)
            .env("KUBECONFIG", &kubeconfig)
            .output();
        let output = output.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{which}: {errors}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (held, bytes) = text.trim().split_once(' ').unwrap();
        assert_eq!(held.parse(), Ok(objects), "{which}");
        bytes.parse().unwrap()
    };
    let medians = TYPES.map(|(which, _)| {
        let bytes = (0..3).map(|_| measure(which));
        median(bytes).unwrap()
    });
    println!("\nResident memory of a reflector over {objects} VolumeAttachments\n");
    println!("| type | MB | bytes an object | of k8s-openapi's |\n|---|---|---|---|");
    for ((_, name), bytes) in TYPES.iter().zip(medians) {
        println!(
            "| {name} | {:.1} | {:.0} | {:.2} |",
            bytes / 1e6,
            bytes / objects as f64,
            bytes / medians[0],
        );
    }
}

/// Creates objects like those of a busy cluster, each with a status of another writer.
async fn fill(client: &Client, objects: usize) {
    let api: Api<VolumeAttachment> = Api::all(client.clone());
    let write = |object: VolumeAttachment| {
        let api = api.clone();
        async move {
            let created = api.create(&PostParams::default(), &object).await.unwrap();
            let name = created.metadata.name.unwrap();
            let status = Patch::Merge(serde_json::json!({"status": object.status}));
            let params = PatchParams {
                field_manager: Some("csi-attacher".to_owned()),
                ..PatchParams::default()
            };
            api.patch_status(&name, &params, &status).await.unwrap();
        }
    };
    let objects = workload::objects(objects).unwrap().into_iter();
    stream::iter(objects.map(write))
        .buffer_unordered(32)
        .collect::<Vec<()>>()
        .await;
}
