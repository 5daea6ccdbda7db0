//! Kubernetes' own reader of YAML: a program in Go, built from `tests/e2e/yaml-reader`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

/// A text as Kubernetes reads it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answer {
    body: Option<Value>,
    body_error: Option<String>,
    stream: Vec<Value>,
    stream_error: Option<String>,
}

/// A text as one side reads it, or the error.
pub(crate) type Read<T> = Result<T, String>;

/// The running program.
pub(crate) struct Reader {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The program, which is built once for all tests of a run.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    go_programs::build("tests/e2e/yaml-reader", ".", target)
});

impl Reader {
    /// Starts the program.
    pub(crate) fn start() -> Self {
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

    /// Returns what a server reads of a body, and kubectl of a file.
    pub(crate) fn read(&mut self, text: &str) -> (Read<Value>, Read<Vec<Value>>) {
        let input = self.input.as_mut().unwrap();
        let length = u32::try_from(text.len()).unwrap();
        input.write_all(&length.to_be_bytes()).unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Answer = serde_json::from_str(&line).unwrap();
        let body = match answer.body_error {
            None => Ok(answer.body.unwrap_or_default()),
            Some(error) => Err(error),
        };
        (body, answer.stream_error.map_or(Ok(answer.stream), Err))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
