//! `lint` beside kubeconform and kubectl-validate, over the same files.
//!
//! ```text
//! UPSTREAM_DIR=path/to/upstream cargo bench -p kubernetes-storage --bench peers # its manifests
//! MANIFESTS=path/to/manifests cargo bench -p kubernetes-storage --bench peers   # those of a
//! folder
//! ```
//!
//! Go builds the peers. kubectl-validate checks by the documents of Kubernetes that its module has,
//! and kubeconform by JSON Schemas that are made of the same documents, as it has none of its own:
//! the two check all kinds. Kinds of other groups have the schemas that `schema` prints. The three
//! run by turns; the figures are medians, and the ratios are ours to theirs.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask_testing::processes::{self, Cost};
use xtask_testing::{Outcome, real_root, upstream_part};

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubernetes-storage");

const RUNS: usize = 11;

/// The documents of the newest release that kubectl-validate has, seen from its module's folder.
const DOCUMENTS: &str = "pkg/openapiclient/builtins/1.35";

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
    write_schemas(&documents(PEERS[1].module), &schemas);

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

/// Finds the documents in Go's cache, where `go install` has written the module.
fn documents(module: &str) -> PathBuf {
    let mut go = Command::new("go");
    let cache = Outcome::of(go.args(["env", "GOMODCACHE"])).succeeds().out;
    Path::new(cache.trim()).join(module).join(DOCUMENTS)
}

/// Writes a schema for each kind of the documents in a folder and in those below it, under the
/// names that kubeconform looks for.
fn write_schemas(documents: &Path, schemas: &Path) {
    for entry in fs::read_dir(documents).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            write_schemas(&path, schemas);
            continue;
        }
        let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let Some(all) = document.pointer("/components/schemas") else {
            continue;
        };
        for schema in all.as_object().unwrap().values() {
            let kinds = schema.get("x-kubernetes-group-version-kind");
            for kind in kinds.and_then(Value::as_array).into_iter().flatten() {
                let [group, version, kind] =
                    ["group", "version", "kind"].map(|key| kind[key].as_str().unwrap());
                // The first label of the group.
                let group = group.split('.').next().filter(|group| !group.is_empty());
                let names = [Some(kind), group, Some(version)];
                let name = Vec::from_iter(names.into_iter().flatten()).join("-");
                let path = schemas.join(format!("{name}.json").to_lowercase());
                fs::write(path, with_what_it_needs(schema, all).to_string()).unwrap();
            }
        }
    }
}

/// Returns a schema with those that it refers to, at the places where it looks for them.
fn with_what_it_needs(schema: &Value, all: &Value) -> Value {
    let mut needed = BTreeMap::new();
    let mut rest = vec![schema];
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(fields) => rest.extend(fields.values()),
            Value::Array(items) => rest.extend(items),
            Value::String(text) => {
                let name = text.strip_prefix("#/components/schemas/");
                let found = name.and_then(|name| all.get(name).map(|schema| (name, schema)));
                if let Some((name, schema)) = found
                    && needed.insert(name, schema).is_none()
                {
                    rest.push(schema);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut schema = schema.clone();
    schema["components"] = serde_json::json!({ "schemas": needed });
    schema
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
