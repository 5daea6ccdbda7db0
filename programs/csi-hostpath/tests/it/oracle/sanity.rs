//! Runs csi-sanity.

use std::fs::{self, File};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use go_programs::Change;
use serde::Deserialize;

/// The folder of the module of Go, and the package.
const FOLDER: &str = "tests/e2e/csi";
const PACKAGE: &str = "github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity";

/// The program, which is built once for all tests of a run.
static PROGRAM: LazyLock<PathBuf> =
    LazyLock::new(|| go_programs::build(FOLDER, PACKAGE, Path::new(env!("CARGO_TARGET_TMPDIR"))));

/// Returns the program with a comparison of topologies by what they say, without Go's caches.
pub(super) fn by_contents() -> PathBuf {
    let change = Change {
        module: "github.com/kubernetes-csi/csi-test/v5",
        file: "pkg/sanity/controller.go",
        from: "Expect(topo).To(Equal(ni.GetAccessibleTopology()))",
        to: "Expect(topo.GetSegments()).To(Equal(ni.GetAccessibleTopology().GetSegments()))",
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    go_programs::build_changed(FOLDER, PACKAGE, change, target)
}

/// A driver that runs.
pub(super) struct Driver {
    process: Child,
    folder: PathBuf,
    socket: PathBuf,
}

impl Driver {
    /// Starts a driver at a socket in a folder, which has its log, and waits until it listens.
    pub(super) fn start(mut command: Command, folder: &Path, socket: &str) -> Self {
        let socket = folder.join(socket);
        let log = File::create(folder.join("log")).unwrap();
        let process = command
            .env("CSI_ENDPOINT", format!("unix://{}", socket.display()))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let driver = Self {
            process,
            folder: folder.to_owned(),
            socket,
        };
        let end = Instant::now() + Duration::from_secs(30);
        while UnixStream::connect(&driver.socket).is_err() {
            assert!(Instant::now() < end, "{}", driver.log());
            thread::sleep(Duration::from_millis(20));
        }
        driver
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The results of the checks.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) passed: usize,
    pub(super) pending: usize,
    pub(super) skipped: Vec<Check>,
    pub(super) failed: Vec<Check>,
}

/// A check that did not pass.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) message: String,
}

impl Report {
    pub(super) fn summary(&self) -> String {
        let Self {
            passed,
            pending,
            skipped,
            failed,
        } = self;
        let (skipped, failed) = (skipped.len(), failed.len());
        format!("{passed} passed, {failed} failed, {skipped} skipped, {pending} pending")
    }
}

/// The report of ginkgo, as far as it is of interest.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Suite {
    spec_reports: Vec<Spec>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Spec {
    #[serde(default)]
    container_hierarchy_texts: Option<Vec<String>>,
    leaf_node_type: String,
    leaf_node_text: String,
    state: String,
    #[serde(default)]
    failure: Failure,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Failure {
    message: String,
}

/// Runs all checks on a driver, whose controller part may have a socket of its own.
pub(super) fn check(driver: &Driver, controller: Option<&Path>, options: &[String]) -> Report {
    check_by(&PROGRAM, driver, controller, options)
}

/// Runs the checks of a program, as [`check`] does.
pub(super) fn check_by(
    program: &Path,
    driver: &Driver,
    controller: Option<&Path>,
    options: &[String],
) -> Report {
    let folder = &driver.folder;
    let json = folder.join("report.json");
    let mut command = Command::new(program);
    command
        .arg("--ginkgo.no-color")
        .arg(format!("--ginkgo.json-report={}", json.display()))
        .arg(format!("-csi.endpoint=unix://{}", driver.socket.display()))
        .arg(format!("-csi.mountdir={}", folder.join("mount").display()))
        .arg(format!(
            "-csi.stagingdir={}",
            folder.join("staging").display()
        ))
        .args(options)
        .current_dir(folder)
        .stdin(Stdio::null());
    if let Some(socket) = controller {
        let socket = socket.display();
        command.arg(format!("-csi.controllerendpoint=unix://{socket}"));
    }
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let text = fs::read_to_string(&json).unwrap_or_else(|_| panic!("{printed}"));
    let suites: Vec<Suite> = serde_json::from_str(&text).unwrap();
    let mut report = Report::default();
    for spec in suites.into_iter().flat_map(|suite| suite.spec_reports) {
        if spec.leaf_node_type != "It" {
            continue;
        }
        let mut name = spec.container_hierarchy_texts.unwrap_or_default();
        name.push(spec.leaf_node_text);
        let check = Check {
            name: name.join(" "),
            message: spec.failure.message,
        };
        match &*spec.state {
            "passed" => report.passed += 1,
            "pending" => report.pending += 1,
            "skipped" => report.skipped.push(check),
            _ => report.failed.push(check),
        }
    }
    report
}
