//! The plugins of volumes without a driver, with real mounts and files.

mod config_maps;
mod containers;
mod csi;
mod downward;
mod empty_dirs;
mod flex;
mod full;
mod host;
mod host_paths;
mod huge_pages;
mod images;
mod keyed;
mod local;
mod nfs;
mod page_sizes;
mod projections;
mod removal;
mod trust;
mod wrong;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{PersistentVolume, Pod, Volume};
use kubernetes_volume::host::{StandaloneHost, StandaloneHostBuilder};
use kubernetes_volume::interfaces::{Mounter, Unmounter};
use kubernetes_volume::manager::VolumePluginManager;
use kubernetes_volume::mount::read_mount_info;
use kubernetes_volume::{
    DeviceMounterArgs, Error, MounterArgs, NodeError, Result, Spec, VolumeConfig, VolumeOptions,
    plugins,
};
use serde_json::{Value, json};

/// The UID of the Pod.
const UID: &str = "7d4c1a52";

/// A node over a directory.
struct Node {
    host: Arc<StandaloneHost>,
    manager: Arc<VolumePluginManager>,
    dir: tempfile::TempDir,
}

impl Node {
    fn new() -> Self {
        Self::with(|host| host)
    }

    fn with(set: impl FnOnce(StandaloneHostBuilder) -> StandaloneHostBuilder) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let host = set(StandaloneHost::builder(dir.path().join("root")))
            .build()
            .unwrap();
        let manager = host
            .start(plugins::all(VolumeConfig::default()), None)
            .unwrap();
        Self { host, manager, dir }
    }

    /// A path beside the root.
    fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn mounter(&self, spec: &Spec, pod: &Pod) -> Result<Box<dyn Mounter>> {
        let plugin = self.manager.find_plugin_by_spec(spec)?;
        plugin.new_mounter(spec, pod, &VolumeOptions::default())
    }

    fn set_up(&self, spec: &Spec, pod: &Pod, args: &MounterArgs) -> Result<PathBuf> {
        let mounter = self.mounter(spec, pod)?;
        mounter.set_up(args)?;
        Ok(mounter.path())
    }

    fn unmounter(&self, plugin: &str, volume: &str) -> Box<dyn Unmounter> {
        let plugin = self.manager.find_plugin_by_name(plugin).unwrap();
        plugin.new_unmounter(volume, UID).unwrap()
    }

    fn tear_down(&self, plugin: &str, volume: &str) -> Result<()> {
        torn_down(&*self.unmounter(plugin, volume))
    }

    /// Fails if anything of the Pod is on disk or mounted.
    fn assert_clean(&self) {
        assert_eq!(self.mounts(), Vec::<PathBuf>::new());
        assert_eq!(self.host.volumes_on_disk(UID).unwrap(), []);
        self.host.remove_pod(UID).unwrap();
        assert_eq!(self.host.pods_on_disk().unwrap(), Vec::<String>::new());
    }

    /// Returns the mount points under the root.
    fn mounts(&self) -> Vec<PathBuf> {
        let mounts = read_mount_info()
            .unwrap()
            .into_iter()
            .map(|mount| mount.mount_point);
        mounts
            .filter(|path| path.starts_with(self.host.root()))
            .collect()
    }
}

/// Tears a volume down. A program that another test starts has the open files of this process until
/// it runs, and meanwhile the volume is busy.
fn torn_down(unmounter: &dyn Unmounter) -> Result<()> {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        match unmounter.tear_down() {
            Err(Error::Node(NodeError::Io {
                action: "unmount",
                source,
                ..
            })) if source.kind() == ErrorKind::ResourceBusy && Instant::now() < end => {
                thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

fn pod(rest: Value) -> Pod {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", "uid": UID},
        "spec": {"containers": [{"name": "main"}]},
    });
    merge(&mut pod, rest);
    serde_json::from_value(pod).unwrap()
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

fn volume(volume: Value) -> Spec {
    Spec::from(serde_json::from_value::<Volume>(volume).unwrap())
}

fn persistent(name: &str, spec: Value, read_only: bool) -> Spec {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]},
    });
    merge(&mut volume["spec"], spec);
    let volume: PersistentVolume = serde_json::from_value(volume).unwrap();
    Spec::from_persistent_volume(volume, read_only)
}

fn no_args() -> MounterArgs {
    MounterArgs::default()
}

fn no_device_args() -> DeviceMounterArgs {
    DeviceMounterArgs::default()
}

fn group(group: u32) -> MounterArgs {
    MounterArgs {
        fs_group: Some(group),
        ..MounterArgs::default()
    }
}

/// User, group and permissions of a file, following links.
fn of(path: &Path) -> (u32, u32, u32) {
    let metadata = fs::metadata(path).unwrap();
    (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
}

/// The names in a directory that users see.
fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with("..")).collect();
    names.sort();
    names
}

/// The error's text, of a call that must fail.
fn failed<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("it must fail"),
        Err(error) => error.to_string(),
    }
}
