//! Reading and writing lists of 10,000 objects as a server returns them, with `managedFields`: the
//! speed and the memory of types that are generated from Kubernetes' own documents, as JSON and as
//! protobuf, against k8s-openapi's types with serde_json, which is kube's way, and against the
//! types that prost generates by default.
//!
//! ```text
//! export UPSTREAM_DIR=path/to/upstream
//! cargo bench -p xtask --bench lists                  # all kinds
//! cargo bench -p xtask --bench lists -- --quick Pod   # 2,000 objects, few rounds, one kind
//! ```
//!
//! A ratio of times is the median of rounds, in each of which both sides are measured one after the
//! other.
//!
//! The types are of no crate of the project, so that a workspace is generated and built first. That
//! fetches the crates of prost, which the project doesn't use, and asks Go which fields are always
//! written. The program that is built runs without this one, too, and can read one list many times,
//! for a profile. Its path is printed:
//!
//! ```text
//! perf record target/tmp/generated/release/lists --loop Pod protobuf 50
//! ```

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use xtask_testing::every::{add_protobuf, documents, generate, protos, workspace};
use xtask_testing::{real_root, upstream, upstream_part};

/// The program that is built from this package.
const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// The release whose documents are generated, and of the types of k8s-openapi.
const RELEASE: &str = "1.37";

/// The package with the programs that measure.
const PROGRAM: &str = "lists";

/// The files of that package.
const FILES: [(&str, &str); 11] = [
    ("build.rs", include_str!("lists/build.rs")),
    ("src/bin/memory.rs", include_str!("lists/memory.rs")),
    ("src/kinds.rs", include_str!("lists/kinds.rs")),
    ("src/lib.rs", include_str!("lists/lib.rs")),
    ("src/main.rs", include_str!("lists/program.rs")),
    ("src/managed.rs", include_str!("lists/managed.rs")),
    ("src/measure.rs", include_str!("lists/measure.rs")),
    ("src/nodes.rs", include_str!("lists/nodes.rs")),
    ("src/objects.rs", include_str!("lists/objects.rs")),
    ("src/pods.rs", include_str!("lists/pods.rs")),
    ("src/storage.rs", include_str!("lists/storage.rs")),
];

/// Its dependencies. The workspace has no use for those with a version.
const DEPENDENCIES: &str = r#"
[dependencies]
apps-v1 = { workspace = true, features = ["protobuf"] }
cap = { workspace = true, features = ["stats"] }
core-v1 = { workspace = true, features = ["protobuf"] }
k8s-openapi.workspace = true
kubernetes-kinds = { workspace = true, features = ["protobuf"] }
prost = "0.14"
serde_json.workspace = true
storage-v1 = { workspace = true, features = ["protobuf"] }

[build-dependencies]
prost-build = "0.14"
protox = "0.10"
"#;

// So that `cargo fmt` formats them.
#[cfg(false)]
#[path = "lists/build.rs"]
mod build;
#[cfg(false)]
#[path = "lists/lib.rs"]
mod lib;
#[cfg(false)]
#[path = "lists/memory.rs"]
mod memory;
#[cfg(false)]
#[path = "lists/program.rs"]
mod program;

/// Writes the package.
fn write(folder: &Path) {
    for (name, text) in FILES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let package = format!("[package]\nname = \"{PROGRAM}\"\nedition.workspace = true\n");
    fs::write(folder.join("Cargo.toml"), package + DEPENDENCIES).unwrap();
}

/// Makes a folder like another one. What is the same already keeps its time, so that cargo doesn't
/// compile it again.
fn update(folder: &Path, like: &Path) {
    let names = |folder: &Path| -> BTreeSet<OsString> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    fs::create_dir_all(folder).unwrap();
    let wanted = names(like);
    for name in names(folder).difference(&wanted) {
        let path = folder.join(name);
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
    }
    for name in wanted {
        let (path, like) = (folder.join(&name), like.join(&name));
        if like.is_dir() {
            update(&path, &like);
        } else if fs::read(&path).ok() != Some(fs::read(&like).unwrap()) {
            fs::copy(&like, &path).unwrap();
        }
    }
}

fn main() {
    // Cargo adds it to the arguments of benchmarks, and of nothing else.
    let (bench, arguments): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word == "--bench");
    let Some(root) = real_root().filter(|_| !bench.is_empty()) else {
        return;
    };
    if std::env::var_os("UPSTREAM_DIR").is_none() {
        eprintln!("left out: UPSTREAM_DIR names no folder of Kubernetes' documents");
        return;
    }
    let Some(spec) = upstream_part(&root, "openapi-served-v1.37") else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PROGRAM);
    let made = folder.with_file_name("lists-made");
    workspace(&root, &made, RELEASE, &documents(&spec), &[PROGRAM]);
    add_protobuf(&root, &made, RELEASE, XTASK);
    write(&made.join(PROGRAM));
    generate(&made, RELEASE, &spec, XTASK);
    update(&folder, &made);
    let target = folder.with_file_name("generated");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", PROGRAM])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &target)
        .env("K8S_OPENAPI_ENABLED_VERSION", RELEASE)
        .env("PROTOS", protos(&upstream(&root), RELEASE))
        .status();
    assert!(status.unwrap().success());
    let program = target.join("release").join(PROGRAM);
    eprintln!("{}", program.display());
    let status = Command::new(program).args(arguments).status();
    assert!(status.unwrap().success());
}
