//! The program that runs on: files follow the manifests, and a signal ends it.

use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use root_tests::as_root;
use serde_json::json;

use super::*;

/// Only so that a test that fails ends.
const LONG: Duration = Duration::from_secs(120);

/// A program that runs, and is killed if the test fails.
struct Running(Child);

impl Running {
    fn new(world: &World) -> Self {
        let mut command = Command::new(PROGRAM);
        Self(
            command
                .args(world.args("run"))
                .stdout(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    fn end(mut self, signal: Signal) {
        kill(Pid::from_raw(self.0.id().cast_signed()), signal).unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let ends = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < ends, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn manifests(value: &str, volumes: &[Value]) -> String {
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "shop"}, "data": {"a": value, "b": value},
    });
    json!({"apiVersion": "v1", "kind": "List", "items": [pod(volumes), config]}).to_string()
}

#[test]
fn files_follow_the_manifests_until_a_signal() {
    as_root(|| {
        let config = json!({"name": "config", "configMap": {"name": "settings"}});
        let scratch = json!({"name": "scratch", "emptyDir": {}});
        for signal in [Signal::SIGTERM, Signal::SIGINT] {
            let world = World::new(&[]);
            world.write(
                "manifests/all.json",
                &manifests("1", std::slice::from_ref(&config)),
            );
            let running = Running::new(&world);
            let dir = world.volume("kubernetes.io/configmap", "config");
            let has = |value: &str| {
                let read = |name| fs::read_to_string(dir.join("..data").join(name));
                ["a", "b"]
                    .map(read)
                    .iter()
                    .all(|read| read.as_deref().ok() == Some(value))
            };
            eventually("the first files", || has("1"));
            world.write(
                "manifests/all.json",
                &manifests("2", std::slice::from_ref(&config)),
            );
            eventually("the changed files", || has("2"));

            // A line that can't be read changes nothing, and the next one counts again.
            world.write("manifests/all.json", "{");
            world.write(
                "manifests/all.json",
                &manifests("3", &[config.clone(), scratch.clone()]),
            );
            eventually("the files after a mistake", || has("3"));
            eventually("a new volume", || {
                world.volume("kubernetes.io/empty-dir", "scratch").exists()
            });

            // Two programs would undo each other's work.
            assert!(world.fail("unmount").contains("is in use"));
            running.end(signal);
            world.assert_clean();
        }
    });
}

#[test]
fn a_pod_that_is_deleted_or_has_ended_is_unmounted() {
    as_root(|| {
        let running = pod(&[json!({"name": "scratch", "emptyDir": {"medium": "Memory"}})]);
        let list = |items: &[&Value]| {
            json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
        };
        let mut ended = running.clone();
        ended["status"] = json!({"phase": "Succeeded"});
        for after in [list(&[]), list(&[&ended])] {
            let world = World::new(std::slice::from_ref(&running));
            let program = Running::new(&world);
            let dir = world.volume("kubernetes.io/empty-dir", "scratch");
            eventually("the volume", || dir.exists());
            world.write("manifests/all.json", &after);
            eventually("the Pod's end", || {
                !world.path("root/pods/shop.web").exists()
            });
            program.end(Signal::SIGTERM);
            world.assert_clean();
        }
    });
}
