//! The side of the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::Outcome;
use super::kubelet::{Pod, shown};
use super::tree::Places;
use crate::program::PROGRAM;

pub(crate) struct Program {
    allocatable: Vec<String>,
    pub(crate) places: Places,
}

impl Program {
    /// The program with a root directory, whose node has its files in a folder and these resources.
    pub(crate) fn new(root: &Path, files: &Path, allocatable: Vec<String>) -> Self {
        // As a kubelet does it when it starts.
        fs::create_dir(root).unwrap();
        let at = root.to_str().unwrap();
        for arguments in [&["--bind", at, at][..], &["--make-rshared", at]] {
            let mut mount = Command::new("mount");
            assert!(mount.args(arguments).status().unwrap().success());
        }
        let tokens = root.with_extension("tokens");
        fs::create_dir_all(tokens.join("default")).unwrap();
        fs::write(tokens.join("default/default"), "eyJ.eyJ.x").unwrap();
        Self {
            allocatable,
            places: Places::new(
                root,
                files,
                "/".into(),
                "/proc/thread-self/mountinfo".into(),
            ),
        }
    }

    fn run(&self, command: &str, more: &[&str]) -> Output {
        let mut program = Command::new(PROGRAM);
        program
            .args([command, "--log", "error", "--root"])
            .arg(&self.places.root);
        program.args(more).output().unwrap()
    }

    /// Writes manifests and mounts the volumes of their Pods.
    fn mount_file(&self, manifests: &Value, containers: bool) -> Output {
        let file = self.places.root.with_extension("json");
        fs::write(&file, self.places.own(manifests)).unwrap();
        let tokens = self
            .places
            .root
            .with_extension("tokens")
            .display()
            .to_string();
        let file = file.display().to_string();
        let mut arguments = vec!["--tokens", &tokens, &file];
        for resource in &self.allocatable {
            arguments.extend(["--allocatable", resource.as_str()]);
        }
        if containers {
            arguments.push("--containers");
        }
        self.run("mount", &arguments)
    }

    /// Mounts Pods and returns what became of each, by their UIDs.
    pub(crate) fn mount(&self, manifests: &Value, containers: bool) -> BTreeMap<String, Outcome> {
        let output = self.mount_file(manifests, containers);
        let mut outcomes = BTreeMap::<_, Outcome>::new();
        for pod in pods(manifests) {
            let uid = pod["metadata"]["uid"].as_str().unwrap();
            let outcome = outcomes.entry(uid.to_owned()).or_default();
            outcome.tree = self.places.pod_tree(uid);
            let start = format!(
                ": pod \"default/{}\": ",
                pod["metadata"]["name"].as_str().unwrap()
            );
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            for line in errors.lines() {
                let Some((_, rest)) = line.split_once(&start) else {
                    continue;
                };
                let (name, why) = rest.split_once(": ").unwrap_or(("", rest));
                let name = name.split('"').nth(1).unwrap_or_default();
                // A kubelet names the PersistentVolume.
                let volumes = pod["spec"]["volumes"].as_array().unwrap();
                let claim = volumes
                    .iter()
                    .find(|volume| volume["name"] == name)
                    .and_then(|volume| volume["persistentVolumeClaim"]["claimName"].as_str());
                let name = claim.unwrap_or(name);
                outcome
                    .errors
                    .insert(name.to_owned(), self.places.neutral(why));
            }
        }
        let printed = String::from_utf8(output.stdout).unwrap();
        // Without the option, it is a table.
        for line in printed.lines().filter(|_| containers) {
            let line: Value = serde_json::from_str(line).unwrap();
            let mounts = line["mounts"].as_array().unwrap().iter().map(|mount| {
                let field = |name: &str| mount[name].as_str().unwrap().to_owned();
                shown(
                    &field("containerPath"),
                    &self.places.neutral(&field("hostPath")),
                    mount["readOnly"] == true,
                    mount["recursiveReadOnly"] == true,
                    &field("mountPropagation"),
                )
            });
            let outcome = outcomes.get_mut(line["podUID"].as_str().unwrap()).unwrap();
            let name = line["container"].as_str().unwrap();
            outcome.containers.insert(name.to_owned(), mounts.collect());
        }
        outcomes
    }

    /// Mounts Pods again after a change. The containers of those that ran before keep what they
    /// have.
    pub(crate) fn mount_again(
        &self,
        manifests: &Value,
        before: &BTreeMap<String, Pod>,
    ) -> BTreeMap<String, Outcome> {
        let mut outcomes = BTreeMap::new();
        let ran = |pod: &&Value| {
            let before = &before[pod["metadata"]["name"].as_str().unwrap()];
            before.phase() != "Pending"
        };
        for had_containers in [true, false] {
            let mut some = manifests.clone();
            let items = some["items"].as_array_mut().unwrap();
            items.retain(|item| item["kind"] != "Pod" || ran(&item) == had_containers);
            outcomes.extend(self.mount(&some, !had_containers));
        }
        outcomes
    }

    /// Unmounts Pods, also those of which nothing is mounted.
    pub(crate) fn unmount<'a>(&self, uids: impl Iterator<Item = &'a str>) {
        for uid in uids {
            let output = self.run("unmount", &["--pod", uid]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() || errors.contains("not found"),
                "{errors}"
            );
        }
    }
}

fn pods(manifests: &Value) -> impl Iterator<Item = &Value> {
    let items = manifests["items"].as_array().unwrap().iter();
    items.filter(|item| item["kind"] == "Pod")
}
