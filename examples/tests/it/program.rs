//! A program under test: its log, and its end.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

/// The time that a program or a server may take for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A running program, which ends with the value.
pub(crate) struct Program {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
}

impl Program {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, log }
    }

    /// Waits for a line of the log with that text, and returns what follows the text.
    pub(crate) async fn logs(&mut self, text: &str) -> String {
        let found = async {
            while let Some(line) = self.log.next_line().await.unwrap() {
                println!("| {line}");
                if let Some((_, rest)) = line.split_once(text) {
                    return rest.to_owned();
                }
            }
            panic!("the program ended without logging {text:?}");
        };
        tokio::time::timeout(PATIENCE, found).await.expect(text)
    }

    /// Asks the program to stop as Kubernetes does, and expects that it does so without an error.
    pub(crate) async fn stop(mut self) {
        let id = self.child.id().unwrap().to_string();
        let sent = Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .await
            .unwrap();
        assert!(sent.success());
        // The rest of the log, which ends with the program.
        while let Some(line) = self.log.next_line().await.unwrap() {
            println!("| {line}");
        }
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        assert!(status.expect("stops").unwrap().success());
    }
}

/// Repeats a question until it has an answer.
pub(crate) async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let answered = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, answered)
        .await
        .unwrap_or_else(|_| panic!("{what}"))
}
