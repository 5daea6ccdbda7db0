//! The volumes of Pods, with their claims resolved.

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Volume};
use kubernetes_volume::Spec;

use crate::manifests::{Key, Objects};

/// Returns the volume as plugins see it: a claim becomes its PersistentVolume. An ephemeral volume
/// is the claim that a cluster would have made for it, `POD-VOLUME`.
pub(crate) fn resolve(objects: &Objects, pod: &Pod, volume: &Volume) -> Result<Spec, String> {
    let (claim_name, read_only) = match (&volume.persistent_volume_claim, &volume.ephemeral) {
        (Some(source), None) => (source.claim_name.clone(), source.read_only == Some(true)),
        (None, Some(_)) => {
            let pod = pod.metadata.name.as_deref().unwrap_or_default();
            (format!("{pod}-{}", volume.name), false)
        }
        // Both at once are refused as any two sources are.
        _ => return Ok(Spec::from(volume.clone())),
    };
    let namespace = pod.metadata.namespace.clone().unwrap_or_default();
    let key = (namespace, claim_name);
    let shown = format!("persistentvolumeclaim \"{}/{}\"", key.0, key.1);
    let Some(claim) = objects.claims.get(&key) else {
        return Err(format!("{shown} not found"));
    };
    let bound = bound(objects, claim, &key);
    let name = bound.ok_or_else(|| {
        format!(
            "{shown} is not bound; set spec.volumeName of the claim or spec.claimRef of the \
             persistentvolume"
        )
    })?;
    let Some(found) = objects.volumes.get(&(String::new(), name.clone())) else {
        return Err(format!("{shown}: persistentvolume {name:?} not found"));
    };
    let spec = found.spec.as_ref();
    if spec.and_then(|spec| spec.volume_mode.as_deref()) == Some("Block") {
        return Err(format!(
            "persistentvolume {name:?} has volumeMode Block and can't be mounted"
        ));
    }
    let claimed = spec.and_then(|spec| spec.claim_ref.as_ref());
    if let Some(other) = claimed.filter(|claim| !refers(claim, &key)) {
        return Err(format!(
            "{shown}: persistentvolume {name:?} is claimed by {}/{}",
            other.namespace.as_deref().unwrap_or_default(),
            other.name.as_deref().unwrap_or_default()
        ));
    }
    Ok(Spec::from_persistent_volume((**found).clone(), read_only))
}

/// Returns the name of the PersistentVolume that the claim names, or that names the claim.
fn bound(objects: &Objects, claim: &PersistentVolumeClaim, key: &Key) -> Option<String> {
    let named = claim
        .spec
        .as_ref()
        .and_then(|spec| spec.volume_name.clone());
    if let Some(name) = named.filter(|name| !name.is_empty()) {
        return Some(name);
    }
    let of_claim = objects.volumes.iter().find(|(_, volume)| {
        let claim = volume
            .spec
            .as_ref()
            .and_then(|spec| spec.claim_ref.as_ref());
        claim.is_some_and(|claim| refers(claim, key))
    });
    of_claim.map(|((_, name), _)| name.clone())
}

fn refers(claim: &k8s_openapi::api::core::v1::ObjectReference, key: &Key) -> bool {
    let namespace = claim
        .namespace
        .as_deref()
        .filter(|namespace| !namespace.is_empty());
    namespace.unwrap_or("default") == key.0 && claim.name.as_ref() == Some(&key.1)
}
