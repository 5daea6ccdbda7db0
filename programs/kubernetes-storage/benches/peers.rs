//! `lint` beside kubeconform and kubectl-validate, over the same files.
//!
//! ```text
//! UPSTREAM_DIR=path/to/upstream cargo bench -p kubernetes-storage --bench peers # its manifests
//! MANIFESTS=path/to/manifests cargo bench -p kubernetes-storage --bench peers   # those of a
//! folder
//! ```
//!
//! Go builds the peers. kubeconform checks by the JSON Schemas that `schema` prints, as it has none
//! of its own for a release, and kubectl-validate by the documents of Kubernetes that it has. The
//! three run by turns; the figures are medians, and the ratios are ours to theirs.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask_testing::processes::{self, Cost};
use xtask_testing::{Outcome, real_root, upstream_part};

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubernetes-storage");

const RUNS: usize = 11;

/// A peer.
struct Peer {
    name: &'static str,
    /// Its command as a Go module, with the version.
    module: &'static str,
    /// The most of its processor time that ours may take.
    budget: f64,
}

const PEERS: [Peer; 2] = [
    Peer {
        name: "kubeconform",
        module: "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0",
        budget: 0.15,
    },
    Peer {
        name: "kubectl-validate",
        module: "sigs.k8s.io/kubectl-validate@v0.0.5-0.20260105161640-a97ccfaca20b",
        budget: 0.05,
    },
];

fn main() {
    processes::measure_if_asked();
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let Some(root) = real_root().filter(|_| is_bench) else {
        return;
    };
    let manifests = std::env::var_os("MANIFESTS").map(PathBuf::from);
    let Some(manifests) = manifests.or_else(|| upstream_part(&root, "manifests")) else {
        return;
    };
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    for peer in PEERS {
        let mut go = Command::new("go");
        go.args(["install", peer.module]).env("GOBIN", &place);
        Outcome::of(go.env("CGO_ENABLED", "0").env("GOFLAGS", "")).succeeds();
    }
    let schemas = place.join("schemas");
    let mut schema = Command::new(PROGRAM);
    Outcome::of(schema.args(["schema", "--output"]).arg(&schemas)).succeeds();

    let mut ours = Command::new(PROGRAM);
    ours.args(["lint", "--no-config"]).arg(&manifests);
    let [mut kubeconform, mut validate] = PEERS.map(|peer| Command::new(place.join(peer.name)));
    let location = schemas.join("{{ .ResourceKind }}{{ .KindSuffix }}.json");
    kubeconform.args(["-ignore-missing-schemas", "-schema-location"]);
    kubeconform.arg(location).arg(&manifests);
    validate.arg(&manifests);

    let commands = [ours, kubeconform, validate];
    let mut costs = [const { Vec::new() }; 3];
    for _ in 0..RUNS {
        for (command, costs) in commands.iter().zip(&mut costs) {
            // 1 means that there are errors.
            costs.push(processes::measure(command, &[0, 1]));
        }
    }
    let [ours, peers @ ..] = costs.each_ref().map(|costs| processes::median(costs));
    println!("| program | processor time | ratio | time | ratio | memory | ratio |");
    println!("|---|---|---|---|---|---|---|");
    print("kubernetes-storage", &ours, &ours);
    let rows = PEERS.iter().zip(&peers);
    let ratios: Vec<_> = rows
        .map(|(peer, cost)| print(peer.name, cost, &ours))
        .collect();
    for (peer, ratio) in PEERS.iter().zip(ratios) {
        assert!(
            ratio <= peer.budget,
            "{ratio:.3} of the time of {}, at most {}",
            peer.name,
            peer.budget
        );
    }
}

/// Prints a row, and returns the ratio of processor times.
fn print(name: &str, cost: &Cost, ours: &Cost) -> f64 {
    let [worked, took] = [cost.worked, cost.took].map(|time| time.as_secs_f64());
    let ratio = ours.worked.as_secs_f64() / worked;
    println!(
        "| {name} | {worked:.3} s | {ratio:.3} | {took:.3} s | {:.3} | {:.0} MB | {:.3} |",
        ours.took.as_secs_f64() / took,
        cost.memory as f64 / 1e6,
        ours.memory as f64 / cost.memory as f64,
    );
    ratio
}
