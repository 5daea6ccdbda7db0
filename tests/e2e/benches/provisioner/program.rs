//! The programs.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::cluster::{Cluster, NAME, READY};
use crate::ours;

pub(crate) enum Which<'a> {
    Ours,
    /// The program that Go has built, with JSON or with protobuf.
    Peer {
        program: &'a Path,
        protobuf: bool,
    },
}

/// Builds the program on the Go library.
pub(crate) fn build_peer() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    go_programs::build("tests/e2e/benches/provisioner/peer", ".", target)
}

/// A running program, which is killed with this.
pub(crate) struct Program {
    process: Child,
    pub(crate) started: Instant,
}

/// Bytes.
pub(crate) struct Memory {
    pub(crate) resident: u64,
    pub(crate) most: u64,
}

impl Program {
    pub(crate) fn start(which: &Which<'_>, cluster: &Cluster, workers: usize) -> Self {
        Self::spawn(which, cluster, workers, false)
    }

    /// Starts a program whose calls fail for claims that aren't ready. It writes the name of each
    /// claim that it is called for.
    pub(crate) fn start_failing(which: &Which<'_>, cluster: &Cluster) -> (Self, Calls) {
        let mut program = Self::spawn(which, cluster, 4, true);
        let output = BufReader::new(program.process.stdout.take().unwrap());
        let (sender, receiver) = mpsc::unbounded_channel();
        thread::spawn(move || {
            for claim in output.lines().map_while(Result::ok) {
                // Nobody listens at the end.
                let _ = sender.send((claim, Instant::now()));
            }
        });
        (program, Calls(receiver))
    }

    fn spawn(which: &Which<'_>, cluster: &Cluster, workers: usize, fails: bool) -> Self {
        let config = cluster.server.kubeconfig();
        let mut command = match which {
            Which::Ours => {
                let mut command = Command::new(env::current_exe().unwrap());
                command.env(ours::CHILD, format!("{NAME},{workers},{fails}"));
                command.env("KUBECONFIG", config);
                command
            }
            Which::Peer { program, protobuf } => {
                let mut command = Command::new(program);
                command.arg("-kubeconfig").arg(config);
                command.args(["-name", NAME, "-workers", &workers.to_string()]);
                if *protobuf {
                    command.arg("-protobuf");
                }
                if fails {
                    command.args(["-ready", READY]);
                }
                command
            }
        };
        command
            .stdin(Stdio::null())
            .stdout(if fails { Stdio::piped() } else { Stdio::null() })
            .stderr(Stdio::null());
        let started = Instant::now();
        Self {
            process: command.spawn().unwrap(),
            started,
        }
    }

    /// The seconds of a processor that it has taken.
    pub(crate) fn cpu(&self) -> f64 {
        cpu(self.process.id())
    }

    pub(crate) fn memory(&self) -> Memory {
        let bytes = |name| go_programs::memory(self.process.id(), name).unwrap();
        Memory {
            resident: bytes("VmRSS"),
            most: bytes("VmHWM"),
        }
    }
}

/// The seconds of a processor that a process has taken.
pub(crate) fn cpu(process: u32) -> f64 {
    go_programs::processor_time(process).unwrap().as_secs_f64()
}

/// The calls of a program, with the times at which it was heard of them.
pub(crate) struct Calls(mpsc::UnboundedReceiver<(String, Instant)>);

impl Calls {
    /// Returns the claim of the next call.
    pub(crate) async fn next(&mut self) -> (String, Instant) {
        let call = tokio::time::timeout(Duration::from_secs(120), self.0.recv()).await;
        call.expect("there is a call in time").unwrap()
    }

    /// Returns the time of the next call for a claim.
    pub(crate) async fn of(&mut self, wanted: &str) -> Instant {
        loop {
            let (claim, at) = self.next().await;
            if claim == wanted {
                return at;
            }
        }
    }

    /// Returns how many calls there were, and forgets them.
    pub(crate) fn take(&mut self) -> usize {
        std::iter::from_fn(|| self.0.try_recv().ok()).count()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
