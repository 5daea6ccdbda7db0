//! The same as a plugin: kubectl runs it as `kubectl storage`.

use std::process::ExitCode;

fn main() -> ExitCode {
    kubernetes_storage::main("kubectl-storage", "kubectl storage")
}
