//! The memory that generating takes, for which there is a budget.
//!
//! What is allocated in all hardly differs between runs and machines, even where others use them,
//! and to make, fill and drop it is most of the generator's work: it stands for its time, without
//! rustfmt. The counting allocator is that of a whole process, so these tests have their own.

#![allow(clippy::unwrap_used, missing_docs)]

use std::alloc::System;
use std::fs;
use std::path::{Path, PathBuf};

use cap::Cap;
use clap::Parser;
use kubernetes_crdgen::definitions::{Choices, Definitions, read};

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

#[derive(Parser)]
struct Arguments {
    #[arg(id = "crd")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    choices: Choices,
}

/// The memory that generating takes, in bytes for each byte of the definitions.
struct Taken {
    allocated: f64,
    /// The most at a time, with the generated files, since the start of the process. More threads
    /// hold more.
    held: f64,
}

/// Generates the crates of definitions.
fn measure(paths: &[PathBuf], options: &[&str]) -> Taken {
    let names = paths.iter().map(|path| path.to_str().unwrap());
    let words = ["kubernetes-crdgen"].into_iter().chain(names);
    let arguments = Arguments::parse_from(words.chain(options.iter().copied()));
    let (allocated, held) = (HEAP.total_allocated(), HEAP.allocated());
    let found = read(&Definitions {
        paths: &arguments.paths,
        given: &[],
        runtime: None,
        release: None,
        choices: &arguments.choices,
    });
    let found = found.unwrap();
    let generated = codegen::generate(&found.config, &found.inputs).unwrap();
    assert!(!generated.is_empty());
    let size: u64 = paths.iter().map(|path| size(path)).sum();
    let each = |bytes: usize| bytes as f64 / size as f64;
    Taken {
        allocated: each(HEAP.total_allocated() - allocated),
        held: each(HEAP.max_allocated() - held),
    }
}

/// The bytes of a file, or of those in a folder.
fn size(path: &Path) -> u64 {
    match path.is_dir() {
        true => {
            let files = fs::read_dir(path).unwrap();
            files.map(|file| size(&file.unwrap().path())).sum()
        }
        false => path.metadata().unwrap().len(),
    }
}

/// Compares what is taken with what may be taken; both are printed with `--nocapture`.
fn compare(taken: &Taken, budget: &Taken) {
    let both = [
        ("allocated", taken.allocated, budget.allocated),
        ("held at a time", taken.held, budget.held),
    ];
    for (what, taken, budget) in both {
        let text = format!("{taken:.1} bytes are {what} for each byte of the definitions");
        println!("{text}; the budget is {budget}");
        assert!(taken <= budget, "{text}; the budget is {budget}");
    }
}

#[test]
fn a_definition_with_all_parts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/tests/golden/custom");
    let budget = Taken {
        allocated: 1660.0,
        held: 160.0,
    };
    compare(&measure(&[folder.join("crd.yaml")], &[]), &budget);
}

mod upstream {
    use super::*;

    #[test]
    #[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
    fn definitions_of_three_projects() {
        let upstream = std::env::var_os("UPSTREAM_DIR").unwrap();
        // A relative path is relative to the root of the workspace.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = root.join(upstream).join("crds/ecosystem");
        if !folder.is_dir() {
            eprintln!("left out: UPSTREAM_DIR has no definitions of other projects");
            return;
        }
        let projects = ["cert-manager", "gateway-api", "prometheus-operator"];
        let budget = Taken {
            allocated: 90.0,
            held: 8.0,
        };
        let paths = projects.map(|project| folder.join(project));
        compare(&measure(&paths, &["--parts", "types"]), &budget);
    }
}
