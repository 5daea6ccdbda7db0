//! Kubernetes' own reader of YAML: a program in Go, built from `tests/e2e/yaml-reader`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use go_programs::Program;
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
pub(crate) struct Reader(Program);

/// The program, which is built once for all tests of a run.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    go_programs::build("tests/e2e/yaml-reader", ".", target)
});

impl Reader {
    /// Starts the program.
    pub(crate) fn start() -> Self {
        Self(Program::start(&PROGRAM))
    }

    /// Returns what a server reads of a body, and kubectl of a file.
    pub(crate) fn read(&mut self, text: &str) -> (Read<Value>, Read<Vec<Value>>) {
        self.0.send(&[text.as_bytes()]);
        let line = self.0.line();
        let answer: Answer = serde_json::from_str(&line).unwrap();
        let body = match answer.body_error {
            None => Ok(answer.body.unwrap_or_default()),
            Some(error) => Err(error),
        };
        (body, answer.stream_error.map_or(Ok(answer.stream), Err))
    }
}
