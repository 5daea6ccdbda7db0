//! A provisioner that provisions nothing, on our crate and on the Go library
//! sig-storage-lib-external-provisioner, each with an API server of its own:
//!
//! * PersistentVolumes a second, with 4 and with 100 workers, from the first to the last;
//! * the time from a claim to its stored volume, at 10 claims a second and 4 workers;
//! * resident memory, and the time from the start of the process to its first volume, in a cluster
//!   of many claims that have their volumes;
//! * while many claims are in back-off, the time from a change of one that matters to its call, and
//!   the calls a second while annotations change that don't matter.
//!
//! ```text
//! cargo xtask e2e -- --release --bench provisioner -- --bench
//! cargo xtask e2e -- --release --bench provisioner -- --bench wakes
//! ```
//!
//! takes about fifteen minutes; the second command measures only claims in back-off. Without
//! `--bench` there are few claims, to see that it works. It needs Go, which builds the program in
//! `peer`. Each figure is the median of three runs, in which the two take turns.

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
    let both = [Which::Ours, Which::Peer(peer.path())];
    println!("| what | ours | Go | ratio |\n|---|---|---|---|");
    if env::args().any(|argument| argument == "wakes") {
        return wakes::measure(&both, &size).await;
    }
    for workers in [4, 100] {
        let name = format!("PersistentVolumes a second, {workers} workers");
        let mut rates = [Vec::new(), Vec::new()];
        for run in 0..size.runs {
            for at in order(run) {
                rates[at].push(rate(&both[at], workers, size.waiting).await);
            }
        }
        print(&name, rates);
    }
    let mut latencies = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    for run in 0..size.runs {
        for at in order(run) {
            let [half, most] = latency(&both[at], size.arriving).await;
            latencies[0][at].push(half);
            latencies[1][at].push(most);
        }
    }
    let [half, most] = latencies;
    print("claim to stored volume, median, ms", half);
    print("claim to stored volume, 99th percentile, ms", most);
    full(&both, &size).await;
    wakes::measure(&both, &size).await;
}

/// The two take turns at being first.
fn order(run: usize) -> [usize; 2] {
    if run.is_multiple_of(2) {
        [0, 1]
    } else {
        [1, 0]
    }
}

fn print(what: &str, [ours, peer]: [Vec<f64>; 2]) {
    let [ours, peer] = [ours, peer].map(|values| median(values).unwrap());
    println!("| {what} | {ours:.1} | {peer:.1} | {:.2} |", ours / peer);
}

/// Volumes a second while claims wait.
async fn rate(which: &Which<'_>, workers: usize, claims: usize) -> f64 {
    let cluster = Cluster::start().await;
    cluster.add_claims(claims).await;
    let mut volumes = cluster.volumes().await;
    let _program = Program::start(which, &cluster, workers);
    let mut stored = HashSet::new();
    let (claim, first) = volumes.next().await;
    stored.insert(claim);
    let mut last = first;
    while stored.len() < claims {
        let (claim, at) = volumes.next().await;
        stored.insert(claim);
        last = at;
    }
    (claims - 1) as f64 / (last - first).as_secs_f64()
}

/// Milliseconds from the answer to the request for a claim to its volume: the median, and the 99th
/// percentile.
async fn latency(which: &Which<'_>, claims: usize) -> [f64; 2] {
    let cluster = Cluster::start().await;
    let mut volumes = cluster.volumes().await;
    let _program = Program::start(which, &cluster, 4);
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
async fn full(both: &[Which<'_>; 2], size: &Size) {
    let cluster = Cluster::start().await;
    cluster.add_bound(size.bound).await;
    let mut volumes = cluster.volumes().await;
    let mut starts = [Vec::new(), Vec::new()];
    let mut resident = [Vec::new(), Vec::new()];
    let mut most = [Vec::new(), Vec::new()];
    for run in 0..size.runs {
        for at in order(run) {
            let name = format!("waiting-{run}-{at}");
            cluster.add_claim(&name).await;
            let program = Program::start(&both[at], &cluster, 4);
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
