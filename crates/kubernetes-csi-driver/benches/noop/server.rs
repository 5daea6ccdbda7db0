//! The drivers: their programs and processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use go_programs::processor_time;
use kubernetes_csi::v1::ProbeRequest;
use kubernetes_csi::v1::identity_client::IdentityClient;
use tempfile::TempDir;
use tokio::net::UnixStream;
use tokio::time::sleep;

use crate::clients::channel;

/// A driver's program, with a way to run it.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    /// The argument after the endpoint, if the program is ours.
    runtime: Option<&'static str>,
}

/// Builds Go's driver, which comes first, and ours: small, and with all libraries, as Go's is.
pub(crate) fn build() -> Vec<Program> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let go = go_programs::build("tests/e2e/csi", "./cmd/noop", target);
    let built = Command::new(env!("CARGO"))
        .args(["rustc", "--quiet", "--profile", "driver"])
        .args(["--package", env!("CARGO_PKG_NAME"), "--example", "noop"])
        .args(["--", "-C", "target-feature=+crt-static"])
        .status();
    assert!(built.unwrap().success(), "cargo can't build the example");
    let ours = target.with_file_name("driver").join("examples/noop");
    let program = |name, path: &Path, runtime| Program {
        name,
        path: path.to_owned(),
        runtime,
    };
    vec![
        program("Go", &go, None),
        program("one thread", &ours, Some("current-thread")),
        program("threads", &ours, Some("multi-thread")),
    ]
}

/// Returns the bytes of a program without symbols.
pub(crate) fn stripped_size(program: &Path) -> u64 {
    let stripped = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stripped-noop");
    let mut strip = Command::new("strip");
    let status = strip.arg("-o").arg(&stripped).arg(program).status();
    assert!(status.expect("binutils has strip").success());
    let size = fs::metadata(&stripped).unwrap().len();
    fs::remove_file(stripped).unwrap();
    size
}

/// A running driver, which is killed with this.
pub(crate) struct Server {
    process: Child,
    socket: PathBuf,
    _folder: TempDir,
}

impl Server {
    /// Starts a driver, and returns it with the seconds until its first answer.
    pub(crate) async fn start(program: &Program) -> (Self, f64) {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("csi.sock");
        let mut command = Command::new(&program.path);
        match program.runtime {
            None => command.arg(&socket),
            Some(runtime) => command
                .arg(format!("unix://{}", socket.display()))
                .arg(runtime),
        };
        let started = Instant::now();
        let process = command.stdin(Stdio::null()).spawn().unwrap();
        let server = Self {
            process,
            socket,
            _folder: folder,
        };
        while UnixStream::connect(server.socket()).await.is_err() {
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "nobody listens"
            );
            sleep(Duration::from_micros(100)).await;
        }
        let mut identity = IdentityClient::new(channel(server.socket()).await);
        identity.probe(ProbeRequest {}).await.unwrap();
        (server, started.elapsed().as_secs_f64())
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// The seconds of a processor that it has taken.
    pub(crate) fn cpu(&self) -> f64 {
        processor_time(self.process.id()).unwrap().as_secs_f64()
    }

    /// A line of its status, in MB.
    pub(crate) fn memory(&self, line: &str) -> f64 {
        go_programs::memory(self.process.id(), line).unwrap() as f64 / 1e6
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
