//! However a test process ends, its servers end too, and their files are removed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use e2e::{ControlPlane, VOLUME_CONTROLLERS};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use super::kubelet;

/// Makes [`helper`] more than an empty test: the servers that it starts.
const HELPER: &str = "E2E_STOP_HELPER";

/// The command lines of the processes that have something to do with a folder.
fn processes(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(folder)).collect()
}

fn is_running(folder: &Path, program: &str) -> bool {
    let program = format!("/{program} ");
    processes(folder).iter().any(|line| line.contains(&program))
}

/// Waits until a condition holds.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "still not: {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn dropped() {
    let builder = ControlPlane::builder()
        .controllers(VOLUME_CONTROLLERS)
        .scheduler();
    let server = builder.start().await.unwrap();
    let folder = server.folder().to_owned();
    for program in [
        "etcd",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
    ] {
        assert!(is_running(&folder, program), "{program}");
    }
    drop(server);
    assert_eq!(processes(&folder), [""; 0]);
    assert!(!folder.exists());
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn dropped_by_a_panic() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let test = tokio::spawn(async move {
        let server = ControlPlane::start().await.unwrap();
        sender.send(server.folder().to_owned()).unwrap();
        panic!("as a test does that fails");
    });
    assert!(test.await.unwrap_err().is_panic());
    let folder = receiver.recv().unwrap();
    assert_eq!(processes(&folder), [""; 0]);
    assert!(!folder.exists());
}

/// A test process with a shared control plane, and the folder in which all of its files are.
struct Helper {
    process: Child,
    folder: TempDir,
}

impl Helper {
    fn start(servers: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // A shell's background jobs ignore this signal, and so would the helper.
        let process = Command::new("env")
            .arg("--default-signal=INT")
            .arg(std::env::current_exe().unwrap())
            .args([
                "--include-ignored",
                "--exact",
                "cluster::stop::helper",
                "--nocapture",
            ])
            .env(HELPER, servers)
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            // As a shell does it, so that a signal can be sent to all, as a terminal does it.
            .process_group(0)
            .spawn()
            .unwrap();
        Self { process, folder }
    }

    fn ready() -> Self {
        Self::ready_with("shared")
    }

    fn ready_with(servers: &str) -> Self {
        let mut helper = Self::start(servers);
        let lines = BufReader::new(helper.process.stdout.take().unwrap()).lines();
        let ready = lines
            .map(Result::unwrap)
            .any(|line| line.ends_with("ready"));
        assert!(ready, "the helper has ended");
        let folder = helper.folder.path();
        assert!(is_running(folder, "etcd") && is_running(folder, "kube-apiserver"));
        helper
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Checks that nothing is left when the process has ended.
    fn assert_clean(mut self) {
        self.process.wait().unwrap();
        let folder = self.folder.path();
        until("all processes gone", || processes(folder).is_empty());
        until("all files gone", || {
            fs::read_dir(folder).unwrap().next().is_none()
        });
    }
}

/// Runs in a process of its own, which the tests below start.
#[tokio::test]
#[ignore = "not a test: other tests run it"]
async fn helper() {
    let Ok(servers) = std::env::var(HELPER) else {
        return;
    };
    let own;
    if servers == "kubelet" {
        let builder = ControlPlane::builder().kubelet();
        own = builder.start().await.unwrap();
        kubelet::run_pod(&own).await;
    } else {
        ControlPlane::shared().await.unwrap();
    }
    println!("ready");
    std::future::pending::<()>().await;
}

/// Its mounts, too, are gone, and nobody but this test has to remove them.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn killed_with_a_kubelet() {
    root_tests::as_root(|| {
        let helper = Helper::ready_with("kubelet");
        let folder = helper.folder.path();
        assert!(is_running(folder, "kubelet") && is_running(folder, "container-runtime"));
        kill_process(helper.id(), Signal::KILL).unwrap();
        helper.assert_clean();
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn killed() {
    let helper = Helper::ready();
    kill_process(helper.id(), Signal::KILL).unwrap();
    helper.assert_clean();
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn interrupted_by_the_terminal() {
    let helper = Helper::ready();
    kill_process_group(helper.id(), Signal::INT).unwrap();
    helper.assert_clean();
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn terminated() {
    let helper = Helper::ready();
    kill_process(helper.id(), Signal::TERM).unwrap();
    helper.assert_clean();
}

/// Kills the process at any moment, also when a server is just being started.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn killed_while_it_starts() {
    for program in ["etcd", "kube-apiserver"] {
        for delay in [0, 1, 5] {
            let helper = Helper::start("shared");
            let folder = helper.folder.path();
            until(program, || is_running(folder, program));
            std::thread::sleep(Duration::from_millis(delay));
            kill_process(helper.id(), Signal::KILL).unwrap();
            helper.assert_clean();
        }
    }
}
