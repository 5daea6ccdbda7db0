//! A node: a kubelet with the driver beside it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use e2e::ControlPlane;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::storage::v1::{CSIDriver, StorageClass};
use kube::{Api, Client};
use root_tests::loop_files;
use rustix::process::Signal;
use serde_json::json;
use tokio::time::sleep;

use super::objects;
use super::storage::Storage;

/// The program, and the name of its process and log.
const PROGRAM: &str = env!("CARGO_BIN_EXE_csi-hostpath");
const PROCESS: &str = "csi-hostpath";
const KUBELET: &str = "kubelet";

/// The name of the driver.
pub(crate) const DRIVER: &str = "hostpath.csi.k8s.io";

/// The node's name for the driver, which isn't that of the Node.
pub(crate) const NODE_ID: &str = "node-of-folders";

/// The time that a kubelet may take: it tries a step that failed less and less often.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct Node {
    pub(crate) server: ControlPlane,
    pub(crate) client: Client,
    /// The folder of the driver's state.
    state: PathBuf,
}

/// Returns what tells a file or folder from all others; `None` if there is none.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

impl Node {
    /// Starts a control plane with a kubelet and the driver.
    pub(crate) async fn start() -> Self {
        let server = ControlPlane::builder().kubelet().start().await.unwrap();
        let node = Self::on(server);
        let driver = json!({
            "metadata": {"name": DRIVER},
            "spec": {
                "attachRequired": false,
                // The driver then sees which volumes are inline ones.
                "podInfoOnMount": true,
                "fsGroupPolicy": "File",
                "volumeLifecycleModes": ["Persistent", "Ephemeral"],
            },
        });
        objects::create(&Api::<CSIDriver>::all(node.client.clone()), driver).await;
        let class = json!({
            "metadata": {"name": objects::CLASS},
            "provisioner": DRIVER,
            "allowVolumeExpansion": true,
        });
        objects::create(&Api::<StorageClass>::all(node.client.clone()), class).await;
        node
    }

    /// Starts the driver beside the kubelet of a control plane.
    pub(crate) fn on(server: ControlPlane) -> Self {
        let client = server.client().unwrap();
        let state = server.folder().join("state");
        let mut node = Self {
            client,
            state,
            server,
        };
        fs::create_dir(&node.state).unwrap();
        fs::create_dir_all(node.socket().parent().unwrap()).unwrap();
        node.start_driver();
        node
    }

    /// Returns the folder of the kubelet.
    pub(crate) fn root(&self) -> &Path {
        self.server.kubelet().unwrap().root()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.root().join("plugins").join(DRIVER).join("csi.sock")
    }

    pub(crate) fn start_driver(&mut self) {
        let arguments = [
            format!("--endpoint=unix://{}", self.socket().display()),
            format!("--drivername={DRIVER}"),
            format!("--nodeid={NODE_ID}"),
            format!("--statedir={}", self.state.display()),
            format!(
                "--kubelet-registration={}",
                self.root().join("plugins_registry").display()
            ),
            format!("--kubelet-endpoint={}", self.socket().display()),
        ];
        let started = self.server.start_on_node(Path::new(PROGRAM), &arguments);
        started.unwrap();
    }

    pub(crate) fn end_driver(&mut self, signal: Signal) {
        self.server.end(PROCESS, signal).unwrap();
    }

    pub(crate) fn kill_kubelet(&mut self) {
        self.server.end(KUBELET, Signal::KILL).unwrap();
    }

    pub(crate) fn start_kubelet(&mut self) {
        self.server.start_kubelet_again().unwrap();
    }

    /// Returns a client of the driver.
    pub(crate) async fn storage(&self) -> Storage {
        let storage = self.eventually("a driver that answers", async || {
            Storage::connect(&self.socket()).await
        });
        storage.await
    }

    /// Waits until something is there.
    pub(crate) async fn eventually<T>(
        &self,
        what: &str,
        mut find: impl AsyncFnMut() -> Option<T>,
    ) -> T {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(found) = find().await {
                return found;
            }
            let is_late = Instant::now() > deadline;
            assert!(!is_late, "there isn't {what}\n{}", self.server.logs());
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns how often the driver was told that it is registered.
    pub(crate) fn registrations(&self) -> usize {
        let log = self.server.folder().join(format!("{PROCESS}.log"));
        let log = fs::read_to_string(log).unwrap();
        log.matches("registered with the kubelet").count()
    }

    /// Returns the folder with the data of a volume, which isn't mounted.
    pub(crate) fn data(&self, id: &str) -> PathBuf {
        self.state.join("data").join(id)
    }

    /// Returns the path at which a Pod has a volume, as the kubelet names it.
    fn target(&self, pod: &Pod, volume: &str) -> PathBuf {
        let volumes = self.root().join("pods").join(objects::uid(pod));
        volumes
            .join("volumes/kubernetes.io~csi")
            .join(volume)
            .join("mount")
    }

    /// Returns the path at which a Pod has a volume, as this process sees it.
    pub(crate) fn mounted(&self, pod: &Pod, volume: &str) -> PathBuf {
        self.seen(&self.target(pod, volume))
    }

    /// Returns the id of the volume that is mounted at a path.
    pub(crate) fn id_of(&self, ids: &[String], mounted: &Path) -> String {
        let wanted = identity(mounted);
        let is_there = |id: &&String| identity(&self.data(id)) == wanted;
        ids.iter().find(is_there).unwrap().clone()
    }

    /// Returns the path by which this process sees what the node has at a path.
    pub(crate) fn seen(&self, path: &Path) -> PathBuf {
        self.server.kubelet().unwrap().path(path)
    }

    /// Returns the ids of the mounts of Pods and of staged volumes, by their paths below the
    /// kubelet's root.
    pub(crate) fn mounts(&self) -> BTreeMap<String, Vec<u64>> {
        let table = fs::read_to_string(self.server.kubelet().unwrap().mount_info()).unwrap();
        let root = format!("{}/", self.root().display());
        let mut found = BTreeMap::<_, Vec<_>>::new();
        for line in table.lines() {
            let words: Vec<_> = line.split(' ').collect();
            if let Some(path) = words[4].strip_prefix(&root) {
                let id = words[0].parse().unwrap();
                found.entry(path.to_owned()).or_default().push(id);
            }
        }
        found
    }

    /// Returns those of one Pod.
    pub(crate) fn mounts_of(&self, pod: &Pod) -> BTreeMap<String, Vec<u64>> {
        let start = format!("pods/{}/", objects::uid(pod));
        let mut all = self.mounts();
        all.retain(|path, _| path.starts_with(&start));
        all
    }

    /// Returns what is left of Pods and of volumes that nobody uses any more.
    async fn left(&self) -> Vec<String> {
        let mut left: Vec<_> = self.mounts().into_keys().collect();
        let staged = format!("plugins/kubernetes.io/csi/{DRIVER}");
        for folder in ["pods", &staged] {
            // The folder is made for the first one.
            let entries = fs::read_dir(self.seen(&self.root().join(folder)));
            let names = entries.into_iter().flatten().map(|entry| {
                let name = entry.unwrap().file_name();
                format!("{folder}/{}", name.display())
            });
            left.extend(names);
        }
        left
    }

    /// Waits until Pods that were deleted are gone from the node, and deletes the volumes that
    /// were created: after that, neither the node nor the driver has anything.
    pub(crate) async fn assert_clean(&self) {
        let mut last = Vec::new();
        let deadline = Instant::now() + LIMIT;
        while Instant::now() < deadline {
            last = self.left().await;
            if last.is_empty() {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        assert!(last.is_empty(), "{last:#?}\n{}", self.server.logs());
        assert_eq!(loop_files(&self.state), []);
        let mut storage = self.storage().await;
        // Those of Pods are gone with them.
        let inline = storage.volumes().await;
        let inline = inline.iter().filter(|id| id.starts_with("csi-"));
        assert_eq!(inline.count(), 0);
        storage.delete_all().await;
        for folder in ["data", "volumes", "snapshots"] {
            let folder = self.state.join(folder);
            let entries: Vec<_> = fs::read_dir(folder).unwrap().collect();
            assert!(entries.is_empty(), "{entries:?}");
        }
    }
}
