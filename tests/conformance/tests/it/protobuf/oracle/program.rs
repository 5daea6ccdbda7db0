//! Kubernetes' own reader and writer of protobuf: a program in Go.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

/// The running program.
pub(super) struct Oracle {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

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
        let mut child = Command::new(&*PROGRAM)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Returns what Go writes after it has read a body, or why it doesn't read it.
    pub(super) fn again(&mut self, body: &[u8]) -> Result<Vec<u8>, String> {
        let input = self.input.as_mut().unwrap();
        let length = u32::try_from(body.len()).unwrap();
        let framed = [&length.to_be_bytes(), body].concat();
        input.write_all(&framed).unwrap();
        let (mut sort, mut length) = ([0], [0; 4]);
        self.output.read_exact(&mut sort).unwrap();
        self.output.read_exact(&mut length).unwrap();
        let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        self.output.read_exact(&mut answer).unwrap();
        match sort {
            [0] => Ok(answer),
            _ => Err(String::from_utf8(answer).unwrap()),
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
