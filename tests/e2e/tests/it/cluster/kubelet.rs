//! A kubelet whose containers don't run.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use e2e::{ControlPlane, CreatedContainer};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use rustix::process::{Signal, Uid};
use serde_json::{Value, json};
use tokio::time::sleep;

/// The parameters of the kernel that a kubelet would set.
const PARAMETERS: [&str; 3] = [
    "vm/overcommit_memory",
    "kernel/panic",
    "kernel/panic_on_oops",
];

fn parameters() -> Vec<String> {
    let read = |name| fs::read_to_string(Path::new("/proc/sys").join(name)).unwrap();
    PARAMETERS.map(read).into()
}

/// Runs a test as root with a runtime.
fn as_root(test: impl Future<Output = ()> + Send) {
    root_tests::as_root(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(test);
    });
}

fn pod(name: &str, spec: &Value) -> Pod {
    let mut pod = json!({
        "metadata": {"name": name},
        "spec": {"nodeName": "kubelet", "terminationGracePeriodSeconds": 0},
    });
    for (field, value) in spec.as_object().unwrap() {
        pod["spec"][field] = value.clone();
    }
    serde_json::from_value(pod).unwrap()
}

fn phase(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.phase.as_deref()
}

/// Creates a Pod with volumes of two kinds and waits until it runs.
pub(super) async fn run_pod(server: &ControlPlane) -> Pod {
    let client = server.client().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let map = json!({"metadata": {"name": "map"}, "data": {"key": "value"}});
    let map = serde_json::from_value(map).unwrap();
    maps.create(&PostParams::default(), &map).await.unwrap();
    let pods: Api<Pod> = Api::default_namespaced(client);
    let spec = json!({
        "volumes": [
            {"name": "files", "configMap": {"name": "map"}},
            {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}},
        ],
        "containers": [{
            "name": "idle",
            "image": "idle",
            "volumeMounts": [
                {"name": "files", "mountPath": "/files", "readOnly": true},
                {"name": "memory", "mountPath": "/part", "subPath": "a/b"},
            ],
        }],
    });
    let pod = pod("pod", &spec);
    pods.create(&PostParams::default(), &pod).await.unwrap();
    let object = server.object(&pods, "pod");
    let running = object.until("to run", |pod| phase(pod) == Some("Running"));
    running.await.unwrap()
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn pods_run_with_their_volumes() {
    as_root(async {
        let before = parameters();
        let server = ControlPlane::builder().kubelet().start().await.unwrap();
        let kubelet = server.kubelet().unwrap();
        let nodes: Api<Node> = Api::all(server.client().unwrap());
        let node = nodes.get(kubelet.node()).await.unwrap();
        assert_eq!(node.spec.unwrap().taints, None);

        let pod = run_pod(&server).await;
        let uid = pod.metadata.uid.unwrap();
        let volumes = kubelet.root().join("pods").join(&uid).join("volumes");
        let files = kubelet.path(&volumes.join("kubernetes.io~configmap/files"));
        assert_eq!(fs::read_to_string(files.join("key")).unwrap(), "value");
        let memory = kubelet.path(&volumes.join("kubernetes.io~empty-dir/memory"));
        assert_eq!(fs::metadata(&memory).unwrap().mode() & 0o7777, 0o1777);
        // It is mounted for the kubelet alone.
        let here = volumes.join("kubernetes.io~empty-dir/memory");
        let device = |path: &Path| fs::metadata(path).unwrap().dev();
        assert_eq!(device(&here), device(&volumes));
        assert_ne!(device(&memory), device(&volumes));
        let mounts = fs::read_to_string(kubelet.mount_info()).unwrap();
        assert!(mounts.contains(&uid), "{mounts}");
        assert_eq!(parameters(), before);

        let containers = kubelet.containers().unwrap();
        let [
            CreatedContainer {
                pod,
                name,
                mounts,
                devices,
            },
        ] = &containers[..]
        else {
            panic!("{containers:?}");
        };
        assert_eq!(devices, &[]);
        assert_eq!((pod, name.as_str()), (&uid, "idle"));
        let shown: Vec<_> = mounts
            .iter()
            .filter(|mount| mount.host_path.starts_with(volumes.parent().unwrap()))
            .map(|mount| (mount.container_path.to_str().unwrap(), mount.readonly))
            .collect();
        assert_eq!(shown[..2], [("/files", true), ("/part", false)]);
        assert!(memory.join("a/b").is_dir());

        let pods: Api<Pod> = Api::default_namespaced(server.client().unwrap());
        pods.delete("pod", &DeleteParams::default()).await.unwrap();
        server.object(&pods, "pod").until_gone().await.unwrap();
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn mounts_outlive_the_kubelet() {
    as_root(async {
        let builder = ControlPlane::builder().kubelet();
        let mut server = builder.start().await.unwrap();
        let pod = run_pod(&server).await;
        let uid = pod.metadata.uid.unwrap();
        let mounts = server.kubelet().unwrap().mount_info();
        let before = fs::read_to_string(&mounts).unwrap();
        assert!(before.contains(&uid), "{before}");

        let program = Path::new("/bin/sh");
        let missing = server.end("sh", Signal::KILL).unwrap_err();
        assert_eq!(missing.to_string(), "no sh is running");
        let file = server.folder().join("seen");
        let script = format!(
            "cat /proc/self/mountinfo >{}; exec sleep 600",
            file.display()
        );
        let arguments = ["-c".to_owned(), script];
        server.start_on_node(program, &arguments).unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while fs::read_to_string(&file).ok().as_ref() != Some(&before) {
            assert!(Instant::now() < deadline, "{}", server.logs());
            sleep(Duration::from_millis(50)).await;
        }

        server.end("kubelet", Signal::KILL).unwrap();
        server.check().unwrap();
        assert_eq!(fs::read_to_string(&mounts).unwrap(), before);
        server.start_kubelet_again().unwrap();
        let pods: Api<Pod> = Api::default_namespaced(server.client().unwrap());
        pods.delete("pod", &DeleteParams::default()).await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while fs::read_to_string(&mounts).unwrap().contains(&uid) {
            assert!(Instant::now() < deadline, "{}", server.logs());
            sleep(Duration::from_millis(50)).await;
        }
        server.end("sh", Signal::TERM).unwrap();
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn containers_end_with_their_code() {
    as_root(async {
        let server = ControlPlane::builder().defaults_only().kubelet();
        let server = server.start().await.unwrap();
        let pods: Api<Pod> = Api::default_namespaced(server.client().unwrap());
        for (name, code, phase_in_the_end) in [("well", "0", "Succeeded"), ("badly", "3", "Failed")]
        {
            let container = json!({"name": "c", "image": "c", "command": ["exit", code]});
            let spec = json!({"restartPolicy": "Never", "containers": [container]});
            let pod = pod(name, &spec);
            pods.create(&PostParams::default(), &pod).await.unwrap();
            let object = server.object(&pods, name);
            let ended = object.until("to end", |pod| phase(pod) == Some(phase_in_the_end));
            ended.await.unwrap();
        }
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn without_root_it_says_so() {
    root_tests::as_root(|| {
        // Of this thread alone.
        let nobody = Uid::from_raw(65534);
        rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let started = runtime
            .unwrap()
            .block_on(ControlPlane::builder().kubelet().start());
        let error = started.err().unwrap().to_string();
        assert!(error.contains("a kubelet needs root\n  help: "), "{error}");
    });
}
