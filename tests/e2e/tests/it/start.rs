//! The errors of a control plane that doesn't start, with scripts in place of the servers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use e2e::{Builder, ControlPlane};
use tempfile::TempDir;

/// A server that does nothing, for longer than any test takes.
const IDLE: &str = "exec sleep 1000";

/// A folder with scripts as programs. Each first writes its process id and flags to files there.
struct Fakes {
    folder: TempDir,
}

impl Fakes {
    fn new(etcd: &str, apiserver: &str) -> Self {
        let fakes = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, script) in [("etcd", etcd), ("kube-apiserver", apiserver)] {
            let script = format!(
                "#!/bin/sh\ncd '{}'\necho $$ >>{name}.pids\necho \"$@\" >{name}.flags\n{script}\n",
                fakes.folder.path().display()
            );
            // By another process: a file that this one has open for writing, or a process that
            // another thread is just starting, can't be run.
            let write = "printf %s \"$2\" >\"$1\" && chmod +x \"$1\"";
            let mut command = Command::new("sh");
            command
                .args(["-c", write, "sh"])
                .arg(fakes.path(name))
                .arg(script);
            assert!(command.status().unwrap().success());
        }
        fakes
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn builder(&self) -> Builder {
        let builder = ControlPlane::builder().assets(self.folder.path());
        builder.ready_within(Duration::from_secs(1))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The number of times that a program was started.
    fn starts(&self, name: &str) -> usize {
        self.read(&format!("{name}.pids")).lines().count()
    }

    /// Checks that nothing is left of a start.
    fn assert_gone(&self) {
        for name in ["etcd", "kube-apiserver"] {
            for id in self.read(&format!("{name}.pids")).lines() {
                let id = rustix::process::Pid::from_raw(id.parse().unwrap()).unwrap();
                assert!(
                    rustix::process::test_kill_process(id).is_err(),
                    "{name} runs"
                );
            }
        }
        // A script may have been stopped before it wrote its id.
        let flags = self.read("etcd.flags") + &self.read("kube-apiserver.flags");
        let folder = flags.split(' ').find_map(|flag| {
            let folder = flag.strip_prefix("--cert-dir=");
            folder.or_else(|| flag.strip_prefix("--data-dir=")?.strip_suffix("/etcd"))
        });
        assert!(!Path::new(folder.unwrap()).exists(), "{folder:?} is there");
    }
}

async fn error(builder: Builder) -> String {
    builder.start().await.err().unwrap().to_string()
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let fakes = Fakes::new(IDLE, IDLE);
    let told = error(fakes.builder().controllers(["namespace"])).await;
    assert_has(&told, &["has no kube-controller-manager"]);
    let told = error(fakes.builder().scheduler()).await;
    assert_has(&told, &["has no kube-scheduler"]);
    fs::remove_file(fakes.path("kube-apiserver")).unwrap();
    let told = error(fakes.builder()).await;
    assert_has(
        &told,
        &["has no kube-apiserver", "help: ", "KUBEBUILDER_ASSETS"],
    );
    assert!(
        !fakes.path("etcd.pids").exists(),
        "etcd was started for nothing"
    );
}

#[tokio::test]
async fn a_server_that_ends_shows_the_last_lines_of_its_log() {
    let count = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i.; done; exit 3";
    let fakes = Fakes::new(IDLE, count);
    let told = error(fakes.builder().ready_within(Duration::from_secs(60))).await;
    assert_has(
        &told,
        &[
            "kube-apiserver ended with exit status: 3",
            "line 11.",
            "line 30.",
        ],
    );
    assert!(!told.contains("line 10."), "{told}");
    assert_eq!(fakes.starts("kube-apiserver"), 1);
    fakes.assert_gone();

    let fakes = Fakes::new("echo etcd is broken >&2; exit 1", IDLE);
    let told = error(fakes.builder().ready_within(Duration::from_secs(60))).await;
    assert_has(&told, &["etcd ended with exit status: 1", "etcd is broken"]);
}

#[tokio::test]
async fn a_server_that_is_not_ready_in_time() {
    let fakes = Fakes::new(IDLE, &format!("echo still thinking; {IDLE}"));
    let told = error(fakes.builder()).await;
    assert_has(
        &told,
        &["kube-apiserver is not ready after 1s", "still thinking"],
    );
    fakes.assert_gone();
}

#[tokio::test]
async fn a_port_that_was_taken_meanwhile() {
    let taken = "echo listen tcp 127.0.0.1:1: bind: address already in use; exit 1";
    let twice = format!("[ $(wc -l <etcd.pids) -gt 2 ] || {{ {taken}; }}; {IDLE}");
    let fakes = Fakes::new(&twice, IDLE);
    let told = error(fakes.builder()).await;
    assert_has(&told, &["kube-apiserver is not ready"]);
    assert_eq!(fakes.starts("etcd"), 3);

    // Not for ever: something else may be wrong.
    let fakes = Fakes::new(taken, IDLE);
    let told = error(fakes.builder().ready_within(Duration::from_secs(60))).await;
    assert_has(&told, &["address already in use"]);
    assert_eq!(fakes.starts("etcd"), 5);
    fakes.assert_gone();
}

#[tokio::test]
async fn options_become_flags() {
    let fakes = Fakes::new(IDLE, IDLE);
    error(
        fakes
            .builder()
            .feature_gate("A", false)
            .apiserver_flag("--v=4"),
    )
    .await;
    let flags = fakes.read("kube-apiserver.flags");
    let gates = "--feature-gates=AllAlpha=true,AllBeta=true,A=false";
    assert_has(&flags, &["--runtime-config=api/all=true", gates, "--v=4"]);

    let fakes = Fakes::new(IDLE, IDLE);
    error(fakes.builder().defaults_only()).await;
    let flags = fakes.read("kube-apiserver.flags");
    assert!(!flags.contains("--feature-gates") && !flags.contains("--runtime-config"));
}
