//! Reading and writing lists of 10,000 pods and deployments, with types generated from Kubernetes'
//! own documents, against k8s-openapi's types.
//!
//! ```text
//! UPSTREAM_DIR=path/to/upstream cargo bench -p xtask --bench lists
//! ```
//!
//! The types are of no crate of the project, so that a workspace is generated and built first. A
//! ratio is how many times as fast ours are: the median of pairs of measurements.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask_testing::every::{documents, workspace};
use xtask_testing::{Outcome, real_root, upstream};

/// The program that is built from this package.
const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// The release whose documents are generated, and of the types of k8s-openapi.
const RELEASE: &str = "v1.34";

/// The package with the program that measures.
const PROGRAM: &str = "lists";

/// The code of that package, which is declared here so that `cargo fmt` formats it.
#[cfg(false)]
#[path = "lists/program.rs"]
mod program;

fn main() {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let Some(root) = real_root().filter(|_| is_bench) else {
        return;
    };
    let spec = upstream(&root).join("openapi").join(RELEASE);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PROGRAM);
    workspace(&root, &folder, RELEASE, &documents(&spec), &[PROGRAM]);
    let program = folder.join(PROGRAM);
    fs::create_dir_all(program.join("src")).unwrap();
    fs::write(
        program.join("src/main.rs"),
        include_str!("lists/program.rs"),
    )
    .unwrap();
    fs::write(
        program.join("Cargo.toml"),
        format!(
            "[package]\nname = \"{PROGRAM}\"\nedition.workspace = true\n\n[dependencies]\n\
             apps-v1.workspace = true\ncap.workspace = true\ncore-v1.workspace = true\n\
             k8s-openapi.workspace = true\nserde_json.workspace = true\n"
        ),
    )
    .unwrap();
    let mut generate = Command::new(XTASK);
    generate
        .args(["codegen", "--spec"])
        .arg(&spec)
        .current_dir(&folder);
    Outcome::of(&mut generate).succeeds();
    let status = Command::new(env!("CARGO"))
        .args([
            "run",
            "--release",
            "--quiet",
            "--offline",
            "--package",
            PROGRAM,
        ])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.with_file_name("generated"))
        .env(
            "K8S_OPENAPI_ENABLED_VERSION",
            RELEASE.trim_start_matches('v'),
        )
        .status();
    assert!(status.unwrap().success());
}
