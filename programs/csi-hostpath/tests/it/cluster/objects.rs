//! Objects of the control plane.

use std::fmt::Debug;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Resource};
use kubernetes_csi::v1::Volume;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::node::{DRIVER, Node};

/// The class of all claims, without which none can grow.
pub(crate) const CLASS: &str = "grows";

/// Creates an object, and returns it as stored.
pub(crate) async fn create<K>(objects: &Api<K>, object: Value) -> K
where
    K: Clone + Debug + DeserializeOwned + Resource + Serialize,
{
    let object = serde_json::from_value(object).unwrap();
    let created = objects.create(&PostParams::default(), &object).await;
    created.unwrap()
}

pub(crate) fn uid(pod: &Pod) -> &str {
    pod.metadata.uid.as_deref().unwrap()
}

/// A volume of a Pod that names a claim.
pub(crate) fn of_claim(claim: &str) -> Value {
    json!({"persistentVolumeClaim": {"claimName": claim}})
}

/// An inline volume of a Pod.
pub(crate) fn inline() -> Value {
    json!({"csi": {"driver": DRIVER, "fsType": "ext4"}})
}

impl Node {
    pub(crate) fn pods(&self) -> Api<Pod> {
        Api::default_namespaced(self.client.clone())
    }

    /// Creates a PersistentVolume of a volume and a claim, both of one name, which are bound.
    /// Without the place of the volume in the labels of the Node, the kubelet mounts nothing.
    pub(crate) async fn bind(&self, name: &str, volume: &Volume) {
        self.bind_as(name, volume, "Filesystem", None).await;
    }

    /// The same, of a mode and with a file system.
    pub(crate) async fn bind_as(
        &self,
        name: &str,
        volume: &Volume,
        mode: &str,
        fs_type: Option<&str>,
    ) {
        assert_eq!(volume.accessible_topology.len(), 1, "{volume:?}");
        self.bind_of(DRIVER, name, volume, mode, fs_type).await;
    }

    /// The same, of any driver.
    pub(crate) async fn bind_of(
        &self,
        driver: &str,
        name: &str,
        volume: &Volume,
        mode: &str,
        fs_type: Option<&str>,
    ) {
        let claims = Api::<PersistentVolumeClaim>::default_namespaced(self.client.clone());
        let size = volume.capacity_bytes.to_string();
        let spec = json!({
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": CLASS,
            "volumeName": name,
            "volumeMode": mode,
            "resources": {"requests": {"storage": size}},
        });
        let metadata = json!({
            "name": name,
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        });
        let claim = create(&claims, json!({"metadata": metadata, "spec": spec})).await;
        let places = volume.accessible_topology.iter().map(|place| {
            let segments = place.segments.iter();
            let terms = segments
                .map(|(key, value)| json!({"key": key, "operator": "In", "values": [value]}));
            json!({"matchExpressions": terms.collect::<Vec<_>>()})
        });
        let places: Vec<_> = places.collect();
        // A list of no terms isn't valid.
        let affinity =
            (!places.is_empty()).then(|| json!({"required": {"nodeSelectorTerms": places}}));
        let spec = json!({
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": CLASS,
            "capacity": {"storage": size},
            "claimRef": {"namespace": "default", "name": name, "uid": claim.metadata.uid},
            "volumeMode": mode,
            "csi": {"driver": driver, "volumeHandle": volume.volume_id, "fsType": fs_type},
            "nodeAffinity": affinity,
        });
        let volumes = Api::<PersistentVolume>::all(self.client.clone());
        create(&volumes, json!({"metadata": {"name": name}, "spec": spec})).await;
        // As a controller would. Without a capacity, the kubelet 1.37.2 panics.
        let status = json!({"status": {
            "phase": "Bound",
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": size},
        }});
        let (status, own) = (Patch::Merge(status), PatchParams::default());
        let bound = claims.patch_status(name, &own, &status).await;
        bound.unwrap();
    }

    /// Says that a volume and its claim have grown, as csi-resizer does before the kubelet's part.
    pub(crate) async fn grow(&self, name: &str, size: i64) {
        let size = size.to_string();
        let own = PatchParams::default();
        let claims = Api::<PersistentVolumeClaim>::default_namespaced(self.client.clone());
        let spec = json!({"spec": {"resources": {"requests": {"storage": size}}}});
        claims.patch(name, &own, &Patch::Merge(spec)).await.unwrap();
        let status = json!({"status": {
            "allocatedResources": {"storage": size},
            "allocatedResourceStatuses": {"storage": "NodeResizePending"},
        }});
        let pending = claims.patch_status(name, &own, &Patch::Merge(status)).await;
        pending.unwrap();
        let volumes = Api::<PersistentVolume>::all(self.client.clone());
        let spec = json!({"spec": {"capacity": {"storage": size}}});
        let grown = volumes.patch(name, &own, &Patch::Merge(spec)).await;
        grown.unwrap();
    }

    /// Waits until a claim has a size.
    pub(crate) async fn has_grown(&self, name: &str, size: i64) {
        let claims = Api::<PersistentVolumeClaim>::default_namespaced(self.client.clone());
        let has_size = |claim: &PersistentVolumeClaim| {
            let capacity = claim
                .status
                .as_ref()
                .and_then(|status| status.capacity.as_ref());
            let size_now = capacity.and_then(|capacity| capacity.get("storage"));
            size_now.is_some_and(|now| now.0 == size.to_string())
        };
        let object = self.server.object(&claims, name);
        object.until("to have grown", has_size).await.unwrap();
    }

    /// Creates a Pod that mounts volumes, which are named as their fields say.
    pub(crate) async fn create_pod(&self, name: &str, volumes: &[(&str, Value)]) {
        self.create_pod_with(name, volumes, json!({})).await;
    }

    /// The same with more fields of its `spec`.
    pub(crate) async fn create_pod_with(&self, name: &str, volumes: &[(&str, Value)], more: Value) {
        let mounts = volumes
            .iter()
            .map(|(name, _)| json!({"name": name, "mountPath": format!("/{name}")}));
        let container = json!({
            "name": "idle",
            "image": "idle",
            "volumeMounts": mounts.collect::<Vec<_>>(),
        });
        let volumes = volumes.iter().map(|(name, source)| {
            let mut volume = source.clone();
            volume["name"] = (*name).into();
            volume
        });
        let mut spec = json!({
            "nodeName": "kubelet",
            "terminationGracePeriodSeconds": 1,
            "volumes": volumes.collect::<Vec<_>>(),
            "containers": [container],
        });
        for (field, value) in more.as_object().unwrap() {
            spec[field] = value.clone();
        }
        let pod = json!({"metadata": {"name": name}, "spec": spec});
        create(&self.pods(), pod).await;
    }

    /// Waits until a Pod runs.
    pub(crate) async fn running(&self, name: &str) -> Pod {
        let pods = self.pods();
        let is_running = |pod: &Pod| {
            let status = pod.status.as_ref();
            status.and_then(|status| status.phase.as_deref()) == Some("Running")
        };
        let object = self.server.object(&pods, name);
        object.until("to run", is_running).await.unwrap()
    }

    /// Deletes Pods, and waits until the kubelet has ended them.
    pub(crate) async fn delete_pods(&self, names: &[&str]) {
        for name in names {
            self.start_deletion(name).await;
        }
        for name in names {
            self.deleted(name).await;
        }
    }

    /// Asks the kubelet to end a Pod.
    pub(crate) async fn start_deletion(&self, name: &str) {
        let deleted = self.pods().delete(name, &DeleteParams::default()).await;
        deleted.unwrap();
    }

    /// Waits until the kubelet has ended a Pod.
    pub(crate) async fn deleted(&self, name: &str) {
        let pods = self.pods();
        self.server.object(&pods, name).until_gone().await.unwrap();
    }

    /// Deletes a Pod without asking the kubelet.
    pub(crate) async fn forget_pod(&self, name: &str) {
        let now = DeleteParams::default().grace_period(0);
        self.pods().delete(name, &now).await.unwrap();
    }
}
