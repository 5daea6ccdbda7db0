//! The part of Kubernetes' persistent volume controller that tests of a provisioner need: it binds
//! claims and releases volumes when a test says so.

use k8s_openapi::Resource;
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use serde_json::{Value, json};

use crate::metadata;
use crate::refusal::Refusal;
use crate::server::Server;

const VOLUMES: (&str, &str) = (
    PersistentVolume::API_VERSION,
    PersistentVolume::URL_PATH_SEGMENT,
);
const CLAIMS: (&str, &str) = (
    PersistentVolumeClaim::API_VERSION,
    PersistentVolumeClaim::URL_PATH_SEGMENT,
);

/// Binds a claim to the volume whose `claimRef` names it, as Kubernetes does once a
/// provisioner has made the volume.
///
/// # Errors
///
/// When there is no such claim or volume.
pub fn bind(server: &Server, namespace: &str, claim: &str) -> Result<(), Refusal> {
    let mut store = server.shared.store.lock();
    let target = store.target(CLAIMS, Some(namespace), Some(claim), false)?;
    let uid = metadata::text(store.get(&target)?.value(), "uid").to_owned();
    let volumes = store.target(VOLUMES, None, None, false)?;
    let is_for_claim = |volume: &Value| {
        let field = |name: &str| {
            let reference = volume.pointer("/spec/claimRef")?;
            reference.get(name)?.as_str()
        };
        field("namespace") == Some(namespace)
            && field("name") == Some(claim)
            && field("uid").is_none_or(|found| found == uid)
    };
    let found = store.all(&volumes)?.into_iter();
    let volume = found
        .map(|volume| volume.value().clone())
        .find(is_for_claim);
    let volume = volume.ok_or_else(|| {
        let message = format!(
            "no volume has a claimRef to the claim \"{namespace}/{claim}\" with the UID {uid}"
        );
        Refusal::new(404, "NotFound", message)
    })?;

    let name = metadata::text(&volume, "name");
    store.modify(&volumes.named(name), |volume| {
        merge(
            volume,
            &json!({
                "spec": {"claimRef": {"uid": uid}},
                "status": {"phase": "Bound"},
            }),
        );
    })?;
    let spec = |field: &str| volume.pointer(&format!("/spec/{field}"));
    store.modify(&target, |claim| {
        merge(
            claim,
            &json!({
                "metadata": {"annotations": {
                    "pv.kubernetes.io/bind-completed": "yes",
                    "pv.kubernetes.io/bound-by-controller": "yes",
                }},
                "spec": {"volumeName": name},
            }),
        );
    })?;
    let status = json!({"status": {
        "phase": "Bound",
        "accessModes": spec("accessModes"),
        "capacity": spec("capacity"),
    }});
    store
        .modify(&target, |claim| merge(claim, &status))
        .map(drop)
}

/// Sets the phase of a volume to `Released`, as Kubernetes does once its claim is gone.
///
/// # Errors
///
/// When there is no such volume.
pub fn release(server: &Server, volume: &str) -> Result<(), Refusal> {
    let mut store = server.shared.store.lock();
    let target = store.target(VOLUMES, None, Some(volume), false)?;
    let released = json!({"status": {"phase": "Released"}});
    store
        .modify(&target, |volume| merge(volume, &released))
        .map(drop)
}

fn merge(object: &mut Value, patch: &Value) {
    json_patch::merge(object, patch);
}
