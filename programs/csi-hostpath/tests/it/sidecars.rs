//! Claims, snapshots and Pods as in a cluster: with Kubernetes' controllers, its sidecars and a
//! kubelet, and the objects and roles of `deploy`.

use std::fs;
use std::path::{Path, PathBuf};

use e2e::{ControlPlane, VOLUME_CONTROLLERS};
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, TypeMeta};
use kube::{Api, Client};
use root_tests::as_root;
use serde_json::{Value, json};

use crate::cluster::RUNTIME;
use crate::cluster::node::Node;
use crate::cluster::objects::{create, of_claim};
use crate::manifests::objects;

/// The classes of `deploy`.
const CLASS: &str = "csi-hostpath";

/// The packages of the sidecars, of modules that tests/e2e/sidecars needs.
const SIDECARS: [&str; 3] = [
    "github.com/kubernetes-csi/external-provisioner/v6/cmd/csi-provisioner",
    "github.com/kubernetes-csi/external-resizer/v2/cmd/csi-resizer",
    "github.com/kubernetes-csi/external-snapshotter/v8/cmd/csi-snapshotter",
];

/// That of the controller which a cluster with snapshots has.
const CONTROLLER: &str =
    "github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller";

struct Cluster(Node);

fn kind(object: &Value) -> ApiResource {
    let types: TypeMeta = serde_json::from_value(object.clone()).unwrap();
    ApiResource::from_gvk(&GroupVersionKind::try_from(types).unwrap())
}

/// Reads a file by its path from the folder of the package.
fn objects_of(path: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    objects(&fs::read_to_string(path).unwrap())
}

async fn apply(client: &Client, object: &Value) {
    let kind = kind(object);
    let object: DynamicObject = serde_json::from_value(object.clone()).unwrap();
    let objects = match object.metadata.namespace.as_deref() {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &kind),
        None => Api::<DynamicObject>::all_with(client.clone(), &kind),
    };
    let created = objects.create(&PostParams::default(), &object).await;
    created.unwrap();
}

impl Cluster {
    async fn start() -> Self {
        let server = ControlPlane::builder()
            .controllers(VOLUME_CONTROLLERS)
            .scheduler()
            .kubelet()
            .start()
            .await
            .unwrap();
        let mut cluster = Self(Node::on(server));
        let client = cluster.0.client.clone();
        for definition in objects_of("../../spec/v1.37/snapshot.storage.k8s.io.yaml") {
            apply(&client, &definition).await;
        }
        let mut deployed = objects_of("deploy/driver.yaml");
        deployed.extend(objects_of("deploy/snapshots.yaml"));
        let (sets, others): (Vec<_>, Vec<_>) = deployed
            .into_iter()
            .partition(|object| object["kind"] == "StatefulSet");
        for object in &others {
            let of_kind = Api::<DynamicObject>::all_with(client.clone(), &kind(object));
            let served = async || of_kind.list(&ListParams::default()).await.ok();
            cluster.0.eventually("a kind that is served", served).await;
            apply(&client, object).await;
        }
        for set in &sets {
            cluster.run_sidecars(&set["spec"]["template"]["spec"]);
        }
        let administrator = cluster.0.server.kubeconfig().display().to_string();
        cluster.run(CONTROLLER, &administrator, Vec::new());
        cluster
    }

    /// Runs the containers of a Pod with the rights of its ServiceAccount. The driver runs already.
    fn run_sidecars(&mut self, pod: &Value) {
        let kubeconfig = self.kubeconfig_of(pod["serviceAccountName"].as_str().unwrap());
        for container in pod["containers"].as_array().unwrap() {
            let name = container["name"].as_str().unwrap();
            if let Some(package) = SIDECARS.iter().find(|package| package.ends_with(name)) {
                let arguments = serde_json::from_value(container["args"].clone()).unwrap();
                self.run(package, &kubeconfig, arguments);
            } else {
                assert_eq!(name, "csi-hostpath");
            }
        }
    }

    /// Returns a kubeconfig with the rights of a ServiceAccount.
    fn kubeconfig_of(&self, account: &str) -> String {
        let server = &self.0.server;
        let text = fs::read_to_string(server.kubeconfig()).unwrap();
        let mut config: Value = serde_json::from_str(&text).unwrap();
        let user = format!("system:serviceaccount:kube-system:{account}");
        config["users"][0]["user"]["as"] = user.into();
        let path = server.folder().join(format!("kubeconfig-of-{account}"));
        fs::write(&path, config.to_string()).unwrap();
        path.display().to_string()
    }

    fn run(&mut self, package: &str, kubeconfig: &str, arguments: Vec<String>) {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let program = go_programs::build("tests/e2e/sidecars", package, target);
        let socket = self.0.socket().display().to_string();
        let arguments = arguments
            .iter()
            .map(|it| it.replace("/csi/csi.sock", &socket));
        let arguments: Vec<_> = arguments
            .chain([format!("--kubeconfig={kubeconfig}")])
            .collect();
        self.0.server.start_on_node(&program, &arguments).unwrap();
    }

    fn claims(&self) -> Api<PersistentVolumeClaim> {
        Api::default_namespaced(self.0.client.clone())
    }

    async fn claim(&self, name: &str, more: Value) {
        let mut spec = json!({
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": CLASS,
            "resources": {"requests": {"storage": "1Mi"}},
        });
        for (field, value) in more.as_object().unwrap() {
            spec[field] = value.clone();
        }
        create(
            &self.claims(),
            json!({"metadata": {"name": name}, "spec": spec}),
        )
        .await;
    }

    /// Makes a claim larger, and waits until it is.
    async fn grow(&self, name: &str, size: &str) {
        let spec = json!({"spec": {"resources": {"requests": {"storage": size}}}});
        let (claims, own) = (self.claims(), PatchParams::default());
        claims.patch(name, &own, &Patch::Merge(spec)).await.unwrap();
        let has_grown = |claim: &PersistentVolumeClaim| {
            let status = claim.status.as_ref();
            let capacity = status.and_then(|status| status.capacity.as_ref());
            capacity.is_some_and(|capacity| capacity["storage"].0 == size)
        };
        let object = self.0.server.object(&claims, name);
        object.until("to grow", has_grown).await.unwrap();
    }

    fn snapshots(&self) -> Api<DynamicObject> {
        let kind =
            kind(&json!({"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot"}));
        Api::default_namespaced_with(self.0.client.clone(), &kind)
    }

    /// Takes a snapshot of a claim, and waits until it can be used.
    async fn take_snapshot(&self, name: &str, claim: &str) {
        let object = json!({
            "apiVersion": "snapshot.storage.k8s.io/v1",
            "kind": "VolumeSnapshot",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {
                "volumeSnapshotClassName": CLASS,
                "source": {"persistentVolumeClaimName": claim},
            },
        });
        apply(&self.0.client, &object).await;
        let snapshots = self.snapshots();
        let is_ready = |snapshot: &DynamicObject| snapshot.data["status"]["readyToUse"] == true;
        let object = self.0.server.object(&snapshots, name);
        object.until("to be ready", is_ready).await.unwrap();
    }

    async fn delete_snapshot(&self, name: &str) {
        let snapshots = self.snapshots();
        let deleted = snapshots.delete(name, &DeleteParams::default()).await;
        deleted.unwrap();
        let object = self.0.server.object(&snapshots, name);
        object.until_gone().await.unwrap();
    }

    /// Runs a Pod with a claim of the same name, and returns its path.
    async fn pod(&self, name: &str) -> PathBuf {
        let spec = json!({"nodeName": null});
        self.0
            .create_pod_with(name, &[("v", of_claim(name))], spec)
            .await;
        let pod = self.0.running(name).await;
        let claim = self.claims().get(name).await.unwrap();
        let volume = claim.spec.unwrap().volume_name.unwrap();
        self.0.mounted(&pod, &volume)
    }
}

/// A source of a claim.
fn source(group: Option<&str>, kind: &str, name: &str) -> Value {
    json!({"dataSource": {"apiGroup": group, "kind": kind, "name": name}})
}

#[test]
#[ignore = "needs a control plane, and builds the sidecars: run cargo xtask proof csi-sidecars"]
fn claims_and_snapshots_work_as_in_a_cluster() {
    as_root(|| RUNTIME.block_on(claims_and_snapshots()));
}

async fn claims_and_snapshots() {
    let cluster = Cluster::start().await;
    let Cluster(node) = &cluster;
    cluster.claim("first", json!({})).await;
    let first = cluster.pod("first").await;
    fs::write(first.join("file"), "before").unwrap();

    cluster.take_snapshot("snapshot", "first").await;
    fs::write(first.join("file"), "after").unwrap();
    let of_snapshot = source(
        Some("snapshot.storage.k8s.io"),
        "VolumeSnapshot",
        "snapshot",
    );
    cluster.claim("restored", of_snapshot).await;
    let restored = cluster.pod("restored").await;
    assert_eq!(fs::read_to_string(restored.join("file")).unwrap(), "before");

    cluster.grow("first", "2Mi").await;
    let mut clone = source(None, "PersistentVolumeClaim", "first");
    clone["resources"] = json!({"requests": {"storage": "2Mi"}});
    cluster.claim("clone", clone).await;
    let clone = cluster.pod("clone").await;
    assert_eq!(fs::read_to_string(clone.join("file")).unwrap(), "after");

    let names = ["first", "restored", "clone"];
    node.delete_pods(&names).await;
    cluster.delete_snapshot("snapshot").await;
    let claims = cluster.claims();
    for name in names {
        claims.delete(name, &DeleteParams::default()).await.unwrap();
    }
    let volumes = Api::<PersistentVolume>::all(node.client.clone());
    let gone = async || {
        let left = volumes.list(&ListParams::default()).await.unwrap();
        left.items.is_empty().then_some(())
    };
    node.eventually("an end of the volumes", gone).await;
    let left = fs::read_dir(node.data("")).unwrap().count();
    assert_eq!(left, 0);
    node.assert_clean().await;
}
