//! Kubernetes' own reader and writer of protobuf: a program in Go.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use go_programs::Program;

/// The running program.
pub(super) struct Oracle(Program);

/// The program, which is built once for all tests of a run.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    go_programs::build(
        "tests/e2e/control-plane/v1.37",
        "./cmd/protobuf-oracle",
        target,
    )
});

impl Oracle {
    /// Starts the program.
    pub(super) fn start() -> Self {
        Self(Program::start(&PROGRAM))
    }

    /// Returns what Go writes after it has read a body, or why it doesn't read it.
    pub(super) fn again(&mut self, body: &[u8]) -> Result<Vec<u8>, String> {
        self.0.send(&[body]);
        self.0.answer()
    }
}
