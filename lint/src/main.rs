//! Tells what a Kubernetes API server would say about storage manifests; see README.md.

use std::process::ExitCode;

use clap::Parser;
use kubernetes_storage_lint::args::Args;

fn main() -> ExitCode {
    kubernetes_storage_lint::run(&Args::parse())
}
