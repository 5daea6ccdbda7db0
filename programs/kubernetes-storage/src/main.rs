//! The program `kubernetes-storage`; see README.md.

use std::process::ExitCode;

fn main() -> ExitCode {
    kubernetes_storage::main("kubernetes-storage", "kubernetes-storage")
}
