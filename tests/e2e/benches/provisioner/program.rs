//! The two programs.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempPath;

use crate::cluster::{Cluster, NAME};
use crate::ours;

pub(crate) enum Which<'a> {
    Ours,
    /// The program that Go has built.
    Peer(&'a Path),
}

/// Builds the program on the Go library.
pub(crate) fn build_peer() -> PeerProgram {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/provisioner/peer");
    let program = tempfile::Builder::new().prefix("peer-").tempfile().unwrap();
    let program = program.into_temp_path();
    let built = Command::new("go")
        .current_dir(folder)
        .env("CGO_ENABLED", "0")
        .env("GOWORK", "off")
        .args([
            "build",
            "-trimpath",
            "-mod=readonly",
            "-buildvcs=false",
            "-o",
        ])
        .args([&*program, Path::new(".")])
        .status()
        .expect("Go is installed");
    assert!(
        built.success(),
        "the program on the Go library can't be built"
    );
    PeerProgram(program)
}

/// The file of a program, which goes with this.
pub(crate) struct PeerProgram(TempPath);

impl PeerProgram {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
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
        let config = cluster.server.kubeconfig();
        let mut command = match which {
            Which::Ours => {
                let mut command = Command::new(env::current_exe().unwrap());
                command.env(ours::CHILD, format!("{NAME},{workers}"));
                command.env("KUBECONFIG", config);
                command
            }
            Which::Peer(program) => {
                let mut command = Command::new(program);
                command.arg("-kubeconfig").arg(config);
                command.args(["-name", NAME, "-workers", &workers.to_string()]);
                command
            }
        };
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let started = Instant::now();
        Self {
            process: command.spawn().unwrap(),
            started,
        }
    }

    pub(crate) fn memory(&self) -> Memory {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap();
        let bytes = |name: &str| -> u64 {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap();
            let kib = line.split_whitespace().next().unwrap();
            kib.parse::<u64>().unwrap() * 1024
        };
        Memory {
            resident: bytes("VmRSS:"),
            most: bytes("VmHWM:"),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
