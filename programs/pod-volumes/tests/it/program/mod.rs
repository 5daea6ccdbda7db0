//! The program, with real mounts, in mount namespaces of the tests' own.

mod devices;
mod kills;
mod pods;
mod runs;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_pod-volumes");

/// A folder with manifests, what they show of the node, and a root.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new(manifests: &[Value]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let world = Self { dir };
        fs::create_dir(world.path("manifests")).unwrap();
        world.write(
            "manifests/all.json",
            &json!({"apiVersion": "v1", "kind": "List", "items": manifests}).to_string(),
        );
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Replaces a file at once, as programs do that are watched.
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(self.path("new"), text).unwrap();
        fs::rename(self.path("new"), path).unwrap();
    }

    /// The arguments of a command for this world.
    fn args(&self, command: &str) -> Vec<String> {
        let path = |name: &str| self.path(name).display().to_string();
        let mut args = vec![command.to_owned(), "--root".to_owned(), path("root")];
        args.extend(["--flex-volumes".to_owned(), path("drivers")]);
        if matches!(command, "mount" | "run") {
            args.extend(["--tokens".to_owned(), path("tokens")]);
            args.extend([
                "--allocatable".to_owned(),
                "memory=1Gi".to_owned(),
                path("manifests"),
            ]);
        }
        args
    }

    fn output(&self, command: &str) -> Output {
        Command::new(PROGRAM)
            .args(self.args(command))
            .output()
            .unwrap()
    }

    /// Runs a command that must succeed, and returns what it prints.
    #[track_caller]
    fn run(&self, command: &str) -> String {
        let output = self.output(command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail, and returns its errors.
    #[track_caller]
    fn fail(&self, command: &str) -> String {
        let output = self.output(command);
        assert!(!output.status.success(), "{command} must fail");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Returns the path at which a volume of the Pod `shop/web` is mounted.
    fn volume(&self, plugin: &str, name: &str) -> PathBuf {
        self.path("root/pods/shop.web/volumes")
            .join(plugin.replace('/', "~"))
            .join(name)
    }

    /// Fails unless nothing is mounted, and nothing is left in the root.
    #[track_caller]
    fn assert_clean(&self) {
        let mounts = kubernetes_volume::mount::read_mount_info().unwrap();
        let root = self.path("root");
        let mut mounts = mounts.iter().map(|mount| &mount.mount_point);
        assert_eq!(mounts.find(|mount| mount.starts_with(&root)), None);
        assert_eq!(listed(&root), Vec::<String>::new());
    }
}

/// Each file below a directory: path, mode, content.
fn listed(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            let content = if metadata.is_dir() {
                open.push(entry.path());
                String::new()
            } else if metadata.is_file() {
                fs::read_to_string(entry.path()).unwrap()
            } else {
                fs::read_link(entry.path()).unwrap().display().to_string()
            };
            let path = entry
                .path()
                .strip_prefix(dir)
                .unwrap()
                .display()
                .to_string();
            found.push(format!(
                "{path} {:o} {content}",
                metadata.permissions().mode()
            ));
        }
    }
    found.sort();
    found
}

/// The Pod `shop/web` with volumes, all of which its container mounts.
fn pod(volumes: &[Value]) -> Value {
    let mounts = volumes.iter().map(|volume| {
        let path = format!("/{}", volume["name"].as_str().unwrap());
        json!({"name": volume["name"], "mountPath": path})
    });
    let mounts: Vec<_> = mounts.collect();
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {
            "containers": [{"name": "main", "image": "web", "volumeMounts": mounts}],
            "securityContext": {"fsGroup": 3000},
            "volumes": volumes,
        },
    })
}

fn arguments(args: &[String]) -> Vec<&OsStr> {
    args.iter().map(OsStr::new).collect()
}
