//! The Pod that empties a volume for the next claim.

use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, Volume, VolumeMount};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::{Error, Result, VolumeConfig};

/// The name of the volume that the Pod empties.
const VOLUME: &str = "vol";

/// The mount point of the volume in the Pod.
const SCRUB: &str = "/scrub";

/// The default deadline of the Pod, in seconds.
const DEADLINE: i64 = 60;

/// Deletes hidden files, others beginning with two dots, and the rest, and fails if something is
/// left.
const SCRIPT: &str = "test -d /scrub || exit 1; \
     rm -rf /scrub/..?* /scrub/.[!.]* /scrub/*; \
     test -z \"$(ls -A /scrub)\"";

/// Bytes of a GiB.
const GI: u64 = 1 << 30;

/// Returns the Pod with which volumes are emptied (`NewPersistentVolumeRecyclerPodTemplate`).
///
/// The plugin must set what the volume `vol` is. It should set `generateName`, `pv-recycler-` here,
/// and `activeDeadlineSeconds`, 60 here.
#[must_use]
pub fn persistent_volume_recycler_pod_template() -> Pod {
    let container = Container {
        name: "pv-recycler".to_owned(),
        image: Some("busybox:1.27".to_owned()),
        command: Some(vec!["/bin/sh".to_owned()]),
        args: Some(vec!["-c".to_owned(), SCRIPT.to_owned()]),
        volume_mounts: Some(vec![VolumeMount {
            name: VOLUME.to_owned(),
            mount_path: SCRUB.to_owned(),
            ..VolumeMount::default()
        }]),
        ..Container::default()
    };
    Pod {
        metadata: ObjectMeta {
            generate_name: Some("pv-recycler-".to_owned()),
            namespace: Some("default".to_owned()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            active_deadline_seconds: Some(DEADLINE),
            restart_policy: Some("Never".to_owned()),
            volumes: Some(vec![Volume {
                name: VOLUME.to_owned(),
                ..Volume::default()
            }]),
            containers: vec![container],
            ..PodSpec::default()
        }),
        status: None,
    }
}

/// Checks that the Pod has a volume to empty (`ValidateRecyclerPodTemplate`).
///
/// # Errors
///
/// When it has none.
pub fn validate_recycler_pod_template(pod: &Pod) -> Result<()> {
    let volumes = pod.spec.as_ref().and_then(|spec| spec.volumes.as_ref());
    if volumes.is_none_or(Vec::is_empty) {
        return Err(Error::invalid("does not contain any volume(s)"));
    }
    Ok(())
}

/// Returns the seconds that a Pod gets to empty a volume of so many bytes, as Kubernetes'
/// documentation says: those of each GiB and the minimum.
#[must_use]
pub fn documented_timeout(config: &VolumeConfig, bytes: u64) -> u64 {
    by_size(config, bytes).saturating_add(config.recycler_minimum_timeout.into())
}

/// Returns the seconds that a Pod gets to empty a volume of so many bytes, as Kubernetes' code has
/// it: those of each GiB, but not less than the minimum.
#[must_use]
pub fn timeout(config: &VolumeConfig, bytes: u64) -> u64 {
    by_size(config, bytes).max(config.recycler_minimum_timeout.into())
}

/// A GiB that isn't full doesn't count.
fn by_size(config: &VolumeConfig, bytes: u64) -> u64 {
    (bytes / GI).saturating_mul(config.recycler_timeout_increment.into())
}
