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
use xtask_testing::{Outcome, real_root, upstream};

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubernetes-storage");

const RUNS: usize = 11;

/// The commands of Go modules, with their versions.
const PEERS: [&str; 2] = [
    "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0",
    "sigs.k8s.io/kubectl-validate@v0.0.5-0.20260105161640-a97ccfaca20b",
];

fn main() {
    processes::measure_if_asked();
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let Some(root) = real_root().filter(|_| is_bench) else {
        return;
    };
    let manifests = std::env::var_os("MANIFESTS").map(PathBuf::from);
    let manifests = manifests.unwrap_or_else(|| upstream(&root).join("manifests"));
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    for peer in PEERS {
        let mut go = Command::new("go");
        go.args(["install", peer]).env("GOBIN", &place);
        Outcome::of(go.env("CGO_ENABLED", "0").env("GOFLAGS", "")).succeeds();
    }
    let schemas = place.join("schemas");
    let mut schema = Command::new(PROGRAM);
    Outcome::of(schema.args(["schema", "--output"]).arg(&schemas)).succeeds();

    let mut ours = Command::new(PROGRAM);
    ours.args(["lint", "--no-config"]).arg(&manifests);
    let mut kubeconform = Command::new(place.join("kubeconform"));
    let location = schemas.join("{{ .ResourceKind }}{{ .KindSuffix }}.json");
    kubeconform.args(["-ignore-missing-schemas", "-schema-location"]);
    kubeconform.arg(location).arg(&manifests);
    let mut validate = Command::new(place.join("kubectl-validate"));
    validate.arg(&manifests);
    let commands = [
        ("kubernetes-storage", ours),
        ("kubeconform", kubeconform),
        ("kubectl-validate", validate),
    ];

    let mut costs = commands.each_ref().map(|_| Vec::new());
    for _ in 0..RUNS {
        for ((_, command), costs) in commands.iter().zip(&mut costs) {
            // 1 means that there are errors.
            costs.push(processes::measure(command, &[0, 1]));
        }
    }
    print(
        &commands.map(|(name, _)| name),
        &costs.each_ref().map(|all| processes::median(all)),
    );
}

fn print(names: &[&str], costs: &[Cost]) {
    let ours = costs[0];
    println!("| program | processor time | ratio | time | ratio | memory | ratio |");
    println!("|---|---|---|---|---|---|---|");
    for (name, cost) in names.iter().zip(costs) {
        let [worked, took] = [cost.worked, cost.took].map(|time| time.as_secs_f64());
        println!(
            "| {name} | {worked:.3} s | {:.3} | {took:.3} s | {:.3} | {:.0} MB | {:.3} |",
            ours.worked.as_secs_f64() / worked,
            ours.took.as_secs_f64() / took,
            cost.memory as f64 / 1e6,
            ours.memory as f64 / cost.memory as f64,
        );
    }
}
