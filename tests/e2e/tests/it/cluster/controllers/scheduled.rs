//! Volumes, claims and Pods with all controllers of volumes and the scheduler, the test in the part
//! of a provisioner.

use std::collections::BTreeMap;
use std::time::Duration;

use core_v1::{
    CSIPersistentVolumeSource, NodeSelector, NodeSelectorOperator, NodeSelectorRequirement,
    NodeSelectorTerm, ObjectReference, PersistentVolume, PersistentVolumeAccessMode,
    PersistentVolumeClaim, PersistentVolumeClaimPhase, PersistentVolumeClaimSpec,
    PersistentVolumePhase, PersistentVolumeReclaimPolicy, PersistentVolumeSpec, Quantity,
    VolumeNodeAffinity, VolumeResourceRequirements,
};
use e2e::{ControlPlane, Error, VOLUME_CONTROLLERS, add_node, pod_with_claim};
use k8s_openapi::api::core::v1::{Event, Node, Pod};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use kubernetes_kinds::prelude::*;
use serde_json::json;
use storage_v1::topology::topology_term;
use storage_v1::{StorageClass, VolumeBindingMode};
use tokio::sync::OnceCell;

use super::PROVISIONER;

const DRIVER: &str = "csi.example.com";
const FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const ZONE: &str = "topology.kubernetes.io/zone";

/// A client of the control plane that the tests of this file share.
struct World {
    server: &'static ControlPlane,
    claims: Api<PersistentVolumeClaim>,
    volumes: Api<PersistentVolume>,
    classes: Api<StorageClass>,
    pods: Api<Pod>,
}

impl World {
    async fn get() -> Self {
        static SHARED: OnceCell<Result<ControlPlane, Error>> = OnceCell::const_new();
        let builder = ControlPlane::builder().defaults_only();
        let builder = builder.controllers(VOLUME_CONTROLLERS).scheduler();
        let server = SHARED
            .get_or_init(|| async move { builder.start().await })
            .await;
        let server = server.as_ref().unwrap();
        let client = server.client().unwrap();
        Self {
            server,
            claims: Api::default_namespaced(client.clone()),
            volumes: Api::all(client.clone()),
            classes: Api::all(client.clone()),
            pods: Api::default_namespaced(client),
        }
    }

    async fn add_class(&self, class: &StorageClass) {
        self.classes
            .create(&PostParams::default(), class)
            .await
            .unwrap();
    }

    /// Adds a claim of the class of the same name.
    async fn add_claim(&self, name: &str) -> PersistentVolumeClaim {
        let resources = VolumeResourceRequirements::new().with_requests(gibibyte());
        let spec = PersistentVolumeClaimSpec::new()
            .with_access_modes([PersistentVolumeAccessMode::ReadWriteOnce])
            .with_storage_class_name(name)
            .with_resources(resources);
        let claim = PersistentVolumeClaim::new(name).with_spec(spec);
        self.claims
            .create(&PostParams::default(), &claim)
            .await
            .unwrap()
    }

    async fn add_volume(&self, volume: &PersistentVolume) {
        self.volumes
            .create(&PostParams::default(), volume)
            .await
            .unwrap();
    }

    async fn claim(
        &self,
        name: &str,
        what: &str,
        condition: impl FnMut(&PersistentVolumeClaim) -> bool,
    ) -> PersistentVolumeClaim {
        self.server
            .object(&self.claims, name)
            .until(what, condition)
            .await
            .unwrap()
    }

    async fn bound_claim(&self, name: &str) -> PersistentVolumeClaim {
        let is_bound = |claim: &PersistentVolumeClaim| {
            let phase = claim
                .status
                .as_ref()
                .and_then(|status| status.phase.as_ref());
            phase == Some(&PersistentVolumeClaimPhase::Bound)
        };
        self.claim(name, "to be bound", is_bound).await
    }

    async fn volume(&self, name: &str, phase: PersistentVolumePhase) -> PersistentVolume {
        let what = format!("to be {phase:?}");
        let has_phase = |volume: &PersistentVolume| {
            let status = volume.status.as_ref();
            status.and_then(|status| status.phase.as_ref()) == Some(&phase)
        };
        let volume = self.server.object(&self.volumes, name);
        volume.until(&what, has_phase).await.unwrap()
    }
}

fn gibibyte() -> [(&'static str, Quantity); 1] {
    [("storage", Quantity("1Gi".to_owned()))]
}

/// A volume of a class that nobody has claimed.
fn volume(name: &str, class: &str) -> PersistentVolume {
    let spec = PersistentVolumeSpec::new()
        .with_access_modes([PersistentVolumeAccessMode::ReadWriteOnce])
        .with_capacity(gibibyte())
        .with_csi(CSIPersistentVolumeSource::new(DRIVER, name))
        .with_persistent_volume_reclaim_policy(PersistentVolumeReclaimPolicy::Delete)
        .with_storage_class_name(class);
    PersistentVolume::new(name).with_spec(spec)
}

/// A volume as a provisioner makes it for a claim.
fn provisioned(name: &str, claim: &PersistentVolumeClaim) -> PersistentVolume {
    let reference = ObjectReference::new()
        .with_api_version("v1")
        .with_kind("PersistentVolumeClaim")
        .with_namespace(claim.namespace().unwrap())
        .with_name(claim.name_any())
        .with_uid(claim.uid().unwrap());
    let mut volume = volume(name, &claim.name_any())
        .with_annotation(PROVISIONED_BY, DRIVER)
        .with_finalizer(FINALIZER);
    volume.spec = volume.spec.map(|spec| spec.with_claim_ref(reference));
    volume
}

fn annotations<'a>(claim: &'a PersistentVolumeClaim, names: &[&str]) -> BTreeMap<&'a str, &'a str> {
    let all = claim.annotations().iter();
    let wanted = all.filter(|(name, _)| names.contains(&name.as_str()));
    wanted
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_claim_gets_a_volume_that_is_there() {
    let world = World::get().await;
    world
        .add_class(&StorageClass::new("made", "kubernetes.io/no-provisioner"))
        .await;
    world.add_volume(&volume("made", "made")).await;
    world.volume("made", PersistentVolumePhase::Available).await;
    let claim = world.add_claim("made").await;

    let bound = world.bound_claim("made").await;
    assert_eq!(bound.spec.unwrap().volume_name.as_deref(), Some("made"));
    let volume = world.volume("made", PersistentVolumePhase::Bound).await;
    assert_eq!(
        volume.spec.unwrap().claim_ref.unwrap().uid,
        claim.metadata.uid
    );
}

/// The class allows one zone, and so the scheduler selects the Node there.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_claim_waits_for_its_first_consumer() {
    let world = World::get().await;
    let client = world.server.client().unwrap();
    for (name, zone) in [("node-a", "a"), ("node-b", "b")] {
        assert_schedulable(&add_node(&client, name, zone).await.unwrap());
    }
    let class = StorageClass::new("late", DRIVER)
        .with_volume_binding_mode(VolumeBindingMode::WaitForFirstConsumer)
        .with_allowed_topologies([topology_term([(ZONE, ["b"])])]);
    world.add_class(&class).await;
    let claim = world.add_claim("late").await;
    assert_eq!(
        annotations(&claim, &[SELECTED_NODE, PROVISIONER]),
        BTreeMap::new()
    );
    let pod = pod_with_claim("consumer", "late");
    world
        .pods
        .create(&PostParams::default(), &pod)
        .await
        .unwrap();

    let names = [SELECTED_NODE, PROVISIONER];
    let is_asked = |claim: &PersistentVolumeClaim| annotations(claim, &names).len() == 2;
    let claim = world
        .claim("late", "to have a Node and a provisioner", is_asked)
        .await;
    let wanted = BTreeMap::from([(SELECTED_NODE, "node-b"), (PROVISIONER, DRIVER)]);
    assert_eq!(annotations(&claim, &names), wanted);
    let pod = world.pods.get("consumer").await.unwrap();
    assert_eq!(
        pod.spec.unwrap().node_name,
        None,
        "assigned before there is a volume"
    );

    let zone = NodeSelectorRequirement::new(ZONE, NodeSelectorOperator::In);
    let term = NodeSelectorTerm::new().with_match_expressions([zone.with_values(["b"])]);
    let affinity = VolumeNodeAffinity::new().with_required(NodeSelector::new([term]));
    let mut volume = provisioned("late", &claim);
    volume.spec = volume.spec.map(|spec| spec.with_node_affinity(affinity));
    world.add_volume(&volume).await;
    world.bound_claim("late").await;
    let pod = world.server.object(&world.pods, "consumer");
    let node = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
    let pod = pod
        .until("to be assigned", |pod| node(pod).is_some())
        .await
        .unwrap();
    assert_eq!(node(&pod).as_deref(), Some("node-b"));

    // No kubelet has to say that it has stopped.
    world
        .pods
        .delete("consumer", &DeleteParams::default())
        .await
        .unwrap();
    world
        .server
        .object(&world.pods, "consumer")
        .until_gone()
        .await
        .unwrap();
}

fn assert_schedulable(node: &Node) {
    assert_eq!(node.spec.clone().unwrap_or_default().taints, None);
    let status = node.status.clone().unwrap();
    let conditions = status.conditions.unwrap();
    assert!(
        conditions
            .iter()
            .any(|c| c.type_ == "Ready" && c.status == "True")
    );
    assert_eq!(status.allocatable.unwrap()["pods"].0, "110");
    assert_eq!(node.labels()["kubernetes.io/hostname"], node.name_any());
}

/// It is left for the provisioner to delete when its claim is gone.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_volume_is_released() {
    let world = World::get().await;
    world.add_class(&StorageClass::new("freed", DRIVER)).await;
    world.add_claim("freed").await;
    let is_asked = |claim: &PersistentVolumeClaim| {
        annotations(claim, &[PROVISIONER]).contains_key(PROVISIONER)
    };
    let claim = world
        .claim("freed", "to have a provisioner", is_asked)
        .await;
    world.add_volume(&provisioned("freed", &claim)).await;
    world.bound_claim("freed").await;

    world
        .claims
        .delete("freed", &DeleteParams::default())
        .await
        .unwrap();
    world
        .server
        .object(&world.claims, "freed")
        .until_gone()
        .await
        .unwrap();
    let volume = world.volume("freed", PersistentVolumePhase::Released).await;
    assert_eq!(volume.metadata.deletion_timestamp, None);
    assert!(
        volume
            .finalizers()
            .iter()
            .any(|finalizer| finalizer == FINALIZER)
    );

    // The provisioner's finalizer is the last.
    world
        .volumes
        .delete("freed", &DeleteParams::default())
        .await
        .unwrap();
    let volume = world.server.object(&world.volumes, "freed");
    let is_last = |volume: &PersistentVolume| volume.finalizers() == [FINALIZER];
    let left = volume
        .until("to have one finalizer", is_last)
        .await
        .unwrap();
    let phase = left.status.unwrap().phase;
    assert_eq!(
        phase,
        Some(PersistentVolumePhase::Released),
        "it is not an error"
    );
    let done = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    world
        .volumes
        .patch("freed", &PatchParams::default(), &done)
        .await
        .unwrap();
    volume.until_gone().await.unwrap();
}

/// The message is all that a failing test in CI shows.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn what_does_not_happen_is_reported() {
    let world = World::get().await;
    let limit = Duration::from_millis(200);
    let class = world.server.object(&world.classes, "idle").within(limit);
    let error = class
        .until("to change", |_| false)
        .await
        .unwrap_err()
        .to_string();
    let path = "/apis/storage.k8s.io/v1/storageclasses/idle";
    let start = format!("waited 200ms for {path} to change; there is none\n");
    assert!(error.starts_with(&start), "{error}");
    assert!(error.contains("\netcd: the end of its log:\n  "), "{error}");
    assert!(
        error.contains("\nkube-scheduler: the end of its log:\n  "),
        "{error}"
    );

    world.add_class(&StorageClass::new("idle", DRIVER)).await;
    let error = class
        .until("to change", |_| false)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("to change; it is\n{"), "{error}");
    assert!(
        error.contains("\"provisioner\": \"csi.example.com\""),
        "{error}"
    );
    assert!(!error.contains("managedFields"), "{error}");

    let event = json!({
        "metadata": {"generateName": "idle-"},
        "involvedObject": {"kind": "StorageClass", "name": "idle", "namespace": "default"},
        "type": "Warning", "reason": "Idle", "message": "Nobody uses it.",
    });
    let events: Api<Event> = Api::default_namespaced(world.server.client().unwrap());
    let event = serde_json::from_value(event).unwrap();
    events.create(&PostParams::default(), &event).await.unwrap();
    let error = class.until_gone().await.unwrap_err().to_string();
    let event = "\n  Warning Idle, StorageClass idle: Nobody uses it.\n";
    assert!(error.contains(event), "{error}");
    assert!(error.contains("idle to be gone; it is\n{"), "{error}");
}

/// A flag or name that a server refuses is the error of the start, not of the test's deadline.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_controller_that_does_not_exist() {
    let builder = ControlPlane::builder()
        .defaults_only()
        .controllers(["levitation"]);
    let error = builder.start().await.err().unwrap().to_string();
    assert!(
        error.starts_with("kube-controller-manager ended with"),
        "{error}"
    );
    assert!(error.contains("levitation"), "{error}");
}
