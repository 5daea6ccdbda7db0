//! The same program as a plugin of kubectl, which runs it for `kubectl storage`.

use std::process::ExitCode;

fn main() -> ExitCode {
    kubernetes_storage::main("kubectl-storage", "kubectl storage")
}
