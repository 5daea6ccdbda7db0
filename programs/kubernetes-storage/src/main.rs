//! The program `kubernetes-storage`.

use std::process::ExitCode;

fn main() -> ExitCode {
    kubernetes_storage::main("kubernetes-storage", "kubernetes-storage")
}
