//! A kubelet without containers.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use k8s_openapi::api::core::v1::Node;
use kube::{Api, Client, Config};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::Error;
use crate::assets::Assets;
use crate::credentials::Credentials;
use crate::nodes;
use crate::servers::Servers;

/// The name of the Node, and of its server.
const NODE: &str = "kubelet";
const RUNTIME: &str = "container-runtime";

/// Binds copies over the parameters of the kernel that a kubelet sets, which would hold for the
/// whole machine, and then becomes the container runtime.
const SCRIPT: &str = r#"
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
    kernel/keys/root_maxkeys kernel/keys/root_maxbytes
do
    [ -e "/proc/sys/$name" ] || continue
    copy=$0/$(echo "$name" | tr / .)
    cat "/proc/sys/$name" >"$copy" || exit
    mount --bind "$copy" "/proc/sys/$name" || exit
done
exec "$@"
"#;

/// Waits for the socket of the container runtime, which is there when its mount namespace is, and
/// then becomes another program in that.
const INSIDE: &str = r#"
until [ -S "$0" ]; do sleep 0.02; done
exec nsenter --mount="$@"
"#;

/// A real kubelet, whose container runtime runs nothing but says that it does: Pods that are
/// assigned to its Node become Running, and their volumes are mounted.
///
/// It needs root, cgroups, and the programs `unshare`, `nsenter` and `mount`. What it mounts is in
/// a mount namespace of its own, which ends with the control plane.
///
/// A Pod with a service account needs that object. A container whose command is `["exit", "N"]`
/// ends with that code.
#[derive(Debug)]
pub struct Kubelet {
    root: PathBuf,
    containers: PathBuf,
    /// The id of the container runtime, which keeps the mount namespace while no kubelet runs.
    runtime: u32,
    /// The socket of the container runtime.
    socket: PathBuf,
    /// The program with its flags.
    words: Vec<String>,
}

/// A container that the kubelet has created.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreatedContainer {
    /// The UID of its Pod.
    pub pod: String,
    /// Its name in the Pod.
    pub name: String,
    /// The mounts that a container runtime would make, in this order.
    pub mounts: Vec<ContainerMount>,
    /// The devices that it would have.
    pub devices: Vec<ContainerDevice>,
}

/// A device in a container.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContainerDevice {
    /// The path in the kubelet's mount namespace.
    pub host_path: PathBuf,
    /// The path in the container.
    pub container_path: PathBuf,
    /// The letters `r`, `w` and `m`: reading, writing, making the device.
    pub permissions: String,
}

/// A mount in a container.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContainerMount {
    /// The mounted path, in the kubelet's mount namespace.
    pub host_path: PathBuf,
    /// Where it is mounted.
    pub container_path: PathBuf,
    /// The mount is read-only.
    pub readonly: bool,
    /// The mounts below it are read-only too.
    pub recursive_read_only: bool,
    /// The propagation as CRI names it, such as `PROPAGATION_PRIVATE`.
    pub propagation: String,
}

/// The programs of a kubelet.
pub(crate) struct Programs {
    kubelet: PathBuf,
    runtime: PathBuf,
}

impl Programs {
    pub(crate) fn find(assets: &Assets) -> Result<Self, Error> {
        Ok(Self {
            kubelet: assets.program("kubelet")?,
            runtime: assets.program(RUNTIME)?,
        })
    }
}

impl Kubelet {
    /// Starts a container runtime and a kubelet that uses it.
    pub(crate) fn start(
        programs: &Programs,
        servers: &mut Servers,
        credentials: &Credentials,
        kubeconfig: &Path,
        port: u16,
        gates: Option<String>,
    ) -> Result<Self, Error> {
        let folder = servers.folder().join("kubelet");
        let containers = folder.join("containers.jsonl");
        let socket = folder.join("cri.sock");
        let path = folder.join("config");
        let config = config(&folder, &socket, credentials, port);
        fs::create_dir(&folder)
            .and_then(|()| fs::write(&path, format!("{config:#}\n")))
            .map_err(|e| Error::because("write the kubelet's configuration", &e))?;
        let unshare = "unshare --mount --propagation private -- sh -c";
        let mut words: Vec<_> = unshare.split(' ').map(str::to_owned).collect();
        words.push(SCRIPT.to_owned());
        let paths = [&folder, &programs.runtime, &socket, &containers];
        words.extend(paths.map(|path| path.display().to_string()));
        let runtime = servers.start_by(RUNTIME, &words)?;

        let root = folder.join("root");
        let mut words = vec![
            programs.kubelet.display().to_string(),
            format!("--config={}", path.display()),
            format!("--kubeconfig={}", kubeconfig.display()),
            format!("--root-dir={}", root.display()),
            format!("--cert-dir={}", folder.display()),
            format!("--hostname-override={NODE}"),
        ];
        words.extend(gates);
        let kubelet = Self {
            root,
            containers,
            runtime,
            socket,
            words,
        };
        kubelet.run(servers)?;
        Ok(kubelet)
    }

    /// Starts the kubelet; also again, after it has ended.
    pub(crate) fn run(&self, servers: &mut Servers) -> Result<(), Error> {
        servers
            .start_by(NODE, &self.inside(&self.words))
            .map(|_| ())
    }

    /// Returns a command that runs another one in the mount namespace, with the same process id.
    pub(crate) fn inside(&self, words: &[String]) -> Vec<String> {
        let own = [
            "sh".to_owned(),
            "-c".to_owned(),
            INSIDE.to_owned(),
            self.socket.display().to_string(),
            format!("/proc/{}/ns/mnt", self.runtime),
            "--".to_owned(),
        ];
        [&own, words].concat()
    }

    /// Returns the name of the Node.
    #[must_use]
    pub fn node(&self) -> &'static str {
        NODE
    }

    /// Returns the root directory, as the kubelet names it. What it mounts below is seen with
    /// [`path`](Self::path) only.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path by which other processes see what the kubelet sees at an absolute path,
    /// also while it doesn't run.
    #[must_use]
    pub fn path(&self, path: &Path) -> PathBuf {
        let inside = path.strip_prefix("/").unwrap_or(path);
        self.proc().join("root").join(inside)
    }

    /// Returns the file with all that is mounted for the kubelet, in the format of
    /// `/proc/self/mountinfo`.
    #[must_use]
    pub fn mount_info(&self) -> PathBuf {
        self.proc().join("mountinfo")
    }

    /// The folder of a process that is in the mount namespace all the time.
    fn proc(&self) -> PathBuf {
        Path::new("/proc").join(self.runtime.to_string())
    }

    /// Returns all containers that were created, in this order. One that was created again is there
    /// more than once.
    ///
    /// # Errors
    ///
    /// When the file to which the container runtime adds them can't be read.
    pub fn containers(&self) -> Result<Vec<CreatedContainer>, Error> {
        let text = match fs::read_to_string(&self.containers) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
            Err(e) => return Err(Error::because("read the kubelet's containers", &e)),
        };
        // A line that is being written has no end yet.
        let whole = text
            .rfind('\n')
            .map_or("", |end| text.get(..end).unwrap_or_default());
        let read = whole.lines().map(serde_json::from_str);
        read.collect::<Result<_, _>>()
            .map_err(|e| Error::because("read the kubelet's containers", &e))
    }
}

/// Returns an error that says why no kubelet can run here.
pub(crate) fn check_machine() -> Result<(), Error> {
    if !cfg!(target_os = "linux") {
        return Err(Error::new("a kubelet runs on Linux only"));
    }
    if !rustix::process::geteuid().is_root() {
        return Err(Error::new(
            "a kubelet needs root\n  help: run the tests as root; they mount in namespaces of their own",
        ));
    }
    // Of the second version, or of the first.
    let unified = Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
    let controllers = ["cpu", "cpuacct", "cpuset", "memory"];
    let missing = controllers
        .into_iter()
        .filter(|name| !unified && !Path::new("/sys/fs/cgroup").join(name).is_dir());
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!(
        "a kubelet needs cgroups, and /sys/fs/cgroup has no {}\n  help: mount them, or, in a \
         container, bind /sys/fs/cgroup of the machine",
        missing.join(", ")
    )))
}

/// The kubelet's configuration: what would change the machine is off, what would wait is fast.
fn config(folder: &Path, socket: &Path, credentials: &Credentials, port: u16) -> serde_json::Value {
    let socket = format!("unix://{}", socket.display());
    json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": "127.0.0.1",
        "port": port,
        "healthzPort": 0,
        "tlsCertFile": credentials.certificate,
        "tlsPrivateKeyFile": credentials.key,
        // Nobody has a reason to ask it.
        "authentication": {"anonymous": {"enabled": false}, "webhook": {"enabled": false}},
        "authorization": {"mode": "AlwaysAllow"},
        "containerRuntimeEndpoint": socket,
        "imageServiceEndpoint": socket,
        "cgroupDriver": "cgroupfs",
        "cgroupsPerQOS": false,
        "enforceNodeAllocatable": [],
        "failCgroupV1": false,
        "failSwapOn": false,
        "makeIPTablesUtilChains": false,
        "resolvConf": "",
        // It measures the disk for them, and evicts Pods of a machine whose disk is nearly full.
        "localStorageCapacityIsolation": false,
        "evictionHard": {
            "imagefs.available": "0%",
            "memory.available": "1Mi",
            "nodefs.available": "0%",
            "nodefs.inodesFree": "0%",
        },
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "podLogsDir": folder.join("logs"),
        "volumePluginDir": folder.join("flexvolume"),
        "staticPodPath": "",
        "maxPods": 1000,
        "syncFrequency": "1s",
        "fileCheckFrequency": "1s",
        "nodeStatusUpdateFrequency": "1s",
        "configMapAndSecretChangeDetectionStrategy": "Watch",
        "kubeAPIQPS": 1000,
        "kubeAPIBurst": 1000,
        "eventRecordQPS": 0,
        "registryPullQPS": 0,
        "serializeImagePulls": false,
    })
}

/// Waits until the Node is ready, and then removes its taint as a controller would.
pub(crate) async fn wait_for_node(
    config: &Config,
    servers: &Servers,
    deadline: Instant,
) -> Result<(), Error> {
    let client =
        Client::try_from(config.clone()).map_err(|e| Error::because("make a client", &e))?;
    let nodes: Api<Node> = Api::all(client.clone());
    loop {
        let node = nodes.get_opt(NODE).await;
        let node = node.map_err(|e| Error::because("read the kubelet's Node", &e))?;
        if node.as_ref().is_some_and(is_ready) {
            let untainted = nodes::untaint(&client, NODE).await;
            return untainted
                .map(|_| ())
                .map_err(|e| Error::because("untaint the kubelet's Node", &e));
        }
        servers.check()?;
        if Instant::now() >= deadline {
            let conditions = node.and_then(|node| node.status?.conditions);
            return Err(Error::new(format!(
                "the kubelet's Node is not ready in time, its conditions are {conditions:?}; {}",
                servers.logs()
            )));
        }
        sleep(Duration::from_millis(50)).await;
    }
}

fn is_ready(node: &Node) -> bool {
    let conditions = node.status.iter().flat_map(|status| &status.conditions);
    conditions
        .flatten()
        .any(|condition| condition.type_ == "Ready" && condition.status == "True")
}
