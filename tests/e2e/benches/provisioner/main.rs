//! A provisioner that provisions nothing, on our crate and on the Go library
//! sig-storage-lib-external-provisioner, the latter with JSON and with protobuf, each with an API
//! server of its own:
//!
//! * `rates`: PersistentVolumes a second, with 4 and with 100 workers, from the first to the last,
//!   and the time of processors that the program and the API server take for one;
//! * `times`: from a claim to its stored volume, at 10 claims a second, with 4 and with 100
//!   workers;
//! * `memory`: resident memory, and the time from the start of the process to its first volume, in
//!   a cluster of many claims that have their volumes;
//! * `wakes`: while many claims are in back-off, the time from a change of one that matters to its
//!   call, and the calls a second while annotations change that don't matter.
//!
//! ```text
//! cargo xtask e2e -- --release --bench provisioner -- --bench
//! cargo xtask e2e -- --release --bench provisioner -- --bench rates memory
//! ```
//!
//! takes about half an hour; the second command measures only what it names. Without `--bench`
//! there are few claims, to see that it works. It needs Go, which builds the program in `peer`.
//! Each figure is the median of three runs, in which the programs take turns.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod cluster;
mod ours;
mod program;
mod wakes;

use std::collections::{HashMap, HashSet};
use std::env;
use std::time::Duration;

use cluster::Cluster;
use conformance::measure::median;
use program::{Program, Which};

/// The size of the measurement.
struct Size {
    runs: usize,
    /// Claims that wait when the program starts.
    waiting: usize,
    /// Claims that are made while it runs, one in each [`INTERVAL`].
    arriving: usize,
    /// Claims with a volume.
    bound: usize,
    /// Claims in back-off.
    failed: usize,
    /// Those of them that are changed so that their call succeeds.
    woken: usize,
    /// Changes of annotations that don't matter.
    noise: usize,
}

/// 10 claims a second.
const INTERVAL: Duration = Duration::from_millis(100);

/// The programs that are compared.
const PROGRAMS: usize = 3;
type Programs<'a> = [Which<'a>; PROGRAMS];

/// The figures of each program.
type Figures = [Vec<f64>; PROGRAMS];

const PARTS: [&str; 4] = ["rates", "times", "memory", "wakes"];

const WORKERS: [usize; 2] = [4, 100];

const BENCH: Size = Size {
    runs: 3,
    waiting: 3_000,
    arriving: 400,
    bound: 10_000,
    failed: 10_000,
    woken: 200,
    noise: 2_000,
};

const TEST: Size = Size {
    runs: 1,
    waiting: 20,
    arriving: 10,
    bound: 20,
    failed: 20,
    woken: 4,
    noise: 20,
};

#[tokio::main]
async fn main() {
    if let Some(options) = ours::options() {
        return ours::provision(options).await;
    }
    let is_bench = env::args().any(|argument| argument == "--bench");
    let size = if is_bench { BENCH } else { TEST };
    let peer = program::build_peer();
    let peer = |protobuf| Which::Peer {
        program: &peer,
        protobuf,
    };
    let programs = [Which::Ours, peer(false), peer(true)];
    let named: Vec<_> = env::args()
        .filter(|name| PARTS.contains(&&**name))
        .collect();
    let is_wanted = |part: &str| named.is_empty() || named.iter().any(|name| name == part);
    println!("| what | ours | Go, JSON | Go, protobuf | ours to JSON | ours to protobuf |");
    println!("|---|---|---|---|---|---|");
    if is_wanted("rates") {
        rates(&programs, &size).await;
    }
    if is_wanted("times") {
        times(&programs, &size).await;
    }
    if is_wanted("memory") {
        full(&programs, &size).await;
    }
    if is_wanted("wakes") {
        wakes::measure(&programs, &size).await;
    }
}

/// The programs take turns at being first.
fn order(run: usize) -> impl Iterator<Item = usize> {
    (0..PROGRAMS).map(move |at| (run + at) % PROGRAMS)
}

fn print(what: &str, figures: Figures) {
    let [ours, json, protobuf] = figures.map(|values| median(values).unwrap());
    println!(
        "| {what} | {ours:.2} | {json:.2} | {protobuf:.2} | {:.2} | {:.2} |",
        ours / json,
        ours / protobuf
    );
}

async fn rates(programs: &Programs<'_>, size: &Size) {
    for workers in WORKERS {
        let mut figures = [(); 3].map(|()| Figures::default());
        for run in 0..size.runs {
            for at in order(run) {
                let measured = rate(&programs[at], workers, size.waiting).await;
                for (figures, figure) in figures.iter_mut().zip(measured) {
                    figures[at].push(figure);
                }
            }
        }
        let [rates, own, server] = figures;
        let with = format!("{workers} workers");
        print(&format!("PersistentVolumes a second, {with}"), rates);
        print(
            &format!("processor time of the program for one, {with}, ms"),
            own,
        );
        print(
            &format!("processor time of the API server for one, {with}, ms"),
            server,
        );
    }
}

async fn times(programs: &Programs<'_>, size: &Size) {
    for workers in WORKERS {
        let mut figures = [(); 2].map(|()| Figures::default());
        for run in 0..size.runs {
            for at in order(run) {
                let measured = latency(&programs[at], workers, size.arriving).await;
                for (figures, figure) in figures.iter_mut().zip(measured) {
                    figures[at].push(figure);
                }
            }
        }
        let [half, most] = figures;
        let what = |which| format!("claim to stored volume, {which}, {workers} workers, ms");
        print(&what("median"), half);
        print(&what("99th percentile"), most);
    }
}

/// Volumes a second while claims wait, and the milliseconds of a processor that each takes of the
/// program and of the API server.
async fn rate(which: &Which<'_>, workers: usize, claims: usize) -> [f64; 3] {
    let cluster = Cluster::start().await;
    cluster.add_claims(claims).await;
    let mut volumes = cluster.volumes().await;
    let server = || program::cpu(cluster.server.process("kube-apiserver").unwrap());
    let before = server();
    let program = Program::start(which, &cluster, workers);
    let mut stored = HashSet::new();
    let (claim, first) = volumes.next().await;
    stored.insert(claim);
    let mut last = first;
    while stored.len() < claims {
        let (claim, at) = volumes.next().await;
        stored.insert(claim);
        last = at;
    }
    let of_one = |seconds: f64| seconds * 1e3 / claims as f64;
    [
        (claims - 1) as f64 / (last - first).as_secs_f64(),
        of_one(program.cpu()),
        of_one(server() - before),
    ]
}

/// Milliseconds from the answer to the request for a claim to its volume: the median, and the 99th
/// percentile.
async fn latency(which: &Which<'_>, workers: usize, claims: usize) -> [f64; 2] {
    let cluster = Cluster::start().await;
    let mut volumes = cluster.volumes().await;
    let _program = Program::start(which, &cluster, workers);
    // The program works when this one has its volume.
    cluster.add_claim("first").await;
    volumes.of("first").await;
    let arriving = cluster.add_claims_every(INTERVAL, claims);
    let stored = async {
        let mut stored = HashMap::new();
        while stored.len() < claims {
            let (claim, at) = volumes.next().await;
            stored.entry(claim).or_insert(at);
        }
        stored
    };
    let (added, stored) = tokio::join!(arriving, stored);
    let took = stored
        .iter()
        .map(|(claim, at)| at.saturating_duration_since(added[claim]).as_secs_f64() * 1e3);
    let mut took: Vec<_> = took.collect();
    took.sort_by(f64::total_cmp);
    [took[took.len() / 2], took[took.len() * 99 / 100]]
}

/// Memory and start in a cluster with many claims and volumes.
async fn full(programs: &Programs<'_>, size: &Size) {
    let cluster = Cluster::start().await;
    cluster.add_bound(size.bound).await;
    let mut volumes = cluster.volumes().await;
    let [mut starts, mut resident, mut most] = [(); 3].map(|()| Figures::default());
    for run in 0..size.runs {
        for at in order(run) {
            let name = format!("waiting-{run}-{at}");
            cluster.add_claim(&name).await;
            let program = Program::start(&programs[at], &cluster, 4);
            let stored = volumes.of(&name).await;
            starts[at].push((stored - program.started).as_secs_f64() * 1e3);
            // Memory that is only needed for reading has been given back by then, if ever.
            tokio::time::sleep(Duration::from_secs(10)).await;
            let memory = program.memory();
            resident[at].push(memory.resident as f64 / 1e6);
            most[at].push(memory.most as f64 / 1e6);
        }
    }
    let with = format!("with {} claims and volumes", size.bound);
    print(&format!("start to first volume {with}, ms"), starts);
    print(&format!("resident memory {with}, MB"), resident);
    print(&format!("most resident memory {with}, MB"), most);
}
