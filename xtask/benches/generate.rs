//! The cost of generating: all documents of a release of Kubernetes, beside the cost of reading and
//! parsing them alone, and documents of 100 to 10,000 schemas.
//!
//! ```text
//! UPSTREAM_DIR=path/to/upstream cargo bench -p xtask --bench generate
//! ```
//!
//! Without `UPSTREAM_DIR` the documents of Kubernetes are left out. Each figure is the median of
//! several runs of the command, each of which writes all files; memory is the most that a run had.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use xtask_testing::every::{documents, workspace};
use xtask_testing::processes::{self, Cost};
use xtask_testing::{real_root, upstream};

/// The program that is built from this package.
const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// The release whose documents are generated.
const RELEASE: &str = "v1.34";

/// The folder of what earlier runs have written.
const ASIDE: &str = "aside";

/// The name of the crate that is made of one document.
const NAME: &str = "example-v1";

/// The name of the runs that generate.
const GENERATE: &str = "generate";

/// The argument that makes this program parse the documents of a folder, and nothing else.
const FLOOR: &str = "--floor";

fn main() {
    processes::measure_if_asked();
    let arguments: Vec<_> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == FLOOR) {
        floor(Path::new(&arguments[at + 1]));
        return;
    }
    let Some(root) = real_root() else { return };
    // Without cargo bench it only has to work.
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let (runs, sizes) = match is_bench {
        true => (9, [100, 300, 700, 3_000, 10_000].as_slice()),
        false => (1, [100].as_slice()),
    };
    println!(
        "| documents | schemas | time | processor time | a schema | memory |\n|---|---|---|---|---|---|"
    );
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    if is_bench && std::env::var_os("UPSTREAM_DIR").is_some() {
        let spec = upstream(&root).join("openapi").join(RELEASE);
        let folder = place.join(RELEASE);
        let documents = documents(&spec);
        workspace(&root, &folder, RELEASE, &documents, &[]);
        let schemas = schemas(&spec);
        let all = format!("all {} of {RELEASE}", documents.len());
        print(
            &format!("{all}, read and parsed only"),
            schemas,
            costs(FLOOR, &spec, &folder, runs),
        );
        print(&all, schemas, costs(GENERATE, &spec, &folder, runs));
    }
    for size in sizes {
        let folder = place.join(size.to_string());
        let spec = folder.join("spec").join("v1.37");
        one(&root, &folder, &spec, *size);
        print("one", *size, costs(GENERATE, &spec, &folder, runs));
    }
    fs::remove_dir_all(place).unwrap();
}

/// Parses the documents of a folder and forgets them.
fn floor(spec: &Path) {
    for path in fs::read_dir(spec)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let text = fs::read_to_string(path).unwrap();
        std::hint::black_box(serde_json::from_str::<Value>(&text).unwrap());
    }
}

/// Measures runs in a folder in which nothing is generated before.
fn costs(what: &str, spec: &Path, folder: &Path, runs: usize) -> Vec<Cost> {
    let once = |run: usize| {
        // The last files are put aside, not removed: where ext4 makes new files, it passes
        // over the places of those that were removed a moment ago, which takes longer than
        // generating.
        let aside = folder.join(ASIDE).join(format!("{what}-{run}"));
        fs::create_dir_all(&aside).unwrap();
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        for entry in entries.filter(|entry| entry.path().join("src").is_dir()) {
            fs::rename(entry.path(), aside.join(entry.file_name())).unwrap();
        }
        let mut command = match what {
            FLOOR => Command::new(std::env::current_exe().unwrap()),
            _ => Command::new(XTASK),
        };
        match what {
            FLOOR => command.arg(FLOOR),
            _ => command.args(["codegen", "--spec"]),
        };
        processes::measure(command.arg(spec).current_dir(folder), &[0])
    };
    (0..runs).map(once).collect()
}

fn print(what: &str, schemas: usize, costs: Vec<Cost>) {
    let median = processes::median(&costs);
    let [took, worked] = [median.took, median.worked].map(|time| time.as_secs_f64());
    let memory = costs.iter().map(|cost| cost.memory).max().unwrap();
    println!(
        "| {what} | {schemas} | {took:.3} s | {worked:.3} s | {:.0} µs | {:.0} MB |",
        worked * 1e6 / schemas as f64,
        memory as f64 / 1e6
    );
}

/// The number of schemas in the documents of a folder, of which most are in several.
fn schemas(spec: &Path) -> usize {
    let documents = fs::read_dir(spec)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let counts = documents.map(|path| {
        let document: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        document["components"]["schemas"]
            .as_object()
            .map_or(0, |schemas| schemas.len())
    });
    counts.sum()
}

/// Writes a workspace of one crate, made from one document of a number of schemas.
fn one(root: &Path, folder: &Path, spec: &Path, size: usize) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(spec).unwrap();
    fs::create_dir_all(folder.join(".cargo")).unwrap();
    let config = format!(
        "[[crate]]\nname = \"{NAME}\"\ndescription = \"An example\"\n\n[[crate.document]]\n\
         file = \"example.json\"\nrelease = \"1.37\"\nprefix = \"com.example.v1.\"\n"
    );
    fs::write(folder.join("codegen.toml"), config).unwrap();
    let mut schemas = serde_json::Map::new();
    for at in 0..size {
        schemas.insert(format!("com.example.v1.Thing{at}"), schema(at));
    }
    let document = json!({"openapi": "3.0.0", "components": {"schemas": schemas}});
    fs::write(spec.join("example.json"), document.to_string()).unwrap();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
}

/// A struct of eight fields, of which one holds another struct, as most of Kubernetes' are.
fn schema(at: usize) -> Value {
    let text = |of: &str| {
        format!(
            "{of} says what the thing does when it is asked to. It may be left out, and then the \
             server takes what is best for most, which is subject to change in later versions."
        )
    };
    let mut properties = json!({
        "name": {"type": "string", "description": text("Name")},
        "path": {"type": "string", "description": text("Path")},
        "replicas": {"type": "integer", "format": "int32", "description": text("Replicas")},
        "paused": {"type": "boolean", "description": text("Paused")},
        "labels": {
            "type": "object", "additionalProperties": {"type": "string"}, "description": text("Labels")
        },
        "arguments": {
            "type": "array", "items": {"type": "string"}, "description": text("Arguments"),
            "x-kubernetes-list-type": "atomic"
        },
        "limit": {"type": "integer", "format": "int64", "description": text("Limit")},
    });
    if at > 0 {
        let inner = format!("#/components/schemas/com.example.v1.Thing{}", (at - 1) / 4);
        properties["inner"] = json!({"allOf": [{"$ref": inner}], "description": text("Inner")});
    }
    json!({
        "type": "object", "description": text("A thing"), "required": ["name"], "properties": properties,
    })
}
