//! What a kube reflector over the objects of a running API server takes: resident memory, time,
//! processors and bytes on the wire, with k8s-openapi's type, with ours, and with ours without
//! `managedFields`, in JSON and in protobuf.
//!
//! ```text
//! E2E_OBJECTS=10000 cargo xtask e2e -- --release --bench reflector
//! ```
//!
//! Without `E2E_OBJECTS` there are few objects, to see that it works. Each reflector is a process
//! of its own, in turns, and the tables have the medians of several. A server encodes an object
//! for each answer anew.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

use std::fmt::Debug;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{env, hint};

use conformance::measure::median;
use conformance::workload::{self, Workload};
use core_v1::PersistentVolume;
use e2e::ControlPlane;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use go_programs::processor_time;
use http_body_util::BodyExt;
use k8s_openapi::api::{core::v1 as core_peer, storage::v1 as storage_peer};
use kube::api::{Patch, PatchParams, PostParams};
use kube::client::{ClientBuilder, DynBody};
use kube::runtime::watcher::{self, Config, Event};
use kube::runtime::{WatchStreamExt, reflector};
use kube::{Api, Client, Resource};
use kubernetes_kinds::Lean;
use kubernetes_protobuf as protobuf;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use storage_v1::VolumeAttachment;
use tower::util::MapResponseLayer;

/// Says to a child process which objects its reflector is to hold, and how.
const CHILD: &str = "E2E_REFLECTOR";

const WAYS: [(&str, &str); 5] = [
    ("peer", "k8s-openapi, JSON"),
    ("json", "these crates, JSON"),
    ("json-lean", "these crates, JSON, Lean"),
    ("protobuf", "these crates, protobuf"),
    ("protobuf-lean", "these crates, protobuf, Lean"),
];

/// The columns of a table, and the digits after the point.
const COLUMNS: [(&str, usize); 5] = [
    ("resident MB", 1),
    ("ms", 0),
    ("client CPU ms", 0),
    ("server CPU ms", 0),
    ("MB on the wire", 1),
];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    match env::var(CHILD).ok().as_deref() {
        Some(child) => match child.split_once('/').unwrap() {
            ("volumes", way) => {
                hold::<core_peer::PersistentVolume, PersistentVolume>(way).await;
            }
            ("attachments", way) => {
                hold::<storage_peer::VolumeAttachment, VolumeAttachment>(way).await;
            }
            other => panic!("{CHILD}={other:?}"),
        },
        None => compare().await,
    }
}

/// Fills a reflector and prints what it took.
async fn hold<P, K>(way: &str)
where
    P: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
    K: Resource<DynamicType = ()> + protobuf::Object + Send + Sync,
    Lean<K>: Resource<DynamicType = ()> + protobuf::Object,
{
    let received = Arc::new(AtomicU64::new(0));
    let client = client(received.clone()).await;
    // The memory of the connection is allocated before.
    let version = client.apiserver_version().await.unwrap();
    hint::black_box(version);
    received.store(0, Ordering::Relaxed);
    match way {
        "peer" => in_json::<P>(client, &received).await,
        "json" => in_json::<K>(client, &received).await,
        "json-lean" => in_json::<Lean<K>>(client, &received).await,
        "protobuf" => in_protobuf::<K>(client, &received).await,
        "protobuf-lean" => in_protobuf::<Lean<K>>(client, &received).await,
        other => panic!("no way {other:?}"),
    }
}

async fn in_json<K>(client: Client, received: &AtomicU64)
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let events = kube::runtime::watcher(Api::<K>::all(client), Config::default());
    fill_store(events, received).await;
}

async fn in_protobuf<K>(client: Client, received: &AtomicU64)
where
    K: Resource<DynamicType = ()> + protobuf::Object + Send + Sync,
{
    let events = protobuf::watcher(protobuf::Api::<K>::all(client), Config::default());
    fill_store(events, received).await;
}

/// A client that counts the bytes of answers.
async fn client(received: Arc<AtomicU64>) -> Client {
    let count = move |answer: http::Response<Box<DynBody>>| {
        let received = received.clone();
        answer.map(|body: Box<DynBody>| {
            body.map_frame(move |frame| {
                let bytes = frame.data_ref().map_or(0, |data| data.len());
                received.fetch_add(bytes as u64, Ordering::Relaxed);
                frame
            })
        })
    };
    let mut config = kube::Config::infer().await.unwrap();
    // A program has it by a feature of kube, which tests beside this turn on.
    config.disable_compression = true;
    let builder = ClientBuilder::try_from(config).unwrap();
    builder.with_layer(&MapResponseLayer::new(count)).build()
}

/// Prints the number of objects in a reflector, by how many bytes it has made the process grow,
/// the milliseconds of time and of a processor, and the bytes of answers.
async fn fill_store<K>(
    events: impl Stream<Item = watcher::Result<Event<K>>> + Send + 'static,
    received: &AtomicU64,
) where
    K: Resource<DynamicType = ()> + Clone + Debug + Send + Sync + 'static,
{
    let resident = || memory_stats::memory_stats().unwrap().physical_mem;
    let (reader, writer) = reflector::store::<K>();
    let (start, before, used) = (Instant::now(), resident(), own_processor());
    let mut events = events.reflect(writer).boxed();
    while !matches!(events.try_next().await.unwrap().unwrap(), Event::InitDone) {}
    let (time, used) = (start.elapsed().as_secs_f64(), own_processor() - used);
    println!(
        "{} {} {} {} {}",
        hint::black_box(&reader).len(),
        resident() - before,
        time * 1e3,
        used * 1e3,
        received.load(Ordering::Relaxed)
    );
}

/// The seconds of a processor that this process has taken.
fn own_processor() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

async fn compare() {
    let objects = env::var("E2E_OBJECTS").map_or(50, |number| number.parse().unwrap());
    let rounds = if objects < 1_000 { 1 } else { 5 };
    let server = ControlPlane::start().await.unwrap();
    let client = server.client().unwrap();
    fill::<VolumeAttachment>(&client, objects).await;
    fill::<PersistentVolume>(&client, objects).await;
    for (kind, plural) in [
        ("attachments", "VolumeAttachments"),
        ("volumes", "PersistentVolumes"),
    ] {
        let mut measured = WAYS.map(|_| Vec::new());
        for round in 0..rounds {
            for index in 0..WAYS.len() {
                // Nobody is always the first.
                let index = (index + round) % WAYS.len();
                let way = format!("{kind}/{}", WAYS[index].0);
                measured[index].push(measure(&server, &way, objects));
            }
        }
        print(&format!("{objects} {plural}"), &measured);
    }
}

/// Runs a reflector, and returns the figures of the columns.
fn measure(server: &ControlPlane, way: &str, objects: usize) -> [f64; COLUMNS.len()] {
    let process = server.process("kube-apiserver").unwrap();
    let before = processor_time(process).unwrap();
    let mut child = Command::new(env::current_exe().unwrap());
    let child = child.env(CHILD, way).env("KUBECONFIG", server.kubeconfig());
    let output = child.output().unwrap();
    let used = processor_time(process).unwrap() - before;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{way}: {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers = text.split_whitespace().map(|word| word.parse().unwrap());
    let numbers: Vec<f64> = numbers.collect();
    let [held, resident, time, processor, wire] = numbers[..] else {
        panic!("{way}: {text}");
    };
    assert!((held - objects as f64).abs() < 0.5, "{way}: {held}");
    [
        resident / 1e6,
        time,
        processor,
        used.as_secs_f64() * 1e3,
        wire / 1e6,
    ]
}

/// Prints the medians of each way, and what they are of the first one's.
fn print(of: &str, measured: &[Vec<[f64; COLUMNS.len()]>]) {
    println!("\nA reflector over {of}: medians, and of k8s-openapi's in JSON\n");
    let names = COLUMNS.map(|(name, _)| name).join(" | ");
    println!("| | {names} |\n|---|{}", "---|".repeat(COLUMNS.len()));
    let medians = |way: usize, column: usize| -> f64 {
        median(measured[way].iter().map(|figures| figures[column])).unwrap()
    };
    for (way, (_, name)) in WAYS.iter().enumerate() {
        let cells = COLUMNS.iter().enumerate().map(|(column, (_, digits))| {
            let (figure, first) = (medians(way, column), medians(0, column));
            format!("{figure:.digits$} ({:.2})", figure / first)
        });
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

/// Creates objects like those of a busy cluster, each with a status of another writer.
async fn fill<K>(client: &Client, objects: usize)
where
    K: Workload + Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize,
{
    let api: Api<K> = Api::all(client.clone());
    let write = |mut object: Value| {
        let api = api.clone();
        async move {
            let status = object.as_object_mut().unwrap().remove("status");
            let object = serde_json::from_value(object).unwrap();
            let created = api.create(&PostParams::default(), &object).await.unwrap();
            let status = Patch::Merge(json!({"status": status}));
            let params = PatchParams {
                field_manager: Some("csi-attacher".to_owned()),
                ..PatchParams::default()
            };
            let name = created.meta().name.as_deref().unwrap();
            api.patch_status(name, &params, &status).await.unwrap();
        }
    };
    let objects = workload::objects::<K>(objects).unwrap().into_iter();
    stream::iter(objects.map(|object| write(serde_json::to_value(object).unwrap())))
        .buffer_unordered(32)
        .collect::<Vec<()>>()
        .await;
}
