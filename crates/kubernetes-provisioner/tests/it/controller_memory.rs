//! The memory that a controller takes in a cluster with many claims.
//!
//! The server and the controller are in processes of their own: this test starts itself again.

use std::fs;
use std::process::Command;

use core_v1::PersistentVolume;
use kube::{Client, Config};
use kubernetes_provisioner::{
    Controller, DeleteError, ProvisionError, ProvisionRequest, Provisioner, RunState,
};
use kubernetes_test_apiserver::Server;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const URL: &str = "PROVISIONER_TEST_URL";
const OBJECTS: usize = 10_000;
/// The limit, in kB.
const LIMIT: u64 = 60_000;

struct Nothing;

impl Provisioner for Nothing {
    async fn provision(&self, _: &ProvisionRequest) -> Result<PersistentVolume, ProvisionError> {
        Err(ProvisionError::ignored("nothing to do"))
    }

    async fn delete(&self, _: &PersistentVolume) -> Result<(), DeleteError> {
        Err(DeleteError::ignored("nothing to do"))
    }
}

/// The size of one manager's fields as servers have them.
fn managed_fields() -> Value {
    let fields: serde_json::Map<_, _> = (0..20)
        .map(|index| (format!("f:field-number-{index}"), json!({})))
        .collect();
    json!([{
        "manager": "kube-controller-manager",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:annotations": fields}},
    }])
}

fn claim(index: usize) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": format!("data-{index}"),
            "namespace": format!("namespace-{}", index % 50),
            "annotations": {
                "pv.kubernetes.io/bind-completed": "yes",
                "volume.kubernetes.io/storage-provisioner": "example.com/disks",
            },
            "finalizers": ["kubernetes.io/pvc-protection"],
            "managedFields": managed_fields(),
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "fast",
            "volumeMode": "Filesystem",
            "volumeName": volume_name(index),
        },
    })
}

fn volume_name(index: usize) -> String {
    format!("pvc-00000000-0000-0000-0000-{index:012}")
}

fn volume(index: usize) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {
            "name": volume_name(index),
            "annotations": {"pv.kubernetes.io/provisioned-by": "example.com/disks"},
            "finalizers": [
                "kubernetes.io/pv-protection",
                "external-provisioner.volume.kubernetes.io/finalizer",
            ],
            "managedFields": managed_fields(),
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "name": format!("data-{index}"),
                "namespace": format!("namespace-{}", index % 50),
                "uid": format!("00000000-0000-0000-0000-{index:012}"),
            },
            "csi": {"driver": "example.com", "volumeHandle": volume_name(index)},
            "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": "fast",
        },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_claims_and_volumes_take_less_than_sixty_megabytes() {
    let server = Server::start().await.unwrap();
    for index in 0..OBJECTS {
        let claim = claim(index);
        let namespace = claim["metadata"]["namespace"].as_str().unwrap();
        let path = format!("/api/v1/namespaces/{namespace}/persistentvolumeclaims");
        server.insert(&path, claim).unwrap();
        server
            .insert("/api/v1/persistentvolumes", volume(index))
            .unwrap();
    }
    let url = server.url();
    let run = move || {
        Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "controller_memory::controller_of_the_other_process",
                "--ignored",
                "--nocapture",
            ])
            .env(URL, url)
            .output()
            .unwrap()
    };
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let resident = text.lines().find_map(|line| line.split_once("resident: "));
    let resident: u64 = resident.unwrap().1.parse().unwrap();
    assert!(resident < LIMIT, "{resident} kB");
    println!("{resident} kB");
}

#[tokio::test]
#[ignore = "the other test runs it in a process of its own"]
async fn controller_of_the_other_process() {
    let url = std::env::var(URL).unwrap();
    let client = Client::try_from(Config::new(url.parse().unwrap())).unwrap();
    let controller = Controller::builder(client, "example.com/disks", Nothing)
        .leader_election(false)
        .build()
        .unwrap();
    let mut state = controller.state();
    let stop = CancellationToken::new();
    let task = tokio::spawn(controller.run(stop.clone()));
    state
        .wait_for(|state| *state == RunState::Running)
        .await
        .unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let resident = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    println!("resident: {}", resident.trim().trim_end_matches(" kB"));
    stop.cancel();
    task.await.unwrap().unwrap();
}
